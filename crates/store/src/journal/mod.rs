//! The journal: where a record is durable first.
//!
//! Files of fixed size hold blocks one behind another; each block is compressed, checksummed and
//! bound to its file and offset, so that a recycled file's old blocks can never be taken for new
//! ones. FORMAT.md has the bytes.

mod block;
mod file;
mod scan;
mod writer;

pub(crate) use block::{Block, Encoded};
pub(crate) use scan::{end_before, scan};
pub(crate) use writer::{JournalFile, JournalWriter};

#[cfg(test)]
pub(crate) mod tests;
