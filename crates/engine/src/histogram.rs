//! How many records match in each of many equal stretches of time.

use std::sync::Mutex;

use model::{TimeRange, Timestamp};
use query::Query;
use store::{Part, ReadError};

use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::count_by_index::count_whole;
use crate::event::add_to_bars;
use crate::limits::HISTOGRAM_BARS_MAX;
use crate::memory::CountedBy;
use crate::parallel::{each_part, locked, unlocked};
use crate::part::row_at;
use crate::plan::Plan;
use crate::resolve::{resolve, resolve_within};
use crate::rest_bars;
use crate::row_set::RowSet;
use crate::run::Run;
use crate::scope::Scope;
use crate::time_kind::{TimeKind, When};
use crate::word_bars;

/// Counts over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// From the start of the first bar to the end of the last.
    pub range: TimeRange,
    /// The bars, in order. Their lengths differ by a nanosecond at most.
    pub bars: Vec<Bar>,
    /// The sum of the bars.
    pub total: u64,
    /// What it cost.
    pub cost: Cost,
    /// Whether all were counted.
    pub completeness: Completeness,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Where it starts; it ends where the next one starts.
    pub start: Timestamp,
    /// How many records that match are in it.
    pub count: u64,
}

/// Bars that are being counted.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    edges: &'a [Timestamp],
    counts: &'a [u64],
}

impl Counted<'_> {
    /// The bars as far as they are counted.
    pub fn bars(&self) -> impl Iterator<Item = Bar> {
        let bars = self.edges.iter().zip(self.counts);
        bars.map(|(start, count)| Bar {
            start: *start,
            count: *count,
        })
    }
}

/// Cuts the range of the scope into bars, [`HISTOGRAM_BARS_MAX`] at the most, and counts the
/// records that match in each. An empty range has no bars. See [`Scope::stored_range`] for a range
/// where none was given.
pub fn histogram(scope: &Scope, query: &Query, bars: usize, cancel: &Cancel) -> Histogram {
    histogram_watched(scope, query, bars, cancel, &mut |_| ())
}

/// The same, for whoever wants to see it grow: `watch` is called with the bars as far as they are
/// counted, behind each part of the store. The newest parts are counted first.
pub fn histogram_watched(
    scope: &Scope,
    query: &Query,
    bars: usize,
    cancel: &Cancel,
    watch: &mut (dyn FnMut(Counted<'_>) + Send),
) -> Histogram {
    let mut run = Run::new(&scope.snapshots, query, cancel);
    let edges = edges(scope.range, bars.min(HISTOGRAM_BARS_MAX));
    let none = vec![0; edges.len().saturating_sub(1)];
    let growing = Mutex::new((none.clone(), watch));
    let add = |run: &mut Run<'_>, own: &mut Vec<u64>, part: &Part| {
        own.fill(0);
        let added = match scope.time {
            TimeKind::Received => add_part(run, part, &edges, own),
            TimeKind::Event => {
                add_by_event(run, part, scope.when(), &edges, own);
                Ok(())
            }
        };
        if let Err(error) = added {
            run.missed(&error);
        }
        let mut growing = locked(&growing);
        let (counts, watch) = &mut *growing;
        for (count, more) in counts.iter_mut().zip(own) {
            *count += *more;
        }
        watch(Counted {
            edges: &edges,
            counts,
        });
    };
    let parts: Vec<&Part> = scope.parts().map(|(_, part)| part).collect();
    let newest_first: Vec<&Part> = parts.into_iter().rev().collect();
    each_part(&mut run, query, newest_first, || none.clone(), add);
    let (counts, _) = unlocked(growing);
    let (cost, completeness) = run.finish();
    let counted = Counted {
        edges: &edges,
        counts: &counts,
    };
    Histogram {
        range: scope.range,
        bars: counted.bars().collect(),
        total: counts.iter().sum(),
        cost,
        completeness,
    }
}

/// The starts of the bars, and the end of the last.
pub(crate) fn edges(range: TimeRange, bars: usize) -> Vec<Timestamp> {
    if range.is_empty() || bars == 0 {
        return Vec::new();
    }
    let start = i128::from(range.start.nanos());
    let length = i128::from(range.end.nanos()) - start;
    let bars = bars as i128;
    (0..=bars)
        .map(|index| {
            let nanos = start + length * index / bars;
            Timestamp::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX))
        })
        .collect()
}

