//! The rows of one part that match, one after the other, from either end, found as they are wanted.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};
use store::Part;

use crate::cursor::Position;
use crate::evaluate::Bounds;
use crate::part::{Block, Holder, take_rows};
use crate::row_set::RowSet;
use crate::run::Run;
use crate::search::Order;

/// A walk over the matching rows of a part.
pub(crate) struct Walk<'a> {
    /// The logspace of the part.
    pub(crate) logspace: &'a LogspaceName,
    part: &'a Part,
    order: Order,
    /// Rows that have not been looked at.
    left: Range<u32>,
    bounds: Bounds,
    /// Found and not handed out, in order.
    ready: VecDeque<Hit>,
    /// Whether the rows will be kept for long.
    is_kept: bool,
}

/// A row that matches.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    /// Its number.
    pub(crate) number: RecordNumber,
    /// When it was received.
    pub(crate) received: Timestamp,
    /// Where its record is.
    pub(crate) holder: Holder,
    /// The index of the record there.
    pub(crate) index: usize,
}

impl Hit {
    /// Its place in the order of all records.
    pub(crate) fn position<'a>(&self, logspace: &'a LogspaceName) -> Position<'a> {
        Position {
            received: self.received,
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
        let bounds = if rows.is_empty() {
            Bounds::exact(RowSet::empty())
        } else {
            run.bounds(part)
        };
        Self {
            logspace,
            part,
            order,
            left: rows,
            bounds,
            ready: VecDeque::new(),
            is_kept,
        }
    }

    /// The next row that matches; `None` at the end, or when the question was stopped.
    pub(crate) fn next(&mut self, run: &mut Run<'_>) -> Option<Hit> {
        while self.ready.is_empty() {
            if self.left.is_empty() || run.is_stopped() {
                return None;
            }
            let rows = take_rows(self.part, self.bounds.upper(), &mut self.left, self.order);
            self.look_at(run, rows);
        }
        self.ready.pop_front()
    }

    /// Whether there is certainly no further row, as far as that is known without looking.
    pub(crate) fn is_at_end(&self) -> bool {
        self.ready.is_empty() && self.bounds.upper().first_within(&self.left).is_none()
    }

    /// Finds the rows that match among some.
    fn look_at(&mut self, run: &mut Run<'_>, rows: Vec<u32>) {
        let block = run.block(self.part, rows);
        let mut found = matching(run, &self.bounds, &block);
        if self.order == Order::NewestFirst {
            found.reverse();
        }
        self.ready = self.hits(&block, &found);
    }

    fn hits(&self, block: &Block, rows: &[u32]) -> VecDeque<Hit> {
        let copied = (self.is_kept && matches!(block.holder, Holder::Decoded(_)))
            .then(|| copy_few(block, rows))
            .flatten();
        let first = self.part.first_number().0;
        let hit = |(place, row): (usize, &u32)| {
            let received = block.record(*row)?.received();
            let (holder, index) = match &copied {
                Some(holder) => (holder.clone(), place),
                None => (block.holder.clone(), block.index(*row)?),
            };
            let number = RecordNumber(first + u64::from(*row));
            Some(Hit {
                number,
                received,
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
