//! The rows of a part, a stretch after the other from one end, for a list of some of those that match.
//!
//! Where it takes columns to find them, and many rows match, it is not worth it to read them all: the first stretch
//! has as many matches as are wanted, if they are spread evenly, and those behind it are longer and longer.

use std::ops::Range;

use store::Part;

use crate::limits::{WALK_ROWS, WINDOW_GROWTH, WINDOW_SPARE};
use crate::run::Run;
use crate::search::Order;

/// Rows of a part that have not been asked about.
pub(crate) struct Windows {
    rest: Range<u32>,
    order: Order,
    /// How many come next.
    next: u32,
    /// Whether the index is asked about one stretch at a time, as otherwise it would read more for others.
    pub(crate) are_apart: bool,
}

impl Windows {
    /// Of some rows of a part, of which so many matches are wanted, or all.
    pub(crate) fn of(
        run: &mut Run<'_>,
        part: &Part,
        rows: Range<u32>,
        order: Order,
        wanted: Option<usize>,
    ) -> Self {
        let all = rows.len() as u32;
        let few = rows_of(run, part, wanted.map_or(u64::MAX, |wanted| wanted as u64));
        let next = few.unwrap_or(all);
        let next = if next <= all / WINDOW_GROWTH {
            next
        } else {
            all
        };
        Self {
            are_apart: few.is_some() && next <= part.rows() / WINDOW_GROWTH,
            next,
            rest: rows,
            order,
        }
    }

    /// The next stretch; `None` when there is none left.
    pub(crate) fn next(&mut self) -> Option<Range<u32>> {
        let Range { start, end } = self.rest.clone();
        let next = self.next.min(end.checked_sub(start)?);
        self.next = self.next.saturating_mul(WINDOW_GROWTH);
        let own = match self.order {
            Order::NewestFirst => {
                self.rest.end = end - next;
                self.rest.end..end
            }
            Order::OldestFirst => {
                self.rest.start = start + next;
                start..self.rest.start
            }
        };
        (!own.is_empty()).then_some(own)
    }

    /// Whether there is none left.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// How many rows of a part have so many matches, and some to spare; `None` where that is not known, or it takes no
/// columns to ask about all.
fn rows_of(run: &mut Run<'_>, part: &Part, wanted: u64) -> Option<u32> {
    let Part::Segment(segment) = part else {
        return None;
    };
    if run.is_remembered(segment) {
        return None;
    }
    let estimate = run.estimate(segment)?;
    if !estimate.takes_columns || estimate.rows == 0 {
        return None;
    }
    let rows = u64::from(segment.rows()).saturating_mul(wanted) / estimate.rows;
    let rows = rows.saturating_mul(WINDOW_SPARE).div_ceil(WALK_ROWS.into());
    let rows = rows.max(1).saturating_mul(WALK_ROWS.into());
    Some(u32::try_from(rows).unwrap_or(u32::MAX))
}
