//! Rows into a chunk.

use std::fmt;

use model::{RecordBatch, RecordHead};

use super::rows::{CutRows, Group};
use super::stretches::Stretches;
use super::{ChunkEntry, row_kinds};
use crate::builder::push_page;
use crate::column;
use crate::columns::pack::{Packed, Packer};
use crate::kinds::{Band, Kinds, Shape};
use crate::limits::HEAD_PAGE_ROWS;
use crate::page::{PageEntry, PageWriter};
use crate::page_file::PageFile;
use crate::rows::{encode_loose, encode_loose_apart};

/// Writes chunks. It only holds buffers: a chunk depends on its rows and on the kinds so far.
pub struct ChunkWriter {
    pages: PageWriter,
    cut: CutRows,
    groups: Vec<Group>,
    /// For each slot of each group its band, its place among the groups, and its place in the group, in
    /// the order of columns.
    slots: Vec<(Band, u32, u32)>,
    /// Rows of a head page. A chunk of more has such pages, and stamps.
    head_rows: usize,
    raw: Vec<u8>,
}

impl fmt::Debug for ChunkWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkWriter").finish_non_exhaustive()
    }
}

impl ChunkWriter {
    /// Compresses with a level of zstd, 1 to 22.
    pub fn new(zstd_level: i32) -> Self {
        Self {
            pages: PageWriter::new(zstd_level),
            cut: CutRows::default(),
            groups: Vec::new(),
            slots: Vec::new(),
            head_rows: HEAD_PAGE_ROWS,
            raw: Vec::new(),
        }
    }

    /// Compresses nothing.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self {
            pages: PageWriter::plain(),
            ..Self::new(1)
        }
    }

    /// Has so many rows on a head page.
    #[cfg(test)]
    pub(crate) fn with_head_rows(self, head_rows: usize) -> Self {
        Self { head_rows, ..self }
    }

    /// Forgets records that were cut for a chunk that is not written.
    pub(crate) fn clear(&mut self) {
        self.cut.clear();
    }

    /// Appends a chunk of all records of a batch, at least one, to a file in memory, and adds their
    /// kinds to those of the segment.
    pub fn write(
        &mut self,
        batch: &RecordBatch,
        kinds: &mut Kinds,
        file: &mut Vec<u8>,
    ) -> ChunkEntry {
        self.cut(batch, kinds);
        self.pack(batch, file)
    }

    /// Cuts the next record of the next chunk, which is one of any batch, as [`Self::cut`] would do for
    /// all of them; whether the batch of the chunk is to have its text.
    pub(crate) fn cut_next(
        &mut self,
        batch: &RecordBatch,
        head: &RecordHead,
        kinds: &Kinds,
    ) -> bool {
        self.cut.cut_next(batch, head, kinds)
    }

    /// Finds the kinds of the records of a batch, and adds them to those of the segment.
    pub(crate) fn cut(&mut self, batch: &RecordBatch, kinds: &mut Kinds) {
        self.cut.cut(batch, kinds);
        self.groups = self.cut.by_kind(kinds.len());
        self.slots.clear();
        for (place, group) in (0..).zip(&self.groups) {
            // The kinds of groups are there: they were found just now.
            let shape = kinds.shape(group.kind).unwrap_or(Shape::Whole);
            let places = shape.places().iter().zip(0..);
            self.slots
                .extend(places.map(|(own, slot)| (own.band, place, slot)));
        }
        self.slots.sort_unstable();
    }

    /// Appends the chunk of the batch that was cut last, and forgets its rows.
    pub(crate) fn pack(&mut self, batch: &RecordBatch, file: &mut dyn PageFile) -> ChunkEntry {
        let packed = self.pack_columns(batch, file);
        packed.directory.encode(&mut self.raw);
        let directory = self.close_page(batch.len(), file);
        let stamps = packed.stamps.filter(|stamps| stamps.encode(&mut self.raw));
        let stamps = stamps.map(|stamps| PageEntry {
            rows: stamps.len() as u32,
            ..self.close_page(0, file)
        });
        let (kinds, places) = self.places(batch.len());
        let (mut heads, mut tables) = (Vec::new(), Vec::new());
        if batch.len() <= self.head_rows {
            encode_loose(batch, batch.heads(), &mut tables);
            row_kinds::encode(&kinds, &places, &mut self.raw);
        } else {
            heads = self.pack_heads(batch, &places, &mut tables, file);
            let stretches = Stretches::of_places(&places, kinds.len(), self.head_rows);
            row_kinds::encode_apart(&kinds, batch.len(), &stretches, &mut self.raw);
        }
        let rows = self.close_page(batch.len(), file);
        self.raw = tables;
        let page = self.close_page(batch.len(), file);
        self.cut.clear();
        ChunkEntry {
            columns: packed.pages,
            directory,
            stamps,
            heads,
            rows,
            page,
        }
    }

    /// Writes the head pages, given the place of each row's kind, and appends what they refer to.
    fn pack_heads(
        &mut self,
        batch: &RecordBatch,
        places: &[u64],
        tables: &mut Vec<u8>,
        file: &mut dyn PageFile,
    ) -> Vec<PageEntry> {
        let rows = places.chunks(self.head_rows);
        let mut pages: Vec<Vec<u8>> = vec![Vec::new(); rows.len()];
        for (places, page) in rows.clone().zip(&mut pages) {
            column::encode(places, page);
        }
        encode_loose_apart(batch, batch.heads(), self.head_rows, &mut pages, tables);
        let mut heads = Vec::with_capacity(pages.len());
        for (rows, page) in rows.zip(pages) {
            self.raw = page;
            push_page(&mut heads, self.close_page(0, file), rows.len() as u32);
        }
        heads
    }

    /// Appends the page at hand, for so many rows.
    fn close_page(&mut self, rows: usize, file: &mut dyn PageFile) -> PageEntry {
        let page = PageEntry {
            rows: rows as u32,
            ..self.pages.append(&self.raw, file)
        };
        self.raw.clear();
        page
    }

    /// Writes the pages of the columns.
    fn pack_columns(&mut self, batch: &RecordBatch, file: &mut dyn PageFile) -> Packed {
        let mut packer = Packer::new(batch.len());
        if batch.len() > self.head_rows {
            packer = packer.with_stamps();
        }
        let mut column = Vec::new();
        for (_, place, slot) in &self.slots {
            let Some(group) = self.groups.get(*place as usize) else {
                continue;
            };
            let rows = self.cut.rows_of(group);
            column.clear();
            self.cut.column(rows, *slot as usize, &mut column);
            packer.push(&column, &mut self.pages, file);
        }
        packer.finish(&mut self.pages, file)
    }

    /// The rows of the batch that was cut last.
    pub(crate) fn rows(&self) -> &CutRows {
        &self.cut
    }

    /// The groups of the chunk that was cut last.
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Which kinds there are and how many rows each of them has, and the place of each row's kind
    /// among them.
    fn places(&self, rows: usize) -> (Vec<(u32, u32)>, Vec<u64>) {
        let mut places = vec![0; rows];
        for (at, group) in (0..).zip(&self.groups) {
            for row in self.cut.rows_of(group) {
                if let Some(place) = places.get_mut(*row as usize) {
                    *place = at;
                }
            }
        }
        let kinds = self.groups.iter();
        let kinds = kinds.map(|group| (group.kind, group.rows.len() as u32));
        (kinds.collect(), places)
    }
}
