//! How many records match.

use query::Query;
use store::Part;

use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::count_by_index::count_whole;
use crate::memory::CountedBy;
use crate::parallel::each_part;
use crate::resolve::resolve_within;
use crate::run::Run;
use crate::scope::Scope;

/// How many records match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number. Exact where the answer is complete.
    pub count: u64,
    /// What it cost.
    pub cost: Cost,
    /// Whether all were counted.
    pub completeness: Completeness,
}

/// Counts the records that match.
pub fn count(scope: &Scope, query: &Query, cancel: &Cancel) -> Count {
    let mut run = Run::new(&scope.snapshots, query, cancel);
    let parts: Vec<&Part> = scope.parts().map(|(_, part)| part).collect();
    let add = |run: &mut Run<'_>, count: &mut u64, part: &Part| {
        *count += count_part(run, scope, part);
    };
    let count = each_part(&mut run, query, parts, || 0, add).iter().sum();
    let (cost, completeness) = run.finish();
    Count {
        count,
        cost,
        completeness,
    }
}

fn count_part(run: &mut Run<'_>, scope: &Scope, part: &Part) -> u64 {
    if let Part::Segment(segment) = part
        && scope.when().covers(part)
    {
        run.touch(part);
        if let Some(count) = count_whole(run, segment) {
            return count;
        }
        let count = resolve_within(run, part, scope.when()).len(part.rows());
        // Of many rows the count alone: it is what takes no time to read.
        if !run.is_remembered(segment) {
            let by = CountedBy::RowsBefore(&[part.rows()]);
            run.remember_counts(segment, by, std::iter::once((&[][..], count)));
        }
        return count;
    }
    let set = resolve_within(run, part, scope.when());
    set.len(part.rows())
}
