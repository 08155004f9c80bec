//! From what lies on disk to logspaces in memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};

use crate::disk::Disk;
use crate::error::Error;
use crate::journal::{self, Block, Encoded, FileEnd, FileHeader, FileScan, InGroup, JournalFile};
use crate::leftovers;
use crate::logspace::{Logspace, LogspaceState};
use crate::manifest::{Entry, Manifest};
use crate::names;
use crate::openings::open_each;
use crate::places::Places;
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
    /// Where the journal ended, where the process that wrote it was stopped and not killed.
    pub(crate) journal_end: Option<FileEnd>,
    /// Unsealed blocks that may be in the page cache only, by logspace and first number. A killed
    /// process leaves them there, and to sync their file again proves nothing where it was a sync
    /// that failed.
    pub(crate) unsynced: BTreeMap<(LogspaceName, RecordNumber), Arc<Encoded>>,
}

/// Reads a data directory. With `is_read_only` nothing on disk is touched.
pub(crate) fn recover(
    disk: &Arc<dyn Disk>,
    data_dir: &Path,
    cache: &Arc<PageCache>,
    is_read_only: bool,
) -> Result<Recovered, Error> {
    let dir = names::logspaces_dir(data_dir);
    let listed = disk.list(&dir).map_err(Error::io("list", dir.as_path()))?;
    let found = listed.iter().filter(|entry| entry.is_dir);
    let found: Vec<LogspaceName> = found
        .filter_map(|entry| LogspaceName::parse(&entry.name).ok())
        .collect();
    let opened = open_each(&found, |name| {
        open_logspace(disk, data_dir, name, cache, is_read_only)
    })?;
    let logspaces = found.into_iter().zip(opened.into_iter().map(Arc::new));
    let logspaces: BTreeMap<_, _> = logspaces.collect();
    let mut recovered = Recovered {
        logspaces,
        files: Vec::new(),
        free_ids: Vec::new(),
        next_journal_id: 1,
        journal_end: None,
        unsynced: BTreeMap::new(),
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
    let places = Places::read(disk.as_ref(), &dir)?;
    let (manifest, contents, mut damages) = if is_read_only {
        let (contents, damages) = Manifest::read(disk.as_ref(), &dir)?;
        (None, contents, damages)
    } else {
        disk.create_dir_all(&dir)
            .map_err(Error::io("create", dir.as_path()))?;
        let (mut manifest, damages) = Manifest::open(Arc::clone(disk), &dir)?;
        let is_whole = damages.is_empty();
        leftovers::settle(disk.as_ref(), &places, cache, &mut manifest, is_whole)?;
        let contents = manifest.contents().clone();
        (Some(manifest), contents, damages)
    };
    let mut state = LogspaceState::new();
    state.next = contents.next;
    if damages.is_empty() {
        state.sealed = contents.sealed;
    }
    let mut segments = Vec::new();
    for entry in &contents.entries {
        let path = places.segment(entry);
        match open_segment(disk.as_ref(), &path, entry, cache) {
            Ok(segment) => {
                // More than the manifest says where a seal failed after its record was written,
                // and a power cut came after the file was written again with more records.
                let end = segment.first_number().0 + u64::from(segment.rows());
                state.next = state.next.max(end);
                if entry.is_compacted {
                    state.note_compacted(path, 0);
                }
                segments.push(Arc::new(segment));
            }
            Err(error) if error.is_other_format() => return Err(error),
            Err(error) => {
                let what = format!("{} records cannot be read: {error}", entry.rows);
                // What is archived comes back with its disk; the journal must not bring it twice.
                if !entry.is_archived {
                    state.unreadable.push(entry.numbers());
                    if matches!(error, Error::Damaged { .. }) {
                        state.unopened.push(*entry);
                    }
                }
                damages.push(Damage::new(&path, 0, what));
            }
        }
        if !entry.is_imported {
            state.last_received = state.last_received.max(entry.last_received);
        }
    }
    for damage in &damages {
        tracing::error!(logspace = %name, %damage, "damaged");
    }
    state.add_segments(segments);
    state.add_damages(damages);
    Ok(Logspace::new(name.clone(), places, manifest, state))
}

/// Opens a segment that has the records which its manifest says. One with others, put there by
/// mistake, would give records twice.
fn open_segment(
    disk: &dyn Disk,
    path: &Path,
    entry: &Entry,
    cache: &Arc<PageCache>,
) -> Result<SegmentHandle, Error> {
    let segment = SegmentHandle::open(disk, path, Arc::clone(cache))?;
    if segment.first_number() != entry.first || segment.rows() < entry.rows {
        return Err(Error::Damaged {
            path: path.to_owned(),
            offset: 0,
            what: "it has other records than the manifest says".to_owned(),
        });
    }
    Ok(segment)
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
        let known_ends = journal::known_ends(disk.as_ref(), &dir, &listed);
        for entry in &listed {
            let Some(id) = names::journal_id(&entry.name, names::JOURNAL_SUFFIX) else {
                continue;
            };
            self.next_journal_id = self.next_journal_id.max(id + 1);
            let path = dir.join(&entry.name);
            let known_end = known_ends.get(&id).copied();
            let scan =
                journal::scan_with(disk.as_ref(), &path, id, known_end, |_, b| self.found(b))?;
            if scan.torn_bytes > 0 {
                tracing::info!(
                    path = %path.display(),
                    bytes = scan.torn_bytes,
                    "dropped a commit that had not finished"
                );
            }
            self.journal_end = end_told_by(&scan, id);
            let is_damaged = !scan.damages.is_empty();
            let synced: Vec<bool> = scan.blocks.iter().map(|b| scan.is_synced(b)).collect();
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
            self.note_damages(scan.damages);
            for (found, is_synced) in scan.blocks.into_iter().zip(synced) {
                let block = match found {
                    Found::Open(block) => block,
                    Found::Settled(settled) => {
                        self.pass_over(&settled);
                        continue;
                    }
                };
                if !is_read_only {
                    self.note_sync(&block, is_synced);
                }
                self.replay(disk, data_dir, cache, is_read_only, block, &mut file)?;
            }
            if !file.last.is_empty() || is_damaged {
                self.files.push(file);
            } else if !is_read_only {
                disk.remove(&path).map_err(Error::io("remove", path))?;
            }
        }
        if is_read_only {
            return Ok(());
        }
        // Numbers go on behind the files that are there. One that was removed and comes back by a
        // power cut would speak of a file that now has the number of an older one.
        disk.sync_dir(&dir).map_err(Error::io("sync", dir))
    }

    /// Tells every logspace what is damaged in the journal: nobody knows whose records they were.
    fn note_damages(&self, damages: Vec<Damage>) {
        for damage in damages {
            tracing::error!(%damage, "damaged journal");
            for logspace in self.logspaces.values() {
                logspace.state().add_damages([damage.clone()]);
            }
        }
    }

    /// What is kept of a block until the whole file is read: nearly nothing where all its records are
    /// sealed or deleted, so that a file which holds ten times its size takes no memory for them.
    fn found(&self, block: Block) -> Found {
        if let Some(logspace) = self.logspaces.get(&block.logspace)
            && is_settled(&logspace.state(), &block)
        {
            return Found::Settled(Settled {
                group_start: block.group_start,
                first: block.first,
                received: last_received(&block),
                logspace: block.logspace,
            });
        }
        Found::Open(block)
    }

    /// Goes past a block whose records are all sealed or deleted.
    fn pass_over(&mut self, settled: &Settled) {
        if let Some(logspace) = self.logspaces.get(&settled.logspace) {
            let mut state = logspace.state();
            state.last_received = state.last_received.max(settled.received);
        }
        let place = (settled.logspace.clone(), settled.first);
        self.unsynced.remove(&place);
    }

    /// Keeps a block that may have to be written once more.
    fn note_sync(&mut self, block: &Block, is_synced: bool) {
        let place = (block.logspace.clone(), block.first);
        if is_synced {
            self.unsynced.remove(&place);
            return;
        }
        let encoded = Encoded::new(&block.logspace, block.first, &block.batch);
        self.unsynced.insert(place, Arc::new(encoded));
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
        state.last_received = state.last_received.max(last_received(&block));
        // Also where an earlier file has brought the block: its sync may have failed there, so that
        // it is in the page cache only. This one must stay until the records are sealed.
        file.last.insert(block.logspace.clone(), block.last());
        if let Some((first, batch)) = state.unknown(block) {
            state.publish(first, batch);
        }
        Ok(())
    }
}

