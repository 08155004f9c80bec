//! Waking, waiting for and ending a thread that works in the background.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::store::locked;

/// How the other threads and a background thread talk.
#[derive(Default)]
pub(crate) struct Worker {
    state: Mutex<WorkerState>,
    changed: Condvar,
}

#[derive(Default)]
struct WorkerState {
    is_woken: bool,
    is_closed: bool,
    is_resting: bool,
    rounds: u64,
    failure: Option<String>,
}

impl Worker {
    /// Why its last try failed; `None` where it did not.
    pub(crate) fn failure(&self) -> Option<String> {
        locked(&self.state).failure.clone()
    }

    /// Notes how the last try went.
    pub(crate) fn set_failure(&self, failure: Option<String>) {
        locked(&self.state).failure = failure;
    }

    /// Asks it to look whether there is something to do.
    pub(crate) fn wake(&self) {
        locked(&self.state).is_woken = true;
        self.changed.notify_all();
    }

    /// Ends the thread after the segment it is working on.
    pub(crate) fn close(&self) {
        locked(&self.state).is_closed = true;
        self.changed.notify_all();
    }

    /// Waits until it has finished a round, at most for `timeout`.
    pub(crate) fn wait_for_progress(&self, timeout: Duration) {
        let state = locked(&self.state);
        let rounds = state.rounds;
        _ = self.changed.wait_timeout_while(state, timeout, |state| {
            state.rounds == rounds && !state.is_closed
        });
    }

    /// Lets those go on who wait for progress.
    pub(crate) fn finish_round(&self) {
        locked(&self.state).rounds += 1;
        self.changed.notify_all();
    }

    /// Waits to be woken, at most for `timeout`; false when closed.
    pub(crate) fn wait(&self, timeout: Duration) -> bool {
        self.wait_amid(timeout, false)
    }

    /// The same, where the thread may have others at work for it and so is not at rest.
    pub(crate) fn wait_amid(&self, timeout: Duration, is_at_work: bool) -> bool {
        let mut state = locked(&self.state);
        state.is_resting = !is_at_work;
        let waited = self
            .changed
            .wait_timeout_while(state, timeout, |state| !state.is_woken && !state.is_closed);
        let (mut state, _) = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
        state.is_resting = false;
        state.is_woken = false;
        !state.is_closed
    }

    /// Rests in the middle of its work; ends early when closed.
    pub(crate) fn pause(&self, timeout: Duration) {
        let state = locked(&self.state);
        _ = self
            .changed
            .wait_timeout_while(state, timeout, |state| !state.is_closed);
    }

    /// Whether it has nothing to do and nothing to try again.
    pub(crate) fn is_idle(&self) -> bool {
        let state = locked(&self.state);
        state.is_resting && !state.is_woken && state.failure.is_none()
    }

    /// Whether the thread should end.
    pub(crate) fn is_closed(&self) -> bool {
        locked(&self.state).is_closed
    }
}
