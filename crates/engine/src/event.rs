//! Rows by the time that their senders gave, which the order of rows says nothing of.

use std::ops::Range;
use std::sync::Arc;

use model::{TimeRange, Timestamp};
use store::{Part, RowTimes, SegmentHandle, TailChunk, TimeSpan};

use crate::part::piece_around;
use crate::row_set::RowSet;
use crate::run::Run;

/// The times of some consecutive rows of a part.
pub(crate) struct Times {
    first: u32,
    of: TimesOf,
}

enum TimesOf {
    Rows(RowTimes),
    Tail(Arc<TailChunk>),
}

impl Times {
    /// Of a piece of a part; `None`, and a note, where they cannot be read.
    pub(crate) fn read(run: &mut Run<'_>, part: &Part, piece: usize) -> Option<Self> {
        let first = rows_of(part, piece).start;
        let of = match part {
            Part::Tail(chunk) => TimesOf::Tail(Arc::clone(chunk)),
            Part::Segment(segment) => match segment.times(piece) {
                Ok(times) => TimesOf::Rows(times),
                Err(error) => {
                    run.missed(&error);
                    return None;
                }
            },
        };
        Some(Self { first, of })
    }

    /// The time of a row.
    pub(crate) fn of(&self, row: u32) -> Option<Timestamp> {
        let index = row.checked_sub(self.first)? as usize;
        match &self.of {
            TimesOf::Rows(times) => times.get(index).copied(),
            TimesOf::Tail(chunk) => chunk.batch.heads().get(index).map(|head| head.time),
        }
    }
}

/// How many pieces a part has whose times are read together.
pub(crate) fn pieces(part: &Part) -> usize {
    match part {
        Part::Segment(segment) => segment.timed_rows(),
        Part::Tail(_) => 1,
    }
}

/// The rows of a piece of a part.
fn rows_of(part: &Part, piece: usize) -> Range<u32> {
    match part {
        Part::Segment(segment) => segment.timed(piece),
        Part::Tail(_) => 0..part.rows(),
    }
}

/// Whether a set may have rows of a piece of a part: it has some of its chunk.
pub(crate) fn may_have(part: &Part, piece: usize, set: &RowSet) -> bool {
    let rows = rows_of(part, piece);
    let ordinals = match part {
        Part::Segment(_) => piece_around(part, rows.start),
        Part::Tail(_) => rows,
    };
    set.first_within(&ordinals).is_some()
}

/// The rows of a piece of a part that are in a set.
pub(crate) fn own_rows(run: &mut Run<'_>, part: &Part, piece: usize, set: &RowSet) -> RowSet {
    let own = run.ordinals_of(part, &rows_of(part, piece));
    own.and(set.clone())
}

/// The stretches of time that the rows of a piece fall into; none, and a note, where they cannot be
/// read.
pub(crate) fn spans<'s>(
    run: &mut Run<'_>,
    segment: &'s SegmentHandle,
    piece: usize,
) -> &'s [TimeSpan] {
    segment.time_spans(piece).unwrap_or_else(|error| {
        run.missed(&error);
        &[]
    })
}

/// The rows of a part that happened within a range, of those in a set.
pub(crate) fn rows_within(
    run: &mut Run<'_>,
    part: &Part,
    range: TimeRange,
    among: &RowSet,
) -> RowSet {
    let mut found = Vec::new();
    for piece in 0..pieces(part) {
        if !may_have(part, piece, among) {
            continue;
        }
        if run.is_stopped() {
            break;
        }
        let mut is_covered = false;
        if let Part::Segment(segment) = part {
            let spans = spans(run, segment, piece);
            let is_within = |(first, last): &TimeSpan| range.covers(*first, *last);
            is_covered = spans.iter().all(is_within) && !spans.is_empty();
            if !spans
                .iter()
                .any(|(first, last)| range.overlaps(*first, *last))
            {
                continue;
            }
        }
        let own = own_rows(run, part, piece, among);
        let own = own.first_rows(&(0..part.rows()), usize::MAX);
        if is_covered {
            found.extend(own);
            continue;
        }
        let Some(times) = Times::read(run, part, piece) else {
            continue;
        };
        let is_within = |row: u32| times.of(row).is_some_and(|time| range.contains(time));
        let own = run.at_ordinals(part, &own).into_iter();
        found.extend(
            own.filter(|(row, _)| is_within(*row))
                .map(|(_, ordinal)| ordinal),
        );
    }
    found.sort_unstable();
    RowSet::from_sorted(&found)
}

/// Adds the rows of a set to bars, of which the edges are given: one more than bars.
pub(crate) fn add_to_bars(
    run: &mut Run<'_>,
    part: &Part,
    set: &RowSet,
    edges: &[Timestamp],
    counts: &mut [u64],
) {
    let bar_of = |time: Timestamp| edges.partition_point(|edge| *edge <= time).checked_sub(1);
    for piece in 0..pieces(part) {
        if !may_have(part, piece, set) {
            continue;
        }
        if run.is_stopped() {
            break;
        }
        let own = own_rows(run, part, piece, set);
        if let Part::Segment(segment) = part
            && let &[(first, last)] = spans(run, segment, piece)
            && bar_of(first) == bar_of(last)
        {
            let bar = bar_of(first).and_then(|bar| counts.get_mut(bar));
            if let Some(count) = bar {
                *count += own.len(part.rows());
            }
            continue;
        }
        let Some(times) = Times::read(run, part, piece) else {
            continue;
        };
        let own = own.first_rows(&(0..part.rows()), usize::MAX);
        for (row, _) in run.at_ordinals(part, &own) {
            let bar = times.of(row).and_then(bar_of);
            if let Some(count) = bar.and_then(|bar| counts.get_mut(bar)) {
                *count += 1;
            }
        }
    }
}
