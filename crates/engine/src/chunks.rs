//! Rows of a part, piece by piece: those of a segment by kinds and columns, chunk by chunk, and record
//! by record where these do not tell and in the tail.

use std::ops::Range;

use store::{Part, ReadError, SegmentHandle};

use crate::limits::BLOCK_ROWS;
use crate::part::{Block, take_rows};
use crate::row_set::RowSet;
use crate::run::Run;
use crate::search::Order;

/// What becomes of rows.
pub(crate) trait ChunkSink {
    /// Adds rows of a chunk, which ascend, by its kinds and columns; returns those whose records have to
    /// be looked at. Where it fails nothing was added.
    ///
    /// # Errors
    /// When the chunk cannot be read: that is reported where its records are read.
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        rows: &[u32],
    ) -> Result<Vec<u32>, ReadError>;

    /// Adds the records of a block.
    fn block(&mut self, block: &Block);
}

/// Hands rows of a part to a sink, those of a set that are within a range.
pub(crate) fn each_chunk(
    run: &mut Run<'_>,
    part: &Part,
    set: &RowSet,
    range: &Range<u32>,
    sink: &mut impl ChunkSink,
) {
    let Part::Segment(segment) = part else {
        return each_block(run, part, set, range, &mut |block| sink.block(block));
    };
    let mut left = range.clone();
    while let Some(next) = set.first_within(&left) {
        if run.is_stopped() {
            return;
        }
        let chunk = segment.chunk_of_row(next);
        let end = segment.chunk_rows(chunk).end.min(left.end).max(next + 1);
        left.start = end;
        let rows = set.first_rows(&(next..end), usize::MAX);
        let open = sink.chunk(segment, chunk, &rows).unwrap_or(rows);
        for rows in open.chunks(BLOCK_ROWS) {
            sink.block(&run.block(part, rows.to_vec()));
        }
    }
}

/// Decodes rows of a part, those of a set that are within a range, block by block, ascending.
pub(crate) fn each_block(
    run: &mut Run<'_>,
    part: &Part,
    set: &RowSet,
    range: &Range<u32>,
    visit: &mut dyn FnMut(&Block),
) {
    let mut left = range.clone();
    while !left.is_empty() && !run.is_stopped() {
        let rows = take_rows(part, set, &mut left, Order::OldestFirst);
        if !rows.is_empty() {
            visit(&run.block(part, rows));
        }
    }
}
