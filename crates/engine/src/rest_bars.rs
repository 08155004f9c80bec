//! How many rows stand before some rows of a segment where the index counts all that match: those of the longest
//! stretch between two edges are what is left when the others are known.

use store::Part;

use crate::count_by_index::count_whole;
use crate::limits::EDGES_COUNTED_MAX;
use crate::resolve::resolve_among;
use crate::row_set::RowSet;
use crate::run::Run;

/// How many rows of a part match before each of some rows, which ascend; `None` where the index does not count them or
/// gives them as fast, and where there are no more rows between the first and the last than beside the longest
/// stretch.
pub(crate) fn count_before(run: &mut Run<'_>, part: &Part, rows: &[u32]) -> Option<Vec<u64>> {
    let Part::Segment(segment) = part else {
        return None;
    };
    if rows.len() > EDGES_COUNTED_MAX || run.plan.cost() == 0 {
        return None;
    }
    let between = rows.first().copied()?..rows.last().copied()?;
    let stretches = rows.array_windows().map(|[start, end]| *start..*end);
    let longest = stretches.max_by_key(ExactSizeIterator::len)?;
    if part.rows() as usize - longest.len() >= between.len() || run.is_remembered(segment) {
        return None;
    }
    let all = count_whole(run, segment)?;
    if all == 0 {
        return Some(vec![0; rows.len()]);
    }
    let [start, end] = [longest.start, longest.end].map(|row| run.ordinals_before(part, row));
    let behind = RowSet::All.minus(&RowSet::of_ranges(end), part.rows());
    let found = resolve_among(run, part, segment, RowSet::of_ranges(start).or(behind));
    let found_len = found.len(part.rows());
    let mut counts = Vec::with_capacity(rows.len());
    for row in rows {
        let before = found.len_among(&run.ordinals_before(part, *row));
        counts.push(match *row <= longest.start {
            true => before,
            false => all.saturating_sub(found_len - before),
        });
    }
    Some(counts)
}
