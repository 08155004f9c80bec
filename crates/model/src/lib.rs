//! The nouns of Logwood: record, time stamp, priority, `RecordId`, time range, search word.
//!
//! Nothing here does I/O, reads a clock or keeps global state, so every other crate may depend on
//! it. Start with [`RecordBatch`]: records live in batches, one byte arena per batch, and are seen
//! through [`RecordRef`]. No record is ever a bag of owned strings.

pub mod addresses;
mod batch;
mod civil;
mod editor;
mod id;
pub mod limits;
mod priority;
mod record;
mod tag;
mod time;
pub mod words;

pub use batch::{BatchFull, RecordBatch};
pub use editor::{Editor, Mark, TextPart};
pub use id::{InvalidLogspaceName, InvalidRecordId, LogspaceName, RecordId, RecordNumber};
pub use priority::{Facility, Priority, Severity};
pub use record::{Field, FieldRef, RecordHead, RecordParts, RecordRef, Span};
pub use tag::{SYSLOG_TAG_NAMES, Tag};
pub use time::{CivilTime, InvalidTime, TimeRange, Timestamp, zone_offset_seconds};
