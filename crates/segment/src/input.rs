//! A segment as merging, mending and tests read it: pages on demand, chunks decoded.
#![deny(clippy::indexing_slicing)]

mod in_order;

use std::sync::Arc;

use model::{RecordBatch, Timestamp};

use crate::rewrite::RewriteError;
use crate::{
    Chunk, ChunkEntry, ChunkHeads, ColumnPage, Corrupt, Footer, Kinds, PageEntry, PartRows,
    RewriteInput, RowKinds, RowMetadataPage, Spare, decode_kind_page, decode_received_page,
};

pub(crate) use in_order::ColumnsInOrder;

/// Why a page is not had.
#[derive(Debug)]
pub(crate) enum PageError<E> {
    /// It cannot be read.
    Read(E),
    /// It is damaged: where, and how.
    Damaged(u64, Corrupt),
}

impl<E> PageError<E> {
    /// The same, of a page that has to do with it where it is not known where it is.
    pub(crate) fn or_in(self, entry: &PageEntry) -> Self {
        match self {
            Self::Damaged(0, source) => Self::Damaged(entry.offset, source),
            error => error,
        }
    }

    /// What merging says of it, given the number of the input.
    pub(crate) fn of_input(self, input: usize) -> RewriteError<E> {
        match self {
            Self::Read(source) => RewriteError::Read { input, source },
            Self::Damaged(offset, source) => RewriteError::Damaged {
                input,
                offset,
                source,
            },
        }
    }
}

impl<E> From<Corrupt> for PageError<E> {
    fn from(error: Corrupt) -> Self {
        Self::Damaged(0, error)
    }
}

/// The stored bytes of a page, not checked.
pub(crate) fn stored<I: RewriteInput>(
    input: &I,
    entry: &PageEntry,
) -> Result<Vec<u8>, PageError<I::Error>> {
    input.stored(entry).map_err(PageError::Read)
}

/// The kinds of a segment, from its kind page or, where that is damaged, the spare page. None is there
/// twice, since others are made of them.
pub(crate) fn kinds<I: RewriteInput>(input: &I) -> Result<Kinds, PageError<I::Error>> {
    let footer: &Footer = input.footer();
    let read = match &footer.kind_page {
        Some(entry) => stored(input, entry)
            .and_then(|stored| checked_kinds(entry, &stored).map_err(damaged(entry))),
        None if footer.rows == 0 => return Ok(Kinds::new()),
        None => Err(Corrupt::Short { what: "kind pages" }.into()),
    };
    read.or_else(|error| spare_kinds(input).ok_or(error))
}

fn checked_kinds(entry: &PageEntry, stored: &[u8]) -> Result<Kinds, Corrupt> {
    let kinds = decode_kind_page(entry, stored)?;
    kinds.check()?;
    Ok(kinds)
}

fn spare_kinds<I: RewriteInput>(input: &I) -> Option<Kinds> {
    let entry = input.footer().spare_page.as_ref()?;
    let stored = input.stored(entry).ok()?;
    let kinds = Spare::decode(entry, &stored).ok()?.kinds;
    kinds.check().is_ok().then_some(kinds)
}

/// The times of receipt of some rows, from their first to behind their last.
pub(crate) fn received<I: RewriteInput>(
    input: &I,
    rows: &std::ops::Range<u32>,
) -> Result<Vec<Timestamp>, PageError<I::Error>> {
    let mut times = Vec::new();
    for entry in &input.footer().received_pages {
        let end = entry.first_row + entry.rows;
        if end <= rows.start || rows.end <= entry.first_row {
            continue;
        }
        let page = decode_received_page(entry, &stored(input, entry)?).map_err(damaged(entry))?;
        let from = rows.start.saturating_sub(entry.first_row) as usize;
        let until = (rows.end.min(end) - entry.first_row) as usize;
        times.extend_from_slice(page.get(from..until).unwrap_or(&[]));
    }
    Ok(times)
}

/// The columns of a chunk of a segment that is read.
pub(crate) struct Pages<'a, I> {
    input: &'a I,
    entry: &'a ChunkEntry,
    chunk: Chunk,
    pages: Vec<Option<Arc<ColumnPage>>>,
}

impl<'a, I: RewriteInput> Pages<'a, I> {
    pub(crate) fn new(
        input: &'a I,
        entry: &'a ChunkEntry,
        kinds: &Kinds,
    ) -> Result<Self, PageError<I::Error>> {
        let row_kinds = row_kinds(input, entry)?;
        Ok(Self {
            input,
            entry,
            chunk: chunk(input, entry, &row_kinds, kinds)?,
            pages: vec![None; entry.columns.len()],
        })
    }

    pub(crate) fn chunk(&self) -> &Chunk {
        &self.chunk
    }

    /// The rows of a part by its number in the chunk.
    pub(crate) fn part_rows(&mut self, number: usize) -> Result<PartRows, PageError<I::Error>> {
        let (input, entry, pages) = (self.input, self.entry, &mut self.pages);
        self.chunk
            .part_rows(number, |index| kept_page(input, entry, pages, index))
    }
}

