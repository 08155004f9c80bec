//! Every file name in a data directory.
//!
//! ```text
//! DATA/lock                                           who has it open
//! DATA/id                                             which store this is
//! DATA/inventory                                      what it has, and what is lost
//! DATA/backup                                         in a backup: of which store
//! DATA/unfinished                                     while a first backup or a restore runs
//! DATA/searches.json                                  searches that people saved
//! DATA/documents/NAME.document                        small texts that have to survive
//! DATA/journal/00000000000000000001.journal           blocks of records, all logspaces
//! DATA/journal/00000000000000000002.free              a journal file to recycle
//! DATA/logspaces/NAME/manifest                        which segments the logspace has
//! DATA/logspaces/NAME/2026/11-21/00000000000000000001.segment   by day and first record number
//! DATA/logspaces/NAME/2026/11-21/00000000000000000001.2.segment   written anew, in the second generation
//! DATA/logspaces/NAME/archive                         where its archived segments lie
//! ARCHIVE/NAME/id                                     whose segments these are
//! ARCHIVE/NAME/2026/11-21/00000000000000000001.segment          archived
//! ```

use std::path::{Path, PathBuf};

use model::{LogspaceName, RecordNumber, Timestamp};

use crate::documents::DocumentName;
use crate::manifest::SegmentId;

/// Ending of a journal file in use.
pub(crate) const JOURNAL_SUFFIX: &str = ".journal";
/// Ending of a journal file that waits to be recycled.
pub(crate) const FREE_SUFFIX: &str = ".free";
/// The name of a manifest.
pub(crate) const MANIFEST: &str = "manifest";
/// Ending of a segment.
pub(crate) const SEGMENT_SUFFIX: &str = ".segment";
/// Ending of a file being written; removed at start.
pub(crate) const TEMPORARY_SUFFIX: &str = ".tmp";
/// Ending of a segment while it is compacted, without the dot: that of a file being written.
pub(crate) const COMPACTION_SUFFIX: &str = "compact.tmp";
/// Ending given to a segment that no manifest names.
pub(crate) const ORPHAN_SUFFIX: &str = ".orphan";

/// Ending given to a segment whose readable records were saved into other ones.
pub(crate) const DAMAGED_SUFFIX: &str = ".damaged";

/// Ending of a document.
pub(crate) const DOCUMENT_SUFFIX: &str = ".document";

/// The lock file.
pub(crate) fn lock(data_dir: &Path) -> PathBuf {
    data_dir.join("lock")
}

/// Which store this is: a word made at random, the same in all its backups.
pub(crate) fn id(data_dir: &Path) -> PathBuf {
    data_dir.join("id")
}

/// What the store has, and what of it is lost.
pub(crate) fn inventory(data_dir: &Path) -> PathBuf {
    data_dir.join("inventory")
}

/// Says that a directory is a backup, and of which store. Gone once somebody received into it.
pub(crate) fn backup_note(data_dir: &Path) -> PathBuf {
    data_dir.join("backup")
}

/// Says that a first backup or a restore has not finished: the directory is not to be used.
pub(crate) fn unfinished_note(data_dir: &Path) -> PathBuf {
    data_dir.join("unfinished")
}

/// Searches that people saved.
pub(crate) fn searches(data_dir: &Path) -> PathBuf {
    data_dir.join("searches.json")
}

/// The directory of the documents.
pub(crate) fn documents_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("documents")
}

/// A document.
pub(crate) fn document(data_dir: &Path, name: &DocumentName) -> PathBuf {
    documents_dir(data_dir).join(format!("{name}{DOCUMENT_SUFFIX}"))
}

/// The directory of the journal.
pub(crate) fn journal_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("journal")
}

/// A journal file in use.
pub(crate) fn journal(data_dir: &Path, id: u64) -> PathBuf {
    journal_dir(data_dir).join(format!("{id:020}{JOURNAL_SUFFIX}"))
}

/// A journal file that waits to be recycled.
pub(crate) fn free_journal(data_dir: &Path, id: u64) -> PathBuf {
    journal_dir(data_dir).join(format!("{id:020}{FREE_SUFFIX}"))
}

/// The number in a journal file's name.
pub(crate) fn journal_id(name: &str, suffix: &str) -> Option<u64> {
    name.strip_suffix(suffix)
        .filter(|digits| digits.len() == 20)?
        .parse()
        .ok()
}

/// The directory of all logspaces.
pub(crate) fn logspaces_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("logspaces")
}

/// The directory of a logspace.
pub(crate) fn logspace_dir(data_dir: &Path, name: &LogspaceName) -> PathBuf {
    logspaces_dir(data_dir).join(name.as_str())
}

/// The manifest of a logspace.
pub(crate) fn manifest(logspace_dir: &Path) -> PathBuf {
    logspace_dir.join(MANIFEST)
}

/// Where the archived segments of a logspace lie.
pub(crate) fn archive_note(logspace_dir: &Path) -> PathBuf {
    logspace_dir.join("archive")
}

/// The directory of a day, counted from 1970-01-01 (UTC).
pub(crate) fn day_dir(logspace_dir: &Path, day: i64) -> PathBuf {
    let civil = Timestamp::from_seconds(day.saturating_mul(86_400)).to_civil();
    logspace_dir
        .join(format!("{:04}", civil.year))
        .join(format!("{:02}-{:02}", civil.month, civil.day))
}

/// A segment in its day: by its first record, and its generation where it is not the first one.
pub(crate) fn segment(logspace_dir: &Path, day: i64, id: SegmentId) -> PathBuf {
    let name = match id.generation {
        0 => format!("{:020}{SEGMENT_SUFFIX}", id.first.0),
        generation => format!("{:020}.{generation}{SEGMENT_SUFFIX}", id.first.0),
    };
    day_dir(logspace_dir, day).join(name)
}

/// The name that a file has while it is written.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    path.with_extension(TEMPORARY_SUFFIX.trim_start_matches('.'))
}

/// Which segment a file's name stands for.
pub(crate) fn segment_id(name: &str) -> Option<SegmentId> {
    let stem = name.strip_suffix(SEGMENT_SUFFIX)?;
    let (digits, generation) = match stem.split_once('.') {
        Some((digits, generation)) => (digits, generation.parse().ok()?),
        None => (stem, 0),
    };
    let first = RecordNumber(digits.parse().ok().filter(|_| digits.len() == 20)?);
    Some(SegmentId { first, generation })
}
