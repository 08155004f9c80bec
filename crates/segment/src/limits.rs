//! Bounds of the segment format, each with its reason. FORMAT.md repeats them.

/// Longest name of a source or tag that is read, in bytes. Writers are configured with at most
/// [`model::limits::NAME_BYTES_MAX`]; reading more keeps records readable if that ever grows.
pub const STORED_NAME_BYTES_MAX: usize = 64 * 1024;
