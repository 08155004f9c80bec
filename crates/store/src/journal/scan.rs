//! Reading a journal file back after a stop or a crash.
//!
//! A bad block is a torn tail when nothing valid of a later commit follows it in the file: its
//! commit never finished, so none of it was acknowledged, and whatever of that commit did reach
//! the disk is dropped with it, to keep every connection's records a prefix: they may be spread over
//! logspaces, so the blocks of a commit stand or fall together. A bad block followed
//! by a later commit, or before the end that the header of the next file tells, was durable once:
//! that is damage, which is reported and skipped.

use std::collections::BTreeMap;
use std::path::Path;

use crate::disk::{Disk, DiskEntry, OpenMode};
use crate::error::Error;
use crate::journal::block::{ALIGNMENT, Block, MAGIC};
use crate::journal::file::{FileEnd, FileHeader, HEADER_LEN, VERSION, decode_header};
use crate::names;
use crate::snapshot::Damage;

/// What a journal file holds.
pub(crate) struct FileScan<B = Block> {
    /// Its blocks, in order.
    pub(crate) blocks: Vec<B>,
    /// What its header says.
    pub(crate) header: FileHeader,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// What was found broken.
    pub(crate) damages: Vec<Damage>,
    /// Bytes of an unfinished commit at the end.
    pub(crate) torn_bytes: u64,
    /// Whole blocks of an unfinished commit at the end.
    pub(crate) torn_blocks: u64,
    /// The next file tells where it ended.
    is_known_whole: bool,
}

/// Where the file before a file ended, as that one's header tells; `None` where it does not, or
/// cannot be read.
pub(crate) fn end_before(disk: &dyn Disk, path: &Path) -> Option<FileEnd> {
    let mut header = [0; HEADER_LEN];
    let file = disk.open(path, OpenMode::Read).ok()?;
    file.read_exact_at(&mut header, 0).ok()?;
    match decode_header(&header) {
        FileHeader::File { before, .. } => before,
        _ => None,
    }
}

/// Where journal files ended, by their numbers, as the headers of those behind them in a directory
/// tell.
pub(crate) fn known_ends(disk: &dyn Disk, dir: &Path, listed: &[DiskEntry]) -> BTreeMap<u64, u64> {
    let is_journal =
        |entry: &&DiskEntry| names::journal_id(&entry.name, names::JOURNAL_SUFFIX).is_some();
    let files = listed.iter().filter(is_journal);
    let ends = files.filter_map(|entry| end_before(disk, &dir.join(&entry.name)));
    ends.map(|end| (end.file_id, end.offset)).collect()
}

/// Reads a journal file. `named_id` is the number in its name, `known_end` the offset behind its
/// last block where the next file tells.
pub(crate) fn scan(
    disk: &dyn Disk,
    path: &Path,
    named_id: u64,
    known_end: Option<u64>,
) -> Result<FileScan, Error> {
    scan_with(disk, path, named_id, known_end, |_, block| block)
}

/// What has to be known of a block.
pub(crate) trait InGroup {
    /// See [`Block::group_start`].
    fn group_start(&self) -> u64;
    /// See [`Block::goes_on`].
    fn goes_on(&self) -> bool;
}

impl InGroup for Block {
    fn group_start(&self) -> u64 {
        self.group_start
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }
}

