//! From what lies on disk to logspaces in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};

use crate::disk::{Disk, DiskEntry};
use crate::documents::{self, DocumentName, Documents};
use crate::error::Error;
use crate::inventory::{Coverage, Inventory, Loss};
use crate::journal::{self, Block, Encoded, FileEnd, FileHeader, FileScan, InGroup, JournalFile};
use crate::leftovers;
use crate::logspace::{Logspace, LogspaceState};
use crate::losses;
use crate::manifest::{self, Contents, Entry, Left, Manifest, Owner};
use crate::names;
use crate::notes::StoreId;
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
    /// What the store has, as it is noted now.
    pub(crate) inventory: Inventory,
    /// Its documents.
    pub(crate) documents: Documents,
    /// What was found to be lost.
    losses: Vec<Loss>,
    /// Which records are known, and which there were.
    coverage: BTreeMap<LogspaceName, Coverage>,
}

/// How a data directory is opened.
#[derive(Clone, Copy)]
pub(crate) struct Opening<'a> {
    pub(crate) disk: &'a Arc<dyn Disk>,
    pub(crate) data_dir: &'a Path,
    pub(crate) cache: &'a Arc<PageCache>,
    /// Whether nothing on disk is touched.
    pub(crate) is_read_only: bool,
    /// Which store it is.
    pub(crate) store: StoreId,
}

/// Reads a data directory.
pub(crate) fn recover(
    disk: &Arc<dyn Disk>,
    data_dir: &Path,
    cache: &Arc<PageCache>,
    is_read_only: bool,
) -> Result<Recovered, Error> {
    let (inventory, unknown) = losses::inventory(disk.as_ref(), data_dir, is_read_only)?;
    let opening = Opening {
        disk,
        data_dir,
        cache,
        is_read_only,
        store: inventory.store,
    };
    let mut recovered = Recovered {
        logspaces: BTreeMap::new(),
        files: Vec::new(),
        free_ids: Vec::new(),
        next_journal_id: 1,
        journal_end: None,
        unsynced: BTreeMap::new(),
        documents: Documents::default(),
        inventory,
        losses: Vec::from_iter(unknown),
        coverage: BTreeMap::new(),
    };
    let dir = names::logspaces_dir(data_dir);
    let listed = disk.list(&dir).map_err(Error::io("list", dir.as_path()))?;
    let listed = listed.into_iter().filter(|entry| entry.is_dir);
    let mut names: BTreeSet<LogspaceName> = listed
        .filter_map(|entry| LogspaceName::parse(&entry.name).ok())
        .collect();
    // One whose directory is gone is opened, so that somebody tells.
    names.extend(recovered.inventory.logspaces.keys().cloned());
    let names = Vec::from_iter(names);
    let inventory = &recovered.inventory;
    let opened = open_each(&names, |name| {
        open_logspace(&opening, name, inventory.left(name))
    })?;
    for (name, opened) in names.iter().zip(opened) {
        recovered.add_logspace(name, opened);
    }
    let mut done = recovered.replay_journal(&opening)?;
    recovered.settle_losses(&opening);
    recovered.load_documents(&opening)?;
    if is_read_only {
        return Ok(recovered);
    }
    match recovered.note_start(disk.as_ref(), data_dir) {
        // What is there can be searched on a full disk. The note is written with the first journal
        // file for which there is room again.
        Err(error) if error.is_for_want_of_room() => {
            tracing::warn!(%error, "cannot note what there is at the start");
            // The note on the disk may name one of them.
            done.clear();
        }
        noted => noted?,
    }
    for path in done {
        disk.remove(&path).map_err(Error::io("remove", path))?;
    }
    // Numbers go on behind the files that are there. One that was removed and comes back by a
    // power cut would speak of a file that now has the number of an older one.
    let dir = names::journal_dir(data_dir);
    disk.sync_dir(&dir).map_err(Error::io("sync", dir))?;
    Ok(recovered)
}

/// A logspace that was opened.
pub(crate) struct Opened {
    pub(crate) logspace: Logspace,
    /// What is wrong with its manifest and will not show any more once that is written anew.
    losses: Vec<Loss>,
    /// The number behind the last record that was sealed from the journal.
    sealed: u64,
}

