//! The rows of one part that match, one after the other, from either end, found as they are wanted.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};
use store::Part;

use crate::bounds::Bounds;
use crate::cursor::Position;
use crate::evaluate::Node;
use crate::limits::{BLOCK_ROWS, READ_AHEAD_BYTES, WALK_MATCHES, WALK_ROWS};
use crate::part::{Block, Holder, RowOrdinal, piece_around, rows_of};
use crate::row_set::RowSet;
use crate::run::Run;
use crate::search::Order;
use crate::settle::settle;

/// Where no more than one of so many rows matched, those that follow are settled chunk by chunk.
const SPARSE: usize = 8;

/// A walk over the matching rows of a part.
pub(crate) struct Walk<'a> {
    /// The logspace of the part.
    pub(crate) logspace: &'a LogspaceName,
    part: &'a Part,
    order: Order,
    /// Those that are asked about.
    rows: Range<u32>,
    known: Known,
    /// Those of them that may match.
    upper: RowSet,
    /// The pieces that have not been opened.
    left: Range<u32>,
    piece: Piece,
    /// What is left of the opened rows that may match, ascending.
    open: Vec<RowOrdinal>,
    /// Whether those all match.
    is_settled: bool,
    /// Whether few rows of the last block matched, of those that might have.
    is_sparse: bool,
    /// Found and not handed out, in order.
    ready: VecDeque<Hit>,
    /// Whether the rows will be kept for long.
    is_kept: bool,
}

/// Rows that are looked at together.
#[derive(Default)]
struct Piece {
    /// Their ordinals, which are the same numbers, and those of rows that are not asked about.
    ordinals: Range<u32>,
    /// Those that are asked about.
    rows: Range<u32>,
    /// Those of them that have not been opened.
    left: Range<u32>,
}

/// What is known of the rows of a part without a look at one.
enum Known {
    /// Of a segment.
    Segment(Node),
    /// Of the tail.
    Tail(Bounds),
}

impl Known {
    fn of(run: &mut Run<'_>, part: &Part) -> Self {
        match part {
            Part::Segment(segment) => Self::Segment(run.examine(part, segment)),
            Part::Tail(_) => Self::Tail(run.bounds_of_tail()),
        }
    }

    fn nothing() -> Self {
        Self::Tail(Bounds::exact(RowSet::empty()))
    }

    fn bounds(&self) -> &Bounds {
        match self {
            Self::Segment(node) => &node.bounds,
            Self::Tail(bounds) => bounds,
        }
    }
}

/// A row that matches.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    /// Its number.
    pub(crate) number: RecordNumber,
    /// Its time, of the kind that counts.
    pub(crate) at: Timestamp,
    /// Where its record is.
    pub(crate) holder: Holder,
    /// The index of the record there.
    pub(crate) index: usize,
}

impl Hit {
    /// Its place in the order of all records.
    pub(crate) fn position<'a>(&self, logspace: &'a LogspaceName) -> Position<'a> {
        Position {
            at: self.at,
            logspace,
            number: self.number,
        }
    }
}

impl<'a> Walk<'a> {
    /// A walk over some rows of a part. Where rows are kept for long, few of a block are
    /// copied out of it, so that two hundred rows do not hold two hundred blocks in memory.
    pub(crate) fn new(
        run: &mut Run<'_>,
        logspace: &'a LogspaceName,
        part: &'a Part,
        rows: Range<u32>,
        order: Order,
        is_kept: bool,
    ) -> Self {
        let rows = rows.start..rows.end.min(part.rows());
        let (known, upper, left) = match rows.is_empty() {
            true => (Known::nothing(), RowSet::empty(), 0..0),
            false => {
                let known = Known::of(run, part);
                let upper = known.bounds().upper().clone();
                (
                    known,
                    upper.and(run.ordinals_of(part, &rows)),
                    0..part.rows(),
                )
            }
        };
        Self {
            logspace,
            part,
            order,
            rows,
            known,
            upper,
            left,
            piece: Piece::default(),
            open: Vec::new(),
            is_settled: false,
            is_sparse: false,
            ready: VecDeque::new(),
            is_kept,
        }
    }

