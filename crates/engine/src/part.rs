//! Segments and pieces of the tail as one thing: rows in pages, in order of receipt.

use std::ops::Range;
use std::sync::Arc;

use model::{RecordBatch, RecordRef, Timestamp};
use store::{Part, ReadError, TailChunk};

use crate::limits::TAIL_PAGE_ROWS;

/// What keeps decoded records alive.
#[derive(Clone, Debug)]
pub(crate) enum Holder {
    /// A decoded page of a segment, or rows copied out of one.
    Page(Arc<RecordBatch>),
    /// A piece of the tail.
    Tail(Arc<TailChunk>),
}

impl Holder {
    /// The records.
    pub(crate) fn batch(&self) -> &RecordBatch {
        match self {
            Self::Page(batch) => batch,
            Self::Tail(chunk) => &chunk.batch,
        }
    }
}

/// Some consecutive rows of a part, decoded.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The row that is the first record of the batch.
    base: u32,
    /// Where the records are.
    pub(crate) holder: Holder,
}

impl Page {
    /// The record of a row of the part.
    pub(crate) fn record(&self, row: u32) -> Option<RecordRef<'_>> {
        self.holder.batch().get(self.index(row))
    }

    /// The index of a row of the part in the batch.
    pub(crate) fn index(&self, row: u32) -> usize {
        row.saturating_sub(self.base) as usize
    }
}

/// The rows that share a page with a row of the part. At least that row.
pub(crate) fn page_rows(part: &Part, row: u32) -> Range<u32> {
    match part {
        Part::Segment(segment) => {
            let pages = &segment.footer().row_pages;
            let entry = pages
                .get(segment.page_of_row(row))
                .copied()
                .unwrap_or_default();
            let end = entry.first_row.saturating_add(entry.rows);
            entry.first_row.min(row)..end.max(row.saturating_add(1))
        }
        Part::Tail(_) => {
            let start = row / TAIL_PAGE_ROWS * TAIL_PAGE_ROWS;
            start..start.saturating_add(TAIL_PAGE_ROWS).min(part.rows())
        }
    }
}

/// The page that holds a row of the part.
pub(crate) fn page(part: &Part, row: u32) -> Result<Page, ReadError> {
    match part {
        Part::Segment(segment) => {
            let batch = segment.rows_page(segment.page_of_row(row))?;
            Ok(Page {
                base: page_rows(part, row).start,
                holder: Holder::Page(batch),
            })
        }
        Part::Tail(chunk) => Ok(Page {
            base: 0,
            holder: Holder::Tail(Arc::clone(chunk)),
        }),
    }
}

/// The first row received at or after a time; the number of rows where there is none.
pub(crate) fn row_at(part: &Part, time: Timestamp) -> Result<u32, ReadError> {
    match part {
        Part::Segment(segment) => segment.row_at(time),
        Part::Tail(chunk) => {
            let heads = chunk.batch.heads();
            let row = heads.partition_point(|head| head.received < time);
            Ok(u32::try_from(row).unwrap_or(u32::MAX))
        }
    }
}

/// The rows received from one time until before another.
pub(crate) fn rows_between(
    part: &Part,
    start: Timestamp,
    end: Timestamp,
) -> Result<Range<u32>, ReadError> {
    let first = row_at(part, start)?;
    Ok(first..row_at(part, end)?.max(first))
}
