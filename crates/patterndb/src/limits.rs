//! Bounds of databases, of matching and of correlation, each with its reason.

/// Largest file, in bytes. The largest public database has 3 MB.
pub const FILE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Deepest nesting of elements. The formats need nine levels, and reading recurses.
pub const NESTING_MAX: usize = 16;

/// Most rules of a database; some twenty times those of the largest public one.
pub const RULES_MAX: usize = 100_000;

/// Longest pattern, in bytes. Nobody reads a longer one.
pub const PATTERN_BYTES_MAX: usize = 16 * 1024;

/// Deepest tree of patterns, in nodes. Looking a message up recurses, some 200 bytes of stack a level; a
/// pattern with a hundred parsers needs 200 levels.
pub const TREE_DEPTH_MAX: usize = 512;

/// Largest compiled form of a regular expression of `@PCRE@`, in bytes; some hundred times the usual ones.
pub const EXPRESSION_BYTES_MAX: usize = 1024 * 1024;

/// Most warnings that are kept of one database: behind that nobody reads.
pub const WARNINGS_MAX: usize = 1_000;

/// Steps that looking up one message may take: nodes visited, and parsers tried at [`STEP_BYTES`] a step. A
/// parser takes one length, so no node is visited twice, and usual messages take some dozens of steps; but
/// long messages and thousands of patterns that begin with parsers could multiply.
pub const STEPS_MAX: usize = 512 * 1024;

/// Bytes that a parser may look at in one step.
pub const STEP_BYTES: usize = 1024;

/// Most tags of a message that contexts keep; a batch holds as many.
pub const TAGS_MAX: usize = 64;

/// Most contexts, where nothing else is asked for: a large site has some ten thousand sessions at a time.
pub const CONTEXTS_MAX: usize = 100_000;

/// Most messages of a context, where nothing else is asked for. Rules look at some dozens.
pub const CONTEXT_MESSAGES_MAX: usize = 1_000;

/// Most bytes of all contexts, where nothing else is asked for.
pub const CONTEXTS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Most rates of actions that are kept; some 200 bytes each.
pub const RATES_MAX: usize = 100_000;
