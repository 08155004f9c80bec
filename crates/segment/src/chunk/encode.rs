//! Rows into a chunk.

use std::fmt;

use model::{RecordBatch, RecordHead};

use super::ChunkEntry;
use super::rows::{CutRows, Group};
use super::side_pages::SidePages;
use crate::builder::push_page;
use crate::columns::pack::{Packed, Packer};
use crate::kinds::{ColumnGroup, Kinds, Shape};
use crate::limits::ROW_METADATA_PAGE_ROWS;
use crate::page::{PageEntry, PageWriter};
use crate::page_file::PageFile;
use crate::rows::{LooseWriter, tags_of};

/// Writes chunks. It only holds buffers: a chunk depends on its rows and on the kinds so far.
pub struct ChunkWriter {
    side: SidePages,
    cut: CutRows,
    groups: Vec<Group>,
    /// In the order of columns.
    slots: Vec<ColumnPlace>,
    /// Rows of a row metadata page, but for the last one of a chunk.
    head_rows: usize,
}

/// A column: the column group of its slot, the place of its group among those of the chunk, and the number of the
/// slot in the group. Columns are in the order of these.
pub(crate) type ColumnPlace = (ColumnGroup, u32, u32);

impl fmt::Debug for ChunkWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkWriter").finish_non_exhaustive()
    }
}

impl ChunkWriter {
    /// Compresses with a level of zstd, 1 to 22.
    pub fn new(zstd_level: i32) -> Self {
        Self {
            side: SidePages::new(PageWriter::new(zstd_level)),
            cut: CutRows::default(),
            groups: Vec::new(),
            slots: Vec::new(),
            head_rows: ROW_METADATA_PAGE_ROWS,
        }
    }

    /// Writes pages by another writer.
    pub(crate) fn with_pages(self, pages: PageWriter) -> Self {
        Self {
            side: SidePages::new(pages),
            ..self
        }
    }

    /// Compresses nothing.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self {
            side: SidePages::new(PageWriter::plain()),
            ..Self::new(1)
        }
    }

    /// Has so many rows on a row metadata page.
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
        let groups = self.groups.iter().map(|group| group.kind);
        column_places(groups, kinds, &mut self.slots);
    }

    /// Appends the chunk of the batch that was cut last, and forgets its rows.
    pub(crate) fn pack(&mut self, batch: &RecordBatch, file: &mut dyn PageFile) -> ChunkEntry {
        let packed = self.pack_columns(batch, file);
        let directory = self.side.directory(&packed.directory, batch.len(), file);
        let zone_maps = self.side.zone_maps(&packed.zone_maps, file);
        let (kinds, places) = self.places(batch.len());
        let mut loose = LooseWriter::new(batch, tags_of(batch.heads()));
        let heads = self.pack_heads(batch, &places, &mut loose, file);
        let rows = self.side.kinds(&kinds, places, self.head_rows, file);
        let page = self.side.tables(&loose, batch.len(), file);
        self.cut.clear();
        ChunkEntry {
            columns: packed.pages,
            directory,
            zone_maps,
            heads,
            rows,
            page,
        }
    }

    /// Writes the row metadata pages, given the place of each row's kind.
    fn pack_heads(
        &mut self,
        batch: &RecordBatch,
        places: &[u64],
        loose: &mut LooseWriter<'_>,
        file: &mut dyn PageFile,
    ) -> Vec<PageEntry> {
        let mut pages = Vec::new();
        let heads = batch.heads().chunks(self.head_rows);
        for (places, heads) in places.chunks(self.head_rows).zip(heads) {
            let page = self.side.head(places, heads, loose, file);
            push_page(&mut pages, page, heads.len() as u32);
        }
        pages
    }

    /// Writes the pages of the columns.
    fn pack_columns(&mut self, batch: &RecordBatch, file: &mut dyn PageFile) -> Packed {
        let mut packer = Packer::new(batch.len());
        let mut column = Vec::new();
        for (_, place, slot) in &self.slots {
            let Some(group) = self.groups.get(*place as usize) else {
                continue;
            };
            let rows = self.cut.rows_of(group);
            column.clear();
            self.cut.column(rows, *slot as usize, &mut column);
            packer.push(&column, &mut self.side.pages, file);
        }
        packer.finish(&mut self.side.pages, file)
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

/// Replaces `out` by the columns of groups of some kinds, in their order.
pub(crate) fn column_places(
    groups: impl IntoIterator<Item = u32>,
    kinds: &Kinds,
    out: &mut Vec<ColumnPlace>,
) {
    out.clear();
    for (place, kind) in (0..).zip(groups) {
        // The kinds of groups are there: they were found before.
        let shape = kinds.shape(kind).unwrap_or(Shape::Whole);
        let slots = shape.places().iter().zip(0..);
        out.extend(slots.map(|(own, slot)| (own.column_group, place, slot)));
    }
    out.sort_unstable();
}
