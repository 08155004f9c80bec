//! A chunk that is gone through once, without keeping its columns.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::Arc;

use model::RecordBatch;

use super::{OpenChunk, PageError, column_page, damaged, kept_row_metadata_page, received};
use crate::{ChunkEntry, ColumnPage, Kinds, PartRows, RewriteInput};

/// A chunk whose columns are read one after the other.
pub(crate) struct ColumnsInOrder<'a, I> {
    open: OpenChunk<'a, I>,
    /// The page that was read last.
    page: Option<(usize, Arc<ColumnPage>)>,
}

impl<'a, I: RewriteInput> ColumnsInOrder<'a, I> {
    pub(crate) fn new(
        input: &'a I,
        entry: &'a ChunkEntry,
        kinds: &Kinds,
    ) -> Result<Self, PageError<I::Error>> {
        let rows = entry.page.first_row..entry.page.first_row + entry.page.rows;
        let received = received(input, &rows)?;
        Ok(Self {
            open: OpenChunk::new(input, entry, kinds, &received)?,
            page: None,
        })
    }

    /// How many rows it has.
    pub(crate) fn rows(&self) -> u32 {
        self.open.entry.page.rows
    }

    /// Its kinds, and how many rows each has.
    pub(crate) fn kinds(&self) -> &[(u32, u32)] {
        self.open.row_kinds.kinds()
    }

    /// How many parts all its columns have.
    pub(crate) fn parts(&self) -> usize {
        self.open.chunk.parts()
    }

    /// The parts of a column of a kind, by its place among the kinds.
    pub(crate) fn parts_of(
        &self,
        place: usize,
        slot: usize,
    ) -> Result<Range<usize>, PageError<I::Error>> {
        let parts = self.open.chunk.parts_of(place, slot);
        parts.map_err(damaged(&self.open.entry.directory))
    }

    /// A part of a column by its number.
    pub(crate) fn part(&mut self, number: usize) -> Result<PartRows, PageError<I::Error>> {
        let OpenChunk {
            input,
            entry,
            chunk,
            ..
        } = &self.open;
        let page = |index: usize| {
            if let Some((_, page)) = self.page.as_ref().filter(|(known, _)| *known == index) {
                return Ok(Arc::clone(page));
            }
            let page = column_page(*input, entry, index)?;
            self.page = Some((index, Arc::clone(&page)));
            Ok(page)
        };
        let part = chunk.part_rows(number, page);
        part.map_err(|error: PageError<_>| error.or_in(&entry.page))
    }

    /// For each row the place of its kind among those of the chunk.
    pub(crate) fn places(&mut self) -> Result<Vec<u64>, PageError<I::Error>> {
        let OpenChunk {
            input,
            entry,
            row_kinds,
            row_metadata_pages,
            ..
        } = &mut self.open;
        let page = |number| kept_row_metadata_page(*input, entry, row_metadata_pages, number);
        let places = row_kinds.places(page)?;
        row_kinds
            .check(|number| kept_row_metadata_page(*input, entry, row_metadata_pages, number))?;
        Ok(places)
    }

    /// Some rows without their texts.
    pub(crate) fn heads(&mut self, rows: Range<u32>) -> Result<RecordBatch, PageError<I::Error>> {
        let OpenChunk {
            input,
            entry,
            heads,
            row_metadata_pages,
            ..
        } = &mut self.open;
        let page = |number| kept_row_metadata_page(*input, entry, row_metadata_pages, number);
        heads.add_pages(rows.clone(), page)?;
        heads.records(rows).map_err(damaged(&entry.page))
    }

    /// What its rows refer to.
    pub(crate) fn names(&self) -> (&RecordBatch, u64) {
        (self.open.heads.names(), self.open.heads.tags())
    }
}