    /// The next row that matches; `None` at the end, or when the question was stopped.
    pub(crate) fn next(&mut self, run: &mut Run<'_>) -> Option<Hit> {
        self.read_ahead(run, 1);
        self.ready.pop_front()
    }

    /// Has so many rows ready to be handed out, or all that there are, or several of many bytes.
    pub(crate) fn read_ahead(&mut self, run: &mut Run<'_>, count: usize) {
        let is_enough = |ready: &VecDeque<Hit>| {
            let bytes = ready.iter().map(|hit| hit.holder.batch().bytes().len());
            ready.len() >= count || (!ready.is_empty() && bytes.sum::<usize>() >= READ_AHEAD_BYTES)
        };
        while !is_enough(&self.ready) && self.read(run).is_some() {}
    }

    /// Goes on by a step, after which there may be more rows ready; `None` at the end, or when the question
    /// was stopped.
    fn read(&mut self, run: &mut Run<'_>) -> Option<()> {
        if !self.open.is_empty() && self.is_settled {
            let rows = self.take_block();
            let block = run.block(self.part, &rows);
            let hits = self.hits(&block, block.rows.clone());
            self.ready.extend(hits);
            return Some(());
        }
        if run.is_stopped() {
            return None;
        }
        if self.open.is_empty() {
            return self.open_rows(run);
        }
        if self.is_sparse {
            self.settle_piece(run);
        } else {
            let rows = self.take_block();
            self.look_at(run, &rows);
        }
        Some(())
    }

    /// Whether there is certainly no further row, as far as that is known without looking.
    pub(crate) fn is_at_end(&self) -> bool {
        let is_done = self.ready.is_empty() && self.open.is_empty() && self.piece.left.is_empty();
        is_done && self.upper.first_within(&self.left).is_none()
    }

    /// Opens the next rows that may match; `None` where there are none.
    fn open_rows(&mut self, run: &mut Run<'_>) -> Option<()> {
        if self.piece.left.is_empty() {
            self.next_piece()?;
        }
        let (piece, rows) = (self.piece.ordinals.clone(), self.take_rows());
        let ordinals = if rows == self.piece.rows {
            self.upper.first_rows(&piece, usize::MAX)
        } else {
            let among = run.ordinals_of(self.part, &rows);
            self.upper.clone().and(among).first_rows(&piece, usize::MAX)
        };
        self.open = run.at_ordinals(self.part, &ordinals);
        self.is_settled = self.known.bounds().maybe.is_none();
        Some(())
    }

    /// Goes to the next piece that has rows that may match.
    fn next_piece(&mut self) -> Option<()> {
        let next = match self.order {
            Order::NewestFirst => self.upper.last_within(&self.left),
            Order::OldestFirst => self.upper.first_within(&self.left),
        }?;
        let piece = piece_around(self.part, next);
        match self.order {
            Order::NewestFirst => self.left.end = piece.start.min(next),
            Order::OldestFirst => self.left.start = piece.end.max(next + 1),
        }
        let rows = piece.start.max(self.rows.start)..piece.end.min(self.rows.end);
        self.piece = Piece {
            ordinals: piece,
            left: rows.clone(),
            rows,
        };
        Some(())
    }

    /// Takes the next rows of the piece at hand: as many as have some matches if these are spread evenly, or
    /// all where they have to be looked at and few of them may match, or few of those do.
    fn take_rows(&mut self) -> Range<u32> {
        let Piece {
            ordinals,
            rows,
            left,
        } = &mut self.piece;
        let all = left.clone();
        let matches = self.upper.len_within(ordinals).max(1);
        let are_known = self.known.bounds().maybe.is_none();
        let steps = (all.len() as u32).div_ceil(WALK_ROWS);
        let wanted = (rows.len() as u64 * WALK_MATCHES / matches).div_ceil(u64::from(WALK_ROWS));
        let is_whole = self.is_sparse || !are_known && matches <= u64::from(WALK_ROWS);
        if is_whole || u64::from(steps) <= wanted.max(1) {
            *left = 0..0;
            return all;
        }
        let wanted = wanted.max(1) as u32;
        match self.order {
            Order::NewestFirst => {
                left.end = all.start + (steps - wanted) * WALK_ROWS;
                left.end..all.end
            }
            Order::OldestFirst => {
                left.start = all.start + wanted * WALK_ROWS;
                all.start..left.start
            }
        }
    }

