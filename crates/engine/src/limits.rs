//! Bounds of an answer, each with its reason.

/// Most rows that one search returns; further ones come with its cursor, or as an export.
pub const SEARCH_ROWS_MAX: usize = 10_000;

/// Most bytes of records that one search gathers. A page of answers that reaches it ends early,
/// with a cursor; so huge messages cannot fill the memory.
pub const SEARCH_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Most bars of a histogram: more than any screen has columns.
pub const HISTOGRAM_BARS_MAX: usize = 10_000;

/// Most memory for the distinct values of one statistic, in bytes: the values themselves and
/// [`STATS_VALUE_OVERHEAD`] each. Values first seen behind it are not listed and the answer is
/// marked incomplete.
pub const STATS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Memory of one distinct value beside its bytes: its place in the table and its allocation.
pub const STATS_VALUE_OVERHEAD: usize = 64;

/// Rows of the tail that are looked at between two looks at [`crate::Cancel`]. About a
/// millisecond of matching.
pub const TAIL_PAGE_ROWS: u32 = 1_024;

/// Longest text of a cursor that is read, in bytes: two numbers of 16 digits and a name.
pub const CURSOR_BYTES_MAX: usize = 2 * 16 + 2 + model::limits::NAME_BYTES_MAX;

/// Most memory for the rows of a list, in bytes. Rows behind that are left out and the answer is
/// marked incomplete.
pub const TABLE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Memory of one value of a table beside its text.
pub const TABLE_VALUE_BYTES: usize = size_of::<query::Value>();