/// A page of the columns of a chunk, from those that are kept, to which it is added.
fn kept_page<I: RewriteInput>(
    input: &I,
    entry: &ChunkEntry,
    pages: &mut [Option<Arc<ColumnPage>>],
    index: usize,
) -> Result<Arc<ColumnPage>, PageError<I::Error>> {
    if let Some(Some(known)) = pages.get(index) {
        return Ok(Arc::clone(known));
    }
    let opened = column_page(input, entry, index)?;
    if let Some(cell) = pages.get_mut(index) {
        *cell = Some(Arc::clone(&opened));
    }
    Ok(opened)
}

/// A page of the columns of a chunk.
fn column_page<I: RewriteInput>(
    input: &I,
    entry: &ChunkEntry,
    index: usize,
) -> Result<Arc<ColumnPage>, PageError<I::Error>> {
    let page = entry.columns.get(index).ok_or(Corrupt::Short {
        what: "pages of a chunk",
    })?;
    let bytes = stored(input, page)?;
    let opened = ColumnPage::open(page, &bytes).map_err(damaged(page))?;
    Ok(Arc::new(opened))
}

/// A chunk of a segment that is read.
pub(crate) struct OpenChunk<'a, I> {
    input: &'a I,
    entry: &'a ChunkEntry,
    row_kinds: RowKinds,
    chunk: Chunk,
    heads: ChunkHeads,
    pages: Vec<Option<Arc<ColumnPage>>>,
    row_metadata_pages: Vec<Option<Arc<RowMetadataPage>>>,
}

impl<'a, I: RewriteInput> OpenChunk<'a, I> {
    /// Reads its page. `received` has the times of its rows.
    pub(crate) fn new(
        input: &'a I,
        entry: &'a ChunkEntry,
        kinds: &Kinds,
        received: &[Timestamp],
    ) -> Result<Self, PageError<I::Error>> {
        let row_kinds = row_kinds(input, entry)?;
        let chunk = chunk(input, entry, &row_kinds, kinds)?;
        let heads = ChunkHeads::decode(entry, &stored(input, &entry.page)?, received.to_vec());
        Ok(Self {
            input,
            entry,
            row_kinds,
            chunk,
            heads: heads.map_err(damaged(&entry.page))?,
            pages: vec![None; entry.columns.len()],
            row_metadata_pages: vec![None; entry.heads.len()],
        })
    }

    /// The records of some rows, counted from the first of the chunk.
    pub(crate) fn records(
        &mut self,
        rows: impl IntoIterator<Item = u32>,
    ) -> Result<RecordBatch, PageError<I::Error>> {
        let (input, entry, pages) = (self.input, self.entry, &mut self.pages);
        let rows: Vec<u32> = rows.into_iter().collect();
        let mut row_metadata_page =
            |number| kept_row_metadata_page(input, entry, &mut self.row_metadata_pages, number);
        self.heads
            .add_pages(rows.iter().copied(), &mut row_metadata_page)?;
        let rows = self.row_kinds.with_ordinals(rows, row_metadata_page)?;
        let records = self.chunk.records(rows, &self.heads, |index| {
            kept_page(input, entry, pages, index)
        });
        // A column that does not decode is known by its chunk only.
        records.map_err(|error| error.or_in(&entry.page))
    }
}

/// Where the columns of a chunk are.
fn chunk<I: RewriteInput>(
    input: &I,
    entry: &ChunkEntry,
    row_kinds: &RowKinds,
    kinds: &Kinds,
) -> Result<Chunk, PageError<I::Error>> {
    let directory = stored(input, &entry.directory)?;
    let chunk = Chunk::decode(entry, directory, row_kinds.kinds(), kinds);
    let chunk = chunk.and_then(|chunk| chunk.check(entry).map(|()| chunk));
    chunk.map_err(damaged(&entry.directory))
}

/// The kinds of the rows of a chunk.
pub(crate) fn row_kinds<I: RewriteInput>(
    input: &I,
    entry: &ChunkEntry,
) -> Result<RowKinds, PageError<I::Error>> {
    let bytes = stored(input, &entry.rows)?;
    let row_kinds = RowKinds::decode(entry, bytes);
    let row_kinds = row_kinds.and_then(|kinds| kinds.check_pages(entry).map(|()| kinds));
    row_kinds.map_err(damaged(&entry.rows))
}

/// A row metadata page of a chunk, read once.
pub(crate) fn kept_row_metadata_page<I: RewriteInput>(
    input: &I,
    entry: &ChunkEntry,
    kept: &mut [Option<Arc<RowMetadataPage>>],
    number: usize,
) -> Result<Arc<RowMetadataPage>, PageError<I::Error>> {
    let page = entry.heads.get(number).zip(kept.get_mut(number));
    let (page, cell) = page.ok_or(Corrupt::Short {
        what: "row metadata page",
    })?;
    if let Some(page) = cell {
        return Ok(Arc::clone(page));
    }
    let stored = stored(input, page)?;
    let decoded = RowMetadataPage::decode(page, &stored).map_err(damaged(page))?;
    Ok(Arc::clone(cell.insert(Arc::new(decoded))))
}

pub(crate) fn damaged<E>(entry: &PageEntry) -> impl Fn(Corrupt) -> PageError<E> + use<E> {
    let offset = entry.offset;
    move |corrupt| PageError::Damaged(offset, corrupt)
}
