//! Bounds of what is taken out of a text, each with its reason.

/// Longest name of a pair, in bytes, path included; the same as in `text_fields`.
pub const NAME_BYTES_MAX: usize = text_fields::limits::NAME_BYTES_MAX;

/// Most text of its own that a parser adds, in bytes: values without their escapes and names that do not
/// stand in the input. Four times the default of the longest message, so that only hostile input gets
/// there: a short member of a deep path makes a name of 256 bytes.
pub const OWN_BYTES_MAX: usize = 256 * 1024;

/// Deepest nesting of JSON and XML; the same as in `text_fields`. Readers recurse, and no log nests half as
/// deep.
pub const DEPTH_MAX: usize = text_fields::limits::DEPTH_MAX;

/// Longest separator, marker or quotation of an option, in bytes. Those of real formats have at most six.
pub const SEPARATOR_BYTES_MAX: usize = 64;

/// Longest regular expression, in bytes. The stock patterns of grok expand to some ten thousand.
pub const REGEX_TEXT_BYTES_MAX: usize = 64 * 1024;

/// Largest compiled form of one regular expression, in bytes; bounds `(a{1000}){1000}`. Ten stock patterns
/// of grok in a row take less than half.
pub const REGEX_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Largest lazily built automaton of one regular expression, in bytes, for each thread that uses it.
pub const REGEX_CACHE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Largest automaton that finds all groups in one pass, in bytes. An expression that needs more takes a
/// slower way.
pub const REGEX_ONE_PASS_BYTES_MAX: usize = 1024 * 1024;

/// Deepest nesting of patterns of grok in each other. The stock patterns have six.
pub const GROK_DEPTH_MAX: usize = 32;

/// Longest pattern of a time, in bytes. Those of real logs have some forty.
pub const DATE_PATTERN_BYTES_MAX: usize = 256;

/// Most patterns of times that are tried one after the other. More tell of several formats, which steps of
/// their own tell apart better.
pub const DATE_PATTERNS_MAX: usize = 64;

/// Most patterns of elements to leave out. Each is compared with the name of each element.
pub const EXCLUDED_TAGS_MAX: usize = 64;
