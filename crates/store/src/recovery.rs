//! From what lies on disk to logspaces in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{LogspaceName, RecordNumber, Timestamp};

use crate::disk::Disk;
use crate::error::Error;
use crate::journal::{self, Block, JournalFile};
use crate::logspace::{Logspace, LogspaceState};
use crate::manifest::{Entry, Manifest};
use crate::names;
use crate::segment_handle::{PageCache, SegmentHandle};
use crate::snapshot::Damage;

/// What was found in a data directory.
pub(crate) struct Recovered {
    pub(crate) logspaces: BTreeMap<LogspaceName, Arc<Logspace>>,
    /// Journal files with unsealed records.
    pub(crate) files: Vec<JournalFile>,
    /// Journal files whose records are all sealed, for reuse.
    pub(crate) free_ids: Vec<u64>,
    /// Behind every journal file.
    pub(crate) next_journal_id: u64,
}

/// Reads a data directory. With `is_read_only` nothing on disk is touched.
pub(crate) fn recover(
    disk: &Arc<dyn Disk>,
    data_dir: &Path,
    cache: &Arc<PageCache>,
    is_read_only: bool,
) -> Result<Recovered, Error> {
    let mut logspaces = BTreeMap::new();
    let dir = names::logspaces_dir(data_dir);
    for entry in disk.list(&dir).map_err(Error::io("list", dir.as_path()))? {
        if let Ok(name) = LogspaceName::parse(&entry.name)
            && entry.is_dir
        {
            let logspace = open_logspace(disk, data_dir, &name, cache, is_read_only)?;
            logspaces.insert(name, Arc::new(logspace));
        }
    }
    let mut recovered = Recovered {
        logspaces,
        files: Vec::new(),
        free_ids: Vec::new(),
        next_journal_id: 1,
    };
    recovered.replay_journal(disk, data_dir, cache, is_read_only)?;
    Ok(recovered)
}

/// Opens the segments of a logspace, or creates an empty one.
pub(crate) fn open_logspace(
    disk: &Arc<dyn Disk>,
    data_dir: &Path,
    name: &LogspaceName,
    cache: &Arc<PageCache>,
    is_read_only: bool,
) -> Result<Logspace, Error> {
    let dir = names::logspace_dir(data_dir, name);
    let (manifest, entries, mut damages) = if is_read_only {
        let (entries, damages) = Manifest::read(disk.as_ref(), &dir)?;
        (None, entries, damages)
    } else {
        disk.create_dir_all(&dir)
            .map_err(Error::io("create", dir.as_path()))?;
        let (mut manifest, damages) = Manifest::open(Arc::clone(disk), &dir)?;
        let unnamed = tidy(disk.as_ref(), &dir, manifest.entries())?;
        if damages.is_empty() {
            set_aside(disk.as_ref(), &unnamed)?;
        } else {
            adopt(disk.as_ref(), &dir, cache, &mut manifest, &unnamed)?;
        }
        let entries = manifest.entries().to_vec();
        (Some(manifest), entries, damages)
    };
    let mut state = LogspaceState::new();
    let mut segments = Vec::new();
    for entry in &entries {
        let path = names::segment(&dir, entry.day, entry.first);
        match SegmentHandle::open(disk.as_ref(), &path, Arc::clone(cache)) {
            Ok(segment) => segments.push(Arc::new(segment)),
            Err(error @ Error::NewerFormat { .. }) => return Err(error),
            Err(error) => {
                let what = format!("{} records cannot be read: {error}", entry.rows);
                damages.push(Damage::new(&path, 0, what));
            }
        }
        state.next = state.next.max(entry.first.0 + u64::from(entry.rows));
        if !entry.is_imported {
            state.last_received = state.last_received.max(entry.last_received);
        }
    }
    for damage in &damages {
        tracing::error!(logspace = %name, %damage, "damaged");
    }
    state.add_segments(segments);
    state.add_damages(damages);
    Ok(Logspace::new(name.clone(), dir, manifest, state))
}

/// Removes files that were being written, and finds the segments that the manifest does not name.
fn tidy(disk: &dyn Disk, logspace_dir: &Path, entries: &[Entry]) -> Result<Vec<PathBuf>, Error> {
    let is_named = |path: &Path| {
        let mut named = entries
            .iter()
            .map(|entry| names::segment(logspace_dir, entry.day, entry.first));
        named.any(|named| named == path)
    };
    let mut unnamed = Vec::new();
    for year in directories(disk, logspace_dir)? {
        let year_dir = logspace_dir.join(year);
        for day in directories(disk, &year_dir)? {
            let day_dir = year_dir.join(day);
            for entry in disk
                .list(&day_dir)
                .map_err(Error::io("list", day_dir.as_path()))?
            {
                let path = day_dir.join(&entry.name);
                if entry.name.ends_with(names::TEMPORARY_SUFFIX) {
                    disk.remove(&path).map_err(Error::io("remove", path))?;
                } else if entry.name.ends_with(names::SEGMENT_SUFFIX) && !is_named(&path) {
                    unnamed.push(path);
                }
            }
        }
    }
    Ok(unnamed)
}

/// Sets aside the segments that a whole manifest does not name. They are left over from a seal
/// that a crash cut short; their records are in the journal.
fn set_aside(disk: &dyn Disk, unnamed: &[PathBuf]) -> Result<(), Error> {
    for path in unnamed {
        let mut aside = path.clone().into_os_string();
        aside.push(names::ORPHAN_SUFFIX);
        tracing::warn!(path = %path.display(), "setting aside an unfinished segment");
        disk.rename(path, Path::new(&aside))
            .map_err(Error::io("rename", path.as_path()))?;
    }
    Ok(())
}