/// Opens the segments of a logspace, or creates an empty one.
pub(crate) fn open_logspace(
    opening: &Opening<'_>,
    name: &LogspaceName,
    left: Left,
) -> Result<Opened, Error> {
    let &Opening { disk, cache, .. } = opening;
    let dir = names::logspace_dir(opening.data_dir, name);
    let owner = Owner {
        store: opening.store,
        logspace: name.clone(),
    };
    let places = Places::read(disk.as_ref(), &dir)?;
    let (manifest, contents, mut damages) = open_manifest(opening, &places, &owner, left)?;
    let losses = losses::of_manifest(name, &damages, &contents, left);
    let mut state = LogspaceState::new();
    state.next = contents.next;
    state.journaled = contents.sealed;
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
                if matches!(error, Error::Foreign { .. }) {
                    state.foreign.push((*entry, path.clone()));
                }
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
            state.note_received(entry.numbers().end, entry.last_received);
        }
    }
    for damage in &damages {
        tracing::error!(logspace = %name, %damage, "damaged");
    }
    state.add_segments(segments);
    state.add_damages(damages);
    Ok(Opened {
        logspace: Logspace::new(name.clone(), places, manifest, state),
        losses,
        sealed: contents.sealed,
    })
}

/// Opens the manifest of a logspace and settles what it does not name.
fn open_manifest(
    opening: &Opening<'_>,
    places: &Places,
    owner: &Owner,
    left: Left,
) -> Result<(Option<Manifest>, Contents, Vec<Damage>), Error> {
    let &Opening { disk, cache, .. } = opening;
    let dir = places.home.as_path();
    if opening.is_read_only {
        let (contents, damages) = Manifest::read_left(disk.as_ref(), dir, owner, left)?;
        return Ok((None, contents, damages));
    }
    disk.create_dir_all(dir).map_err(Error::io("create", dir))?;
    let (mut manifest, damages) = Manifest::open(Arc::clone(disk), dir, owner, left)?;
    let is_whole = damages.is_empty();
    leftovers::settle(disk.as_ref(), places, cache, &mut manifest, is_whole)?;
    let contents = manifest.contents().clone();
    Ok((Some(manifest), contents, damages))
}

/// Opens a segment that has the records which its manifest says. One with others, put there by
/// mistake, would give records twice.
pub(crate) fn open_segment(
    disk: &dyn Disk,
    path: &Path,
    entry: &Entry,
    cache: &Arc<PageCache>,
) -> Result<SegmentHandle, Error> {
    let segment = SegmentHandle::open(disk, path, Arc::clone(cache))?;
    let own = || manifest::fingerprint(segment.file());
    let is_its_own = segment.first_number() == entry.first
        && segment.rows() >= entry.rows
        && (entry.fingerprint == 0 || own().map_err(Error::io("read", path))? == entry.fingerprint);
    if !is_its_own {
        return Err(Error::Foreign {
            path: path.to_owned(),
            whose: "is another file than the manifest names".to_owned(),
        });
    }
    Ok(segment)
}

impl Recovered {
    /// The blocks that have to be written once more; until then their records are not durable.
    pub(crate) fn note_unsynced(&mut self) -> Vec<Arc<Encoded>> {
        for (name, first) in self.unsynced.keys() {
            if let Some(logspace) = self.logspaces.get(name) {
                logspace.state().note_unsynced(first.0);
            }
        }
        std::mem::take(&mut self.unsynced).into_values().collect()
    }

    /// Adds a logspace that was found or that the inventory names.
    fn add_logspace(&mut self, name: &LogspaceName, opened: Opened) -> Arc<Logspace> {
        let mut coverage = Coverage::default();
        coverage.know(0..opened.sealed);
        self.coverage.insert(name.clone(), coverage);
        self.losses.extend(opened.losses);
        let logspace = Arc::new(opened.logspace);
        if let Some(reach) = self.inventory.logspaces.get(name) {
            let mut state = logspace.state();
            state.next = state.next.max(reach.next);
            state.journaled = state.journaled.max(reach.journaled);
        }
        self.logspaces.insert(name.clone(), Arc::clone(&logspace));
        logspace
    }

