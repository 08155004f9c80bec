//! Segments and pieces of the tail as one thing: rows in blocks, in order of receipt.

use std::ops::Range;
use std::sync::Arc;

use model::{RecordBatch, RecordRef, Timestamp};
use store::{Part, ReadError, SegmentHandle, TailChunk};

use crate::limits::TAIL_PAGE_ROWS;
use crate::row_set::RowSet;

/// What keeps decoded records alive.
#[derive(Clone, Debug)]
pub(crate) enum Holder {
    /// Rows decoded from a segment, or copied out of those.
    Decoded(Arc<RecordBatch>),
    /// A piece of the tail.
    Tail(Arc<TailChunk>),
}

impl Holder {
    /// The records.
    pub(crate) fn batch(&self) -> &RecordBatch {
        match self {
            Self::Decoded(batch) => batch,
            Self::Tail(chunk) => &chunk.batch,
        }
    }
}

/// Some rows of a part, decoded.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The rows, ascending.
    pub(crate) rows: Vec<u32>,
    /// Where the records are.
    pub(crate) holder: Holder,
}

impl Block {
    /// The record of a row of the block.
    pub(crate) fn record(&self, row: u32) -> Option<RecordRef<'_>> {
        self.holder.batch().get(self.index(row)?)
    }

    /// The records that could be read, with their rows, ascending.
    pub(crate) fn records(&self) -> impl Iterator<Item = (u32, RecordRef<'_>)> {
        let rows = self.rows.iter().enumerate();
        rows.filter_map(move |(place, row)| {
            let index = match &self.holder {
                Holder::Decoded(_) => place,
                Holder::Tail(_) => *row as usize,
            };
            Some((*row, self.holder.batch().get(index)?))
        })
    }

    /// The index of a row of the block in the batch.
    pub(crate) fn index(&self, row: u32) -> Option<usize> {
        match &self.holder {
            Holder::Decoded(_) => self.rows.binary_search(&row).ok(),
            Holder::Tail(_) => Some(row as usize),
        }
    }
}

/// A row of a part, and its ordinal.
pub(crate) type RowOrdinal = (u32, u32);

/// The rows, and the ordinals, that are looked at together with one of a part: those of its chunk, or as
/// many of the tail as are looked at without a pause.
pub(crate) fn piece_around(part: &Part, row: u32) -> Range<u32> {
    match part {
        Part::Segment(segment) => segment.chunk_rows(segment.chunk_of_row(row)),
        Part::Tail(_) => {
            let start = row / TAIL_PAGE_ROWS * TAIL_PAGE_ROWS;
            start..start.saturating_add(TAIL_PAGE_ROWS).min(part.rows())
        }
    }
}

/// The rows that have some ordinals of a piece, which ascend; the rows ascend.
pub(crate) fn at_ordinals(part: &Part, ordinals: &[u32]) -> Result<Vec<RowOrdinal>, ReadError> {
    match (part, ordinals.first()) {
        (Part::Segment(segment), Some(first)) => {
            segment.at_ordinals(segment.chunk_of_row(*first), ordinals)
        }
        _ => Ok(ordinals
            .iter()
            .map(|ordinal| (*ordinal, *ordinal))
            .collect()),
    }
}

/// A row with its ordinal.
pub(crate) fn with_ordinal(part: &Part, row: u32) -> Result<RowOrdinal, ReadError> {
    match part {
        Part::Segment(segment) => segment.with_ordinal(row),
        Part::Tail(_) => Ok((row, row)),
    }
}

/// The ordinals of some rows of a piece, at least one row, ascending.
pub(crate) fn ordinals_in_piece(
    part: &Part,
    rows: &Range<u32>,
) -> Result<Vec<Range<u32>>, ReadError> {
    match part {
        Part::Segment(segment) => segment.ordinals(segment.chunk_of_row(rows.start), rows),
        Part::Tail(_) => Ok(vec![rows.clone()]),
    }
}

/// The ordinals of a range of rows.
pub(crate) fn ordinals_of(part: &Part, range: &Range<u32>) -> Result<RowSet, ReadError> {
    let Part::Segment(segment) = part else {
        return Ok(RowSet::of_range(range, part.rows()));
    };
    if range.is_empty() {
        return Ok(RowSet::empty());
    }
    let (mut whole, mut set) = (range.clone(), RowSet::empty());
    // Chunks of which only some rows are in the range.
    for row in [range.start, range.end - 1] {
        let chunk = segment.chunk_of_row(row);
        let rows = segment.chunk_rows(chunk);
        let own = rows.start.max(range.start)..rows.end.min(range.end);
        if own == rows {
            continue;
        }
        set = set.or(RowSet::of_ranges(segment.ordinals(chunk, &own)?));
        if row == range.start {
            whole.start = rows.end;
        }
        if row == range.end - 1 {
            whole.end = rows.start;
        }
    }
    if whole.start < whole.end {
        set = set.or(RowSet::of_range(&whole, part.rows()));
    }
    Ok(set)
}

/// Decodes rows that were taken together. Where some cannot be read, the others are in the block.
pub(crate) fn block(part: &Part, rows: &[RowOrdinal]) -> (Block, Option<ReadError>) {
    match part {
        Part::Segment(segment) => decode(segment, rows),
        Part::Tail(chunk) => {
            let holder = Holder::Tail(Arc::clone(chunk));
            let rows = rows_of(rows);
            (Block { rows, holder }, None)
        }
    }
}

/// The rows of some, without their ordinals.
pub(crate) fn rows_of(rows: &[RowOrdinal]) -> Vec<u32> {
    rows.iter().map(|(row, _)| *row).collect()
}

fn decode(segment: &SegmentHandle, rows: &[RowOrdinal]) -> (Block, Option<ReadError>) {
    let chunk = segment.chunk_of_row(rows.first().map_or(0, |(row, _)| *row));
    match segment.kept_records(chunk, rows) {
        Ok(batch) => {
            let holder = Holder::Decoded(batch);
            let rows = rows_of(rows);
            (Block { rows, holder }, None)
        }
        Err(error) => (decode_each(segment, chunk, rows), Some(error)),
    }
}

/// The rows that can be read: damage of a page of columns is that of some kinds of records.
fn decode_each(segment: &SegmentHandle, chunk: usize, rows: &[RowOrdinal]) -> Block {
    let (mut read, mut batch) = (Vec::new(), RecordBatch::new());
    for row in rows {
        if let Ok(alone) = segment.records_at_ordinals(chunk, &[*row])
            && batch.append(&alone).is_ok()
        {
            read.push(row.0);
        }
    }
    let holder = Holder::Decoded(Arc::new(batch));
    Block { rows: read, holder }
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
