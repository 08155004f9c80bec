//! What a question reads of a chunk that it looks through.
//!
//! In a store with more columns than the cache has room for, a question goes from chunk to chunk and comes
//! back to none. Pages that it put into the cache would drive out others there, each let go by a thread
//! that did not take its memory, and threads wait for each other in the allocator. So they are kept no
//! longer than their chunk is looked at. Where the columns of a chunk are takes a fiftieth of that, and is
//! wanted by every question: it goes into the cache as long as that of all chunks fits.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use segment::{Chunk, ChunkEntry, ColumnPage};

use super::{Kind, Page, PageCache, SegmentHandle};
use crate::error::ReadError;
use crate::limits::COLUMN_MEMORY_FACTOR;

/// What the columns of a segment would take in the cache, which knows it as long as this is there.
pub(super) struct ColumnMemory {
    cache: Arc<PageCache>,
    columns: u64,
    directories: u64,
}

impl ColumnMemory {
    pub(super) fn of(chunks: &[ChunkEntry], cache: &Arc<PageCache>) -> Self {
        let pages = chunks.iter().flat_map(|chunk| &chunk.columns);
        let raw: u64 = pages.map(|page| u64::from(page.raw_len)).sum();
        let columns = raw.saturating_mul(COLUMN_MEMORY_FACTOR);
        cache.columns.fetch_add(columns, Ordering::Relaxed);
        let directories = chunks
            .iter()
            .map(|chunk| u64::from(chunk.directory.raw_len))
            .sum();
        cache.directories.fetch_add(directories, Ordering::Relaxed);
        Self {
            cache: Arc::clone(cache),
            columns,
            directories,
        }
    }
}

impl Drop for ColumnMemory {
    fn drop(&mut self) {
        self.cache
            .columns
            .fetch_sub(self.columns, Ordering::Relaxed);
        let directories = &self.cache.directories;
        directories.fetch_sub(self.directories, Ordering::Relaxed);
    }
}

/// The pages of the columns of a chunk, each read once.
pub(super) struct ChunkPages<'s> {
    segment: &'s SegmentHandle,
    number: usize,
    entry: &'s ChunkEntry,
    /// Those that the cache does not have, by their places in the chunk.
    own: RefCell<HashMap<usize, Arc<ColumnPage>>>,
    /// What the last one read was stored as.
    stored: RefCell<Vec<u8>>,
}

impl<'s> ChunkPages<'s> {
    pub(super) fn of(segment: &'s SegmentHandle, number: usize, entry: &'s ChunkEntry) -> Self {
        Self {
            segment,
            number,
            entry,
            own: RefCell::default(),
            stored: RefCell::default(),
        }
    }

    pub(super) fn page(&self, index: usize) -> Result<Arc<ColumnPage>, ReadError> {
        let segment = self.segment;
        if segment.cache.has_room_for_columns() {
            return segment.column_page(self.number, self.entry, index);
        }
        let mut own = self.own.borrow_mut();
        if let Some(page) = own.get(&index) {
            return Ok(Arc::clone(page));
        }
        let place = segment.column_place(self.number, index);
        let page = match segment.cached(Kind::Columns, place) {
            Some(Page::Columns(page)) => page,
            _ => segment.read_column_page(self.entry, index, &mut self.stored.borrow_mut())?,
        };
        own.insert(index, Arc::clone(&page));
        Ok(page)
    }
}

impl SegmentHandle {
    /// A chunk that a question looks through.
    pub(super) fn looked_through(
        &self,
        number: usize,
        entry: &ChunkEntry,
    ) -> Result<Arc<Chunk>, ReadError> {
        if self.cache.has_room_for_columns() || self.cache.has_room_for_directories() {
            return self.chunk(number, entry);
        }
        match self.cached(Kind::Chunk, number) {
            Some(Page::Chunk(chunk)) => Ok(chunk),
            _ => self.read_chunk(number, entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use segment::{BuildOptions, Builder, PageEntry};

    use super::*;
    use crate::disk::RealDisk;
    use crate::journal::tests::batch;
    use crate::segment_handle::page_cache;

    fn open(path: &Path, cache_bytes: u64) -> SegmentHandle {
        SegmentHandle::open(&RealDisk, path, page_cache(cache_bytes)).expect("a segment")
    }

    /// Bytes read when a chunk is opened, and when it is opened again.
    fn reads(segment: &SegmentHandle) -> [u64; 2] {
        [(); 2].map(|()| {
            let before = segment.bytes_read();
            segment.open_chunk(0).expect("readable");
            segment.bytes_read() - before
        })
    }

    #[test]
    fn where_columns_are_is_kept_if_they_are_not() {
        let texts = (0..2_000_u32).map(|number| number.wrapping_mul(0x9e37_79b9));
        let texts: Vec<String> = texts.map(|number| format!("user {number:x}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut builder = Builder::new(BuildOptions::default());
        builder.push(&batch(&texts)).expect("room");
        let built = builder.finish().expect("a segment");
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("one.segment");
        std::fs::write(&path, &built.bytes).expect("written");

        let tiny = open(&path, 0);
        let [first, again] = reads(&tiny);
        assert!(first > 0 && again > 0, "{first}, {again}");

        let raw = |page: &PageEntry| u64::from(page.raw_len);
        let columns: u64 = tiny
            .footer()
            .chunks
            .iter()
            .flat_map(|chunk| &chunk.columns)
            .map(raw)
            .sum();
        let small = open(&path, 2 * columns);
        assert!(!small.cache.has_room_for_columns());
        let [first, again] = reads(&small);
        assert!(first > 0 && again == 0, "{first}, {again}");
    }
}
