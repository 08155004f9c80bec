//! Where the rows of a term are.

use std::ops::Range;
use std::sync::Arc;

use segment::{Corrupt, Listed, Location, PostingPage, TermEntry};

use super::{Kind, Page, SegmentHandle};
use crate::error::ReadError;

impl SegmentHandle {
    /// The ordinals of the rows that hold a term and are in none of [`Self::groups_of`], ascending. Ordinals
    /// number the rows of a chunk by kind, those of all chunks one behind another.
    ///
    /// # Errors
    /// When the ordinals cannot be read.
    pub fn slot_ordinals(&self, term: &TermEntry) -> Result<Vec<u32>, ReadError> {
        self.numbers(&term.slots)
    }

    /// Sets the bits of the ordinals that [`Self::slot_ordinals`] gives, in bits of all of them, from the lowest of
    /// the first byte on.
    ///
    /// # Errors
    /// When the ordinals cannot be read; some bits are set then.
    pub fn mark_slot_ordinals(&self, term: &TermEntry, bits: &mut [u8]) -> Result<(), ReadError> {
        let Some(index) = term.slots.posting_page() else {
            for ordinal in term.slots.inline(self.rows()) {
                if let Some(byte) = bits.get_mut((ordinal >> 3) as usize) {
                    *byte |= 1 << (ordinal & 7);
                }
            }
            return Ok(());
        };
        let marked = self.posting_page(index as usize)?.mark(&term.slots, bits);
        marked.map_err(|error| self.damaged_posting(index, &error))
    }

    /// How many rows that hold a term are before each of some edges, without marking each of them. An edge is the
    /// ordinals of the rows before it, in ranges which ascend and do not overlap.
    ///
    /// # Errors
    /// When the ordinals cannot be read.
    pub fn count_ordinals_before(
        &self,
        term: &TermEntry,
        edges: &[&[Range<u32>]],
    ) -> Result<Vec<u64>, ReadError> {
        let counts = edges
            .iter()
            .map(|edge| self.count_within(&term.slots, edge));
        let mut counts = counts.collect::<Result<Vec<_>, _>>()?;
        let groups = self.groups_of(term)?;
        if !groups.is_empty() {
            let tally = self.tally()?;
            for ordinals in groups.iter().map(|group| tally.ordinals(*group)) {
                for (count, edge) in counts.iter_mut().zip(edges) {
                    *count += segment::len_within(edge, &ordinals) as u64;
                }
            }
        }
        Ok(counts)
    }

    /// How many numbers are in some ranges, which ascend and do not overlap.
    fn count_within(&self, listed: &Listed, ranges: &[Range<u32>]) -> Result<u64, ReadError> {
        match (listed.location, listed.posting_page()) {
            (Location::All, _) => Ok(ranges.iter().map(|range| range.len() as u64).sum()),
            (_, Some(index)) => {
                let page = self.posting_page(index as usize)?;
                let count = page.count_within(listed, ranges);
                count.map_err(|error| self.damaged_posting(index, &error))
            }
            (_, None) => {
                let few = listed.inline(self.rows());
                let counts = ranges
                    .iter()
                    .map(|range| segment::count_listed(&few, range));
                Ok(counts.sum())
            }
        }
    }

    /// The groups whose rows all hold a term, ascending. A group is the rows of a kind in a chunk; its
    /// ordinals are in [`Self::tally`].
    pub fn groups_of(&self, term: &TermEntry) -> Result<Vec<u32>, ReadError> {
        self.numbers(&term.groups)
    }

    pub(super) fn numbers(&self, listed: &Listed) -> Result<Vec<u32>, ReadError> {
        let Some(index) = listed.posting_page() else {
            return Ok(listed.inline(self.rows()));
        };
        let numbers = self.posting_page(index as usize)?.numbers(listed);
        numbers.map_err(|error| self.damaged_posting(index, &error))
    }

    fn posting_page(&self, index: usize) -> Result<Arc<PostingPage>, ReadError> {
        let entry = self.entry(&self.footer.posting_pages, index)?;
        let page = self.page(Kind::Posting, index, || {
            let page = PostingPage::decode(entry, &self.read(entry)?);
            Ok(Page::Posting(Arc::new(
                page.map_err(|error| self.damaged(entry, &error))?,
            )))
        })?;
        match page {
            Page::Posting(page) => Ok(page),
            _ => Err(self.out_of_range()),
        }
    }

    fn damaged_posting(&self, index: u32, error: &Corrupt) -> ReadError {
        match self.footer.posting_pages.get(index as usize) {
            Some(page) => self.damaged(page, error),
            None => self.out_of_range(),
        }
    }
}
