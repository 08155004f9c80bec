//! When the records of a segment happened, as their senders say.
//!
//! Records stand in the order of receipt, and clocks are wrong: one sender that is a year ahead would
//! stretch the times of every chunk to a year. So what is remembered of a chunk is the few stretches
//! of time that its records fall into.

use std::ops::Deref;
use std::sync::Arc;

use model::Timestamp;

use super::{Kind, Page, SegmentHandle};
use crate::error::ReadError;
use crate::limits::{TIME_SPAN_GAP_NANOS, TIME_SPANS_MAX};

/// The first and the last time of a stretch, both of a record.
pub type TimeSpan = (Timestamp, Timestamp);

/// The times that senders gave of all rows of a chunk, in the order of the rows.
#[derive(Clone)]
pub struct ChunkTimes(Arc<Vec<Timestamp>>);

impl Deref for ChunkTimes {
    type Target = [Timestamp];

    fn deref(&self) -> &[Timestamp] {
        &self.0
    }
}

impl SegmentHandle {
    /// The times that senders gave, of all rows of a chunk.
    ///
    /// # Errors
    /// When the chunk cannot be read.
    pub fn times(&self, chunk: usize) -> Result<ChunkTimes, ReadError> {
        let entry = self.footer.chunks.get(chunk);
        let entry = entry.ok_or_else(|| self.out_of_range())?;
        let times = self.page(Kind::Times, chunk, || {
            let heads = self.heads_of(chunk, entry, 0..entry.page.rows)?;
            let times = heads.times();
            let times = times.map_err(|error| self.damaged(&entry.page, &error))?;
            Ok(Page::Times(Arc::new(times)))
        })?;
        match times {
            Page::Times(times) => Ok(ChunkTimes(times)),
            _ => Err(self.out_of_range()),
        }
    }

    /// The stretches of time that the rows of a chunk fall into, [`TIME_SPANS_MAX`] at the most, in
    /// order. They are read once and then remembered.
    ///
    /// # Errors
    /// When the chunk cannot be read.
    pub fn time_spans(&self, chunk: usize) -> Result<&[TimeSpan], ReadError> {
        let known = self.time_spans.get(chunk);
        let known = known.ok_or_else(|| self.out_of_range())?;
        if let Some(spans) = known.get() {
            return Ok(spans);
        }
        let spans = spans_of(&self.times(chunk)?);
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
