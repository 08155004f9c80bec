//! How many rows with a word stand before some rows of a segment: what bars of one word take.
//!
//! They are counted as the index gives them, without making a set of them. And how many there are in all is
//! known, so that those of one stretch between two of the rows, the longest, are the others' rest: where
//! columns tell the word, those of that stretch are not read.

use std::ops::Range;

use store::Part;

use crate::gathered::Gathered;
use crate::plan::Plan;
use crate::run::Run;
use crate::word_rows::terms_of;

/// How many rows of a part match before each of some rows, which ascend; `None` where something else is asked
/// for than a word, or that it is not there, and where the index cannot tell.
pub(crate) fn count_before(run: &mut Run<'_>, part: &Part, rows: &[u32]) -> Option<Vec<u64>> {
    let Part::Segment(segment) = part else {
        return None;
    };
    let (words, is_not) = match &run.plan {
        Plan::Not(inner) => (inner.one_term(segment)?, true),
        plan => (plan.one_term(segment)?, false),
    };
    let terms = terms_of(words, segment).ok()?;
    if terms.is_empty() && !is_not {
        run.rule_out();
    }
    let gap = match terms.as_slice() {
        [term] if segment.is_told_by_columns(term) => Gap::of(run, part, rows),
        _ => Gap::default(),
    };
    let found = Gathered::of_wanted(&terms, segment, &|seats| !gap.holds(seats)).ok()?;
    let all = match terms.as_slice() {
        [term] => term.rows.into(),
        _ => found.len(segment.rows()),
    };
    // Those behind the gap, as far as they are found: what is in it is not.
    let found_in_all = if gap.is_none() {
        all
    } else {
        found.len(segment.rows())
    };
    let before = rows.iter().map(|row| {
        if *row >= segment.rows() {
            return all;
        }
        let before = found.len_among(&gap.seats_before(run, part, *row));
        match gap.rows.end <= *row {
            true => all.saturating_sub(found_in_all.saturating_sub(before)),
            false => before,
        }
    });
    let before = before.zip(rows).map(|(before, row)| match is_not {
        true => u64::from(*row).saturating_sub(before),
        false => before,
    });
    Some(before.collect())
}

/// A stretch of rows whose columns need not be read.
#[derive(Default)]
struct Gap {
    rows: Range<u32>,
    /// The seats of the rows before it.
    before: Vec<Range<u32>>,
    /// The seats of the rows up to its end.
    until: Vec<Range<u32>>,
}

impl Gap {
    /// The longest stretch between two of some rows of a part, which ascend, and to its ends.
    fn of(run: &mut Run<'_>, part: &Part, rows: &[u32]) -> Self {
        let starts = [0].iter().chain(rows);
        let ends = rows.iter().copied().chain([part.rows()]);
        let stretches = starts.zip(ends).map(|(start, end)| *start..end);
        let rows = stretches.max_by_key(Range::len).unwrap_or_default();
        Self {
            before: run.seats_before(part, rows.start),
            until: run.seats_before(part, rows.end),
            rows,
        }
    }

    fn is_none(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the seats of a range, all of rows of one kind, are those of rows in it.
    fn holds(&self, seats: &Range<u32>) -> bool {
        !self.is_none()
            && common(&self.before, seats) == 0
            && common(&self.until, seats) == seats.len()
    }

    /// The seats of the rows of a part before one.
    fn seats_before(&self, run: &mut Run<'_>, part: &Part, row: u32) -> Vec<Range<u32>> {
        match row {
            _ if self.is_none() => run.seats_before(part, row),
            row if row == self.rows.start => self.before.clone(),
            row if row == self.rows.end => self.until.clone(),
            row => run.seats_before(part, row),
        }
    }
}

/// How many seats of a range are in some ranges, which ascend and do not overlap.
fn common(ranges: &[Range<u32>], seats: &Range<u32>) -> usize {
    let first = ranges.partition_point(|range| range.end <= seats.start);
    let own = ranges.iter().skip(first);
    let own = own.take_while(|range| range.start < seats.end);
    own.map(|range| (range.start.max(seats.start)..range.end.min(seats.end)).len())
        .sum()
}
