//! What a question reads of a chunk that it looks through.
//!
//! In a store with more columns than the cache has room for, a question goes from chunk to chunk and comes
//! back to none. Pages that it put into the cache would drive out others there, each let go by a thread
//! that did not take its memory, and threads wait for each other in the allocator. So they are kept no
//! longer than their chunk is looked at.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use segment::{Chunk, ChunkEntry, ColumnPage, Stamps};

use super::{Kind, Page, PageCache, SegmentHandle};
use crate::error::ReadError;
use crate::limits::COLUMN_MEMORY_FACTOR;

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

/// The pages of the columns of a chunk, each read once.
pub(super) struct ChunkPages<'s> {
    segment: &'s SegmentHandle,
    number: usize,
    entry: &'s ChunkEntry,
    /// Those that the cache does not have, by their places in the chunk.
    own: RefCell<Vec<Option<Arc<ColumnPage>>>>,
    /// What the last one read was stored as.
    stored: RefCell<Vec<u8>>,
}

impl<'s> ChunkPages<'s> {
    pub(super) fn of(segment: &'s SegmentHandle, number: usize, entry: &'s ChunkEntry) -> Self {
        Self {
            segment,
            number,
            entry,
            own: RefCell::new(vec![None; entry.columns.len()]),
            stored: RefCell::default(),
        }
    }

    pub(super) fn page(&self, index: usize) -> Result<Arc<ColumnPage>, ReadError> {
        let segment = self.segment;
        if segment.cache.has_room_for_columns() {
            return segment.column_page(self.number, self.entry, index);
        }
        let mut own = self.own.borrow_mut();
        if let Some(Some(page)) = own.get(index) {
            return Ok(Arc::clone(page));
        }
        let place = segment.column_place(self.number, index);
        let page = match segment.cached(Kind::Columns, place) {
            Some(Page::Columns(page)) => page,
            _ => segment.read_column_page(self.entry, index, &mut self.stored.borrow_mut())?,
        };
        if let Some(place) = own.get_mut(index) {
            *place = Some(Arc::clone(&page));
        }
        Ok(page)
    }
}

impl SegmentHandle {
    /// What is known of the columns of a chunk; `None` where it has no stamps, or they cannot be read, as
    /// the columns tell then.
    pub(super) fn stamps(&self, number: usize, entry: &ChunkEntry) -> Option<Arc<Stamps>> {
        let page = entry.stamps.as_ref()?;
        let read = || {
            let stamps = Stamps::decode(page, &self.read(page)?);
            let stamps = stamps.map_err(|error| self.damaged(page, &error))?;
            Ok(Page::Stamps(Arc::new(stamps)))
        };
        let stamps = match self.cache.has_room_for_columns() {
            true => self.page(Kind::Stamps, number, read),
            false => self.cached(Kind::Stamps, number).map_or_else(read, Ok),
        };
        match stamps {
            Ok(Page::Stamps(stamps)) => Some(stamps),
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
