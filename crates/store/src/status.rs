//! Figures about the store.

use model::{LogspaceName, Timestamp};

use crate::followers::FollowerStatus;
use crate::retention::Retention;
use crate::snapshot::Damage;

/// Whether records can be made durable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// They can.
    #[default]
    Working,
    /// They wait, nothing is acknowledged, and the disk is tried again and again; why.
    Stalled(String),
}

/// The store as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Whether records can be made durable.
    pub state: State,
    /// Records handed over and not yet durable.
    pub pending_records: u64,
    /// Bytes that can still be written; `None` where the system does not say.
    pub free_bytes: Option<u64>,
    /// Whether there is less free than [`crate::Options::free_bytes_warn`].
    pub is_disk_low: bool,
    /// Bytes of journal files that hold unsealed records.
    pub journal_bytes: u64,
    /// Bytes of journal that are acknowledged and not yet synced; see [`crate::Durability`].
    pub unsynced_bytes: u64,
    /// Commits since the start.
    pub commits: u64,
    /// Time spent in writing and syncing commits since the start, in nanoseconds.
    pub commit_nanos: u64,
    /// Documents that cannot be read or are gone.
    pub damaged_documents: Vec<Damage>,
    /// The logspaces, by name.
    pub logspaces: Vec<LogspaceStatus>,
}

/// A logspace as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogspaceStatus {
    /// Its name.
    pub name: LogspaceName,
    /// Records, sealed or not.
    pub records: u64,
    /// Segments.
    pub segments: usize,
    /// How much of it is kept.
    pub retention: Retention,
    /// Bytes of the segments' files, those in the archive not counted.
    pub disk_bytes: u64,
    /// Bytes of those that hold the sealed messages; the others are index.
    pub data_bytes: u64,
    /// Segments in the archive.
    pub archived_segments: usize,
    /// Bytes of their files.
    pub archived_bytes: u64,
    /// Why segments that are due cannot be archived, or archived ones not be read.
    pub archive_failure: Option<String>,
    /// Segments that were compacted, or would not get smaller by it.
    pub compacted_segments: usize,
    /// Bytes that compacting has saved since the start.
    pub compaction_saved_bytes: u64,
    /// Why a segment that is due cannot be compacted.
    pub compaction_failure: Option<String>,
    /// Bytes of the sealed messages as they arrived.
    pub raw_bytes: u64,
    /// Records not yet sealed.
    pub tail_records: u64,
    /// Memory of the records not yet sealed, in bytes.
    pub tail_bytes: u64,
    /// Records deleted since the start because they need not be kept.
    pub expired_records: u64,
    /// Who reads it in the order of numbers.
    pub followers: Vec<FollowerStatus>,
    /// When the oldest record was received.
    pub first_received: Option<Timestamp>,
    /// When the newest record was received.
    pub last_received: Option<Timestamp>,
    /// How often since the start times of receipt went back, because the clock had been ahead.
    pub clock_steps_back: u64,
    /// What cannot be read.
    pub damages: Vec<Damage>,
}
