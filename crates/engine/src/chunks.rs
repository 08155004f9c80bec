//! Rows of a part, piece by piece: those of a segment by kinds and columns, chunk by chunk, and record
//! by record where these do not tell and in the tail.

use store::{Part, ReadError, SegmentHandle};

use crate::limits::{BLOCK_ROWS, SELECTED_ROWS};
use crate::part::{Block, RowOrdinal, piece_around};
use crate::row_set::RowSet;
use crate::run::Run;

/// What becomes of rows.
pub(crate) trait ChunkSink {
    /// Adds rows of a chunk with some ordinals, which ascend, by its kinds and columns; returns the ordinals
    /// of those whose records have to be looked at. Where it fails nothing was added.
    ///
    /// # Errors
    /// When the chunk cannot be read: that is reported where its records are read.
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        ordinals: &[u32],
    ) -> Result<Vec<u32>, ReadError>;

    /// Adds the records of a block.
    fn block(&mut self, block: &Block);
}

/// Hands the rows of a set to a sink.
pub(crate) fn each_chunk(run: &mut Run<'_>, part: &Part, set: &RowSet, sink: &mut impl ChunkSink) {
    let Part::Segment(segment) = part else {
        return each_block(run, part, set, &mut |block| sink.block(block));
    };
    let mut left = 0..part.rows();
    while let Some(next) = set.first_within(&left) {
        if run.is_stopped() {
            return;
        }
        let chunk = segment.chunk_of_row(next);
        let end = segment.chunk_rows(chunk).end.min(left.end);
        let ordinals = set.first_rows(&(next..end), SELECTED_ROWS);
        left.start = ordinals.last().map_or(next, |last| *last) + 1;
        let open = sink.chunk(segment, chunk, &ordinals).unwrap_or(ordinals);
        let open = RowSet::from_sorted(&open);
        each_block(run, part, &open, &mut |block| {
            sink.block(block);
        });
    }
}

/// Decodes the rows of a set block by block, ascending, until the question is stopped.
pub(crate) fn each_block(
    run: &mut Run<'_>,
    part: &Part,
    set: &RowSet,
    visit: &mut dyn FnMut(&Block),
) {
    each_ordinal_block(run, part, set, &mut |_, _, block| visit(block));
}

/// The same, with the rows and ordinals that each block was read for.
pub(crate) fn each_ordinal_block(
    run: &mut Run<'_>,
    part: &Part,
    set: &RowSet,
    visit: &mut dyn FnMut(&mut Run<'_>, &[RowOrdinal], &Block),
) {
    let mut left = 0..part.rows();
    while let Some(next) = set.first_within(&left) {
        let piece = piece_around(part, next);
        let end = piece.end.min(left.end).max(next + 1);
        let rows = run.at_ordinals(part, &set.first_rows(&(next..end), usize::MAX));
        left.start = end;
        for rows in rows.chunks(BLOCK_ROWS) {
            if run.is_stopped() {
                return;
            }
            let block = run.block(part, rows);
            visit(run, rows, &block);
        }
    }
}
