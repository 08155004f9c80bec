//! Rows of a chunk of a segment by kind, and the values of their columns.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use segment::{
    Chunk, ChunkEntry, Hints, KindRows, Selected, SlotValues, Stamp, Stamps, TextPart, TextTest,
};

use super::chunk_pages::ChunkPages;
use super::{SegmentHandle, Unread};
use crate::error::ReadError;

/// A chunk of a segment.
pub struct OpenChunk<'s> {
    pub(super) segment: &'s SegmentHandle,
    pub(super) entry: &'s ChunkEntry,
    chunk: Arc<Chunk>,
    pages: ChunkPages<'s>,
    /// What is known of its columns, once that was asked.
    stamps: OnceCell<Option<Arc<Stamps>>>,
    pub(super) number: usize,
}

impl SegmentHandle {
    /// A chunk, for a look at single columns.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open_chunk(&self, number: usize) -> Result<OpenChunk<'_>, ReadError> {
        let Some(entry) = self.footer.chunks.get(number) else {
            return Err(self.out_of_range());
        };
        Ok(OpenChunk {
            segment: self,
            entry,
            chunk: self.looked_through(number, entry)?,
            pages: ChunkPages::of(self, number, entry),
            stamps: OnceCell::new(),
            number,
        })
    }
}

impl OpenChunk<'_> {
    /// A number that no other open segment has, whose kinds these are.
    pub fn segment(&self) -> u64 {
        self.segment.uid
    }

    /// The seat in the segment that a seat in the chunk is.
    pub fn seat(&self, seat: u32) -> u32 {
        seat.wrapping_add(self.entry.page.first_row)
    }

    /// Rows whose seats in the segment are given, which ascend, by their kinds; each named by its seat in
    /// the chunk.
    pub fn kind_rows(&self, seats: &[u32]) -> Vec<KindRows<'_>> {
        self.chunk.kind_rows(&self.own(seats))
    }

    /// The seats in the segment of the rows of which one of some texts passes, of those given, which
    /// ascend. Rows whose texts cannot be had without their records are left open.
    /// What `hints` says of earlier rows is asked first.
    pub fn select(
        &self,
        parts: &[TextPart<'_>],
        seats: &[u32],
        test: &mut impl TextTest,
        hints: &mut Hints,
    ) -> Selected {
        let page = |page| self.pages.page(page).map_err(Unread::Page);
        let stamps = || self.stamps();
        let own = self.own(seats);
        let mut selected = self.chunk.select(parts, &own, test, (hints, &stamps), page);
        for seat in selected.passed.iter_mut().chain(&mut selected.open) {
            *seat = self.seat(*seat);
        }
        selected
    }

    fn stamps(&self) -> Option<&Stamps> {
        let read = || self.segment.stamps(self.number, self.entry);
        self.stamps.get_or_init(read).as_deref()
    }

    /// What is known of the values of a slot around a rank without reading them, and the ranks whose values
    /// those are; `None` where nothing is.
    pub fn stamp(
        &self,
        rows: &KindRows<'_>,
        slot: usize,
        rank: u32,
    ) -> Option<(Range<u32>, Stamp)> {
        rows.stamp(self.stamps()?, slot, rank)
    }

    /// The seats in the chunk that seats in the segment are.
    fn own(&self, seats: &[u32]) -> Vec<u32> {
        let first = self.entry.page.first_row;
        seats.iter().map(|seat| seat.wrapping_sub(first)).collect()
    }

    /// The values of a slot around a rank, a place among the rows of a kind in the chunk.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn values(
        &self,
        rows: &KindRows<'_>,
        slot: usize,
        rank: u32,
    ) -> Result<SlotValues, ReadError> {
        let page = |page| {
            let page = self.pages.page(page);
            page.map_err(Unread::Page)
        };
        rows.values(slot, rank, page).map_err(|error| match error {
            Unread::Page(error) => error,
            Unread::Corrupt(error) => self.segment.damaged(&self.entry.page, &error),
        })
    }
}
