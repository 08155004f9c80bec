//! Batches of framed messages for one connection, no earlier than they are due.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::Timestamp;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::account::Account;
use super::framing::Framer;
use super::pace::Schedule;
use crate::Source;
use crate::limits::{CLOSE_TIMEOUT, LATE_MAX, STUCK_MAX};

/// Which times messages are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// That of the clock, read once for each batch.
    #[default]
    Clock,
    /// Those of a range, evenly, over all messages of the run.
    Range {
        /// Of the first message.
        start: Timestamp,
        /// Behind the last one.
        end: Timestamp,
    },
}

/// Framed messages, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    /// Where each message ends.
    pub(super) ends: Vec<usize>,
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// The messages with their frames.
    pub(super) fn messages(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let message = self.bytes.get(start..*end).unwrap_or_default();
            start = *end;
            message
        })
    }

    /// How many messages lie wholly in the first bytes, and how many bytes these messages have.
    pub(super) fn whole_in(&self, bytes: usize) -> (usize, usize) {
        let messages = self.ends.partition_point(|end| *end <= bytes);
        let end = messages.checked_sub(1).and_then(|last| self.ends.get(last));
        (messages, end.copied().unwrap_or(0))
    }
}

/// Whether there is something to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// So many messages.
    Now(u64),
    /// Nothing before this time.
    At(Instant),
    /// Nothing any more.
    Never,
}

/// What one connection is to send.
pub(super) struct Feed {
    pub(super) source: Box<dyn Source>,
    pub(super) framer: Framer,
    pub(super) schedule: Schedule,
    pub(super) times: Times,
    /// Messages of this connection; `None` for no end.
    pub(super) limit: Option<u64>,
    pub(super) duration: Option<Duration>,
    pub(super) start: Instant,
    /// Which of the run's messages are ours: `share`, `share + of`, and so on, of `all`.
    pub(super) share: u64,
    pub(super) of: u64,
    pub(super) all: u64,
    pub(super) made: u64,
    pub(super) is_dry: bool,
    pub(super) account: Account,
    pub(super) stop: CancellationToken,
}

impl Feed {
    /// Whether there is something to send now.
    pub(super) fn due(&self) -> Due {
        if self.is_dry || self.stop.is_cancelled() {
            return Due::Never;
        }
        let elapsed = self.start.elapsed();
        let mut left = self
            .limit
            .map_or(u64::MAX, |limit| limit.saturating_sub(self.made));
        if let Some(duration) = self.duration {
            let is_paced = self.schedule.is_paced();
            let late = if is_paced { LATE_MAX } else { Duration::ZERO };
            if elapsed >= duration + late {
                return Due::Never;
            }
            // What is due at the very end is the next run's.
            let last = duration.saturating_sub(Duration::from_nanos(1));
            left = left.min(self.schedule.due(last).saturating_sub(self.made));
        }
        if left == 0 {
            return Due::Never;
        }
        match self.schedule.due(elapsed).saturating_sub(self.made) {
            0 => Due::At(self.start + self.schedule.time_of(self.made)),
            due => Due::Now(due.min(left)),
        }
    }

    /// Waits until something is due and fills the batch. `false` at the end.
    pub(super) async fn next_batch(&mut self, batch: &mut Batch, bytes_max: usize) -> bool {
        loop {
            match self.due() {
                Due::Now(messages) => {
                    self.fill(messages, batch, bytes_max);
                    return !batch.ends.is_empty();
                }
                Due::At(time) => {
                    tokio::select! {
                        () = tokio::time::sleep_until(time) => {}
                        () = self.stop.cancelled() => {}
                    }
                }
                Due::Never => return false,
            }
        }
    }

    /// Fills the batch with at most so many messages, until it has so many bytes.
    pub(super) fn fill(&mut self, messages: u64, batch: &mut Batch, bytes_max: usize) {
        batch.clear();
        let now = now();
        for _ in 0..messages {
            let time = match self.times {
                Times::Clock => now,
                Times::Range { start, end } => self.time_in(start, end, batch.ends.len()),
            };
            let start = self.framer.open(&mut batch.bytes);
            if !self.source.next_message(time, &mut batch.bytes) {
                batch.bytes.truncate(start);
                self.is_dry = true;
                break;
            }
            self.framer.close(start, &mut batch.bytes);
            batch.ends.push(batch.bytes.len());
            if batch.bytes.len() >= bytes_max {
                break;
            }
        }
        self.made += batch.ends.len() as u64;
        self.account.made(batch.ends.len());
    }

    /// Becomes ready when a write that stands still has to be given up.
    pub(super) fn overdue(&self) -> impl Future<Output = ()> + use<> {
        let end = self.duration.map(|duration| self.start + duration);
        let stop = self.stop.clone();
        async move {
            let stopped = async {
                stop.cancelled().await;
                tokio::time::sleep(CLOSE_TIMEOUT).await;
            };
            match end {
                Some(end) => tokio::select! {
                    () = tokio::time::sleep_until(end + STUCK_MAX) => {}
                    () = stopped => {}
                },
                None => stopped.await,
            }
        }
    }

    /// Whether the time of the run is over, so that a lost connection need not be opened again.
    pub(super) fn is_over(&self) -> bool {
        self.due() == Due::Never
    }

    /// Counts what will never be made as failed.
    pub(super) fn give_up(&self) {
        if let Some(limit) = self.limit
            && !self.is_dry
        {
            self.account.unmade(limit.saturating_sub(self.made));
        }
    }

    fn time_in(&self, start: Timestamp, end: Timestamp, ahead: usize) -> Timestamp {
        let number = (self.made + ahead as u64) * self.of + self.share;
        let span = i128::from(end.nanos()) - i128::from(start.nanos());
        let offset = span * i128::from(number) / i128::from(self.all.max(1));
        start.plus_nanos(i64::try_from(offset).unwrap_or(0))
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_nanos(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_messages_count() {
        let batch = Batch {
            bytes: b"abcdefghi".to_vec(),
            ends: vec![2, 5, 9],
        };
        let whole: Vec<_> = [0, 1, 2, 4, 5, 8, 9]
            .map(|bytes| batch.whole_in(bytes))
            .into();
        assert_eq!(
            whole,
            [(0, 0), (0, 0), (1, 2), (1, 2), (2, 5), (2, 5), (3, 9)]
        );
        let messages: Vec<&[u8]> = batch.messages().collect();
        assert_eq!(messages, [&b"ab"[..], b"cde", b"fghi"]);
    }
}
