//! The journal: where a record is durable first.
//!
//! Files of fixed size hold blocks one behind another; each block is compressed, checksummed and
//! bound to its file and offset, so that a recycled file's old blocks can never be taken for new
//! ones. FORMAT.md has the bytes.

mod block;
mod file;
mod scan;
mod writer;

pub(crate) use block::{Block, Encoded, Encoder, announced};
pub(crate) use file::{
    FileEnd, FileHeader, HEADER_LEN, MAGIC as FILE_MAGIC, VERSION as FILE_VERSION, with_owner,
};
pub(crate) use scan::{FileScan, InGroup, known_ends, scan, scan_with};
pub(crate) use writer::{JournalFile, JournalWriter};

#[cfg(test)]
pub(crate) mod tests;
