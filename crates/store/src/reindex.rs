//! Writing segments of a data directory anew that nobody has open: from their records, with the columns and the
//! index of today.
//!
//! What a release adds to segments is in those that are written from then on. Merging and compaction copy what can
//! be copied, so that older ones stay as they are. Each takes the place of the old one by one durable append to the
//! manifest; where that does not come about, the old one is there. A server compacts them once more.

use std::path::PathBuf;
use std::sync::Arc;

use model::LogspaceName;

use crate::clock::Clock;
use crate::disk::Disk;
use crate::error::Error;
use crate::lock::Lock;
use crate::logspace::Logspace;
use crate::manifest::{Entry, Manifest};
use crate::mend;
use crate::names;
use crate::options::Options;
use crate::store::{Shared, locked};

/// Which segments are written anew.
#[derive(Clone, Debug, Default)]
pub struct ReindexOptions {
    /// Those of this logspace; of all where there is none.
    pub logspace: Option<LogspaceName>,
    /// Also those that have all that today's have.
    pub is_all: bool,
    /// None is written: it is only told what would be.
    pub is_dry_run: bool,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reindexed {
    /// Segments that were written anew, or would be.
    pub segments: u64,
    /// Their records.
    pub records: u64,
    /// Their size before, in bytes.
    pub bytes_before: u64,
    /// And now; the same in a dry run.
    pub bytes_after: u64,
    /// Segments that have all that today's have.
    pub current: u64,
    /// Segments that stay as they are.
    pub left: Vec<LeftAlone>,
}

/// A segment that was not written anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftAlone {
    /// Its file.
    pub path: PathBuf,
    /// Why.
    pub reason: LeftBecause,
}

/// Why a segment was not written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftBecause {
    /// Something in it cannot be read.
    Damaged,
    /// Its records are still in the journal: it is written anew at the next start.
    InJournal,
    /// It is in the archive, where nothing is written anew.
    Archived,
    /// It would leave less of the disk free than there should be.
    NoRoom,
}

impl LeftBecause {
    /// In words, with what to do.
    pub fn text(self) -> &'static str {
        match self {
            Self::Damaged => "something in it cannot be read; `logwood verify` says what",
            Self::InJournal => {
                "its records are in the journal still; the next start seals them anew"
            }
            Self::Archived => "it is in the archive, where nothing is written anew",
            Self::NoRoom => "the disk has no room for it beside the old one; make some and go on",
        }
    }
}

/// Writes segments anew; `watch` hears how many bytes of them are done, of how many.
///
/// # Errors
/// When another process has the directory open, it is no data directory, it does not have the logspace, or a segment
/// cannot be written.
pub fn reindex(
    options: Options,
    asked: &ReindexOptions,
    disk: &Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    watch: &(dyn Fn(u64, u64) + Sync),
) -> Result<Reindexed, Error> {
    let data_dir = options.data_dir.clone();
    // Says in good time that it is no data directory.
    if disk.list(&names::logspaces_dir(&data_dir)).is_err() {
        return Err(Error::NotADataDirectory { data_dir });
    }
    let lock = Lock::take(disk.as_ref(), &data_dir)?;
    let shared = Shared::recover(options, Arc::clone(disk), clock, asked.is_dry_run)?;
    let logspaces = shared.logspaces();
    if let Some(name) = &asked.logspace
        && logspaces.iter().all(|logspace| logspace.name != *name)
    {
        return Err(Error::UnknownLogspace(name.clone()));
    }
    let mut chosen: Vec<(Arc<Logspace>, Entry)> = Vec::new();
    for logspace in logspaces {
        if asked
            .logspace
            .as_ref()
            .is_none_or(|name| *name == logspace.name)
        {
            let entries = match locked(&logspace.manifest).as_ref() {
                Some(manifest) => manifest.contents().entries.clone(),
                // It is open for reading only.
                None => Manifest::read(disk.as_ref(), &logspace.dir)?.0.entries,
            };
            chosen.extend(entries.iter().map(|entry| (Arc::clone(&logspace), *entry)));
        }
    }
    let total = chosen.iter().map(|(_, entry)| entry.file_bytes).sum();
    let (mut found, mut done) = (Reindexed::default(), 0);
    for (logspace, entry) in &chosen {
        watch(done, total);
        add(&shared, logspace, entry, asked, &mut found)?;
        done += entry.file_bytes;
    }
    watch(done, total);
    drop(lock);
    Ok(found)
}

/// Writes a segment anew where that is wanted and possible.
fn add(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
    asked: &ReindexOptions,
    found: &mut Reindexed,
) -> Result<(), Error> {
    let path = logspace.path(entry);
    let handle = logspace.state().handles(std::slice::from_ref(&path)).pop();
    if let Some(handle) = &handle
        && !asked.is_all
        && !handle.footer().is_outdated()
    {
        found.current += 1;
        return Ok(());
    }
    let is_in_journal = logspace.state().tail_has_any(&entry.numbers());
    let obstacle = match handle {
        _ if entry.is_archived => Some(LeftBecause::Archived),
        _ if is_in_journal => Some(LeftBecause::InJournal),
        None => Some(LeftBecause::Damaged),
        Some(_) if !shared.has_room_for(entry.file_bytes.saturating_mul(2)) => {
            Some(LeftBecause::NoRoom)
        }
        Some(_) => None,
    };
    let written = match obstacle {
        Some(reason) => Err(reason),
        None if asked.is_dry_run => Ok(entry.file_bytes),
        None => mend::rewrite(shared, logspace, entry)?.ok_or(LeftBecause::Damaged),
    };
    match written {
        Ok(file_bytes) => {
            found.segments += 1;
            found.records += u64::from(entry.rows);
            found.bytes_before += entry.file_bytes;
            found.bytes_after += file_bytes;
        }
        Err(reason) => found.left.push(LeftAlone { path, reason }),
    }
    Ok(())
}
