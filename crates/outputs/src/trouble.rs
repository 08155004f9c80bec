//! What is logged of a destination: when it begins to fail and when it works again, and now and then what it refuses.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::LOG_EVERY;
use crate::sink::Failure;

/// What was logged already.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failing_since: Option<Instant>,
    refused: Limit,
    failed: Limit,
}

/// When something was logged last, and how much was not since.
#[derive(Debug, Default)]
struct Limit {
    last: Option<Instant>,
    unsaid: usize,
}

impl Limit {
    /// How many there were since the last time, where it is time to say so.
    fn note(&mut self, count: usize) -> Option<usize> {
        let now = Instant::now();
        self.unsaid += count;
        if self.last.is_some_and(|last| now - last < LOG_EVERY) {
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.unsaid))
    }
}

impl Told {
    /// Something did not work; it is tried again.
    pub(crate) fn began_to_fail(
        &self,
        destination: &str,
        failure: &Failure,
        wait: Duration,
        now: Instant,
    ) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failing_since.is_none() {
            state.failing_since = Some(now);
            let retry_ms = wait.as_millis();
            tracing::warn!(destination, error = %failure, retry_ms, "destination does not take records, tried again");
        }
    }

    /// All workers deliver again.
    pub(crate) fn works_again(&self, destination: &str, now: Instant) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = state.failing_since.take() {
            let seconds = (now - since).as_secs();
            tracing::info!(destination, seconds, "destination takes records again");
        }
    }

    /// Records were refused for good.
    pub(crate) fn rejected(&self, destination: &str, records: usize, reason: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(records) = state.refused.note(records) {
            tracing::warn!(destination, records, reason, "destination refuses records");
        }
    }

    /// Something else did not work.
    pub(crate) fn failed(&self, destination: &str, failure: &Failure) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed.note(1).is_some() {
            tracing::error!(destination, error = %failure, "destination cannot go on as it should");
        }
    }
}