/// A block of a journal file that is read back.
enum Found {
    /// Some of its records may be in no segment.
    Open(Block),
    /// All are, or were deleted.
    Settled(Settled),
}

/// What is known of a block whose records are all sealed or deleted.
struct Settled {
    logspace: LogspaceName,
    first: RecordNumber,
    group_start: u64,
    /// When its last record was received. It counts all the same: a segment that was taken back from
    /// a damaged manifest counts as imported, and its times bind nothing.
    received: Timestamp,
}

impl InGroup for Found {
    fn group_start(&self) -> u64 {
        match self {
            Self::Open(block) => block.group_start,
            Self::Settled(settled) => settled.group_start,
        }
    }
}

/// Whether all records of a block are sealed or deleted.
fn is_settled(state: &LogspaceState, block: &Block) -> bool {
    let is_settled = |number| state.is_sealed(number) || state.is_deleted(number);
    is_settled(block.first) && is_settled(block.last())
}

/// When the last record of a block was received.
fn last_received(block: &Block) -> Timestamp {
    let last = block.batch.iter().next_back();
    last.map_or(Timestamp::MIN, |record| record.received())
}

/// Where the journal before a file ended, where that file holds nothing: it was made when the
/// process was stopped, or by one that has committed nothing.
fn end_told_by<B>(scan: &FileScan<B>, id: u64) -> Option<FileEnd> {
    match scan.header {
        FileHeader::File { id: own, before } if own == id && scan.blocks.is_empty() => before,
        _ => None,
    }
}