/// Adds the rows of a part to the bars that their senders' times fall into.
fn add_by_event(
    run: &mut Run<'_>,
    part: &Part,
    when: When,
    edges: &[Timestamp],
    counts: &mut [u64],
) {
    run.touch(part);
    let (first, last) = when.kind.bounds(part);
    let bar_of = |time: Timestamp| edges.partition_point(|edge| *edge <= time).checked_sub(1);
    if let Part::Segment(segment) = part
        && let (Some(bar), true) = (bar_of(first), bar_of(first) == bar_of(last))
        && let Some(count) = counts.get_mut(bar)
        && let Some(matches) = count_whole(run, segment)
    {
        *count += matches;
        return;
    }
    let set = resolve_within(run, part, when);
    add_to_bars(run, part, &set, edges, counts);
}

/// Adds the rows of a part to the bars. The time of a row is not looked at: rows are in order, so
/// an edge falls between two rows, and a bar is a range of them.
fn add_part(
    run: &mut Run<'_>,
    part: &Part,
    edges: &[Timestamp],
    counts: &mut [u64],
) -> Result<(), ReadError> {
    run.touch(part);
    let (first, last) = (part.first_received(), part.last_received());
    // The bars from the one that holds the first record to the one that holds the last.
    let from = edges
        .partition_point(|edge| *edge <= first)
        .saturating_sub(1);
    let until = edges
        .partition_point(|edge| *edge <= last)
        .min(counts.len());
    let (Some(edges), Some(counts)) = (edges.get(from..=until), counts.get_mut(from..until)) else {
        return Ok(());
    };
    let is_inside = edges.first().is_some_and(|start| *start <= first)
        && edges.last().is_some_and(|end| last < *end);
    if let ([count], true, Part::Segment(segment)) = (&mut *counts, is_inside, part)
        && let Some(matches) = count_whole(run, segment)
    {
        *count += matches;
        return Ok(());
    }
    let rows = edges
        .iter()
        .map(|edge| row_at(part, *edge))
        .collect::<Result<Vec<_>, _>>()?;
    let before = matches_before(run, part, &rows);
    for (count, bar) in counts.iter_mut().zip(before.windows(2)) {
        if let &[before_start, before_end] = bar {
            *count += before_end - before_start;
        }
    }
    Ok(())
}

/// How many rows match before each of some rows, which ascend; those before the first of them may be left out of all.
/// Asked again, that is remembered.
fn matches_before(run: &mut Run<'_>, part: &Part, rows: &[u32]) -> Vec<u64> {
    let (Some(start), Some(end)) = (rows.first(), rows.last()) else {
        return Vec::new();
    };
    let by = CountedBy::RowsBefore(rows);
    let asked = match (part, &run.plan) {
        (_, Plan::All | Plan::Nothing) | (Part::Tail(_), _) => None,
        (Part::Segment(segment), _) => Some(segment),
    };
    if let Some(counts) = asked.and_then(|segment| run.counts_in(segment, by)) {
        return counts.into_iter().map(|(_, count)| count).collect();
    }
    let before = count_by_index(run, part, rows).unwrap_or_else(|| {
        let set = resolve(run, part, &(*start..*end));
        count_before(run, part, &set, rows)
    });
    if let Some(segment) = asked {
        run.remember_counts(segment, by, before.iter().map(|count| (&[][..], *count)));
    }
    before
}

/// The same where the index tells. Columns are read where as few rows as can be are left to be told.
fn count_by_index(run: &mut Run<'_>, part: &Part, rows: &[u32]) -> Option<Vec<u64>> {
    let by_index = word_bars::count_before(run, part, rows);
    by_index.or_else(|| rest_bars::count_before(run, part, rows))
}

/// How many rows of a set stand before each of some rows, which ascend.
fn count_before(run: &mut Run<'_>, part: &Part, set: &RowSet, rows: &[u32]) -> Vec<u64> {
    let before = rows.iter().map(|row| match set {
        RowSet::All => u64::from(*row),
        set if *row >= part.rows() => set.len(part.rows()),
        set => set.len_among(&run.ordinals_before(part, *row)),
    });
    before.collect()
}
