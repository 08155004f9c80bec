//! Writing commits: one write and at most one `fdatasync` for a group of blocks.
//!
//! A block stays in memory until it is synced. A file whose write or sync failed is never touched
//! again, since a second sync could report success for data that is gone: what is not known to be
//! durable is written once more, to another file.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{LogspaceName, RecordNumber};

use crate::disk::{Disk, DiskFile, OpenMode};
use crate::error::Error;
use crate::inventory::OpenJournal;
use crate::journal::block::{BlockPlace, Encoded};
use crate::journal::file::{FileEnd, HEADER_LEN, encode_header};
use crate::limits::{JOURNAL_FILE_BYTES_SMALL, JOURNAL_FREE_FILES_MAX};
use crate::names;
use crate::notes::StoreId;

/// A journal file that holds records, and up to which number of each logspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct JournalFile {
    /// Its number.
    pub(crate) id: u64,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// The last record of each logspace in it.
    pub(crate) last: BTreeMap<LogspaceName, RecordNumber>,
    /// A sync of it failed: it is never written nor recycled again.
    pub(crate) is_quarantined: bool,
}

/// The end of the journal that is being written. Used by the committer thread alone.
pub(crate) struct JournalWriter {
    disk: Arc<dyn Disk>,
    data_dir: PathBuf,
    file_bytes: u64,
    next_id: u64,
    free_ids: Vec<u64>,
    open: Option<OpenFile>,
    /// Blocks that were written and not synced: to the open file, to one that failed, or before
    /// the process ended.
    unsynced: Vec<Arc<Encoded>>,
    /// The newest file that failed before anything in it was durable, while the page cache may be
    /// all that has what was acknowledged early. Those before it are gone: a disk that fails for
    /// hours must not be filled with files that nobody will read.
    failed: Option<JournalFile>,
    /// Where the last file ended, if all of it is durable.
    before: Option<FileEnd>,
    buffer: Vec<u8>,
    /// Which store it is of.
    store: StoreId,
}

struct OpenFile {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    info: JournalFile,
    offset: u64,
    /// All before this offset is durable.
    synced: u64,
}

