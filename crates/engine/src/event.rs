//! Rows by the time that their senders gave, which the order of rows says nothing of.

use std::ops::Range;
use std::sync::Arc;

use model::{TimeRange, Timestamp};
use store::{ChunkTimes, Part, SegmentHandle, TailChunk, TimeSpan};

use crate::row_set::RowSet;
use crate::run::Run;

/// The times of some consecutive rows of a part.
pub(crate) struct Times {
    first: u32,
    of: TimesOf,
}

enum TimesOf {
    Chunk(ChunkTimes),
    Tail(Arc<TailChunk>),
}

impl Times {
    /// Of a piece of a part; `None`, and a note, where they cannot be read.
    pub(crate) fn read(run: &mut Run<'_>, part: &Part, piece: usize) -> Option<Self> {
        let first = rows_of(part, piece).start;
        let of = match part {
            Part::Tail(chunk) => TimesOf::Tail(Arc::clone(chunk)),
            Part::Segment(segment) => match segment.times(piece) {
                Ok(times) => TimesOf::Chunk(times),
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
            TimesOf::Chunk(times) => times.get(index).copied(),
            TimesOf::Tail(chunk) => chunk.batch.heads().get(index).map(|head| head.time),
        }
    }
}

/// How many pieces a part has whose times are read together.
pub(crate) fn pieces(part: &Part) -> usize {
    match part {
        Part::Segment(segment) => segment.chunks(),
        Part::Tail(_) => 1,
    }
}

/// The rows of a piece of a part.
pub(crate) fn rows_of(part: &Part, piece: usize) -> Range<u32> {
    match part {
        Part::Segment(segment) => segment.chunk_rows(piece),
        Part::Tail(_) => 0..part.rows(),
    }
}

/// The stretches of time that the rows of a chunk fall into; none, and a note, where they cannot be
/// read.
pub(crate) fn spans<'s>(
    run: &mut Run<'_>,
    segment: &'s SegmentHandle,
    chunk: usize,
) -> &'s [TimeSpan] {
    segment.time_spans(chunk).unwrap_or_else(|error| {
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
        let rows = rows_of(part, piece);
        if among.first_within(&rows).is_none() {
            continue;
        }
        if run.is_stopped() {
            break;
        }
        if let Part::Segment(segment) = part {
            let spans = spans(run, segment, piece);
            if spans
                .iter()
                .all(|(first, last)| range.covers(*first, *last))
                && !spans.is_empty()
            {
                found.extend(among.first_rows(&rows, usize::MAX));
                continue;
            }
            if !spans
                .iter()
                .any(|(first, last)| range.overlaps(*first, *last))
            {
                continue;
            }
        }
        let Some(times) = Times::read(run, part, piece) else {
            continue;
        };
        let is_within = |row: u32| times.of(row).is_some_and(|time| range.contains(time));
        let own = run.seated(part, &among.first_rows(&rows, usize::MAX));
        let within = own.into_iter().filter(|(row, _)| is_within(*row));
        let mut seats: Vec<u32> = within.map(|(_, seat)| seat).collect();
        seats.sort_unstable();
        found.append(&mut seats);
    }
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
        let rows = rows_of(part, piece);
        if set.first_within(&rows).is_none() {
            continue;
        }
        if run.is_stopped() {
            break;
        }
        if let Part::Segment(segment) = part
            && let &[(first, last)] = spans(run, segment, piece)
            && bar_of(first) == bar_of(last)
        {
            let bar = bar_of(first).and_then(|bar| counts.get_mut(bar));
            if let Some(count) = bar {
                *count += set.len_within(&rows);
            }
            continue;
        }
        let Some(times) = Times::read(run, part, piece) else {
            continue;
        };
        for (row, _) in run.seated(part, &set.first_rows(&rows, usize::MAX)) {
            let bar = times.of(row).and_then(bar_of);
            if let Some(count) = bar.and_then(|bar| counts.get_mut(bar)) {
                *count += 1;
            }
        }
    }
}
