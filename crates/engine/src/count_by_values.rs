//! How many rows of a whole segment match, where the segment counts the values of its columns: rows of kinds that these
//! tell of are not looked at, and no column of theirs is read.

mod asked_words;
mod part_values;
mod slot_values;
mod windows;
mod word_values;

use std::sync::Arc;

use segment::TermEntry;
use store::SegmentHandle;

use crate::among::Among;
use crate::cancel::Cancel;
use crate::check::Check;
use crate::evaluate::{Inner, Node, evaluate};
use crate::limits::{JOINED_ROWS_MIN, TOLD_ROWS_OF};
use crate::memory::CountedBy;
use crate::plan::{Ask, Plan};
use crate::row_set::RowSet;
use crate::run::Run;
use crate::settle::settle;
use crate::word_rows::terms_of;
pub(crate) use part_values::{RowsTold, each_value};

/// What is known of the rows of a segment without a look at one.
#[derive(Debug)]
pub(crate) struct Told {
    /// How many are known to match.
    pub(crate) matching: u64,
    /// Those that may match as well.
    pub(crate) open: RowSet,
    /// What decides on them; `None` where the whole question does.
    node: Option<Node>,
    /// How many texts were looked at.
    looked_at: u64,
}

/// The same of the rows that meet a condition on a field.
#[derive(Debug)]
pub(crate) struct FieldTold {
    pub(crate) matching: u64,
    pub(crate) open: RowSet,
    /// Those of them that may have it in their text; `None` where that is not known.
    pub(crate) in_text: Option<RowSet>,
    pub(crate) looked_at: u64,
}

impl FieldTold {
    /// Of a question that is the leaf of this number or its opposite, in a segment of so many rows.
    fn of_leaf(self, leaf: usize, is_not: bool, rows: u32) -> Told {
        let matching = match is_not {
            true => u64::from(rows).saturating_sub(self.matching + self.open.len(rows)),
            false => self.matching,
        };
        let inner = Inner::Leaf(leaf, self.in_text);
        Told {
            matching,
            node: Some(Node::open(inner, self.open.clone(), is_not, rows)),
            open: self.open,
            looked_at: self.looked_at,
        }
    }
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
    let count = match is_joined(&run.plan) && segment.rows() < JOINED_ROWS_MIN {
        false => count_told(run, segment)?,
        true => return None,
    };
    run.remember_counts(segment, by, [(&[][..], count)].into_iter());
    Some(count)
}

/// How many rows of a segment match, where the values that it counts tell of some; only the others are asked.
pub(crate) fn count_told(run: &mut Run<'_>, segment: &Arc<SegmentHandle>) -> Option<u64> {
    if !segment.counts_values() {
        return None;
    }
    let told = run.told_by_values(segment)?;
    run.looked_at(told.looked_at);
    let found = match told.open.is_empty() {
        true => 0,
        false => {
            let node = told.node.unwrap_or_else(|| {
                let among = Among::set(&told.open).until(run.cancel());
                evaluate(&run.plan, among, segment)
            });
            settle(run, segment, &node, told.open).len(segment.rows())
        }
    };
    Some(told.matching + found)
}

/// Whether [`count_whole`] counts words that are joined by values, of one of which columns tell much.
pub(crate) fn counts_joined(plan: &Plan, segment: &SegmentHandle) -> bool {
    let (Plan::And(members) | Plan::Or(members)) = plan else {
        return false;
    };
    if !segment.counts_values() || segment.rows() < JOINED_ROWS_MIN {
        return false;
    }
    let words = members.iter().filter_map(|member| match member {
        Plan::Not(inner) => inner.one_term(segment),
        member => member.one_term(segment),
    });
    let mut terms = words.flat_map(|words| terms_of(words, segment).unwrap_or_default());
    terms.any(|term| tell_much(segment, &term))
}

/// Whether columns tell of so many rows with a term that asking values takes less.
fn tell_much(segment: &SegmentHandle, term: &TermEntry) -> bool {
    let told = segment.rows_told_by_columns(term).unwrap_or_default();
    told > segment.rows() / TOLD_ROWS_OF
}

/// Whether a plan consists of several conditions.
fn is_joined(plan: &Plan) -> bool {
    match plan {
        Plan::And(_) | Plan::Or(_) => true,
        Plan::Not(inner) => is_joined(inner),
        Plan::All | Plan::Nothing | Plan::Leaf(..) => false,
    }
}

/// What the values that a segment counts tell of a plan.
pub(crate) fn told_by_values(
    plan: &Plan,
    checks: &mut [Check],
    segment: &SegmentHandle,
    cancel: &Cancel,
) -> Option<Told> {
    let (leaf, is_not) = match plan {
        Plan::Not(inner) => (&**inner, true),
        plan => (plan, false),
    };
    let Plan::Leaf(Ask::Field(_), number) = leaf else {
        return word_values::told(plan, checks, segment, cancel);
    };
    let told = checks.get_mut(*number)?.told_by_values(segment, cancel)?;
    Some(told.of_leaf(*number, is_not, segment.rows()))
}
