//! The tally page: how many rows each group has. A group is the rows of a kind in a chunk.
//!
//! ```text
//! tally page = number of chunks, then for each: number of groups, their rows
//! ```
//!
//! Groups are in the order of the kinds in the row page of their chunk, and have numbers over all
//! chunks.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use crate::Corrupt;
use crate::limits::{KINDS_MAX, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, open};
use crate::wire::{Reader, put_varint};

/// The groups of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// For each chunk the end of its groups.
    ends: Vec<u32>,
    /// The rows of each group.
    rows: Vec<u32>,
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
        // A chunk and a group take a byte each: what is allocated is bounded by what is read.
        for _ in 0..reader.count("number of chunks", SEGMENT_ROWS_MAX as usize)? {
            for _ in 0..reader.count("groups of a chunk", KINDS_MAX)? {
                let rows = reader.count("rows of a group", SEGMENT_ROWS_MAX as usize)?;
                tally.rows.push(rows as u32);
            }
            tally.ends.push(tally.rows.len() as u32);
        }
        reader.finish()?;
        Ok(tally)
    }

    /// Appends the tally page.
    pub(crate) fn write(&self, pages: &mut PageWriter, file: &mut Vec<u8>) -> PageEntry {
        let mut raw = Vec::new();
        put_varint(self.ends.len() as u64, &mut raw);
        for chunk in 0..self.ends.len() {
            let groups = self.groups(chunk);
            put_varint(groups.len() as u64, &mut raw);
            for rows in self.rows.get(groups).unwrap_or(&[]) {
                put_varint(u64::from(*rows), &mut raw);
            }
        }
        PageEntry {
            rows: self.rows.len() as u32,
            ..pages.append(&raw, file)
        }
    }

    /// Adds a chunk by the rows of its groups.
    pub(crate) fn push(&mut self, rows: impl IntoIterator<Item = u32>) {
        self.rows.extend(rows);
        self.ends.push(self.rows.len() as u32);
    }

    /// The groups of a chunk; none where there is no such chunk.
    pub fn groups(&self, chunk: usize) -> Range<usize> {
        let end_of = |chunk: usize| self.ends.get(chunk).map(|end| *end as usize);
        let start = chunk.checked_sub(1).and_then(end_of).unwrap_or(0);
        start..end_of(chunk).unwrap_or(start)
    }

    /// The chunk of a group.
    pub fn chunk(&self, group: u32) -> usize {
        self.ends.partition_point(|end| *end <= group)
    }

    /// How many rows a group has; 0 where there is no such group.
    pub fn rows(&self, group: u32) -> u32 {
        self.rows.get(group as usize).copied().unwrap_or(0)
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.ends) + size_of_val::<[u32]>(&self.rows)
    }
}
