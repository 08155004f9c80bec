//! Trouble that repeats is told once in a while, with how often it came up meanwhile.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

use crate::limits::LOG_INTERVAL;

/// Decides which of many equal events is logged.
#[derive(Debug, Default)]
pub(crate) struct LogLimit(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last: Option<Instant>,
    unsaid: u64,
}

impl LogLimit {
    /// Notes an event. `Some` where it is to be logged: how many were not since the last time.
    pub(crate) fn note(&self) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_due = state
            .last
            .is_none_or(|last| now.duration_since(last) >= LOG_INTERVAL);
        if !is_due {
            state.unsaid += 1;
            return None;
        }
        state.last = Some(now);
        Some(std::mem::take(&mut state.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn events_are_told_once_an_interval() {
        let limit = LogLimit::default();
        assert_eq!(limit.note(), Some(0));
        assert_eq!(limit.note(), None);
        assert_eq!(limit.note(), None);
        tokio::time::advance(LOG_INTERVAL).await;
        assert_eq!(limit.note(), Some(2));
    }
}
