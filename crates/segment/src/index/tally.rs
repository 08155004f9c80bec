//! The tally page: which chunks have rows of each kind, and how many.
//!
//! ```text
//! tally page = number of kinds, then for each: chunks, then for each: chunk (difference), rows
//! ```
#![deny(clippy::indexing_slicing)]

use super::KindWords;
use crate::Corrupt;
use crate::limits::{KINDS_MAX, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, open};
use crate::wire::{Reader, put_varint};

/// Where the rows of each kind of a segment are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// For each kind the end of its chunks.
    ends: Vec<u32>,
    /// The chunks of each kind, and how many rows of it they have.
    chunks: Vec<(u32, u32)>,
}

impl Tally {
    /// Reads a tally page.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("tally page", entry, stored)?;
        let mut reader = Reader::new("tally page", &raw);
        let mut tally = Self::default();
        for _ in 0..reader.count("number of kinds", KINDS_MAX)? {
            let mut chunk = 0_u64;
            // A chunk takes two bytes: what is allocated is bounded by what is read.
            for _ in 0..reader.count("chunks of a kind", SEGMENT_ROWS_MAX as usize)? {
                chunk = chunk.saturating_add(reader.varint()?);
                let rows = reader.count("rows of a kind", SEGMENT_ROWS_MAX as usize)?;
                let number = u32::try_from(chunk).map_err(|_| Corrupt::Invalid {
                    what: "chunk of a kind",
                    value: chunk,
                })?;
                tally.chunks.push((number, rows as u32));
            }
            tally.ends.push(tally.chunks.len() as u32);
        }
        reader.finish()?;
        Ok(tally)
    }

    /// The chunks with rows of a kind, ascending, and how many; none for a kind that is not there.
    pub fn chunks(&self, kind: u32) -> &[(u32, u32)] {
        let end_of = |kind: usize| self.ends.get(kind).map(|end| *end as usize);
        let Some(end) = end_of(kind as usize) else {
            return &[];
        };
        let start = (kind as usize).checked_sub(1).and_then(end_of).unwrap_or(0);
        self.chunks.get(start..end).unwrap_or(&[])
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.ends) + size_of_val::<[(u32, u32)]>(&self.chunks)
    }
}

/// Appends the tally page of some kinds.
pub(super) fn write(kinds: &[KindWords], pages: &mut PageWriter, file: &mut Vec<u8>) -> PageEntry {
    let mut raw = Vec::new();
    put_varint(kinds.len() as u64, &mut raw);
    for kind in kinds {
        put_varint(kind.chunks().len() as u64, &mut raw);
        let mut last = 0;
        for (chunk, rows) in kind.chunks() {
            put_varint(u64::from(chunk - last), &mut raw);
            put_varint(u64::from(*rows), &mut raw);
            last = *chunk;
        }
    }
    PageEntry {
        rows: kinds.len() as u32,
        ..pages.append(&raw, file)
    }
}
