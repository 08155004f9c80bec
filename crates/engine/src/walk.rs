//! The rows of one part that match, one after the other, from either end, found as they are wanted.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};
use store::Part;

use crate::cursor::Position;
use crate::evaluate::Bounds;
use crate::part::{Holder, Page, page, page_rows};
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
    /// A walk over some rows of a part. Where rows are kept, few of a page are copied out of it, so
    /// that two hundred rows do not hold two hundred pages in memory.
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
            let row = match self.order {
                Order::NewestFirst => self.bounds.upper().last_within(&self.left)?,
                Order::OldestFirst => self.bounds.upper().first_within(&self.left)?,
            };
            if run.is_stopped() {
                return None;
            }
            self.look_at_page(run, row);
        }
        self.ready.pop_front()
    }

    /// Whether there is certainly no further row, as far as that is known without looking.
    pub(crate) fn is_at_end(&self) -> bool {
        self.ready.is_empty() && self.bounds.upper().first_within(&self.left).is_none()
    }

    /// Finds the rows that match in the page of a row, and leaves the page behind.
    fn look_at_page(&mut self, run: &mut Run<'_>, row: u32) {
        let in_page = page_rows(self.part, row);
        let rows = in_page.start.max(self.left.start)..in_page.end.min(self.left.end);
        match self.order {
            Order::NewestFirst => self.left.end = rows.start,
            Order::OldestFirst => self.left.start = rows.end,
        }
        let page = match page(self.part, row) {
            Ok(page) => page,
            Err(error) => return run.missed(&error),
        };
        let mut found = matching(run, &self.bounds, &page, rows);
        if self.order == Order::NewestFirst {
            found.reverse();
        }
        self.ready = self.hits(&page, &found);
    }

    fn hits(&self, page: &Page, rows: &[u32]) -> VecDeque<Hit> {
        let copied = (self.is_kept && matches!(page.holder, Holder::Page(_)))
            .then(|| copy_few(page, rows))
            .flatten();
        let first = self.part.first_number().0;
        let hit = |(place, row): (usize, &u32)| {
            let received = page.record(*row)?.received();
            let (holder, index) = match &copied {
                Some(holder) => (holder.clone(), place),
                None => (page.holder.clone(), page.index(*row)),
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

/// The rows of a range within one page that match, ascending.
pub(crate) fn matching(
    run: &mut Run<'_>,
    bounds: &Bounds,
    page: &Page,
    range: Range<u32>,
) -> Vec<u32> {
    let Some(maybe) = &bounds.maybe else {
        return bounds.sure.within(&range).iter().collect();
    };
    let candidates = maybe.within(&range).into_iter();
    candidates
        .filter(|row| {
            bounds.sure.contains(*row)
                || page.record(*row).is_some_and(|record| run.matches(record))
        })
        .collect()
}

/// A copy of some records of a page, in the order given, where that is much less than the page.
fn copy_few(page: &Page, rows: &[u32]) -> Option<Holder> {
    if rows.len() * 4 > page.holder.batch().len() {
        return None;
    }
    let mut batch = RecordBatch::new();
    for row in rows {
        batch.push_record(page.record(*row)?).ok()?;
    }
    Some(Holder::Page(Arc::new(batch)))
}