    /// Reads the journal. Returns the files that hold no unsealed record.
    fn replay_journal(&mut self, opening: &Opening<'_>) -> Result<Vec<PathBuf>, Error> {
        let &Opening {
            disk, is_read_only, ..
        } = opening;
        let mut done = Vec::new();
        let dir = names::journal_dir(opening.data_dir);
        let listed = self.list_journal(opening, &dir)?;
        self.losses.extend(losses::of_open_journal(
            disk.as_ref(),
            &self.inventory,
            &dir,
            &listed,
        ));
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
            if scan.torn_bytes + scan.torn_blocks > 0 {
                tracing::info!(
                    path = %path.display(),
                    bytes = scan.torn_bytes,
                    blocks = scan.torn_blocks,
                    "dropped a commit that had not finished"
                );
            }
            losses::check_journal_owner(&path, &scan.header, opening.store)?;
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
                self.cover(&found);
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
                self.replay(opening, block, &mut file)?;
            }
            if !file.last.is_empty() || is_damaged {
                self.files.push(file);
            } else {
                done.push(path);
            }
        }
        Ok(done)
    }

    /// What the directory of the journal holds; notes the files that wait to be used again.
    fn list_journal(&mut self, opening: &Opening<'_>, dir: &Path) -> Result<Vec<DiskEntry>, Error> {
        let listed = match opening.disk.list(dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && opening.is_read_only => {
                Vec::new()
            }
            result => result.map_err(Error::io("list", dir))?,
        };
        for entry in &listed {
            if let Some(id) = names::journal_id(&entry.name, names::FREE_SUFFIX) {
                self.next_journal_id = self.next_journal_id.max(id + 1);
                self.free_ids.push(id);
            }
        }
        Ok(listed)
    }

    /// Notes which records a block has, and which were there before it.
    fn cover(&mut self, found: &Found) {
        let (logspace, before, numbers) = match found {
            Found::Open(block) => (&block.logspace, block.before, block.numbers()),
            Found::Settled(block) => (&block.logspace, block.before, block.numbers.clone()),
        };
        if let Some(coverage) = self.coverage.get_mut(logspace) {
            coverage.pass(before, numbers);
        } else {
            let mut coverage = Coverage::default();
            coverage.pass(before, numbers);
            self.coverage.insert(logspace.clone(), coverage);
        }
    }

    /// Nobody knows whose the records were that stood where the journal is damaged.
    fn note_damages(&mut self, damages: Vec<Damage>) {
        let losses = damages
            .into_iter()
            .map(|damage| Loss::new(None, 0..0, damage));
        self.losses.extend(losses);
    }

    /// Tells each logspace what of it is lost.
    fn settle_losses(&mut self, opening: &Opening<'_>) {
        let journal = names::journal_dir(opening.data_dir);
        for (name, logspace) in &self.logspaces {
            let mut coverage = self.coverage.remove(name).unwrap_or_default();
            let known = self.inventory.losses.iter().filter(|loss| loss.is_of(name));
            known.for_each(|loss| coverage.know(loss.numbers.clone()));
            let mut state = logspace.state();
            for segment in &state.segments {
                let first = segment.first_number().0;
                coverage.know(first..first + u64::from(segment.rows()));
            }
            state
                .unreadable
                .iter()
                .for_each(|numbers| coverage.know(numbers.clone()));
            if let Some(reach) = self.inventory.logspaces.get(name) {
                coverage.expect(reach.journaled);
            }
            state.settle_foreign();
            let lost = coverage.lost().into_iter();
            self.losses
                .extend(lost.map(|numbers| losses::of_journal(name, &journal, numbers)));
        }
        self.inventory.add(std::mem::take(&mut self.losses));
        for loss in self
            .inventory
            .losses
            .iter()
            .filter(|loss| !loss.is_accepted)
        {
            let damage = &loss.damage;
            tracing::error!(logspace = ?loss.logspace, %damage, "records are lost");
            for (name, logspace) in &self.logspaces {
                let mut state = logspace.state();
                if loss.is_of(name) && !state.damages.contains(damage) {
                    state.add_damages([damage.clone()]);
                }
            }
        }
    }

    /// Reads the documents, and has the inventory name those that are there and those that are missed.
    fn load_documents(&mut self, opening: &Opening<'_>) -> Result<(), Error> {
        let expected = self.inventory.documents.iter().cloned();
        let disk = opening.disk.as_ref();
        self.documents = Documents::load(disk, opening.data_dir, opening.store, expected)?;
        let names: BTreeSet<DocumentName> = self.documents.names().collect();
        if names != self.inventory.documents && !opening.is_read_only {
            // One that was renamed to its place and no further is made durable before the inventory names it.
            documents::sync(disk, opening.data_dir)?;
        }
        self.inventory.documents = names;
        Ok(())
    }

    /// Notes what there is, before anything of it is removed that says so.
    fn note_start(&mut self, disk: &dyn Disk, data_dir: &Path) -> Result<(), Error> {
        self.inventory.is_stopped = false;
        self.inventory.journal = None;
        let mut reaches = losses::reaches(self.logspaces.values(), false);
        for (name, first) in self.unsynced.keys() {
            // A power cut may take it before it is written once more, unless it was durable before.
            let durable = self.inventory.logspaces.get(name);
            let durable = durable.map_or(0, |reach| reach.journaled);
            if let Some(reach) = reaches.get_mut(name) {
                reach.journaled = reach.journaled.min(first.0).max(durable);
            }
        }
        self.inventory.logspaces = reaches;
        self.inventory.write(disk, data_dir)
    }

    /// What is kept of a block until the whole file is read: nearly nothing where all its records are
    /// sealed or deleted, so that a file which holds ten times its size takes no memory for them.
    fn found(&self, block: Block) -> Found {
        if let Some(logspace) = self.logspaces.get(&block.logspace)
            && is_settled(&logspace.state(), &block)
        {
            return Found::Settled(Settled {
                group_start: block.group_start,
                goes_on: block.goes_on,
                before: block.before,
                numbers: block.numbers(),
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
            state.note_received(settled.numbers.end, settled.received);
        }
        let first = RecordNumber(settled.numbers.start);
        let place = (settled.logspace.clone(), first);
        self.unsynced.remove(&place);
    }

    /// Keeps a block that may have to be written once more.
    fn note_sync(&mut self, block: &Block, is_synced: bool) {
        let place = (block.logspace.clone(), block.first);
        if is_synced {
            self.unsynced.remove(&place);
            return;
        }
        let encoded = Encoded::new(&block.logspace, block.before, block.first, &block.batch);
        self.unsynced.insert(place, Arc::new(encoded));
    }

    /// Puts the records of a block into the tail, unless a segment or an earlier block has them.
    fn replay(
        &mut self,
        opening: &Opening<'_>,
        block: Block,
        file: &mut JournalFile,
    ) -> Result<(), Error> {
        let logspace = match self.logspaces.get(&block.logspace) {
            Some(logspace) => Arc::clone(logspace),
            // A crash came before the inventory named it.
            None => {
                let opened = open_logspace(opening, &block.logspace, Left::New)?;
                self.add_logspace(&block.logspace, opened)
            }
        };
        let mut state = logspace.state();
        state.note_received(block.numbers().end, last_received(&block));
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
    before: u64,
    numbers: Range<u64>,
    group_start: u64,
    goes_on: bool,
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

    fn goes_on(&self) -> bool {
        match self {
            Self::Open(block) => block.goes_on,
            Self::Settled(settled) => settled.goes_on,
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
        FileHeader::File {
            id: own, before, ..
        } if own == id && scan.blocks.is_empty() => before,
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
        let is_unreadable = |range: &Range<u64>| range.contains(&number.0);
        number.0 < self.sealed && !self.unreadable.iter().any(is_unreadable)
    }

    /// Whether the journal has brought the record already. Blocks come in the order of their
    /// numbers, but one whose sync failed was written twice.
    fn is_in_tail(&self, number: RecordNumber) -> bool {
        self.tail_end().is_some_and(|end| number.0 < end)
    }
}
