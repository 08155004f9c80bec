//! What a question reads of a chunk that it looks through.
//!
//! In a store with more columns than the cache has room for, a question goes from chunk to chunk and comes
//! back to none. Pages that it put into the cache would drive out others there, each let go by a thread
//! that did not take its memory, and threads wait for each other in the allocator. So they are kept no
//! longer than their chunk is looked at.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use segment::{Chunk, ChunkEntry, ColumnPage, ZoneMaps};

use super::{Kind, Page, PageCache, SegmentHandle};
use crate::error::ReadError;
use crate::limits::{COLUMN_MEMORY_FACTOR, PAGES_KEPT};

/// What the columns of a segment would take in the cache, which knows it as long as this is there.
pub(super) struct ColumnMemory {
    cache: Arc<PageCache>,
    bytes: u64,
}

impl ColumnMemory {
    pub(super) fn of(chunks: &[ChunkEntry], cache: &Arc<PageCache>) -> Self {
        let pages = chunks.iter().flat_map(|chunk| &chunk.columns);
        let raw: u64 = pages.map(|page| u64::from(page.raw_len)).sum();
        let bytes = raw.saturating_mul(COLUMN_MEMORY_FACTOR);
        cache.columns.fetch_add(bytes, Ordering::Relaxed);
        Self {
            cache: Arc::clone(cache),
            bytes,
        }
    }
}

impl Drop for ColumnMemory {
    fn drop(&mut self) {
        self.cache.columns.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The pages of the columns of a chunk. Those that were read last are kept: questions go through a chunk kind
/// by kind, as its pages do.
pub(super) struct ChunkPages<'s> {
    segment: &'s SegmentHandle,
    number: usize,
    entry: &'s ChunkEntry,
    /// Those that the cache does not have.
    own: RefCell<Own>,
    /// What the last one read was stored as.
    stored: RefCell<Vec<u8>>,
}

/// Some pages of a chunk.
struct Own {
    /// By their places in the chunk.
    pages: Vec<Option<Arc<ColumnPage>>>,
    /// The places of those that are kept, in the order in which they were read.
    kept: VecDeque<usize>,
}

impl Own {
    /// Keeps a page, and lets one go where that is too many: its memory is what the next one is read into.
    fn keep(&mut self, index: usize, page: &Arc<ColumnPage>) {
        if self.kept.len() == PAGES_KEPT
            && let Some(oldest) = self.kept.pop_front()
            && let Some(place) = self.pages.get_mut(oldest)
        {
            *place = None;
        }
        if let Some(place) = self.pages.get_mut(index) {
            *place = Some(Arc::clone(page));
            self.kept.push_back(index);
        }
    }
}

impl<'s> ChunkPages<'s> {
    pub(super) fn of(segment: &'s SegmentHandle, number: usize, entry: &'s ChunkEntry) -> Self {
        Self {
            segment,
            number,
            entry,
            own: RefCell::new(Own {
                pages: vec![None; entry.columns.len()],
                kept: VecDeque::with_capacity(PAGES_KEPT),
            }),
            stored: RefCell::default(),
        }
    }

    pub(super) fn page(&self, index: usize) -> Result<Arc<ColumnPage>, ReadError> {
        let segment = self.segment;
        if segment.cache.has_room_for_columns() {
            return segment.column_page(self.number, self.entry, index);
        }
        let mut own = self.own.borrow_mut();
        if let Some(Some(page)) = own.pages.get(index) {
            return Ok(Arc::clone(page));
        }
        let place = segment.column_place(self.number, index);
        let page = match segment.cached(Kind::Columns, place) {
            Some(Page::Columns(page)) => page,
            _ => segment.read_column_page(self.entry, index, &mut self.stored.borrow_mut())?,
        };
        own.keep(index, &page);
        Ok(page)
    }
}

impl SegmentHandle {
    /// What is known of the columns of a chunk; `None` where it has no zone maps, or they cannot be read, as
    /// the columns tell then.
    pub(super) fn zone_maps(&self, number: usize, entry: &ChunkEntry) -> Option<Arc<ZoneMaps>> {
        let page = entry.zone_maps.as_ref()?;
        let read = || {
            let zone_maps = ZoneMaps::decode(page, &self.read(page)?);
            let zone_maps = zone_maps.map_err(|error| self.damaged(page, &error))?;
            Ok(Page::ZoneMaps(Arc::new(zone_maps)))
        };
        let zone_maps = match self.cache.has_room_for_columns() {
            true => self.page(Kind::ZoneMaps, number, read),
            false => self.cached(Kind::ZoneMaps, number).map_or_else(read, Ok),
        };
        match zone_maps {
            Ok(Page::ZoneMaps(zone_maps)) => Some(zone_maps),
            _ => None,
        }
    }

    /// A chunk that a question looks through.
    pub(super) fn looked_through(
        &self,
        number: usize,
        entry: &ChunkEntry,
    ) -> Result<Arc<Chunk>, ReadError> {
        if self.cache.has_room_for_columns() {
            return self.chunk(number, entry);
        }
        match self.cached(Kind::Chunk, number) {
            Some(Page::Chunk(chunk)) => Ok(chunk),
            _ => self.read_chunk(number, entry),
        }
    }
}
