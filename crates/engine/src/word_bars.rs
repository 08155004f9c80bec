//! How many rows with words stand before some rows of a segment: what bars of words take.
//!
//! They are counted as the index gives them, without making a set of them. Before a few rows the index counts a word
//! itself: a list of its rows is gone through without marking them.

use std::ops::Range;

use segment::TermEntry;
use store::{Part, SegmentHandle};

use crate::evaluate::Members;
use crate::gathered::Gathered;
use crate::limits::EDGES_COUNTED_MAX;
use crate::plan::Plan;
use crate::run::Run;
use crate::word_rows::{rows_of_all, rows_of_any, rows_of_both, terms_of};

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
    let is_inside = |row: u32| 0 < row && row < segment.rows();
    let inside: Vec<u32> = rows.iter().copied().filter(|row| is_inside(*row)).collect();
    let (all, before) = match asked {
        Asked::Term(term) => (
            u64::from(term.rows),
            count_term(run, part, segment, &term, &inside)?,
        ),
        Asked::Either(terms) => count_either(run, part, segment, terms, &inside)?,
        Asked::Rows(found) => (
            found.len(segment.rows()),
            count_found(run, part, &found, &inside),
        ),
    };
    if all == 0 && !is_not {
        run.rule_out();
    }
    let mut before = before.into_iter();
    let matches = rows.iter().map(|row| {
        let found = match row {
            0 => 0,
            row if is_inside(*row) => before.next().unwrap_or_default(),
            _ => all,
        };
        match is_not {
            true => u64::from(*row).saturating_sub(found),
            false => found,
        }
    });
    Some(matches.collect())
}

/// What is asked for.
enum Asked {
    /// The one term that a word is.
    Term(TermEntry),
    /// The two terms that a word is, mostly those of two texts.
    Either([TermEntry; 2]),
    /// These rows: those of a word that is more terms, or that have all, some or none of several words.
    Rows(Gathered),
}

impl Asked {
    /// What a plan asks for; `None` where that is not words alone, or its rows are remembered.
    fn of(plan: &Plan, run: &Run<'_>, segment: &SegmentHandle) -> Option<Self> {
        if let Some(words) = plan.one_term() {
            let terms = terms_of(words, segment).ok()?;
            return match terms.as_slice() {
                [term] => Some(Self::Term(*term)),
                [one, other] => Some(Self::Either([*one, *other])),
                terms => Gathered::of(terms, segment).ok().map(Self::Rows),
            };
        }
        let (Plan::And(members) | Plan::Or(members)) = plan else {
            return None;
        };
        let is_any = matches!(plan, Plan::Or(_));
        let split = Members::of(members);
        let has_opposites = is_any && !split.without.is_empty();
        if !split.others.is_empty() || has_opposites || run.is_remembered(segment) {
            return None;
        }
        let found = match is_any {
            true => rows_of_any(&split.words, segment),
            false => rows_of_all(&split.words, &split.without, segment),
        };
        found.ok().map(Self::Rows)
    }
}

/// How many rows have either of two terms, in all and before each of some rows.
fn count_either(
    run: &mut Run<'_>,
    part: &Part,
    segment: &SegmentHandle,
    terms: [TermEntry; 2],
    rows: &[u32],
) -> Option<(u64, Vec<u64>)> {
    let both = rows_of_both(&terms, segment).ok()?;
    let found = count_found(run, part, &both, rows);
    let counts = terms.map(|term| count_term(run, part, segment, &term, rows));
    let [Some(one), Some(other)] = counts else {
        return None;
    };
    let sum: u64 = terms.iter().map(|term| u64::from(term.rows)).sum();
    let all = sum.saturating_sub(both.len(segment.rows()));
    let before = one.into_iter().zip(other).zip(found);
    let before = before.map(|((one, other), both)| (one + other).saturating_sub(both));
    Some((all, before.collect()))
}

/// How many rows have a term before each of some rows.
fn count_term(
    run: &mut Run<'_>,
    part: &Part,
    segment: &SegmentHandle,
    term: &TermEntry,
    rows: &[u32],
) -> Option<Vec<u64>> {
    if rows.len() <= EDGES_COUNTED_MAX {
        let edges = rows.iter().map(|row| run.ordinals_before(part, *row));
        let edges: Vec<Vec<Range<u32>>> = edges.collect();
        let edges: Vec<&[Range<u32>]> = edges.iter().map(Vec::as_slice).collect();
        return segment.count_ordinals_before(term, &edges).ok();
    }
    let found = Gathered::of(std::slice::from_ref(term), segment).ok()?;
    Some(count_found(run, part, &found, rows))
}

/// How many of the rows that were found are before each of some rows.
fn count_found(run: &mut Run<'_>, part: &Part, found: &Gathered, rows: &[u32]) -> Vec<u64> {
    let before = rows
        .iter()
        .map(|row| found.len_among(&run.ordinals_before(part, *row)));
    before.collect()
}
