//! Where the rows of a term are: posting lists, and unions with the columns that tell them.

use std::ops::Range;
use std::sync::Arc;

use segment::{
    ChunkEntry, Corrupt, Listed, Location, Namespace, PartRows, PostingPage, TermEntry, TextTest,
    Union, UnionPage,
};

use super::{Kind, Page, SegmentHandle, Unread};
use crate::error::ReadError;

impl SegmentHandle {
    /// The ordinals of the rows that hold a term and are in none of [`Self::groups_of`], ascending. Ordinals
    /// number the rows of a chunk by kind, those of all chunks one behind another.
    ///
    /// `is_asked` says whether anything is asked about a range of them. Others may be left out, where it would take
    /// a look at columns to know them.
    ///
    /// # Errors
    /// When the ordinals cannot be read.
    pub fn slot_ordinals(
        &self,
        term: &TermEntry,
        is_asked: impl Fn(&Range<u32>) -> bool,
    ) -> Result<Vec<u32>, ReadError> {
        if self.union_page_of(&term.slots).is_none() {
            return self.numbers(&term.slots);
        }
        let mut bits = vec![0; (self.rows() as usize).div_ceil(8)];
        self.mark_slot_ordinals(term, is_asked, &mut bits)?;
        Ok(segment::marked(&bits))
    }

    /// Sets the bits of the ordinals that [`Self::slot_ordinals`] gives, in bits of all of them, from the lowest of
    /// the first byte on. Bits of others may be set that nothing is asked about.
    ///
    /// # Errors
    /// When the ordinals cannot be read; some bits are set then.
    pub fn mark_slot_ordinals(
        &self,
        term: &TermEntry,
        is_asked: impl Fn(&Range<u32>) -> bool,
        bits: &mut [u8],
    ) -> Result<(), ReadError> {
        if let Some(index) = self.union_page_of(&term.slots) {
            let union = self.union(&term.slots, index)?;
            return union.mark(bits, |part| {
                let is_asked = is_asked(&self.ordinals_of_part(index, part)?);
                is_asked.then(|| self.part_rows(index, part)).transpose()
            });
        }
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

    /// Sets the bits of the same ordinals, for a term that columns tell: in `passing` those of rows of which it is known
    /// that one part of theirs passes a test, in `open` those of rows whose may. Some may be set in both.
    ///
    /// # Errors
    /// As for [`Self::mark_slot_ordinals`].
    pub fn mark_passing_ordinals(
        &self,
        term: &TermEntry,
        is_asked: impl Fn(&Range<u32>) -> bool,
        (text, test): (Namespace, &mut impl TextTest),
        (passing, open): (&mut [u8], &mut [u8]),
    ) -> Result<(), ReadError> {
        let Some(index) = self.union_page_of(&term.slots) else {
            return self.mark_slot_ordinals(term, is_asked, open);
        };
        let union = self.union(&term.slots, index)?;
        union.mark_passing(test, (passing, open), |part| {
            if !is_asked(&self.ordinals_of_part(index, part)?) {
                return Ok(None);
            }
            let (first, rows) = self.part_rows(index, part)?;
            let (chunk, entry, number) = self.place_of_part(index, part)?;
            let around = self.chunk(chunk, entry)?.around_part(number, text);
            Ok(Some((first, rows, around)))
        })
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
        let mut counts = match self.union_page_of(&term.slots) {
            Some(index) => self.union(&term.slots, index)?.count_before(
                edges,
                |part| self.ordinals_of_part(index, part),
                |part| self.part_rows(index, part),
            )?,
            None => {
                let edges = edges.iter();
                let counts = edges.map(|edge| self.count_within(&term.slots, edge));
                counts.collect::<Result<_, _>>()?
            }
        };
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

    /// How many numbers that no columns have to tell are in some ranges, which ascend and do not overlap.
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

    /// Whether finding the ordinals of a term takes a look at columns.
    pub fn is_told_by_columns(&self, term: &TermEntry) -> bool {
        self.union_page_of(&term.slots).is_some()
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

    /// The union page that says where numbers are, among those; `None` where none does.
    pub(super) fn union_page_of(&self, listed: &Listed) -> Option<usize> {
        let page = listed.posting_page()? as usize;
        page.checked_sub(self.footer.posting_pages.len())
    }

    pub(super) fn union(&self, listed: &Listed, index: usize) -> Result<Union, ReadError> {
        let union = self.union_page(index)?.union(listed);
        union.map_err(|error| self.damaged_union(index, &error))
    }

    /// The rows of a part by its number among those of the segment, which a union page names, and the first
    /// row of its chunk.
    fn part_rows(&self, union_page: usize, part: u32) -> Result<(u32, PartRows), ReadError> {
        let (index, entry, number) = self.place_of_part(union_page, part)?;
        let chunk = self.chunk(index, entry)?;
        let rows = chunk.part_rows(number, |page| {
            self.column_page(index, entry, page).map_err(Unread::Page)
        });
        let rows = rows.map_err(|error| match error {
            Unread::Page(error) => error,
            Unread::Corrupt(error) => self.damaged(&entry.page, &error),
        });
        Ok((entry.page.first_row, rows?))
    }

    /// The ordinals of such a part.
    pub(super) fn ordinals_of_part(
        &self,
        union_page: usize,
        part: u32,
    ) -> Result<Range<u32>, ReadError> {
        let (index, entry, number) = self.place_of_part(union_page, part)?;
        let ordinals = self.chunk(index, entry)?.ordinals_of_part(number);
        let ordinals = ordinals.ok_or_else(|| self.no_part(union_page, part))?;
        let first = entry.page.first_row;
        Ok(first.saturating_add(ordinals.start)..first.saturating_add(ordinals.end))
    }

    /// The chunk of such a part, and its number there.
    pub(super) fn place_of_part(
        &self,
        union_page: usize,
        part: u32,
    ) -> Result<(usize, &ChunkEntry, usize), ReadError> {
        let chunks = &self.footer.chunks;
        let found = segment::chunk_of_part(chunks, part);
        let found = found.and_then(|(chunk, number)| Some((chunk, chunks.get(chunk)?, number)));
        found.ok_or_else(|| self.no_part(union_page, part))
    }

    fn no_part(&self, union_page: usize, part: u32) -> ReadError {
        let what = "part of a union";
        let value = u64::from(part);
        self.damaged_union(union_page, &Corrupt::Invalid { what, value })
    }

    fn union_page(&self, index: usize) -> Result<Arc<UnionPage>, ReadError> {
        let entry = self.entry(&self.footer.union_pages, index)?;
        let page = self.page(Kind::Union, index, || {
            let page = UnionPage::decode(entry, &self.read(entry)?);
            Ok(Page::Union(Arc::new(
                page.map_err(|error| self.damaged(entry, &error))?,
            )))
        })?;
        match page {
            Page::Union(page) => Ok(page),
            _ => Err(self.out_of_range()),
        }
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

    fn damaged_union(&self, index: usize, error: &Corrupt) -> ReadError {
        match self.footer.union_pages.get(index) {
            Some(page) => self.damaged(page, error),
            None => self.out_of_range(),
        }
    }
}
