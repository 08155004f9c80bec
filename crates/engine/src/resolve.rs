//! All rows of a part that match, as a set: what counting and statistics work on.

use std::ops::Range;

use store::Part;

use crate::event::rows_within;
use crate::part::take_rows;
use crate::row_set::RowSet;
use crate::run::Run;
use crate::search::Order;
use crate::settle::settle;
use crate::time_kind::{TimeKind, When};
use crate::walk::matching;

/// The rows of a range of a part that match. Outside the range the set says nothing. Only
/// doubtful rows are looked at.
pub(crate) fn resolve(run: &mut Run<'_>, part: &Part, range: &Range<u32>) -> RowSet {
    if range.is_empty() {
        return RowSet::empty();
    }
    match part {
        Part::Segment(segment) => {
            let node = run.examine(part, segment);
            if node.bounds.maybe.is_none() {
                return node.bounds.sure;
            }
            let among = RowSet::of_range(range, segment.rows());
            let is_whole = among == RowSet::All;
            let found = settle(run, segment, &node, among);
            if is_whole {
                run.remember(segment, &found);
            }
            found
        }
        Part::Tail(_) => of_tail(run, part, range),
    }
}

/// The rows of a part that match and are within a range of either kind of time, and the range of
/// rows of which the set says something.
pub(crate) fn resolve_within(run: &mut Run<'_>, part: &Part, when: When) -> (RowSet, Range<u32>) {
    if when.kind == TimeKind::Received {
        let range = run.rows_in(part, when.range);
        return (resolve(run, part, &range), range);
    }
    let all = 0..part.rows();
    if when.covers(part) {
        return (resolve(run, part, &all), all);
    }
    let set = match part {
        Part::Tail(_) => {
            let within = rows_within(run, part, when.range, &RowSet::All);
            verified(run, part, &within, &all)
        }
        Part::Segment(segment) => {
            let node = run.examine(part, segment);
            let within = rows_within(run, part, when.range, node.bounds.upper());
            match node.bounds.maybe {
                None => within,
                Some(_) => settle(run, segment, &node, within),
            }
        }
    };
    (set, all)
}

fn of_tail(run: &mut Run<'_>, part: &Part, range: &Range<u32>) -> RowSet {
    verified(run, part, &RowSet::All, range)
}

/// The rows of a piece of the tail that match, of those of a set and a range. Outside the range the
/// set that is returned says nothing.
pub(crate) fn verified(run: &mut Run<'_>, part: &Part, set: &RowSet, range: &Range<u32>) -> RowSet {
    let bounds = run.bounds_of_tail();
    if bounds.maybe.is_none() {
        return bounds.sure.and(set.clone());
    }
    let mut verified = Vec::new();
    let mut left = range.clone();
    while !left.is_empty() && !run.is_stopped() {
        let rows = take_rows(part, set, &mut left, Order::OldestFirst);
        let block = run.block(part, rows);
        verified.extend(matching(run, &bounds, &block));
    }
    RowSet::from_sorted(&verified)
}
