//! Bounds of what is found in a text, each with its reason.

/// Most fields of one message. As many as are kept of structured data; those behind are no fields,
/// so that a hostile message costs no more than its length.
pub const FIELDS_MAX: usize = 1_000;

/// Deepest nesting of JSON. Its reader recurses, and no log nests half as deep; what lies deeper ends
/// the reading of the message.
pub const DEPTH_MAX: usize = 32;

/// Longest name, in bytes, path included. Longer runs in front of `=` are encoded data.
pub const NAME_BYTES_MAX: usize = 256;