/// Reads a journal file and keeps of each block, at its offset, what `keep` makes of it.
pub(crate) fn scan_with<B: InGroup>(
    disk: &dyn Disk,
    path: &Path,
    named_id: u64,
    known_end: Option<u64>,
    keep: impl Fn(u64, Block) -> B,
) -> Result<FileScan<B>, Error> {
    let file = disk
        .open(path, OpenMode::Read)
        .map_err(Error::io("open", path))?;
    let len = file.len().map_err(Error::io("read", path))?;
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, 0)
        .map_err(Error::io("read", path))?;
    let mut scan = FileScan {
        blocks: Vec::new(),
        header: FileHeader::Unreadable,
        bytes: len,
        damages: Vec::new(),
        torn_bytes: 0,
        torn_blocks: 0,
        is_known_whole: known_end.is_some(),
    };
    let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
        scan.note_cut(path, known_end);
        return Ok(scan);
    };
    scan.header = decode_header(header);
    // The name counts: it is durable before the first commit, and the header only with it. A
    // recycled file whose first commit did not finish may still say who it was before.
    let file_id = match scan.header {
        FileHeader::File { id, .. } if named_id == 0 => id,
        FileHeader::File { .. } | FileHeader::Unreadable => named_id,
        FileHeader::Development => return Err(Error::development_format(path)),
        FileHeader::Other(found) => return Err(Error::other_format(path, found, VERSION)),
    };
    if let Some(end) = known_end {
        // What lies behind is of the file's former life.
        bytes.truncate(usize::try_from(end).unwrap_or(usize::MAX));
    }
    let mut offset = HEADER_LEN;
    while offset < bytes.len() {
        match block_at(&bytes, file_id, offset) {
            Ok(block) => {
                let at = offset as u64;
                offset += block.len;
                scan.blocks.push(keep(at, block));
            }
            Err(what) => match next_durable(&bytes, file_id, offset) {
                Some(next) => {
                    scan.damages.push(Damage::new(path, offset as u64, what));
                    offset = next;
                }
                None if known_end.is_some() => {
                    scan.damages.push(Damage::new(path, offset as u64, what));
                    let later = later_blocks(&bytes, file_id, offset);
                    scan.blocks
                        .extend(later.map(|(at, block)| keep(at as u64, block)));
                    break;
                }
                None => {
                    scan.count_torn(&bytes, file_id, offset);
                    break;
                }
            },
        }
    }
    scan.note_cut(path, known_end);
    if known_end.is_none() {
        scan.drop_unfinished();
    }
    Ok(scan)
}

impl<B: InGroup> FileScan<B> {
    /// Whether the disk is known to have given its word for a block: the next file tells that it
    /// has for all of this one, or a later commit of this one was begun behind it.
    pub(crate) fn is_synced(&self, block: &B) -> bool {
        let last = self.blocks.last().map(InGroup::group_start);
        self.is_known_whole || last.is_some_and(|last| block.group_start() < last)
    }

    /// Notes that a file is shorter than it was when it was full.
    fn note_cut(&mut self, path: &Path, known_end: Option<u64>) {
        if let Some(end) = known_end
            && self.bytes < end
        {
            let what = format!("the file is cut off: it held records up to offset {end}");
            self.damages.push(Damage::new(path, self.bytes, what));
        }
    }

    /// Forgets the blocks at the end whose commit goes on behind them, where nothing is: the write of
    /// all of them was not finished.
    fn drop_unfinished(&mut self) {
        while self.blocks.pop_if(|last| last.goes_on()).is_some() {
            self.torn_blocks += 1;
        }
    }

    /// Counts the bytes of the commit that broke off at `offset`, up to the last block of it that did
    /// reach the disk.
    fn count_torn(&mut self, bytes: &[u8], file_id: u64, offset: usize) {
        let rest = bytes.get(offset..).unwrap_or_default();
        if rest.iter().any(|byte| *byte != 0) {
            let later = later_blocks(bytes, file_id, offset).last();
            let end = later.map_or(bytes.len(), |(at, block)| at + block.len);
            self.torn_bytes = (end - offset) as u64;
        }
    }
}

fn block_at(bytes: &[u8], file_id: u64, offset: usize) -> Result<Block, &'static str> {
    Block::decode(bytes.get(offset..).unwrap_or(&[]), file_id, offset as u64)
}

/// Where to read on behind a bad place that was durable once: at the next valid block, if any later
/// one was begun when all before it was durable.
fn next_durable(bytes: &[u8], file_id: u64, offset: usize) -> Option<usize> {
    let mut later = later_blocks(bytes, file_id, offset).peekable();
    let next = later.peek().map(|(at, _)| *at);
    next.filter(|_| later.any(|(_, block)| block.group_start > offset as u64))
}

/// The valid blocks behind `offset`.
fn later_blocks(
    bytes: &[u8],
    file_id: u64,
    offset: usize,
) -> impl Iterator<Item = (usize, Block)> + '_ {
    (offset + ALIGNMENT..bytes.len())
        .step_by(ALIGNMENT)
        .filter(|at| {
            bytes
                .get(*at..)
                .is_some_and(|rest| rest.starts_with(&MAGIC))
        })
        .filter_map(move |at| block_at(bytes, file_id, at).ok().map(|block| (at, block)))
}
