//! Rows of a chunk of a segment by kind, and the values of their columns.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use segment::{
    Chunk, ChunkEntry, Hints, KindRows, Selected, SlotValues, TextPart, TextTest, ZoneMap, ZoneMaps,
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
    zone_maps: OnceCell<Option<Arc<ZoneMaps>>>,
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
            zone_maps: OnceCell::new(),
            number,
        })
    }
}

impl OpenChunk<'_> {
    /// A number that no other open segment has, whose kinds these are.
    pub fn segment(&self) -> u64 {
        self.segment.uid
    }

    /// The ordinal in the segment that an ordinal in the chunk is.
    pub fn ordinal(&self, ordinal: u32) -> u32 {
        ordinal.wrapping_add(self.entry.page.first_row)
    }

    /// Rows whose ordinals in the segment are given, which ascend, by their kinds; each named by its ordinal in
    /// the chunk.
    pub fn kind_rows(&self, ordinals: &[u32]) -> Vec<KindRows<'_>> {
        self.chunk.kind_rows(&self.own(ordinals))
    }

    /// The ordinals in the segment of the rows of which one of some texts passes, of those given, which
    /// ascend. Rows whose texts cannot be had without their records are left open.
    /// What `hints` says of earlier rows is asked first.
    pub fn select(
        &self,
        parts: &[TextPart<'_>],
        ordinals: &[u32],
        test: &mut impl TextTest,
        hints: &mut Hints,
    ) -> Selected {
        let page = |page| self.pages.page(page).map_err(Unread::Page);
        let zone_maps = || self.zone_maps();
        let own = self.own(ordinals);
        let mut selected = self
            .chunk
            .select(parts, &own, test, (hints, &zone_maps), page);
        for ordinal in selected.passed.iter_mut().chain(&mut selected.open) {
            *ordinal = self.ordinal(*ordinal);
        }
        selected
    }

    fn zone_maps(&self) -> Option<&ZoneMaps> {
        let read = || self.segment.zone_maps(self.number, self.entry);
        self.zone_maps.get_or_init(read).as_deref()
    }

    /// What is known of the values of a slot around a rank without reading them, and the ranks whose values
    /// those are; `None` where nothing is.
    pub fn zone_map(
        &self,
        rows: &KindRows<'_>,
        slot: usize,
        rank: u32,
    ) -> Option<(Range<u32>, ZoneMap)> {
        rows.zone_map(self.zone_maps()?, slot, rank)
    }

    /// The ordinals in the chunk that ordinals in the segment are.
    fn own(&self, ordinals: &[u32]) -> Vec<u32> {
        let first = self.entry.page.first_row;
        ordinals
            .iter()
            .map(|ordinal| ordinal.wrapping_sub(first))
            .collect()
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
