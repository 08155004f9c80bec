//! Bounds that every crate shares, each with its reason.

/// Longest message a source may be configured to accept, in bytes.
///
/// Spans are 32 bits wide; 16 MiB is the largest frame any peer we know can be set to send.
pub const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Default of the longest message, in bytes; the same as syslog-ng's `log-msg-size`.
pub const MESSAGE_BYTES_DEFAULT: usize = 64 * 1024;

/// Most bytes of one batch's arena. Keeps 32-bit offsets safe and a journal block's decode bounded.
pub const BATCH_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Most records in one batch; the row counter of a page is 32 bits and decoders allocate by it.
pub const BATCH_RECORDS_MAX: usize = 1 << 20;

/// Most fields (structured data parameters) kept of one record; the rest stay in `raw`.
pub const RECORD_FIELDS_MAX: usize = 1_000;

/// Most bytes that a record's `extra` may grow to while it is processed. What a step sets is text of
/// the author of the configuration and of the message; a record that copies itself again and again ends here.
pub const RECORD_EXTRA_BYTES_MAX: usize = 1024 * 1024;

/// Most fields in one batch, over all its records.
pub const BATCH_FIELDS_MAX: usize = 1 << 22;

/// Batches of this many whose records stand together in a store: what is read of them is one batch, which
/// may have so many times as many bytes and fields.
pub const BATCHES_TOGETHER_MAX: usize = 4;

/// Most distinct tags in one batch: a record's tags are a 64-bit set.
pub const BATCH_TAGS_MAX: usize = 64;

/// Most distinct sources in one batch: a record's source is a 16-bit index.
pub const BATCH_SOURCES_MAX: usize = 4_096;

/// Longest name of a logspace, tag or source, in bytes. File systems allow 255 for a component.
pub const NAME_BYTES_MAX: usize = 128;
