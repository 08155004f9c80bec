//! When the records of a segment happened, as their senders say.
//!
//! Records stand in the order of receipt, and clocks are wrong: one sender that is a year ahead would
//! stretch the times of all records around its own to a year. So what is remembered of some records behind
//! each other is the few stretches of time that they fall into.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use model::Timestamp;
use segment::ChunkEntry;

use super::{Kind, Page, SegmentHandle};
use crate::error::ReadError;
use crate::limits::{TIME_SPAN_GAP_NANOS, TIME_SPANS_MAX, TIMED_ROWS};

/// The first and the last time of a stretch, both of a record.
pub type TimeSpan = (Timestamp, Timestamp);

/// The times that senders gave of rows that are read together, in their order.
#[derive(Clone)]
pub struct RowTimes(Arc<Vec<Timestamp>>);

/// Rows whose times are read together.
pub(super) struct TimedRows {
    chunk: usize,
    /// Counted from the first of the segment.
    rows: Range<u32>,
    /// The stretches of time that they fall into, where that was asked for.
    spans: OnceLock<Box<[TimeSpan]>>,
}

impl TimedRows {
    /// Those of some chunks.
    pub(super) fn of(chunks: &[ChunkEntry]) -> Box<[Self]> {
        let of_chunk = |(chunk, entry): (usize, &ChunkEntry)| {
            let first = entry.page.first_row;
            let end = first.saturating_add(entry.page.rows);
            (first..end)
                .step_by(TIMED_ROWS as usize)
                .map(move |start| Self {
                    chunk,
                    rows: start..start.saturating_add(TIMED_ROWS).min(end),
                    spans: OnceLock::new(),
                })
        };
        chunks.iter().enumerate().flat_map(of_chunk).collect()
    }
}

impl Deref for RowTimes {
    type Target = [Timestamp];

    fn deref(&self) -> &[Timestamp] {
        &self.0
    }
}

impl SegmentHandle {
    /// How many stretches of rows there are whose times are read together.
    pub fn timed_rows(&self) -> usize {
        self.timed_rows.len()
    }

    /// Such a stretch by its number: the rows of a chunk, or a part of them where these are many.
    pub fn timed(&self, number: usize) -> Range<u32> {
        let timed = self.timed_rows.get(number);
        timed.map_or(0..0, |timed| timed.rows.clone())
    }

    /// The times that senders gave, of the rows of such a stretch.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn times(&self, number: usize) -> Result<RowTimes, ReadError> {
        let timed = self.timed_rows.get(number);
        let timed = timed.ok_or_else(|| self.out_of_range())?;
        let entry = self.footer.chunks.get(timed.chunk);
        let entry = entry.ok_or_else(|| self.out_of_range())?;
        let times = self.page(Kind::Times, number, || {
            let first = entry.page.first_row;
            let own = timed.rows.start - first..timed.rows.end - first;
            let heads = self.heads_of(timed.chunk, entry, own.clone())?;
            let times = heads.times(own);
            let times = times.map_err(|error| self.damaged(&entry.page, &error))?;
            Ok(Page::Times(Arc::new(times)))
        })?;
        match times {
            Page::Times(times) => Ok(RowTimes(times)),
            _ => Err(self.out_of_range()),
        }
    }

    /// The stretches of time that these rows fall into, [`TIME_SPANS_MAX`] at the most, in order. They are
    /// read once and then remembered.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn time_spans(&self, number: usize) -> Result<&[TimeSpan], ReadError> {
        let timed = self.timed_rows.get(number);
        let known = &timed.ok_or_else(|| self.out_of_range())?.spans;
        if let Some(spans) = known.get() {
            return Ok(spans);
        }
        let spans = spans_of(&self.times(number)?);
        Ok(known.get_or_init(|| spans))
    }
}

/// The stretches between the widest gaps.
fn spans_of(times: &[Timestamp]) -> Box<[TimeSpan]> {
    let mut times = times.to_vec();
    // Nearly sorted, which the sort makes use of.
    times.sort();
    times.dedup();
    let gap = |pair: &[Timestamp]| match pair {
        [one, two] => two.nanos().saturating_sub(one.nanos()),
        _ => 0,
    };
    let gaps = times.windows(2).map(gap).enumerate();
    let mut widest: Vec<(i64, usize)> = gaps
        .filter(|(_, width)| *width >= TIME_SPAN_GAP_NANOS)
        .map(|(index, width)| (width, index + 1))
        .collect();
    widest.sort_unstable_by_key(|(width, _)| std::cmp::Reverse(*width));
    let mut cuts: Vec<usize> = widest.iter().map(|(_, cut)| *cut).collect();
    cuts.truncate(TIME_SPANS_MAX - 1);
    cuts.sort_unstable();
    cuts.push(times.len());
    let mut start = 0;
    let spans = cuts.into_iter().filter_map(|end| {
        let own = times.get(start..end)?;
        start = end;
        Some((*own.first()?, *own.last()?))
    });
    spans.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000_000_000;

    fn spans(times: &[i64]) -> Vec<(i64, i64)> {
        let times: Vec<_> = times.iter().map(|t| Timestamp::from_nanos(*t)).collect();
        let spans = spans_of(&times);
        spans.iter().map(|(a, b)| (a.nanos(), b.nanos())).collect()
    }

    #[test]
    fn wrong_clocks_have_stretches_of_their_own() {
        assert_eq!(spans(&[5, 3, 3, 9]), [(3, 9)]);
        let (past, future) = (-9_000 * HOUR, 9_000 * HOUR);
        let times = [7, future, 3, past, future + 1, 5];
        assert_eq!(spans(&times), [(past, past), (3, 7), (future, future + 1)]);
        assert_eq!(spans(&[i64::MIN, i64::MAX]).len(), 2);
        assert!(spans(&[]).is_empty());
    }

    #[test]
    fn there_are_few_stretches_however_wild_the_clocks_are() {
        let times: Vec<i64> = (0..100).map(|n| n * n * HOUR).collect();
        let spans = spans(&times);
        assert_eq!(spans.len(), TIME_SPANS_MAX);
        let inside = |t: &i64| spans.iter().any(|(a, b)| a <= t && t <= b);
        assert!(times.iter().all(inside));
        assert_eq!(spans.last(), Some(&(99 * 99 * HOUR, 99 * 99 * HOUR)));
    }
}
