//! A copy of a store while it works, in a directory that is a data directory itself.
//!
//! What the copy has is decided at one moment for each logspace: its segments, and the tail, which
//! holds every record that was acknowledged by then. Segments get a second name where the directory
//! is on the same file system, and are copied where it is not; the tail becomes a journal file.
//! An older backup in the directory stays whole until the new one is: new segments come first, then
//! the manifests, then the journal, and only then what is gone is removed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{LogspaceName, RecordNumber};

use crate::backup_dir::BackupDir;
use crate::capture::{self, Captured, Source};
use crate::copy;
use crate::disk::{Disk, DiskFile, OpenMode};
use crate::documents::{self, DocumentName};
use crate::error::Error;
use crate::inventory::{Inventory, Reach};
use crate::journal::{Encoded, JournalWriter};
use crate::limits::GROUP_BYTES;
use crate::manifest::Manifest;
use crate::names;
use crate::notes::StoreId;
use crate::searches;
use crate::snapshot::{Damage, TailChunk};
use crate::store::{Shared, locked};

/// What a backup holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backup {
    /// The logspaces, by name.
    pub logspaces: Vec<LogspaceBackup>,
    /// What could not be read of the store; the rest is there.
    pub damages: Vec<Damage>,
}

/// What a backup holds of a logspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogspaceBackup {
    /// Its name.
    pub name: LogspaceName,
    /// Records.
    pub records: u64,
    /// The number of the newest record; `None` where there are none.
    pub last: Option<RecordNumber>,
    /// Segments that an older backup had already.
    pub kept: u64,
    /// Segments that have a second name here.
    pub linked: u64,
    /// Segments that were copied.
    pub copied: u64,
    /// Bytes that were copied.
    pub copied_bytes: u64,
    /// Files of an older backup that are gone.
    pub removed: u64,
}

/// Makes a backup in a directory: a new or empty one, or one with an older backup of this store.
pub(crate) fn backup(shared: &Shared, dir: &Path) -> Result<Backup, Error> {
    let data_dir = shared.options.data_dir.as_path();
    let id = shared.id();
    let target = BackupDir::open(&shared.disk, dir, data_dir, &id)?;
    // Before the records: no position in them is ahead of those that the backup has.
    let store = StoreId::parse(&id).unwrap_or_default();
    let (documents, unread) = {
        let _still = locked(&shared.documents);
        documents::read_all(shared.disk.as_ref(), data_dir, store)?
    };
    let captured = shared
        .logspaces()
        .iter()
        .map(|logspace| capture::capture(logspace))
        .collect::<Result<Vec<_>, _>>()?;
    let mut writer = Writer {
        shared,
        dir,
        damages: unread,
    };
    let mut logspaces = Vec::new();
    let mut tails = Vec::new();
    let mut manifests = Vec::new();
    let reaches = captured
        .iter()
        .map(|captured| (captured.name.clone(), captured.reach()));
    let reaches = reaches.collect();
    for Captured {
        name,
        sources,
        tail,
        contents,
    } in captured
    {
        let mut report = LogspaceBackup::new(name, &sources, &tail);
        writer.write_segments(sources, &mut report)?;
        tails.push((report.name.clone(), contents.sealed, tail));
        manifests.push(contents);
        logspaces.push(report);
    }
    for (report, contents) in logspaces.iter_mut().zip(manifests) {
        let logspace_dir = names::logspace_dir(dir, &report.name);
        let kept: BTreeSet<PathBuf> = contents
            .entries
            .iter()
            .map(|entry| names::segment(&logspace_dir, entry.day, entry.id()))
            .collect();
        Manifest::write(Arc::clone(&shared.disk), &logspace_dir, contents)?;
        report.removed = target.remove_others(&logspace_dir, &kept)?;
    }
    let older = target.journals()?;
    writer.write_journal(&tails, older.next_id, store)?;
    target.remove_journals(&older)?;
    target.remove_other_logspaces(logspaces.iter().map(|logspace| &logspace.name))?;
    documents::write_all(shared.disk.as_ref(), dir, store, &documents)?;
    let names = documents.into_iter().map(|(name, _)| name);
    writer.write_inventory(reaches, names.collect())?;
    let unread = searches::copy(shared.disk.as_ref(), data_dir, dir)?;
    target.finish()?;
    let mut damages = writer.damages;
    damages.extend(unread);
    Ok(Backup { logspaces, damages })
}

struct Writer<'a> {
    shared: &'a Shared,
    dir: &'a Path,
    damages: Vec<Damage>,
}

/// How a segment came into the backup.
enum Placed {
    Kept,
    Linked,
    Copied(u64),
    Missing,
}