impl JournalWriter {
    /// A writer that starts a new file at the first commit. `next_id` is behind every file there
    /// is; `free_ids` are the files that can be recycled.
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        data_dir: PathBuf,
        file_bytes: u64,
        next_id: u64,
        free_ids: Vec<u64>,
    ) -> Self {
        Self {
            disk,
            data_dir,
            file_bytes,
            next_id,
            free_ids,
            open: None,
            unsynced: Vec::new(),
            failed: None,
            before: None,
            buffer: Vec::new(),
            store: StoreId::default(),
        }
    }

    /// Has the files say which store they are of.
    pub(crate) fn of_store(mut self, store: StoreId) -> Self {
        self.store = store;
        self
    }

    /// Has blocks written once more that were read back and may be in the page cache only.
    pub(crate) fn with_unsynced(mut self, blocks: Vec<Arc<Encoded>>) -> Self {
        self.unsynced = blocks;
        self
    }

    /// Has the first file tell where the one before it ended, which is known to be durable.
    pub(crate) fn behind(mut self, before: Option<FileEnd>) -> Self {
        self.before = before;
        self
    }

    /// Notes where the journal ended, and that all of it is durable, so that the next start need
    /// not write the last commit once more: durably, in the header of a file that holds nothing
    /// else. It is true for ever, since no file that was noted is written again and no number is
    /// given again. Notes nothing where something is not durable.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        if !self.unsynced.is_empty() {
            return Ok(());
        }
        if let Some(open) = self.open.take() {
            self.before = (open.synced == open.offset).then_some(FileEnd {
                file_id: open.info.id,
                offset: open.offset,
            });
        }
        if self.before.is_none() {
            return Ok(());
        }
        let id = self.next_id;
        self.next_id += 1;
        let path = names::journal(&self.data_dir, id);
        let file = self
            .disk
            .open(&path, OpenMode::Create)
            .map_err(Error::io("create", path.as_path()))?;
        file.write_all_at(&encode_header(id, self.before, self.store), 0)
            .and_then(|()| file.sync())
            .map_err(Error::io("write", path.as_path()))?;
        let dir = names::journal_dir(&self.data_dir);
        self.disk.sync_dir(&dir).map_err(Error::io("sync", dir))
    }

    /// Writes blocks and, if asked to, makes them and all before them durable. Returns the files
    /// that are full and closed by it. After an error none of the blocks counts as written, the
    /// file is quarantined, and the call may be repeated: it then goes to another file, with all
    /// that was not durable yet.
    pub(crate) fn commit(
        &mut self,
        blocks: &[Arc<Encoded>],
        sync: bool,
    ) -> Result<Vec<JournalFile>, CommitError> {
        let mut closed = Vec::new();
        match self.try_commit(blocks, sync, &mut closed) {
            Ok(()) => {
                if self.unsynced.is_empty() {
                    let failed = self.failed.take();
                    closed.extend(failed.and_then(|file| self.drop_file(file)));
                }
                Ok(closed)
            }
            Err(error) => {
                if let Some(open) = self.open.take() {
                    let file = JournalFile {
                        is_quarantined: true,
                        ..open.info
                    };
                    closed.extend(match open.synced > HEADER_LEN as u64 {
                        true => Some(file),
                        false => self.give_up(file),
                    });
                }
                self.before = None;
                Err(CommitError { error, closed })
            }
        }
    }

    /// Lets go of a file that failed and in which nothing is durable: everything in it is in memory
    /// and will be written once more. A file that has to stay is returned.
    fn give_up(&mut self, file: JournalFile) -> Option<JournalFile> {
        if self.unsynced.is_empty() {
            return self.drop_file(file);
        }
        let older = self.failed.replace(file)?;
        self.drop_file(older)
    }

    /// Deletes a file that nobody needs; where that is refused, it is returned, to be deleted when
    /// its records are sealed.
    fn drop_file(&self, file: JournalFile) -> Option<JournalFile> {
        let path = names::journal(&self.data_dir, file.id);
        self.disk.remove(&path).is_err().then_some(file)
    }

    fn try_commit(
        &mut self,
        blocks: &[Arc<Encoded>],
        sync: bool,
        closed: &mut Vec<JournalFile>,
    ) -> Result<(), Error> {
        let len = stored_len(blocks);
        let is_full = |open: &OpenFile| open.offset + len > open.info.bytes;
        if self.open.as_ref().is_some_and(is_full) {
            self.sync_open()?;
            if let Some(open) = self.open.take() {
                self.before = Some(FileEnd {
                    file_id: open.info.id,
                    offset: open.offset,
                });
                closed.push(open.info);
            }
        }
        if self.open.is_none() && !self.unsynced.is_empty() {
            let homeless = self.unsynced.clone();
            self.write_group(&homeless)?;
            self.sync_open()?;
        }
        if !blocks.is_empty() {
            self.write_group(blocks)?;
        }
        if sync {
            return self.sync_open();
        }
        self.unsynced.extend(blocks.iter().cloned());
        Ok(())
    }

    /// Bytes that are written and not durable.
    pub(crate) fn unsynced_bytes(&self) -> u64 {
        stored_len(&self.unsynced)
    }

    fn sync_open(&mut self) -> Result<(), Error> {
        if let Some(open) = self.open.as_mut()
            && open.synced < open.offset
        {
            let path = open.path.as_path();
            open.file.sync().map_err(Error::io("sync", path))?;
            // What is in a file that no start will find is not durable. Two calls that touch no
            // disk, beside a sync that does.
            if !open.file.is_at(path).map_err(Error::io("find", path))? {
                let why = "somebody has removed it or put another file in its place";
                return Err(Error::io("find", path)(io::Error::other(why)));
            }
            open.synced = open.offset;
            self.unsynced.clear();
        }
        Ok(())
    }

    /// The file being written.
    pub(crate) fn current(&self) -> Option<&JournalFile> {
        self.open.as_ref().map(|open| &open.info)
    }

    /// The file being written, and up to where it is durable.
    pub(crate) fn durable(&self) -> Option<OpenJournal> {
        self.open.as_ref().map(|open| OpenJournal {
            id: open.info.id,
            bytes: open.synced,
        })
    }

    /// Takes back a file whose records are all in segments: keeps it for reuse or removes it.
    pub(crate) fn release(&mut self, file: &JournalFile) -> Result<(), Error> {
        let path = names::journal(&self.data_dir, file.id);
        let reusable = !file.is_quarantined
            && file.bytes == self.file_bytes
            && self.free_ids.len() < JOURNAL_FREE_FILES_MAX;
        if reusable {
            let free = names::free_journal(&self.data_dir, file.id);
            self.disk
                .rename(&path, &free)
                .map_err(Error::io("rename", path))?;
            self.free_ids.push(file.id);
            return Ok(());
        }
        self.disk.remove(&path).map_err(Error::io("remove", path))
    }

    fn write_group(&mut self, blocks: &[Arc<Encoded>]) -> Result<(), Error> {
        if self.open.is_none() {
            self.open = Some(self.start_file(stored_len(blocks))?);
        }
        let Some(open) = self.open.as_mut() else {
            return Ok(());
        };
        self.buffer.clear();
        for (index, block) in blocks.iter().enumerate() {
            let place = BlockPlace {
                file_id: open.info.id,
                offset: open.offset + self.buffer.len() as u64,
                group_start: open.synced,
                goes_on: index + 1 < blocks.len(),
            };
            block.write(place, &mut self.buffer);
        }
        let path = open.path.as_path();
        open.file
            .write_all_at(&self.buffer, open.offset)
            .map_err(Error::io("write", path))?;
        open.offset += self.buffer.len() as u64;
        for block in blocks {
            open.info
                .last
                .insert(block.logspace().clone(), block.last());
        }
        Ok(())
    }

    fn start_file(&mut self, len: u64) -> Result<OpenFile, Error> {
        let id = self.next_id;
        self.next_id += 1;
        let path = names::journal(&self.data_dir, id);
        let result = self.prepare_file(id, &path, len + HEADER_LEN as u64);
        if result.is_err() {
            // Nobody would ever write to it, and there will be many where the disk goes on failing.
            _ = self.disk.remove(&path);
        }
        let (file, bytes) = result?;
        let info = JournalFile {
            id,
            bytes,
            ..JournalFile::default()
        };
        Ok(OpenFile {
            file,
            path,
            info,
            offset: HEADER_LEN as u64,
            synced: HEADER_LEN as u64,
        })
    }

    /// A file with its header and its size, durable but for the header.
    fn prepare_file(
        &mut self,
        id: u64,
        path: &Path,
        needed: u64,
    ) -> Result<(Box<dyn DiskFile>, u64), Error> {
        let bytes = match self.free_ids.pop() {
            Some(free_id) if needed <= self.file_bytes => {
                let free = names::free_journal(&self.data_dir, free_id);
                self.disk
                    .rename(&free, path)
                    .map_err(Error::io("rename", free))?;
                self.file_bytes
            }
            other => {
                self.free_ids.extend(other);
                self.create_file(path, needed)?
            }
        };
        let file = self
            .disk
            .open(path, OpenMode::ReadWrite)
            .map_err(Error::io("open", path))?;
        file.write_all_at(&encode_header(id, self.before, self.store), 0)
            .map_err(Error::io("write", path))?;
        let dir = names::journal_dir(&self.data_dir);
        self.disk.sync_dir(&dir).map_err(Error::io("sync", dir))?;
        Ok((file, bytes))
    }

    /// Creates a file with its space reserved: of full size, or smaller where the disk is short.
    fn create_file(&self, path: &Path, needed: u64) -> Result<u64, Error> {
        let file = self
            .disk
            .open(path, OpenMode::Create)
            .map_err(Error::io("create", path))?;
        let mut result = Ok(());
        for bytes in [
            self.file_bytes.max(needed),
            JOURNAL_FILE_BYTES_SMALL.max(needed),
        ] {
            result = file.allocate(bytes);
            if result.is_ok() {
                return Ok(bytes);
            }
        }
        // What allocate reserved before it failed would keep the disk full.
        drop(file);
        _ = self.disk.remove(path);
        result
            .map(|()| needed)
            .map_err(Error::io("reserve space for", path))
    }
}

/// Bytes that blocks take in a file.
fn stored_len(blocks: &[Arc<Encoded>]) -> u64 {
    blocks.iter().map(|block| block.len() as u64).sum()
}

/// A commit that failed, and the files it closed all the same.
pub(crate) struct CommitError {
    /// Why.
    pub(crate) error: Error,
    /// Files closed on the way, quarantined ones among them.
    pub(crate) closed: Vec<JournalFile>,
}
