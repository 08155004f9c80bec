//! Logspaces that survive anything: journal, tail, sealing, manifest, recovery, snapshots.
//!
//! A batch handed to [`Store::append`] is written to the journal by one committer thread that
//! groups whatever waits, calls `fdatasync` once for the group, and only then makes the records
//! visible and calls back. A sealer thread turns the tail into immutable segments; a segment
//! becomes part of its logspace by one durable append to the manifest, after which the journal
//! files that held its records are recycled. Readers hold a [`Snapshot`] and never wait.
//!
//! All I/O goes through [`Disk`], all time through [`Clock`].

mod archive;
mod backup;
mod backup_dir;
mod builders;
mod capture;
mod clock;
mod committer;
mod copy;
mod disk;
mod documents;
mod durability;
mod error;
mod follower;
mod followers;
mod gone;
mod hole;
mod housekeeper;
mod import;
mod inspect;
mod inventory;
mod journal;
mod leftovers;
pub mod limits;
mod lock;
mod logspace;
mod losses;
mod manifest;
mod memory;
mod memory_segments;
mod names;
mod notes;
mod numbers;
mod open_files;
mod openings;
mod options;
mod pauses;
mod places;
mod publish;
mod queue;
mod raw_segment;
mod recovery;
mod repair;
mod restore;
mod retention;
mod rewriting;
mod room;
mod sealer;
mod searches;
mod segment_file;
mod segment_handle;
mod snapshot;
mod status;
mod store;
mod subscription;
#[cfg(test)]
mod tests;
mod threads;
mod verify;
mod worker;

pub use archive::Archive;
pub use backup::{Backup, LogspaceBackup};
pub use clock::{Clock, SystemClock};
pub use disk::{DirLock, Disk, DiskEntry, DiskFile, OpenMode, RealDisk};
pub use documents::{Document, DocumentName};
pub use durability::Durability;
pub use error::{Error, ReadError};
pub use follower::{Followed, Follower, News};
pub use followers::{FollowOptions, FollowerStatus, Gap, GapReason, Undelivered, Until};
pub use import::Import;
pub use inspect::{
    BlockView, DayView, DirectoryView, EntryView, FileView, InspectOptions, JournalView, KindsView,
    LogspaceView, ManifestView, PageView, RecordView, SampleView, SectionView, SegmentView,
    TemplateView, TemplatesView, TermView, View, inspect, inspect_directory,
};
pub use lock::LockHolder;
pub use memory::Shares;
pub use options::Options;
pub use queue::{AppendError, Appended, OnDurable};
pub use repair::{Repaired, repair};
pub use restore::{Restore, restore};
pub use retention::Retention;
pub use rewriting::mend::Repair;
pub use segment_handle::{
    FieldOrdinals, Found, OpenChunk, OwnValueRows, RowTimes, SegmentHandle, TimeSpan,
};
pub use snapshot::{Damage, Part, Snapshot, TailChunk};
pub use status::{LogspaceStatus, State, Status};
pub use store::Store;
pub use subscription::Subscription;
pub use verify::{FileKind, Finding, Remedy, Verified, VerifyOptions, verify};
