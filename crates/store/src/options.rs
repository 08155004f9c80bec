//! What an administrator can set.

use std::num::NonZero;
use std::path::PathBuf;

use crate::limits::{JOURNAL_FILE_BYTES, SEGMENT_ROWS};

/// Settings of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where everything lies.
    pub data_dir: PathBuf,
    /// Memory for records that are not yet sealed, for sealing and merging, and for pages that were
    /// read, in bytes. See [`Shares`](crate::Shares).
    pub memory_bytes: u64,
    /// Threads that build segments, one at least. See [`Options::threads_default`].
    pub threads: usize,
    /// Records of a logspace at which its tail is sealed.
    pub segment_rows: usize,
    /// Size of a journal file, in bytes.
    pub journal_file_bytes: u64,
    /// Free bytes of the disk below which nothing is made durable, so that there is room for what
    /// has to be written to free space.
    pub free_bytes_min: u64,
    /// Free bytes of the disk below which [`crate::Status::is_disk_low`] is set.
    pub free_bytes_warn: u64,
    /// zstd level of segments, 1 to 19.
    pub compression_level: i32,
    /// zstd level to which the segments of days that are over are compacted, up to 19; 0 leaves
    /// them as they are.
    pub compaction_level: i32,
}

impl Options {
    /// As many builders as there are processors but one, which is left to receiving. Of two processors both
    /// build: one alone would do less than half of what there is to do, and the second builder gives way to
    /// whoever receives.
    pub fn threads_default() -> usize {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        cores.saturating_sub(1).max(cores.min(2))
    }

    /// The defaults, with data in a directory.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            memory_bytes: 512 * 1024 * 1024,
            threads: Self::threads_default(),
            segment_rows: SEGMENT_ROWS,
            journal_file_bytes: JOURNAL_FILE_BYTES,
            free_bytes_min: 64 * 1024 * 1024,
            free_bytes_warn: 1024 * 1024 * 1024,
            compression_level: 1,
            compaction_level: 15,
        }
    }
}
