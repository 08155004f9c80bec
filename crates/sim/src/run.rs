//! Runs: a workload on the real store, with faults and stops, watched by the oracle.
//!
//! The store has threads of its own. A run drives it in lock step: it hands something over, waits
//! for the outcome, and lets the background come to rest before the next step, so that the same
//! seed makes the same calls in the same order. Seeds that are divisible by four do not wait for
//! the background; there, and while the store retries after a fault, what happens first is up to
//! the scheduler, and a second run can differ.

mod drive;
mod fixed;
mod steps;

use std::fmt;

pub use fixed::{Mishap, run_fixed};
pub use steps::run_seed;

/// A promise that was not kept, and how it came to that.
#[derive(Clone, Debug)]
pub struct Failure {
    what: String,
    trace: Vec<String>,
    calls: Vec<String>,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            trace: Vec::new(),
            calls: Vec::new(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.what)?;
        for (title, lines) in [("steps", &self.trace), ("last calls", &self.calls)] {
            writeln!(f, "{title}:")?;
            for line in lines {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}
