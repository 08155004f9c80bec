//! What is in a manifest.

use std::path::{Path, PathBuf};

use model::{RecordNumber, Timestamp};

use crate::disk::Disk;
use crate::error::Error;
use crate::manifest::{Entry, Manifest};
use crate::snapshot::Damage;

/// A manifest.
#[derive(Clone, Debug)]
pub struct ManifestView {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The version of its format.
    pub version: u16,
    /// Its records, in order.
    pub records: Vec<RecordView>,
    /// The segments it names, by number.
    pub entries: Vec<EntryView>,
    /// How many segments it names as removed.
    pub removed: usize,
    /// No record has this number or a higher one.
    pub next: RecordNumber,
    /// What the journal has of records with lower numbers was sealed.
    pub sealed: RecordNumber,
    /// Where a record starts that was never finished, or is damaged.
    pub torn_at: Option<u64>,
    /// What cannot be read.
    pub damages: Vec<Damage>,
}

/// A record of a manifest.
#[derive(Clone, Copy, Debug)]
pub struct RecordView {
    /// Where it starts, in bytes.
    pub offset: u64,
    /// How many segments it adds.
    pub added: usize,
    /// How many segments it removes.
    pub removed: usize,
    /// What it says of the next number.
    pub next: u64,
    /// What it says of sealed records.
    pub sealed: u64,
}

/// A segment as a manifest names it.
#[derive(Clone, Debug)]
pub struct EntryView {
    /// The number of its first record.
    pub first_number: RecordNumber,
    /// How many records it has.
    pub records: u32,
    /// How often its records were written anew.
    pub generation: u16,
    /// Whether its records were imported.
    pub is_imported: bool,
    /// Whether it was compacted, or would not get smaller by it.
    pub is_compacted: bool,
    /// The day of receipt, such as `2026-11-21`.
    pub day: String,
    /// The size of its file in bytes.
    pub file_bytes: u64,
    /// Bytes of its messages as they arrived.
    pub raw_bytes: u64,
    /// When its first record was received.
    pub first_received: Timestamp,
    /// When its last record was received.
    pub last_received: Timestamp,
}

/// Looks into a manifest.
pub(super) fn inspect(disk: &dyn Disk, path: &Path) -> Result<ManifestView, Error> {
    let survey = Manifest::survey(disk, path)?;
    let mut entries = survey.contents.entries;
    entries.sort_by_key(|entry| entry.first);
    Ok(ManifestView {
        path: path.to_owned(),
        bytes: survey.bytes,
        version: survey.version,
        records: survey.records,
        entries: entries.iter().map(view).collect(),
        removed: survey.contents.removed.len(),
        next: RecordNumber(survey.contents.next),
        sealed: RecordNumber(survey.contents.sealed),
        torn_at: survey.torn_at,
        damages: survey.damages,
    })
}

fn view(entry: &Entry) -> EntryView {
    EntryView {
        first_number: entry.first,
        records: entry.rows,
        generation: entry.generation,
        is_imported: entry.is_imported,
        is_compacted: entry.is_compacted,
        day: day_text(entry.day),
        file_bytes: entry.file_bytes,
        raw_bytes: entry.raw_bytes,
        first_received: entry.first_received,
        last_received: entry.last_received,
    }
}

/// A day, counted from 1970-01-01, in words.
pub(super) fn day_text(day: i64) -> String {
    let civil = Timestamp::from_seconds(day.saturating_mul(86_400)).to_civil();
    format!("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day)
}
