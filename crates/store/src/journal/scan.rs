//! Reading a journal file back after a stop or a crash.
//!
//! A bad block is a torn tail when nothing valid of a later commit follows it in the file: its
//! commit never finished, so none of it was acknowledged, and whatever of that commit did reach
//! the disk is dropped with it, to keep every connection's records a prefix. A bad block followed
//! by a later commit was durable once: that is damage, which is reported and skipped.

use std::path::Path;

use crate::disk::{Disk, OpenMode};
use crate::error::Error;
use crate::journal::block::{ALIGNMENT, Block, MAGIC};
use crate::journal::file::{FileHeader, HEADER_LEN, VERSION, decode_header};
use crate::snapshot::Damage;

/// What a journal file holds.
pub(crate) struct FileScan {
    /// Its blocks, in order.
    pub(crate) blocks: Vec<Block>,
    /// What was found broken.
    pub(crate) damages: Vec<Damage>,
    /// Bytes of an unfinished commit at the end.
    pub(crate) torn_bytes: u64,
}

/// Reads a journal file. `named_id` is the number in its name.
pub(crate) fn scan(disk: &dyn Disk, path: &Path, named_id: u64) -> Result<FileScan, Error> {
    let file = disk
        .open(path, OpenMode::Read)
        .map_err(Error::io("open", path))?;
    let len = file.len().map_err(Error::io("read", path))?;
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, 0)
        .map_err(Error::io("read", path))?;
    let mut scan = FileScan {
        blocks: Vec::new(),
        damages: Vec::new(),
        torn_bytes: 0,
    };
    let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
        return Ok(scan);
    };
    // The name counts: it is durable before the first commit, and the header only with it. A
    // recycled file whose first commit did not finish may still say who it was before.
    let file_id = match decode_header(header) {
        FileHeader::Known | FileHeader::Unreadable => named_id,
        FileHeader::Newer(found) => {
            return Err(Error::NewerFormat {
                path: path.to_owned(),
                found,
                supported: VERSION,
            });
        }
    };
    let mut offset = HEADER_LEN;
    while offset < bytes.len() {
        match block_at(&bytes, file_id, offset) {
            Ok(block) => {
                offset += block.len;
                scan.blocks.push(block);
            }
            Err(what) => match next_commit(&bytes, file_id, offset) {
                Some(next) => {
                    scan.damages.push(Damage::new(path, offset as u64, what));
                    offset = next;
                }
                None => {
                    scan.drop_torn_commit(&bytes, file_id, offset);
                    break;
                }
            },
        }
    }
    Ok(scan)
}

impl FileScan {
    /// Forgets the blocks of the commit that broke off at `offset`, and counts its bytes. Whether
    /// the bad place belongs to the commit of the last good block is known only from a later block
    /// of the same commit.
    fn drop_torn_commit(&mut self, bytes: &[u8], file_id: u64, offset: usize) {
        let later = later_blocks(bytes, file_id, offset).last();
        let torn_end = later.as_ref().map(|(at, block)| at + block.len);
        let is_zero = bytes
            .get(offset..)
            .is_none_or(|rest| rest.iter().all(|byte| *byte == 0));
        if let Some((_, later)) = later {
            while self
                .blocks
                .last()
                .is_some_and(|last| last.group_start == later.group_start)
            {
                self.blocks.pop();
            }
        }
        if !is_zero {
            let end = torn_end.unwrap_or(bytes.len());
            self.torn_bytes = (end - offset) as u64;
        }
    }
}

fn block_at(bytes: &[u8], file_id: u64, offset: usize) -> Result<Block, &'static str> {
    Block::decode(bytes.get(offset..).unwrap_or(&[]), file_id, offset as u64)
}

/// The first valid block behind `offset` whose commit started behind `offset`.
fn next_commit(bytes: &[u8], file_id: u64, offset: usize) -> Option<usize> {
    later_blocks(bytes, file_id, offset)
        .find(|(_, block)| block.group_start > offset as u64)
        .map(|(at, _)| at)
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
