//! A clock that moves only when it is told to, and jumps over every pause.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use model::Timestamp;
use store::Clock;

/// The real time that a pause takes, so that other threads get their turn.
const PAUSE: Duration = Duration::from_micros(200);

/// A simulated clock.
#[derive(Debug)]
pub struct SimClock(AtomicI64);

impl SimClock {
    /// A clock that starts at a time.
    pub fn new(start: Timestamp) -> Self {
        Self(AtomicI64::new(start.nanos()))
    }

    /// Moves it, forwards or back.
    pub fn advance(&self, nanos: i64) {
        self.0.fetch_add(nanos, Ordering::SeqCst);
    }
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(self.0.load(Ordering::SeqCst))
    }

    fn pause(&self, wished: Duration) -> Duration {
        self.advance(i64::try_from(wished.as_nanos()).unwrap_or(0));
        PAUSE
    }
}
