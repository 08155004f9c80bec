//! Who has sent what to a source: figures of each sender, and gaps in their numbering.
//!
//! A sender is an address. As many as [`SENDERS_MAX`] are told apart; addresses of datagrams can be
//! made up, and must not fill the memory. Whoever has been silent for [`SENDER_FORGOTTEN`] makes
//! room for others.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use model::Timestamp;

use crate::expected::{Bounds, Level};
use crate::limits::{
    SENDER_FORGOTTEN, SENDERS_FORGOTTEN_EVERY, SENDERS_MAX, SEQUENCE_JUMP_MAX, SEQUENCES_MAX,
};

/// The figures of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderStatus {
    /// Its address.
    pub peer: IpAddr,
    /// Messages that came from it, those that were dropped included.
    pub received: u64,
    /// Messages of it that were dropped as they came; who sent what the kernel drops is not known.
    pub dropped: u64,
    /// Their bytes, without framing.
    pub bytes: u64,
    /// When the first came.
    pub first: Timestamp,
    /// When the last came.
    pub last: Timestamp,
    /// How the last period was.
    pub level: Level,
}

/// All senders of a source.
#[derive(Debug, Default)]
pub(crate) struct Senders {
    by_peer: HashMap<IpAddr, Sender>,
    /// The last number of each that numbers its messages, by what [`sequence_key`] makes of it.
    sequences: HashMap<u64, u32>,
    missing: u64,
    /// When those that were silent were last looked for.
    forgot: Option<Timestamp>,
}

#[derive(Debug)]
struct Sender {
    status: SenderStatus,
    in_period: u64,
    /// Whether it was there when the period began.
    is_settled: bool,
}

/// Messages of one sender, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) peer: IpAddr,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
}

/// How many senders are as they should be, and who has changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) low: u64,
    pub(crate) high: u64,
    /// Who was otherwise in the period before.
    pub(crate) changed: Vec<(IpAddr, Level, u64)>,
}

impl Senders {
    /// Counts messages.
    pub(crate) fn count(&mut self, runs: &[Run], now: Timestamp) {
        for run in runs {
            self.count_run(run, now);
        }
    }

    /// Counts a message that is dropped.
    pub(crate) fn drop_one(&mut self, peer: IpAddr, bytes: u64, now: Timestamp) {
        let run = Run {
            peer,
            messages: 1,
            bytes,
        };
        if let Some(sender) = self.count_run(&run, now) {
            sender.status.dropped += 1;
        }
    }

    /// Returns the sender, where there is room for it.
    fn count_run(&mut self, run: &Run, now: Timestamp) -> Option<&mut Sender> {
        if !self.by_peer.contains_key(&run.peer) {
            self.make_room(now);
            if self.by_peer.len() >= SENDERS_MAX {
                return None;
            }
        }
        let new = || Sender {
            status: SenderStatus {
                peer: run.peer,
                received: 0,
                dropped: 0,
                bytes: 0,
                first: now,
                last: now,
                level: Level::Usual,
            },
            in_period: 0,
            is_settled: false,
        };
        let sender = self.by_peer.entry(run.peer).or_insert_with(new);
        sender.status.received += run.messages;
        sender.status.bytes += run.bytes;
        sender.status.last = sender.status.last.max(now);
        sender.in_period += run.messages;
        Some(sender)
    }

    /// Looks for gaps in numbers, in the order of the messages that carry them.
    pub(crate) fn follow(&mut self, numbers: &[(u64, u32)]) {
        for (key, number) in numbers.iter().copied() {
            let Some(last) = self.sequences.get_mut(&key) else {
                if self.sequences.len() < SEQUENCES_MAX {
                    self.sequences.insert(key, number);
                }
                continue;
            };
            let ahead = number.wrapping_sub(*last);
            let behind = last.wrapping_sub(number);
            if (1..=SEQUENCE_JUMP_MAX).contains(&ahead) {
                self.missing += u64::from(ahead - 1);
                *last = number;
            } else if (1..=SEQUENCE_JUMP_MAX).contains(&behind) && number > 1 {
                // It came late, and was counted as missing.
                self.missing = self.missing.saturating_sub(1);
            } else {
                // It has started anew.
                *last = number;
            }
        }
    }

    /// Messages whose numbers have not come.
    pub(crate) fn missing(&self) -> u64 {
        self.missing
    }

    /// How many senders are told apart.
    pub(crate) fn len(&self) -> usize {
        self.by_peer.len()
    }

    /// The figures of all, in no order.
    pub(crate) fn statuses(&self) -> Vec<SenderStatus> {
        self.by_peer.values().map(|sender| sender.status).collect()
    }

    /// Ends a period.
    pub(crate) fn judge(&mut self, bounds: Bounds, now: Timestamp) -> Judgement {
        self.forget(now);
        let mut judgement = Judgement::default();
        for sender in self.by_peer.values_mut() {
            let messages = std::mem::take(&mut sender.in_period);
            let level = match bounds.judge(messages) {
                // Who came in the middle of it had less time.
                Level::Low if !sender.is_settled => Level::Usual,
                level => level,
            };
            sender.is_settled = true;
            match level {
                Level::Usual => {}
                Level::Low => judgement.low += 1,
                Level::High => judgement.high += 1,
            }
            if level != sender.status.level {
                judgement
                    .changed
                    .push((sender.status.peer, level, messages));
                sender.status.level = level;
            }
        }
        judgement
    }