    /// Takes the next rows of the piece at hand, as many as are decoded at a time.
    fn take_block(&mut self) -> Vec<RowOrdinal> {
        match self.order {
            Order::NewestFirst => {
                let rest = self.open.len().saturating_sub(BLOCK_ROWS);
                self.open.split_off(rest)
            }
            Order::OldestFirst => {
                let count = self.open.len().min(BLOCK_ROWS);
                self.open.drain(..count).collect()
            }
        }
    }

    /// Finds the rows that match among some, record by record.
    fn look_at(&mut self, run: &mut Run<'_>, rows: &[RowOrdinal]) {
        let block = run.block(self.part, rows);
        let found = matching(run, self.known.bounds(), rows, &block);
        // Of a block that was not gone through to its end, nothing is handed out: no gaps.
        if run.is_stopped() {
            return;
        }
        self.is_sparse =
            matches!(self.known, Known::Segment(_)) && found.len() * SPARSE < block.rows.len();
        let hits = self.hits(&block, found);
        self.ready.extend(hits);
    }

    /// Finds the rows that match of the piece at hand together, which takes less where few do.
    fn settle_piece(&mut self, run: &mut Run<'_>) {
        let (Known::Segment(node), Part::Segment(segment)) = (&self.known, self.part) else {
            self.is_sparse = false;
            return;
        };
        let mut ordinals: Vec<u32> = self.open.iter().map(|(_, ordinal)| *ordinal).collect();
        ordinals.sort_unstable();
        let found = settle(run, segment, node, RowSet::from_sorted(&ordinals));
        // Of a chunk that was not gone through to its end, nothing is handed out: no gaps.
        if run.is_stopped() {
            return;
        }
        self.open.retain(|(_, ordinal)| found.contains(*ordinal));
        self.is_settled = true;
    }

    /// The rows that were found, ascending, in the order wanted.
    fn hits(&self, block: &Block, mut rows: Vec<u32>) -> VecDeque<Hit> {
        if self.order == Order::NewestFirst {
            rows.reverse();
        }
        let copied = (self.is_kept && matches!(block.holder, Holder::Decoded(_)))
            .then(|| copy_few(block, &rows))
            .flatten();
        let first = self.part.first_number().0;
        let hit = |(place, row): (usize, &u32)| {
            let at = block.record(*row)?.received();
            let (holder, index) = match &copied {
                Some(holder) => (holder.clone(), place),
                None => (block.holder.clone(), block.index(*row)?),
            };
            let number = RecordNumber(first + u64::from(*row));
            Some(Hit {
                number,
                at,
                holder,
                index,
            })
        };
        rows.iter().enumerate().filter_map(hit).collect()
    }
}

/// The rows of a block that match, of those that it was read for; ascending.
pub(crate) fn matching(
    run: &mut Run<'_>,
    bounds: &Bounds,
    rows: &[RowOrdinal],
    block: &Block,
) -> Vec<u32> {
    let matching = rows.iter().filter(|(row, ordinal)| {
        let record = block.record(*row);
        record.is_some_and(|record| bounds.sure.contains(*ordinal) || run.matches(record))
    });
    rows_of(&matching.copied().collect::<Vec<_>>())
}

/// A copy of some records of a block, in the order given, where that is much less than the block.
fn copy_few(block: &Block, rows: &[u32]) -> Option<Holder> {
    if rows.len() * 4 > block.holder.batch().len() {
        return None;
    }
    let mut batch = RecordBatch::new();
    for row in rows {
        batch.push_record(block.record(*row)?).ok()?;
    }
    Some(Holder::Decoded(Arc::new(batch)))
}
