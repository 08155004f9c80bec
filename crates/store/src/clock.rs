//! The one place that reads the time of day.

use std::time::{Duration, SystemTime};

use model::Timestamp;

/// Nanoseconds in a microsecond.
const NANOS_PER_MICRO: i64 = 1_000;

/// A source of the time of day.
pub trait Clock: Send + Sync {
    /// The time now. It may step back; storage keeps records in order all the same.
    fn now(&self) -> Timestamp;

    /// How long a thread really waits that is to wait so long before it tries a failed disk again.
    /// A simulated clock lets the time pass at once.
    fn pause(&self, wished: Duration) -> Duration {
        wished
    }
}

/// The clock of the operating system, in whole microseconds: what is below says nothing of when a record was
/// received, and takes more than a byte of each in a segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let nanos = match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
        };
        Timestamp::from_nanos(nanos.saturating_sub(nanos.rem_euclid(NANOS_PER_MICRO)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_tells_whole_microseconds() {
        let [one, next] = [SystemClock.now(), SystemClock.now()];
        assert_eq!(one.nanos() % NANOS_PER_MICRO, 0);
        assert_eq!(next.nanos() % NANOS_PER_MICRO, 0);
    }
}
