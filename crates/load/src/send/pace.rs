//! When messages are due.
//!
//! A schedule is a pure function of the time since the start: it says how many messages are due by
//! then, over all connections, and so for each of them, every so-manieth. Nothing is added up, so
//! nothing drifts: a run that was held up catches up, and a run of ten hours has its exact number.

use std::time::Duration;

/// How fast messages go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// As fast as the target takes them.
    #[default]
    Unbounded,
    /// So many a second, evenly, over all connections together.
    Total(u64),
    /// So many a second, evenly, on each connection.
    PerConnection(u64),
    /// A number of messages at once, over all connections together, again and again.
    Burst {
        /// How many.
        messages: u64,
        /// From the start of one to the start of the next.
        every: Duration,
    },
}

/// The schedule of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    beat: Beat,
    /// Which of the run's messages are ours: `share`, `share + of`, and so on.
    share: u64,
    of: u64,
}

/// Messages that are due together, and the time between.
#[derive(Clone, Copy, Debug)]
enum Beat {
    Unbounded,
    /// Message n is due n / rate seconds behind the start.
    Rate(u64),
    /// Burst n is due n times the interval behind the start.
    Burst {
        messages: u64,
        nanos: u64,
    },
}

const NANOS: u128 = 1_000_000_000;

impl Schedule {
    /// The schedule of a connection of so many.
    pub(super) fn new(pace: Pace, connection: u32, connections: u32) -> Self {
        let (share, of) = (u64::from(connection), u64::from(connections.max(1)));
        let (beat, share, of) = match pace {
            Pace::Unbounded => (Beat::Unbounded, share, of),
            Pace::Total(rate) => (Beat::Rate(rate.max(1)), share, of),
            Pace::PerConnection(rate) => (Beat::Rate(rate.max(1)), 0, 1),
            Pace::Burst { messages, every } => {
                let messages = messages.max(1);
                let nanos = u64::try_from(every.as_nanos()).unwrap_or(u64::MAX).max(1);
                (Beat::Burst { messages, nanos }, share, of)
            }
        };
        Self { beat, share, of }
    }

    /// Whether there is a schedule at all.
    pub(super) fn is_paced(&self) -> bool {
        !matches!(self.beat, Beat::Unbounded)
    }

    /// How many messages of this connection are due by a time since the start.
    pub(super) fn due(&self, elapsed: Duration) -> u64 {
        let nanos = elapsed.as_nanos();
        let all = match self.beat {
            Beat::Unbounded => return u64::MAX,
            // The first is due at the start.
            Beat::Rate(rate) => nanos * u128::from(rate) / NANOS + 1,
            Beat::Burst {
                messages,
                nanos: every,
            } => (nanos / u128::from(every) + 1) * u128::from(messages),
        };
        let ours = all
            .saturating_sub(u128::from(self.share))
            .div_ceil(u128::from(self.of));
        u64::try_from(ours).unwrap_or(u64::MAX)
    }

    /// When the message of this connection with this number, from 0, is due.
    pub(super) fn time_of(&self, number: u64) -> Duration {
        let index = u128::from(number) * u128::from(self.of) + u128::from(self.share);
        let nanos = match self.beat {
            Beat::Unbounded => 0,
            Beat::Rate(rate) => (index * NANOS).div_ceil(u128::from(rate)),
            Beat::Burst { messages, nanos } => index / u128::from(messages) * u128::from(nanos),
        };
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedules(pace: Pace, connections: u32) -> Vec<Schedule> {
        (0..connections)
            .map(|connection| Schedule::new(pace, connection, connections))
            .collect()
    }

    fn due(schedules: &[Schedule], millis: u64) -> Vec<u64> {
        let elapsed = Duration::from_millis(millis);
        schedules.iter().map(|one| one.due(elapsed)).collect()
    }

    #[test]
    fn a_total_rate_is_shared_evenly() {
        let three = schedules(Pace::Total(10), 3);
        assert_eq!(due(&three, 0), [1, 0, 0]);
        assert_eq!(due(&three, 99), [1, 0, 0]);
        assert_eq!(due(&three, 100), [1, 1, 0]);
        assert_eq!(due(&three, 999), [4, 3, 3]);
        assert_eq!(due(&schedules(Pace::PerConnection(10), 2), 999), [10, 10]);
    }

    #[test]
    fn bursts_come_together() {
        let pace = Pace::Burst {
            messages: 5,
            every: Duration::from_millis(100),
        };
        let two = schedules(pace, 2);
        assert_eq!(due(&two, 0), [3, 2]);
        assert_eq!(due(&two, 99), [3, 2]);
        assert_eq!(due(&two, 100), [5, 5]);
    }

    #[test]
    fn a_message_is_due_exactly_from_its_time_on() {
        let burst = Pace::Burst {
            messages: 7,
            every: Duration::from_nanos(333),
        };
        for pace in [
            Pace::Total(3),
            Pace::Total(999_999_937),
            Pace::PerConnection(7),
            burst,
        ] {
            for schedule in schedules(pace, 4) {
                for number in [0, 1, 2, 10, 1_000_003] {
                    let time = schedule.time_of(number);
                    assert!(schedule.due(time) > number, "{schedule:?} {number}");
                    if let Some(before) = time.checked_sub(Duration::from_nanos(1)) {
                        assert!(schedule.due(before) <= number, "{schedule:?} {number}");
                    }
                }
            }
        }
    }

    #[test]
    fn ten_hours_have_their_exact_number() {
        let schedule = Schedule::new(Pace::Total(150_000), 0, 1);
        let nearly = Duration::from_secs(36_000) - Duration::from_nanos(1);
        assert_eq!(schedule.due(nearly), 36_000 * 150_000);
        assert_eq!(Schedule::new(Pace::Unbounded, 0, 1).due(nearly), u64::MAX);
    }
}
