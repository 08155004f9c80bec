//! Bounds of a query, each with its reason.

/// Longest query text, in bytes. A person types far less; generated ones belong in several queries.
pub const QUERY_BYTES_MAX: usize = 16 * 1024;

/// Deepest nesting of parentheses. The parser and everything that walks the tree recurse.
pub const DEPTH_MAX: usize = 64;

/// Most leaves (terms, phrases, comparisons) of one query: each may cost a pass over the data.
pub const LEAVES_MAX: usize = 1_024;

/// Most wildcards of one term. Each may cost a pass over the text; a UUID of `?` has 36.
pub const WILDCARDS_MAX: usize = 64;

/// Most diagnostics reported of one text: behind that nobody reads, and answers stay small.
pub const DIAGNOSTICS_MAX: usize = 20;

/// Largest compiled form of one regular expression, in bytes; bounds `(a{1000}){1000}`.
pub const REGEX_BYTES_MAX: usize = 1024 * 1024;

/// Largest lazily built automaton of one regular expression, in bytes.
pub const REGEX_CACHE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Most stages of one pipe. Each is done once on what the one before gave.
pub const STAGES_MAX: usize = 16;

/// Most fields that records are counted by at the same time: more give a row for nearly every
/// record.
pub const BY_FIELDS_MAX: usize = 4;

/// Most columns that `fields` lists: more than anybody looks at.
pub const COLUMNS_MAX: usize = 32;

/// Most rows that `top`, `patterns` and `head` keep. More are an export.
pub const STAGE_ROWS_MAX: usize = 100_000;

/// Rows that `top`, `patterns` and `head` keep where no number is given.
pub const STAGE_ROWS_DEFAULT: usize = 10;

/// Most bars: more than pixels on any screen.
pub const BARS_MAX: usize = 10_000;

/// Most bars of a pattern: a line beside a text has no room for more, and there are many patterns.
pub const PATTERN_BARS_MAX: usize = 200;

/// Bars where no number is given. SSB draws as many.
pub const BARS_DEFAULT: usize = 30;
