//! Bounds of templates, each with its reason.

/// Longest template, in bytes. The longest of the templates that are published for syslog-ng have some
/// 4 KiB.
pub const TEMPLATE_BYTES_MAX: usize = 64 * 1024;

/// Most functions inside each other. Compiling and rendering are recursive: so many levels take a few
/// KiB of stack.
pub const NESTING_MAX: usize = 16;

/// Most nested conditions in parentheses, for the same reason.
pub const CONDITION_NESTING_MAX: usize = 32;

/// Most arguments of a function. `$(format-json)` with a member for each field of a wide log has some
/// hundred.
pub const ARGUMENTS_MAX: usize = 1_000;

/// Most bytes that a template makes of one record. The longest message has 16 MiB, and few destinations
/// take more.
pub const OUTPUT_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Most bytes of a compiled regular expression; some hundred times what the usual ones take.
pub const EXPRESSION_BYTES_MAX: usize = 1024 * 1024;

/// Most padding of one call of `$(padding)`, in bytes. Wider columns are read by nobody.
pub const PADDING_BYTES_MAX: usize = 4096;

/// Most digits of the fraction of a second: time stamps have nanoseconds.
pub const FRACTION_DIGITS_MAX: u8 = 9;
