//! How many rows with words stand before some rows of a segment: what bars of words take.
//!
//! They are counted as the index gives them, without making a set of them. And how many have one word is
//! known, so that those of one stretch between two of the rows, the longest, are the others' rest: where
//! columns tell the word, those of that stretch are not read.

use std::ops::Range;

use segment::TermEntry;
use store::{Part, SegmentHandle};

use crate::evaluate::Members;
use crate::gathered::Gathered;
use crate::plan::Plan;
use crate::run::Run;
use crate::word_rows::{rows_of_all, rows_of_any, terms_of};

/// How many rows of a part match before each of some rows, which ascend; `None` where something else is asked
/// for than words, and where the index cannot tell.
pub(crate) fn count_before(run: &mut Run<'_>, part: &Part, rows: &[u32]) -> Option<Vec<u64>> {
    let Part::Segment(segment) = part else {
        return None;
    };
    let (asked, is_not) = match &run.plan {
        Plan::Not(inner) => (Asked::of(inner, run, segment)?, true),
        plan => (Asked::of(plan, run, segment)?, false),
    };
    let gap = match &asked {
        Asked::Word(terms) => Gap::of(run, part, terms, rows),
        Asked::Words(_) => Gap::default(),
    };
    let (found, all) = asked.find(segment, &gap)?;
    if all == 0 && !is_not {
        run.rule_out();
    }
    // All but those in the gap, of which some are not found.
    let found_in_all = match gap.is_none() {
        true => all,
        false => found.len(segment.rows()),
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

/// What is asked for.
enum Asked {
    /// A word, which these terms are in the texts it is looked for in.
    Word(Vec<TermEntry>),
    /// All, some or none of several, whose rows are these.
    Words(Gathered),
}

impl Asked {
    /// What a plan asks for; `None` where that is not words alone, or its rows are remembered.
    fn of(plan: &Plan, run: &Run<'_>, segment: &SegmentHandle) -> Option<Self> {
        if let Some(words) = plan.one_term(segment) {
            return terms_of(words, segment).ok().map(Self::Word);
        }
        let (Plan::And(members) | Plan::Or(members)) = plan else {
            return None;
        };
        let is_any = matches!(plan, Plan::Or(_));
        let split = Members::of(members, segment);
        let are_words = split.others.is_empty() && !(is_any && !split.without.is_empty());
        if !are_words || run.is_remembered(segment) {
            return None;
        }
        let found = match is_any {
            true => rows_of_any(&split.words, segment),
            false => rows_of_all(&split.words, &split.without, segment),
        };
        found.ok().map(Self::Words)
    }

    /// Its rows, of which some in the gap may be left out, and how many there are in all.
    fn find(self, segment: &SegmentHandle, gap: &Gap) -> Option<(Gathered, u64)> {
        let (found, all) = match self {
            Self::Words(found) => (found, None),
            Self::Word(terms) => {
                let found = Gathered::of_wanted(&terms, segment, &|seats| !gap.holds(seats));
                let all = match terms.as_slice() {
                    [term] => Some(term.rows.into()),
                    _ => None,
                };
                (found.ok()?, all)
            }
        };
        let all = all.unwrap_or_else(|| found.len(segment.rows()));
        Some((found, all))
    }
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
    /// The longest stretch between two of some rows of a part, which ascend, and to its ends; none where no
    /// column has to be read for the terms, or there are several.
    fn of(run: &mut Run<'_>, part: &Part, terms: &[TermEntry], rows: &[u32]) -> Self {
        let is_dear = match (part, terms) {
            (Part::Segment(segment), [term]) => segment.is_told_by_columns(term),
            _ => false,
        };
        if !is_dear {
            return Self::default();
        }
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
