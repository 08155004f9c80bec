//! How a question is stopped from outside.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A switch that stops a question at the next page. Clones share it; whoever asks keeps one.
///
/// The engine reads no clock: a deadline is kept by the caller, who calls [`Cancel::expire`].
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    state: Arc<AtomicU8>,
}

/// Why a question was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Whoever asked went away or changed his mind.
    Cancelled,
    /// Its time was up.
    Deadline,
}

impl Cancel {
    /// A switch that is off.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the question because nobody waits for the answer.
    pub fn cancel(&self) {
        self.stop(Stop::Cancelled);
    }

    /// Stops the question because its time is up.
    pub fn expire(&self) {
        self.stop(Stop::Deadline);
    }

    /// Whether it was stopped, and why. The first reason stays.
    pub fn stopped(&self) -> Option<Stop> {
        match self.state.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Stop::Cancelled),
            _ => Some(Stop::Deadline),
        }
    }

    fn stop(&self, stop: Stop) {
        let state = match stop {
            Stop::Cancelled => 1,
            Stop::Deadline => 2,
        };
        // Losing the race means that another reason came first.
        _ = self
            .state
            .compare_exchange(0, state, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "cancelled",
            Self::Deadline => "deadline passed",
        })
    }
}