impl Writer<'_> {
    /// Puts the segments of a logspace into their places, durably.
    fn write_segments(
        &mut self,
        sources: Vec<Source>,
        report: &mut LogspaceBackup,
    ) -> Result<(), Error> {
        let disk = self.shared.disk.as_ref();
        let logspace_dir = names::logspace_dir(self.dir, &report.name);
        let create = |dir: &Path| disk.create_dir_all(dir).map_err(Error::io("create", dir));
        create(&logspace_dir)?;
        let mut days = BTreeSet::new();
        // Each file is let go of as it is done, so that one which was deleted meanwhile frees its
        // space.
        for source in sources {
            if self.is_closing() {
                return Err(Error::Closing);
            }
            let entry = &source.entry;
            let day_dir = names::day_dir(&logspace_dir, entry.day);
            if days.insert(day_dir.clone()) {
                create(&day_dir)?;
            }
            let path = names::segment(&logspace_dir, entry.day, entry.id());
            match self.place(&source, &path)? {
                Placed::Kept => report.kept += 1,
                Placed::Linked => report.linked += 1,
                Placed::Copied(bytes) => {
                    report.copied += 1;
                    report.copied_bytes += bytes;
                }
                Placed::Missing => {}
            }
        }
        for day in days {
            disk.sync_dir(&day)
                .map_err(Error::io("sync", day.as_path()))?;
        }
        Ok(())
    }

    fn place(&mut self, source: &Source, path: &Path) -> Result<Placed, Error> {
        let disk = self.shared.disk.as_ref();
        let opened;
        let file: &dyn DiskFile = match &source.handle {
            Some(handle) => handle.file(),
            None => match disk.open(&source.path, OpenMode::Read) {
                Ok(file) => {
                    opened = file;
                    opened.as_ref()
                }
                Err(error) => return Ok(self.miss(source, path, &error.to_string())),
            },
        };
        if is_same(disk, file, path) {
            return Ok(Placed::Kept);
        }
        let temporary = names::temporary(path);
        _ = disk.remove(&temporary);
        if disk.hard_link(&source.path, &temporary).is_ok() {
            disk.rename(&temporary, path)
                .map_err(Error::io("rename", temporary.as_path()))?;
            return Ok(Placed::Linked);
        }
        let bytes = copy::file(disk, file, path, &|| self.is_closing())?;
        if let Some(damage) = copy::check(disk, path, &self.shared.cache) {
            self.damages.push(damage);
        }
        Ok(Placed::Copied(bytes))
    }

    /// What is left to do where a segment cannot be opened: an older backup may have it.
    fn miss(&mut self, source: &Source, path: &Path, error: &str) -> Placed {
        let len = self.shared.disk.open(path, OpenMode::Read);
        if len.and_then(|file| file.len()).ok() == Some(source.entry.file_bytes) {
            return Placed::Kept;
        }
        let rows = source.entry.rows;
        let what = format!("{rows} records are not in the backup: {error}");
        self.damages.push(Damage::new(&source.path, 0, what));
        Placed::Missing
    }

    /// Writes the records that are not yet sealed into a journal file.
    fn write_journal(
        &self,
        tails: &[(LogspaceName, u64, Vec<Arc<TailChunk>>)],
        next_id: u64,
        store: StoreId,
    ) -> Result<(), Error> {
        let disk = &self.shared.disk;
        let journal_dir = names::journal_dir(self.dir);
        disk.create_dir_all(&journal_dir)
            .map_err(Error::io("create", journal_dir))?;
        // Every commit gets a file of its size: nothing is written behind it.
        let dir = self.dir.to_owned();
        let mut writer =
            JournalWriter::new(Arc::clone(disk), dir, 0, next_id, Vec::new()).of_store(store);
        let mut blocks: Vec<Arc<Encoded>> = Vec::new();
        let mut bytes = 0;
        for (name, sealed, chunks) in tails {
            let mut before = *sealed;
            for chunk in chunks {
                let block = Encoded::new(name, before, chunk.first, &chunk.batch);
                before = chunk.end();
                blocks.push(Arc::new(block));
                bytes += chunk.batch.memory_bytes();
                if bytes >= GROUP_BYTES {
                    writer
                        .commit(&blocks, true)
                        .map_err(|failed| failed.error)?;
                    blocks.clear();
                    bytes = 0;
                }
            }
        }
        if blocks.is_empty() {
            return Ok(());
        }
        writer
            .commit(&blocks, true)
            .map_err(|failed| failed.error)?;
        Ok(())
    }

    /// Notes what the backup has, so that it is missed when it is gone, and what was lost before.
    fn write_inventory(
        &self,
        logspaces: BTreeMap<LogspaceName, Reach>,
        documents: BTreeSet<DocumentName>,
    ) -> Result<(), Error> {
        let own = locked(&self.shared.inventory);
        let losses = own.losses.iter().cloned();
        let moved = losses.map(|loss| loss.moved(&self.shared.options.data_dir, self.dir));
        let inventory = Inventory {
            store: own.store,
            logspaces,
            documents,
            losses: moved.collect(),
            ..Inventory::default()
        };
        drop(own);
        inventory.write(self.shared.disk.as_ref(), self.dir)
    }

    fn is_closing(&self) -> bool {
        self.shared.queue.is_closed()
    }
}

impl LogspaceBackup {
    fn new(name: LogspaceName, sources: &[Source], tail: &[Arc<TailChunk>]) -> Self {
        let sealed = sources
            .iter()
            .map(|source| (source.entry.first, u64::from(source.entry.rows)));
        let unsealed = tail
            .iter()
            .map(|chunk| (chunk.first, chunk.batch.len() as u64));
        let parts = sealed.chain(unsealed);
        let last = parts
            .clone()
            .map(|(first, rows)| RecordNumber(first.0 + rows.saturating_sub(1)));
        Self {
            name,
            records: parts.clone().map(|(_, rows)| rows).sum(),
            last: last.max(),
            kept: 0,
            linked: 0,
            copied: 0,
            copied_bytes: 0,
            removed: 0,
        }
    }
}

/// Whether a file is there already. The last bytes of a segment have a checksum on which all others
/// hang.
fn is_same(disk: &dyn Disk, file: &dyn DiskFile, path: &Path) -> bool {
    let end = |file: &dyn DiskFile| {
        let len = file.len().ok()?;
        let mut trailer = [0; segment::Trailer::LEN];
        let offset = len.checked_sub(trailer.len() as u64)?;
        file.read_exact_at(&mut trailer, offset).ok()?;
        Some((len, trailer))
    };
    let Ok(there) = disk.open(path, OpenMode::Read) else {
        return false;
    };
    let there = end(there.as_ref());
    there.is_some() && there == end(file)
}
