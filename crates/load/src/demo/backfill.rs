//! The demo's history: records of the hours before the stream begins.

use model::Timestamp;

use crate::demo::stream::Demo;
use crate::random::Random;

/// Pieces of the span for which the rate is taken as constant: a minute in a day.
const PIECES: u64 = 1_440;

/// Lines with times that go up, as many as asked for, spread as the rate has it.
#[derive(Debug)]
pub struct Backfill {
    demo: Demo,
    random: Random,
    start: Timestamp,
    piece_nanos: i64,
    /// How many lines are done when a piece ends.
    ends: Vec<u64>,
    piece: usize,
    done: u64,
}

impl Backfill {
    /// `records` lines that `demo` would have made in the 24 hours before `end`, however many that
    /// would have been.
    pub fn new(demo: Demo, end: Timestamp, records: u64) -> Self {
        let span_nanos = 86_400 * 1_000_000_000;
        let piece_nanos = span_nanos / PIECES as i64;
        let start = end.plus_nanos(-span_nanos);
        let mut sum = 0.0;
        let sums: Vec<f64> = (0..PIECES as i64)
            .map(|piece| {
                let middle = start.plus_nanos(piece * piece_nanos + piece_nanos / 2);
                sum += demo.rate().at(middle);
                sum
            })
            .collect();
        let share = |part: &f64| (part / sum.max(1e-9) * records as f64).round() as u64;
        Self {
            random: Random::new(records ^ 0x5bf0_3635),
            demo,
            start,
            piece_nanos,
            ends: sums.iter().map(share).collect(),
            piece: 0,
            done: 0,
        }
    }

    /// Appends the next line, without a line end, and says when it was written; `None` after the
    /// last.
    pub fn next_line(&mut self, out: &mut Vec<u8>) -> Option<Timestamp> {
        while *self.ends.get(self.piece)? <= self.done {
            self.piece += 1;
        }
        let end = *self.ends.get(self.piece)?;
        let before = self
            .piece
            .checked_sub(1)
            .and_then(|piece| self.ends.get(piece));
        let begin = before.copied().unwrap_or(0);
        // Each line has an equal part of the piece and stands anywhere in it: times go up.
        let part = ((self.done - begin) as f64 + self.random.unit()) / (end - begin) as f64;
        let within = (part * self.piece_nanos as f64) as i64;
        let time = self
            .start
            .plus_nanos(self.piece as i64 * self.piece_nanos + within);
        self.done += 1;
        self.demo.next_line(time, out);
        Some(time)
    }

    /// The stream, to go on with where the history ends.
    pub fn into_demo(self) -> Demo {
        self.demo
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_has_its_number_of_lines_in_order_of_time() {
        let end = Timestamp::from_seconds(1_795_287_600);
        let start = end.plus_nanos(-86_400_000_000_000);
        for records in [0, 1, 7, 1_439, 5_000] {
            let mut backfill = Backfill::new(Demo::new(1), end, records);
            let (mut out, mut times) = (Vec::new(), Vec::new());
            while let Some(time) = backfill.next_line(&mut out) {
                out.push(b'\n');
                times.push(time);
            }
            assert_eq!(times.len() as u64, records);
            assert_eq!(
                out.iter().filter(|byte| **byte == b'\n').count() as u64,
                records
            );
            assert!(times.is_sorted());
            assert!(times.iter().all(|time| (start..end).contains(time)));
        }
    }

    #[test]
    fn history_shows_night_day_and_incidents() {
        let end = Timestamp::from_seconds(1_795_305_600);
        let mut backfill = Backfill::new(Demo::new(1), end, 30_000);
        let mut bars = vec![0_u32; 24 * 12];
        let mut out = Vec::new();
        while let Some(time) = backfill.next_line(&mut out) {
            let bar = (time.nanos() / 1_000_000_000).rem_euclid(86_400) / 300;
            bars[usize::try_from(bar).expect("small")] += 1;
            out.clear();
        }
        let mut sorted = bars.clone();
        sorted.sort_unstable();
        let median = sorted[sorted.len() / 2];
        let most = sorted[sorted.len() - 1];
        assert!(most > 3 * median, "{most} {median}");
        let hour = |hour: usize| bars[hour * 12..][..12].iter().min().copied();
        assert!(hour(3) < hour(10));
    }
}
