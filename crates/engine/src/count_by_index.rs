//! How many rows of a whole segment match, where no row and hardly a column has to be read to know it.

use std::sync::Arc;

use store::SegmentHandle;

use crate::check::Check;
use crate::memory::CountedBy;
use crate::plan::{Ask, Plan};
use crate::run::Run;
use crate::word_rows::{rows_of_both, terms_of};

/// How many rows of a segment match; `None` where the index does not tell and no count is remembered, and where the
/// rows themselves are remembered.
pub(crate) fn count_whole(run: &mut Run<'_>, segment: &Arc<SegmentHandle>) -> Option<u64> {
    if let Some(count) = run.count_by_index(segment) {
        return Some(count);
    }
    if run.is_remembered(segment) {
        return None;
    }
    let counts = run.counts_in(segment, CountedBy::RowsBefore(&[segment.rows()]))?;
    counts.first().map(|(_, count)| *count)
}

/// How many rows of a segment match a plan with these checks of its leaves; `None` where the footer, the lexicon
/// and the counts of hosts, programs and the like do not tell.
pub(crate) fn count_by_index(
    plan: &Plan,
    checks: &mut [Check],
    segment: &SegmentHandle,
) -> Option<u64> {
    match plan {
        Plan::All => Some(segment.rows().into()),
        Plan::Nothing => Some(0),
        Plan::Not(inner) => {
            let count = count_by_index(inner, checks, segment)?;
            u64::from(segment.rows()).checked_sub(count)
        }
        Plan::Leaf(ask, leaf) => {
            let by_terms = count_by_terms(ask, plan, segment);
            by_terms.or_else(|| checks.get_mut(*leaf)?.count_by_values(segment))
        }
        Plan::And(_) | Plan::Or(_) => None,
    }
}

/// How many rows a leaf has, by what the lexicon says of its terms or the footer of its text.
fn count_by_terms(ask: &Ask, leaf: &Plan, segment: &SegmentHandle) -> Option<u64> {
    let counts = &segment.footer().counts;
    match ask {
        Ask::Codes(namespace, codes) => {
            let rows = codes.iter().map(|code| {
                let term = segment.find_term(&namespace.key(&[*code])).ok()?;
                Some(term.map_or(0, |term| u64::from(term.rows)))
            });
            // A record has one number.
            rows.sum()
        }
        Ask::Presence(namespace) => counts.present(*namespace).map(u64::from),
        Ask::AnyText => Some(counts.with_text.into()),
        Ask::Words(_) => {
            let terms = terms_of(leaf.one_term()?, segment).ok()?;
            match terms.as_slice() {
                [] => Some(0),
                [term] => Some(term.rows.into()),
                // Rows that hold both would be counted for each.
                [one, other] => {
                    let both = rows_of_both(&[*one, *other], segment).ok()?;
                    let all = u64::from(one.rows) + u64::from(other.rows);
                    all.checked_sub(both.len(segment.rows()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
