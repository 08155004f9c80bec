//! How many rows of a whole segment match one condition, where the segment counts the values of its columns: rows of
//! kinds that these tell of are not looked at, and no column of theirs is read.

mod part_values;
mod windows;
mod word_values;

use std::sync::Arc;

use store::SegmentHandle;

use crate::cancel::Cancel;
use crate::check::Check;
use crate::evaluate::{Inner, Node};
use crate::memory::CountedBy;
use crate::plan::{Ask, Plan};
use crate::row_set::RowSet;
use crate::run::Run;
use crate::settle::settle;
pub(crate) use part_values::{RowsTold, each_value};

/// What is known of a condition without a look at rows.
#[derive(Debug)]
pub(crate) struct Told {
    /// How many rows are known to meet it.
    pub(crate) matching: u64,
    /// The rows that may meet it as well.
    pub(crate) open: RowSet,
    /// Of a field, those of them that may have it in their text; `None` where that is not known.
    pub(crate) in_text: Option<RowSet>,
    /// How many texts were looked at.
    pub(crate) looked_at: u64,
}

/// How many rows of a segment match; `None` where that is not remembered and the index and the values that the segment
/// counts do not tell enough of it, and where the rows are remembered.
pub(crate) fn count_whole(run: &mut Run<'_>, segment: &Arc<SegmentHandle>) -> Option<u64> {
    if let Some(count) = run.count_by_index(segment) {
        return Some(count);
    }
    if run.is_remembered(segment) {
        return None;
    }
    let rows = [segment.rows()];
    let by = CountedBy::RowsBefore(&rows);
    if let Some(counts) = run.counts_in(segment, by) {
        return counts.first().map(|(_, count)| *count);
    }
    if !segment.counts_values() {
        return None;
    }
    let (told, leaf, is_not) = run.told_by_values(segment)?;
    let open = told.open.len(segment.rows());
    run.looked_at(told.looked_at);
    let inner = Inner::Leaf(leaf, told.in_text);
    let node = Node::open(inner, told.open.clone(), is_not, segment.rows());
    let found = settle(run, segment, &node, told.open).len(segment.rows());
    let count = match is_not {
        true => u64::from(segment.rows()).saturating_sub(told.matching + open) + found,
        false => told.matching + found,
    };
    run.remember_counts(segment, by, [(&[][..], count)].into_iter());
    Some(count)
}

/// What the values that a segment counts tell of a plan of one leaf, the number of that, and whether the plan is the
/// opposite of it.
pub(crate) fn told_by_values(
    plan: &Plan,
    checks: &mut [Check],
    segment: &SegmentHandle,
    cancel: &Cancel,
) -> Option<(Told, usize, bool)> {
    let (leaf, is_not) = match plan {
        Plan::Not(inner) => (&**inner, true),
        plan => (plan, false),
    };
    let Plan::Leaf(ask, number) = leaf else {
        return None;
    };
    let told = match ask {
        Ask::Words(words) => word_values::told(words.of(segment), segment, cancel),
        Ask::Field(_) => {
            let check = checks.get_mut(*number)?;
            check.told_by_values(segment, cancel)
        }
        _ => None,
    };
    told.map(|told| (told, *number, is_not))
}
