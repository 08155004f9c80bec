//! The matching rows of many parts in one order.
//!
//! Parts may overlap in time, since imports keep old times. A part is looked into only when it may
//! hold the next row; so the newest rows cost the newest parts, and the order is exact all the same.
//! Where parts turn out to have few rows, several are looked into at once, on several processors.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use model::Timestamp;
use query::Query;
use store::{Part, ReadError, Snapshot};

use crate::cursor::{Cursor, Position};
use crate::limits::{READ_AHEAD_PARTS_MAX, READ_AHEAD_ROWS};
use crate::parallel::each_part;
use crate::part::{row_at, rows_between};
use crate::run::Run;
use crate::scope::{Scope, behind};
use crate::search::Order;
use crate::walk::{Hit, Walk};

/// A merge of walks.
pub(crate) struct Merge<'a> {
    query: &'a Query,
    asked: Asked<'a>,
    /// How many rows are still wanted.
    left: usize,
    /// How many parts were looked into together the last time.
    together: usize,
    /// How many rows were handed out since.
    since: usize,
    /// Parts that have not been looked into, the next one last.
    waiting: Vec<(&'a Snapshot, &'a Part)>,
    walks: Vec<Walk<'a>>,
    /// The next row of each walk, the next of all on top.
    heads: BinaryHeap<Head<'a>>,
    /// The walk whose row was handed out and that has to go on.
    behind: Option<usize>,
}

/// Which rows of a part are wanted, and how.
#[derive(Clone, Copy)]
struct Asked<'a> {
    scope: &'a Scope,
    order: Order,
    cursor: Option<&'a Cursor>,
    /// Whether they are kept for long.
    is_kept: bool,
}

/// The next row of a walk.
struct Head<'a> {
    order: Order,
    position: Position<'a>,
    hit: Hit,
    walk: usize,
}

impl<'a> Merge<'a> {
    /// A merge of everything in scope that comes behind the cursor. Where rows are kept, `kept` is how many
    /// at most.
    pub(crate) fn new(
        scope: &'a Scope,
        query: &'a Query,
        order: Order,
        cursor: Option<&'a Cursor>,
        kept: Option<usize>,
    ) -> Self {
        let mut waiting: Vec<_> = scope.parts().collect();
        match order {
            Order::NewestFirst => waiting.sort_by_key(|(_, part)| part.last_received()),
            Order::OldestFirst => {
                waiting.sort_by_key(|(_, part)| std::cmp::Reverse(part.first_received()));
            }
        }
        Self {
            query,
            asked: Asked {
                scope,
                order,
                cursor,
                is_kept: kept.is_some(),
            },
            left: kept.unwrap_or(usize::MAX),
            together: 0,
            since: 0,
            waiting,
            walks: Vec::new(),
            heads: BinaryHeap::new(),
            behind: None,
        }
    }

    /// The next row that matches and its place; `None` at the end, or when the question was
    /// stopped. What was handed out before is without a gap.
    pub(crate) fn next(&mut self, run: &mut Run<'_>) -> Option<(Position<'a>, Hit)> {
        if let Some(walk) = self.behind.take() {
            self.advance(run, walk);
        }
        while self.may_come_next() {
            if run.is_stopped() {
                return None;
            }
            self.look_into(run);
        }
        if run.is_stopped() {
            return None;
        }
        let head = self.heads.pop()?;
        self.left = self.left.saturating_sub(1);
        self.since += 1;
        self.behind = Some(head.walk);
        Some((head.position, head.hit))
    }

    /// Whether there is certainly no further row, as far as that is known without looking.
    pub(crate) fn is_at_end(&self) -> bool {
        let behind = self.behind.and_then(|walk| self.walks.get(walk));
        self.heads.is_empty() && self.waiting.is_empty() && behind.is_none_or(Walk::is_at_end)
    }

    /// Looks into the parts that wait and come next: one, or more of them where those before had few rows.
    fn look_into(&mut self, run: &mut Run<'_>) {
        self.together = self.next_together();
        self.since = 0;
        let behind = self.waiting.len().saturating_sub(self.together);
        let next = self.waiting.split_off(behind);
        let ahead = match self.together {
            1 => 1,
            _ => self.left.min(READ_AHEAD_ROWS),
        };
        let newest = next.into_iter().rev().enumerate().collect();
        let asked = self.asked;
        let add = |run: &mut Run<'_>, walks: &mut Vec<_>, (place, (snapshot, part))| {
            let Some(mut walk) = asked.walk(run, snapshot, part) else {
                return;
            };
            walk.read_ahead(run, ahead);
            walks.push((place, walk));
        };
        let walks = each_part(run, self.query, newest, Vec::new, add);
        let mut walks: Vec<(usize, Walk<'a>)> = walks.into_iter().flatten().collect();
        walks.sort_unstable_by_key(|(place, _)| *place);
        for (_, walk) in walks {
            self.walks.push(walk);
            self.advance(run, self.walks.len() - 1);
        }
    }

