//! The rows of one part that match, one after the other, from either end, found as they are wanted.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};
use store::Part;

use crate::cursor::Position;
use crate::evaluate::{Bounds, Node};
use crate::part::{Block, Holder, take_rows};
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
    /// Rows that have not been looked at.
    left: Range<u32>,
    known: Known,
    /// Rows of a chunk that match, and which of the chunk are left of those.
    settled: Option<(RowSet, Range<u32>)>,
    /// Whether few rows of the last block matched, of those that might have.
    is_sparse: bool,
    /// Found and not handed out, in order.
    ready: VecDeque<Hit>,
    /// Whether the rows will be kept for long.
    is_kept: bool,
}

/// What is known of the rows of a part without a look at one.
enum Known {
    /// Of a segment.
    Segment(Node),
    /// Of the tail.
    Tail(Bounds),
}

impl Known {
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
    /// A walk over some rows of a part. Where rows are kept, few of a block are copied out of it, so
    /// that two hundred rows do not hold two hundred blocks in memory.
    pub(crate) fn new(
        run: &mut Run<'_>,
        logspace: &'a LogspaceName,
        part: &'a Part,
        rows: Range<u32>,
        order: Order,
        is_kept: bool,
    ) -> Self {
        let rows = rows.start..rows.end.min(part.rows());
        let known = match part {
            _ if rows.is_empty() => Known::Tail(Bounds::exact(RowSet::empty())),
            Part::Segment(segment) => Known::Segment(run.examine(part, segment)),
            Part::Tail(_) => Known::Tail(run.bounds_of_tail()),
        };
        Self {
            logspace,
            part,
            order,
            left: rows,
            known,
            settled: None,
            is_sparse: false,
            ready: VecDeque::new(),
            is_kept,
        }
    }

    /// The next row that matches; `None` at the end, or when the question was stopped.
    pub(crate) fn next(&mut self, run: &mut Run<'_>) -> Option<Hit> {
        while self.ready.is_empty() {
            if let Some((rows, left)) = &mut self.settled {
                let rows = take_rows(self.part, rows, left, self.order);
                if rows.is_empty() {
                    self.settled = None;
                    continue;
                }
                let block = run.block(self.part, rows);
                self.ready = self.hits(&block, block.rows.clone());
                continue;
            }
            if self.left.is_empty() || run.is_stopped() {
                return None;
            }
            if self.is_sparse {
                self.settle_chunk(run);
                continue;
            }
            let upper = self.known.bounds().upper();
            let rows = take_rows(self.part, upper, &mut self.left, self.order);
            self.look_at(run, rows);
        }
        self.ready.pop_front()
    }

    /// Whether there is certainly no further row, as far as that is known without looking.
    pub(crate) fn is_at_end(&self) -> bool {
        let is_settled = self
            .settled
            .as_ref()
            .is_none_or(|(rows, left)| rows.first_within(left).is_none());
        let upper = self.known.bounds().upper();
        self.ready.is_empty() && is_settled && upper.first_within(&self.left).is_none()
    }

    /// Finds the rows that match among some, record by record.
    fn look_at(&mut self, run: &mut Run<'_>, rows: Vec<u32>) {
        let block = run.block(self.part, rows);
        let bounds = self.known.bounds();
        let found = matching(run, bounds, &block);
        self.is_sparse = matches!(self.known, Known::Segment(_))
            && bounds.maybe.is_some()
            && found.len() * SPARSE < block.rows.len();
        self.ready = self.hits(&block, found);
    }

    /// Finds the rows that match of the next chunk, which takes less where few do.
    fn settle_chunk(&mut self, run: &mut Run<'_>) {
        let (Known::Segment(node), Part::Segment(segment)) = (&self.known, self.part) else {
            self.is_sparse = false;
            return;
        };
        let upper = node.bounds.upper();
        let next = match self.order {
            Order::NewestFirst => upper.last_within(&self.left),
            Order::OldestFirst => upper.first_within(&self.left),
        };
        let Some(next) = next else {
            self.left.start = self.left.end;
            return;
        };
        let chunk = segment.chunk_rows(segment.chunk_of_row(next));
        let rows = match self.order {
            Order::NewestFirst => chunk.start.max(self.left.start)..next + 1,
            Order::OldestFirst => next..chunk.end.min(self.left.end),
        };
        let among = RowSet::of_range(&rows, segment.rows());
        let found = settle(run, segment, node, among);
        // Of a chunk that was not gone through to its end, nothing is handed out: no gaps.
        if run.is_stopped() {
            return;
        }
        match self.order {
            Order::NewestFirst => self.left.end = rows.start,
            Order::OldestFirst => self.left.start = rows.end,
        }
        self.settled = Some((found, rows));
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

/// The rows of a block that match, ascending.
pub(crate) fn matching(run: &mut Run<'_>, bounds: &Bounds, block: &Block) -> Vec<u32> {
    if bounds.maybe.is_none() {
        return block.rows.clone();
    }
    let rows = block.rows.iter().copied();
    rows.filter(|row| {
        bounds.sure.contains(*row) || block.record(*row).is_some_and(|record| run.matches(record))
    })
    .collect()
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