/// Takes the segments that a damaged manifest does not name any more back into it: each says of
/// itself which records it has. One that overlaps another, or cannot be read, is set aside.
fn adopt(
    disk: &dyn Disk,
    logspace_dir: &Path,
    cache: &Arc<PageCache>,
    manifest: &mut Manifest,
    unnamed: &[PathBuf],
) -> Result<(), Error> {
    for path in unnamed {
        let segment = match SegmentHandle::open(disk, path, Arc::clone(cache)) {
            Ok(segment) => segment,
            Err(error @ Error::NewerFormat { .. }) => return Err(error),
            Err(_) => {
                set_aside(disk, std::slice::from_ref(path))?;
                continue;
            }
        };
        let entry = Entry {
            first: segment.first_number(),
            rows: segment.rows(),
            // Whether it was imported is lost; this way its times bind nothing that comes.
            is_imported: true,
            day: segment.first_received().day(),
            file_bytes: segment.file_bytes(),
            first_received: segment.first_received(),
            last_received: segment.last_received(),
            raw_bytes: segment.footer().raw_bytes,
        };
        let is_in_place = names::segment(logspace_dir, entry.day, entry.first) == *path;
        let overlaps = manifest
            .entries()
            .iter()
            .any(|known| known.overlaps(&entry));
        if is_in_place && !overlaps {
            tracing::warn!(path = %path.display(), "taking a segment back into the manifest");
            manifest.add(&[entry])?;
        } else {
            set_aside(disk, std::slice::from_ref(path))?;
        }
    }
    Ok(())
}

fn directories(disk: &dyn Disk, dir: &Path) -> Result<Vec<String>, Error> {
    let entries = disk.list(dir).map_err(Error::io("list", dir))?;
    Ok(entries
        .into_iter()
        .filter(|entry| entry.is_dir)
        .map(|entry| entry.name)
        .collect())
}

impl Recovered {
    fn replay_journal(
        &mut self,
        disk: &Arc<dyn Disk>,
        data_dir: &Path,
        cache: &Arc<PageCache>,
        is_read_only: bool,
    ) -> Result<(), Error> {
        let dir = names::journal_dir(data_dir);
        let listed = match disk.list(&dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && is_read_only => {
                Vec::new()
            }
            result => result.map_err(Error::io("list", dir.as_path()))?,
        };
        for entry in &listed {
            if let Some(id) = names::journal_id(&entry.name, names::FREE_SUFFIX) {
                self.next_journal_id = self.next_journal_id.max(id + 1);
                self.free_ids.push(id);
            }
        }
        for entry in &listed {
            let Some(id) = names::journal_id(&entry.name, names::JOURNAL_SUFFIX) else {
                continue;
            };
            self.next_journal_id = self.next_journal_id.max(id + 1);
            let path = dir.join(&entry.name);
            let scan = journal::scan(disk.as_ref(), &path, id)?;
            if scan.torn_bytes > 0 {
                tracing::info!(
                    path = %path.display(),
                    bytes = scan.torn_bytes,
                    "dropped a commit that had not finished"
                );
            }
            let is_damaged = !scan.damages.is_empty();
            let bytes = disk
                .open(&path, crate::disk::OpenMode::Read)
                .and_then(|file| file.len())
                .map_err(Error::io("read", path.as_path()))?;
            // A damaged file is kept as it is, for whoever wants to look at it.
            let mut file = JournalFile {
                id,
                bytes,
                is_quarantined: is_damaged,
                last: BTreeMap::new(),
            };
            for damage in scan.damages {
                tracing::error!(%damage, "damaged journal");
                for logspace in self.logspaces.values() {
                    logspace.state().add_damages([damage.clone()]);
                }
            }
            for block in scan.blocks {
                self.replay(disk, data_dir, cache, is_read_only, block, &mut file)?;
            }
            if !file.last.is_empty() || is_damaged {
                self.files.push(file);
            } else if !is_read_only {
                disk.remove(&path).map_err(Error::io("remove", path))?;
            }
        }
        Ok(())
    }

    /// Puts the records of a block into the tail, unless a segment or an earlier block has them.
    fn replay(
        &mut self,
        disk: &Arc<dyn Disk>,
        data_dir: &Path,
        cache: &Arc<PageCache>,
        is_read_only: bool,
        block: Block,
        file: &mut JournalFile,
    ) -> Result<(), Error> {
        let logspace = match self.logspaces.get(&block.logspace) {
            Some(logspace) => Arc::clone(logspace),
            None if is_read_only => return Ok(()),
            None => {
                let made = open_logspace(disk, data_dir, &block.logspace, cache, false)?;
                let made = Arc::new(made);
                self.logspaces
                    .insert(block.logspace.clone(), Arc::clone(&made));
                made
            }
        };
        let mut state = logspace.state();
        let is_known = state.is_sealed(block.first) || state.is_in_tail(block.first);
        if !is_known {
            file.last.insert(block.logspace.clone(), block.last());
            let received = block
                .batch
                .iter()
                .next_back()
                .map(|record| record.received());
            state.last_received = state.last_received.max(received.unwrap_or(Timestamp::MIN));
            state.publish(block.first, block.batch);
        }
        Ok(())
    }
}

impl LogspaceState {
    /// Whether the journal has brought the record already. Blocks come in the order of their
    /// numbers, but one whose sync failed was written twice.
    fn is_in_tail(&self, number: RecordNumber) -> bool {
        self.tail_end().is_some_and(|end| number.0 < end)
    }
}
