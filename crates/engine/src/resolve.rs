//! All rows of a part that match, as a set: what counting and statistics work on.

use std::ops::Range;
use std::sync::Arc;

use store::{Part, SegmentHandle};

use crate::chunks::each_ordinal_block;
use crate::event::rows_within;
use crate::row_set::RowSet;
use crate::run::Run;
use crate::settle::settle;
use crate::time_kind::{TimeKind, When};
use crate::walk::matching;

/// The rows of a range of a part that match. Only doubtful rows are looked at.
pub(crate) fn resolve(run: &mut Run<'_>, part: &Part, range: &Range<u32>) -> RowSet {
    if range.is_empty() {
        return RowSet::empty();
    }
    match part {
        Part::Segment(segment) => {
            let node = run.examine(part, segment);
            if node.bounds.upper().is_empty() {
                return RowSet::empty();
            }
            let among = run.ordinals_of(part, range);
            if node.bounds.maybe.is_none() {
                return node.bounds.sure.and(among);
            }
            let is_whole = among == RowSet::All;
            let found = settle(run, segment, &node, among);
            if is_whole {
                run.remember(segment, &found);
            }
            found
        }
        Part::Tail(_) => verified(run, part, &RowSet::of_range(range, part.rows())),
    }
}

/// The rows of a segment that match, of those with some ordinals.
pub(crate) fn resolve_among(
    run: &mut Run<'_>,
    part: &Part,
    segment: &Arc<SegmentHandle>,
    ordinals: RowSet,
) -> RowSet {
    let node = run.examine_among(part, segment, &ordinals);
    settle(run, segment, &node, ordinals)
}

/// The rows of a part that match and are within a range of either kind of time.
pub(crate) fn resolve_within(run: &mut Run<'_>, part: &Part, when: When) -> RowSet {
    if when.kind == TimeKind::Received {
        let range = run.rows_in(part, when.range);
        return resolve(run, part, &range);
    }
    if when.covers(part) {
        return resolve(run, part, &(0..part.rows()));
    }
    match part {
        Part::Tail(_) => {
            let within = rows_within(run, part, when.range, &RowSet::All);
            verified(run, part, &within)
        }
        Part::Segment(segment) => {
            let node = run.examine(part, segment);
            let within = rows_within(run, part, when.range, node.bounds.upper());
            match node.bounds.maybe {
                None => within,
                Some(_) => settle(run, segment, &node, within),
            }
        }
    }
}

/// The rows of a piece of the tail that match, of those of a set.
pub(crate) fn verified(run: &mut Run<'_>, part: &Part, set: &RowSet) -> RowSet {
    let bounds = run.bounds_of_tail();
    if bounds.maybe.is_none() {
        return bounds.sure.and(set.clone());
    }
    let mut verified = Vec::new();
    each_ordinal_block(run, part, set, &mut |run, rows, block| {
        verified.extend(matching(run, &bounds, rows, block));
    });
    RowSet::from_sorted(&verified)
}