impl LogspaceState {
    /// The records of a block that are not known yet: all or none, but where a segment of one day
    /// was taken back into a damaged manifest and that of the next day was not finished.
    fn unknown(&self, block: Block) -> Option<(RecordNumber, RecordBatch)> {
        let is_known = |number: u64| {
            let number = RecordNumber(number);
            self.is_sealed(number) || self.is_deleted(number) || self.is_in_tail(number)
        };
        let (first, last) = (block.first.0, block.last().0);
        if !is_known(first) {
            return Some((block.first, block.batch));
        }
        if is_known(last) {
            return None;
        }
        let start = (first..=last).find(|number| !is_known(*number))?;
        let mut rest = RecordBatch::new();
        for record in block.batch.iter().skip((start - first) as usize) {
            let pushed = rest.push_record(record);
            debug_assert!(pushed.is_ok(), "a part of a batch fits into a batch");
        }
        Some((RecordNumber(start), rest))
    }

    /// Whether a record was sealed and is in no segment any more, not even in one that cannot be
    /// read: it need not be kept.
    fn is_deleted(&self, number: RecordNumber) -> bool {
        let is_unreadable = |range: &std::ops::Range<u64>| range.contains(&number.0);
        number.0 < self.sealed && !self.unreadable.iter().any(is_unreadable)
    }

    /// Whether the journal has brought the record already. Blocks come in the order of their
    /// numbers, but one whose sync failed was written twice.
    fn is_in_tail(&self, number: RecordNumber) -> bool {
        self.tail_end().is_some_and(|end| number.0 < end)
    }
}
