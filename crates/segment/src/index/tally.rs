//! The tally page: the kind of each group and how many rows it has. A group is the rows of a kind in a
//! chunk.
//!
//! ```text
//! tally page = number of chunks, then for each: number of groups, kind and rows of each;
//!              counts of values (part_counts.rs)
//! ```
//!
//! The row pages say the same, each of its chunk; this page spares a reader that wants no rows to read
//! them.
//!
//! Groups are in the order of the kinds in the row page of their chunk, and have numbers over all
//! chunks.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use super::part_counts::{self, PartCounts, ValueRows};
use crate::limits::{KINDS_MAX, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, open};
use crate::page_file::PageFile;
use crate::wire::{Reader, put_varint};
use crate::{Corrupt, Namespace};

/// The groups of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// For each chunk the end of its groups.
    ends: Vec<u32>,
    /// For each group the number of its kind and its rows.
    groups: Vec<(u32, u32)>,
    /// For each group the end of its ordinals.
    ordinals: Vec<u32>,
    /// The counts of values, as they are stored.
    counts: Box<[u8]>,
}

impl Tally {
    /// Reads a tally page.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("tally page", entry, stored)?;
        let mut reader = Reader::new("tally page", &raw);
        let groups = (entry.rows as usize).min(raw.len());
        let mut tally = Self {
            groups: Vec::with_capacity(groups),
            ordinals: Vec::with_capacity(groups),
            ..Self::default()
        };
        // A chunk and a group take a byte each: what is allocated is bounded by what is read.
        for _ in 0..reader.count("number of chunks", SEGMENT_ROWS_MAX as usize)? {
            for _ in 0..reader.count("groups of a chunk", KINDS_MAX)? {
                let kind = reader.count("kind of a group", KINDS_MAX)?;
                let rows = reader.count("rows of a group", SEGMENT_ROWS_MAX as usize)?;
                tally.push_group(kind as u32, rows as u32);
            }
            tally.ends.push(tally.len());
        }
        tally.counts = reader.rest().into();
        Ok(tally)
    }

    /// The values of a part of all rows, but for empty ones; `None` where they are not counted, as of parts
    /// other than host and program.
    ///
    /// # Errors
    /// When the counts are not what was written.
    pub fn counts_of(&self, part: Namespace) -> Result<Option<ValueRows<'_>>, Corrupt> {
        part_counts::find(&self.counts, part)
    }

    /// The counts of values, as they are stored.
    pub(crate) fn encoded_counts(&self) -> &[u8] {
        &self.counts
    }

    /// Appends the tally page.
    pub(crate) fn write(
        &self,
        counts: &PartCounts,
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) -> PageEntry {
        let mut raw = Vec::new();
        put_varint(self.ends.len() as u64, &mut raw);
        for chunk in 0..self.ends.len() {
            let kinds = self.kinds(chunk);
            put_varint(kinds.len() as u64, &mut raw);
            for (kind, rows) in kinds {
                put_varint(u64::from(*kind), &mut raw);
                put_varint(u64::from(*rows), &mut raw);
            }
        }
        counts.encode(&mut raw);
        PageEntry {
            rows: self.len(),
            ..pages.append(&raw, file)
        }
    }

    /// Adds a chunk by the kinds of its groups and their rows.
    pub(crate) fn push(&mut self, groups: impl IntoIterator<Item = (u32, u32)>) {
        for (kind, rows) in groups {
            self.push_group(kind, rows);
        }
        self.ends.push(self.len());
    }

    fn push_group(&mut self, kind: u32, rows: u32) {
        self.groups.push((kind, rows));
        let start = self.ordinals.last().copied().unwrap_or_default();
        self.ordinals.push(start.saturating_add(rows));
    }

    /// The kinds of the groups of a chunk, and how many rows each has; none where there is no such chunk.
    pub fn kinds(&self, chunk: usize) -> &[(u32, u32)] {
        let end_of = |chunk: usize| self.ends.get(chunk).map(|end| *end as usize);
        let start = chunk.checked_sub(1).and_then(end_of).unwrap_or(0);
        let groups = start..end_of(chunk).unwrap_or(start);
        self.groups.get(groups).unwrap_or(&[])
    }

    /// The ordinals of a group in the segment; none where there is no such group. Those of a chunk are as
    /// many as its rows, behind those of the chunks before.
    pub fn ordinals(&self, group: u32) -> Range<u32> {
        let end_of = |group: u32| self.ordinals.get(group as usize).copied();
        let start = group.checked_sub(1).map_or(Some(0), end_of);
        start
            .zip(end_of(group))
            .map_or(0..0, |(start, end)| start..end)
    }

    /// The number of the group that has an ordinal; `None` behind the last one.
    pub fn group_number(&self, ordinal: u32) -> Option<u32> {
        let group = self.ordinals.partition_point(|end| *end <= ordinal) as u32;
        (group < self.len()).then_some(group)
    }

    /// The kind of the group that has an ordinal, and all its ordinals; `None` behind the last one.
    pub fn group_of(&self, ordinal: u32) -> Option<(u32, Range<u32>)> {
        let group = self.ordinals.partition_point(|end| *end <= ordinal);
        let (kind, _) = self.groups.get(group)?;
        Some((*kind, self.ordinals(group as u32)))
    }

    /// How many rows a group has; 0 where there is no such group.
    pub fn rows(&self, group: u32) -> u32 {
        let group = self.groups.get(group as usize);
        group.map_or(0, |(_, rows)| *rows)
    }

    /// How many groups there are.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> u32 {
        self.groups.len() as u32
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.ends)
            + size_of_val::<[(u32, u32)]>(&self.groups)
            + size_of_val::<[u32]>(&self.ordinals)
            + self.counts.len()
    }
}