    /// How many parts to look into next: twice as many as before where those had few rows, but no more than
    /// it takes to have all that are wanted if the next ones have as many.
    fn next_together(&self) -> usize {
        if self.together == 0 || self.since >= self.together * READ_AHEAD_ROWS {
            return 1;
        }
        let enough = match self.since {
            0 => READ_AHEAD_PARTS_MAX,
            since => (self.left.saturating_mul(self.together)).div_ceil(since),
        };
        enough.min(2 * self.together).clamp(1, READ_AHEAD_PARTS_MAX)
    }

    fn advance(&mut self, run: &mut Run<'_>, index: usize) {
        let Some(walk) = self.walks.get_mut(index) else {
            return;
        };
        if let Some(hit) = walk.next(run) {
            let position = hit.position(walk.logspace);
            self.heads.push(Head {
                order: self.asked.order,
                position,
                hit,
                walk: index,
            });
        }
    }

    /// Whether a part that waits may hold a row before those at hand.
    fn may_come_next(&self) -> bool {
        let Some((_, part)) = self.waiting.last() else {
            return false;
        };
        let Some(head) = self.heads.peek() else {
            return true;
        };
        match self.asked.order {
            Order::NewestFirst => part.last_received() >= head.position.at,
            Order::OldestFirst => part.first_received() <= head.position.at,
        }
    }
}

impl<'a> Asked<'a> {
    /// A walk over the rows of a part that are wanted; `None` where there are none.
    fn walk(self, run: &mut Run<'_>, snapshot: &'a Snapshot, part: &'a Part) -> Option<Walk<'a>> {
        let rows = self.rows_left(run, snapshot, part);
        let logspace = &snapshot.logspace;
        (!rows.is_empty()).then(|| Walk::new(run, logspace, part, rows, self.order, self.is_kept))
    }

    /// The rows of a part that are in scope and behind the cursor.
    fn rows_left(self, run: &mut Run<'_>, snapshot: &Snapshot, part: &Part) -> Range<u32> {
        let passed = self.cursor.is_some_and(|cursor| {
            let received = cursor.position().at;
            match self.order {
                Order::NewestFirst => received < part.first_received(),
                Order::OldestFirst => part.last_received() < received,
            }
        });
        if passed {
            return 0..0;
        }
        let rows = run.rows_in(part, self.scope.range);
        let Some(cursor) = self.cursor else {
            return rows;
        };
        match row_of(cursor.position(), snapshot, part) {
            Err(error) => {
                run.missed(&error);
                0..0
            }
            Ok(place) => match self.order {
                Order::NewestFirst => rows.start..rows.end.min(place.start),
                Order::OldestFirst => rows.start.max(place.end)..rows.end,
            },
        }
    }
}

/// Where a place falls among the rows of a part: the row itself, or the gap it would stand in.
fn row_of(place: Position<'_>, snapshot: &Snapshot, part: &Part) -> Result<Range<u32>, ReadError> {
    // Rows received at the same instant, which logspace and number tell apart.
    let equal = if place.at == Timestamp::MAX {
        row_at(part, place.at)?..part.rows()
    } else {
        rows_between(part, place.at, behind(place.at))?
    };
    Ok(match place.logspace.cmp(&snapshot.logspace) {
        Ordering::Less => equal.start..equal.start,
        Ordering::Greater => equal.end..equal.end,
        Ordering::Equal => {
            let first = part.first_number().0;
            let row = |number: u64| {
                let row = u32::try_from(number.saturating_sub(first)).unwrap_or(u32::MAX);
                row.clamp(equal.start, equal.end)
            };
            row(place.number.0)..row(place.number.0.saturating_add(1))
        }
    })
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let ascending = self.position.cmp(&other.position);
        match self.order {
            Order::NewestFirst => ascending,
            Order::OldestFirst => ascending.reverse(),
        }
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position
    }
}

impl Eq for Head<'_> {}
