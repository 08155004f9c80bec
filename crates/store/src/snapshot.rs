//! What a reader sees: the segments and the tail of a logspace at one moment.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};

use crate::segment_handle::SegmentHandle;

/// A logspace as it was at one moment. Cheap to take and to hold: files that are removed
/// meanwhile stay readable until the last snapshot is dropped.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The logspace.
    pub logspace: LogspaceName,
    /// Its parts, in the order of record numbers. Parts may overlap in time, since imported
    /// records keep their old times.
    pub parts: Vec<Part>,
    /// The visibility watermark: below this number there is no record that is not seen so far. Parts behind
    /// it are there as well while an import is under way that has taken numbers before them.
    pub end: RecordNumber,
    /// What of the logspace is known to be unreadable; an answer without it is not complete.
    pub damages: Arc<[Damage]>,
}

/// Records with consecutive numbers, in the order of receipt.
#[derive(Clone, Debug)]
pub enum Part {
    /// Sealed records on disk, or a memory segment of some that are not sealed.
    Segment(Arc<SegmentHandle>),
    /// Records that are durable in the journal and held in memory.
    Tail(Arc<TailChunk>),
}

impl Snapshot {
    /// The number of the newest record; `None` where there are none.
    pub fn last_number(&self) -> Option<RecordNumber> {
        let ends = self.parts.iter().map(|part| {
            let rows = u64::from(part.rows());
            RecordNumber(part.first_number().0 + rows.saturating_sub(1))
        });
        ends.max()
    }
}

impl Part {
    /// The number of the first record.
    pub fn first_number(&self) -> RecordNumber {
        match self {
            Self::Segment(segment) => segment.first_number(),
            Self::Tail(chunk) => chunk.first,
        }
    }

    /// How many records there are, at least one.
    pub fn rows(&self) -> u32 {
        match self {
            Self::Segment(segment) => segment.rows(),
            Self::Tail(chunk) => u32::try_from(chunk.batch.len()).unwrap_or(u32::MAX),
        }
    }

    /// When the first record was received.
    pub fn first_received(&self) -> Timestamp {
        match self {
            Self::Segment(segment) => segment.first_received(),
            Self::Tail(chunk) => chunk.batch.get(0).map(|r| r.received()).unwrap_or_default(),
        }
    }

    /// When the last record was received.
    pub fn last_received(&self) -> Timestamp {
        match self {
            Self::Segment(segment) => segment.last_received(),
            Self::Tail(chunk) => chunk.last_received(),
        }
    }
}

/// Records of the tail.
#[derive(Debug)]
pub struct TailChunk {
    /// The number of the first record.
    pub first: RecordNumber,
    /// The records.
    pub batch: RecordBatch,
    /// Where looks at them are counted.
    looks: Arc<AtomicU64>,
}

impl TailChunk {
    /// Records, and where looks at them are counted.
    pub fn new(first: RecordNumber, batch: RecordBatch, looks: Arc<AtomicU64>) -> Self {
        Self {
            first,
            batch,
            looks,
        }
    }

    /// Notes that a question looks at so many of the records.
    pub fn note_looks(&self, count: usize) {
        self.looks.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// The number behind the last record.
    pub(crate) fn end(&self) -> u64 {
        self.first.0 + self.batch.len() as u64
    }

    /// When the last record was received.
    pub(crate) fn last_received(&self) -> Timestamp {
        let bounds = self.batch.received_bounds();
        bounds.map(|(_, last)| last).unwrap_or_default()
    }

    /// Whether records go on where these end, in number and in order of receipt.
    pub(crate) fn goes_on_with(&self, first: RecordNumber, batch: &RecordBatch) -> bool {
        let is_later = |(received, _)| self.last_received() <= received;
        self.end() == first.0 && batch.received_bounds().is_none_or(is_later)
    }
}

/// Something on disk that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// Where in it, in bytes.
    pub offset: u64,
    /// What is wrong.
    pub what: String,
}

impl Damage {
    /// Notes what is wrong where.
    pub(crate) fn new(path: &Path, offset: u64, what: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            offset,
            what: what.into(),
        }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} at offset {}: {}",
            self.path.display(),
            self.offset,
            self.what
        )
    }
}