    /// Not at every new address: a flood of them would have all others looked through each time.
    fn make_room(&mut self, now: Timestamp) {
        let is_due = self
            .forgot
            .is_none_or(|forgot| age(forgot, now) >= SENDERS_FORGOTTEN_EVERY);
        if self.by_peer.len() >= SENDERS_MAX && is_due {
            self.forget(now);
        }
    }

    fn forget(&mut self, now: Timestamp) {
        self.forgot = Some(now);
        self.by_peer
            .retain(|_, sender| age(sender.status.last, now) < SENDER_FORGOTTEN);
    }
}

/// The time from then to now; none where the clock was set back.
fn age(then: Timestamp, now: Timestamp) -> Duration {
    let nanos = now.nanos().saturating_sub(then.nanos());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
}

/// Adds a message to the runs of a batch.
pub(crate) fn add_to_runs(runs: &mut Vec<Run>, peer: IpAddr, bytes: u64) {
    match runs.last_mut() {
        Some(last) if last.peer == peer => {
            last.messages += 1;
            last.bytes += bytes;
        }
        _ => runs.push(Run {
            peer,
            messages: 1,
            bytes,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_000_000 + seconds)
    }

    fn peer(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    fn run(last: u8, messages: u64) -> Run {
        Run {
            peer: peer(last),
            messages,
            bytes: 10 * messages,
        }
    }

    #[test]
    fn messages_are_counted_by_sender() {
        let mut senders = Senders::default();
        senders.count(&[run(1, 2), run(2, 1), run(1, 3)], at(0));
        senders.count(&[run(1, 1)], at(5));
        let mut statuses = senders.statuses();
        statuses.sort_by_key(|status| status.peer);
        assert_eq!(senders.len(), 2);
        let first = statuses[0];
        assert_eq!((first.received, first.bytes), (6, 60));
        assert_eq!((first.first, first.last), (at(0), at(5)));
        senders.drop_one(peer(1), 10, at(6));
        let statuses = senders.statuses();
        let first = statuses.iter().find(|status| status.peer == peer(1));
        let first = first.expect("is known");
        assert_eq!((first.received, first.dropped, first.bytes), (7, 1, 70));
        let mut runs = Vec::new();
        for last in [1, 1, 2, 1] {
            add_to_runs(&mut runs, peer(last), 10);
        }
        assert_eq!(runs, [run(1, 2), run(2, 1), run(1, 1)]);
    }

    #[test]
    fn made_up_addresses_do_not_fill_the_memory() {
        let mut senders = Senders::default();
        for number in 0..2 * SENDERS_MAX {
            let bits = u32::try_from(number).expect("few");
            let peer = std::net::Ipv4Addr::from_bits(bits).into();
            let run = Run { peer, ..run(1, 1) };
            senders.count(&[run], at(0));
        }
        assert_eq!(senders.len(), SENDERS_MAX);
        let later = i64::try_from(SENDER_FORGOTTEN.as_secs()).expect("short");
        senders.count(&[run(1, 1)], at(later));
        assert_eq!(senders.len(), 1);
    }

    #[test]
    fn who_falls_silent_is_told_once() {
        let bounds = Bounds {
            min: Some(2),
            max: Some(100),
        };
        let mut senders = Senders::default();
        // One who comes in the middle of a period has less time.
        senders.count(&[run(1, 1), run(2, 5)], at(0));
        assert_eq!(senders.judge(bounds, at(10)), Judgement::default());
        senders.count(&[run(1, 1), run(2, 500)], at(11));
        let mut judgement = senders.judge(bounds, at(20));
        judgement.changed.sort_by_key(|(peer, ..)| *peer);
        let expected = Judgement {
            low: 1,
            high: 1,
            changed: vec![(peer(1), Level::Low, 1), (peer(2), Level::High, 500)],
        };
        assert_eq!(judgement, expected);
        senders.count(&[run(2, 5)], at(21));
        let judgement = senders.judge(bounds, at(30));
        assert_eq!((judgement.low, judgement.high), (1, 0));
        assert_eq!(judgement.changed, [(peer(2), Level::Usual, 5)]);
    }

    fn missing(numbers: &[u32]) -> u64 {
        let mut senders = Senders::default();
        for number in numbers {
            senders.follow(&[(7, *number)]);
        }
        senders.missing()
    }

    #[test]
    fn gaps_in_numbers_are_counted() {
        assert_eq!(missing(&[5, 6, 7]), 0);
        assert_eq!(missing(&[5, 8, 9]), 2);
        // Two that changed places.
        assert_eq!(missing(&[5, 7, 6, 8]), 0);
        // A new start, and another far away.
        assert_eq!(missing(&[500, 1, 2, 3]), 0);
        assert_eq!(missing(&[5, 2_000_000, 2_000_002]), 1);
        let mut senders = Senders::default();
        senders.follow(&[(1, 10), (2, 20), (1, 11), (2, 22)]);
        assert_eq!(senders.missing(), 1);
    }
}
