//! How a question is stopped, from outside or because it takes too much memory.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crate::budget::Budget;

/// A switch that stops a question at the next page, and the memory that the question takes. Clones
/// share both; whoever asks keeps one, and the memory counts until the last one is dropped.
///
/// The engine reads no clock: a deadline is kept by the caller, who calls [`Cancel::expire`].
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    question: Arc<Question>,
}

#[derive(Debug, Default)]
struct Question {
    stop: AtomicU8,
    memory: Taken,
    #[cfg(test)]
    watched: Watched,
}

/// What a question has of the memory of all.
#[derive(Debug, Default)]
struct Taken {
    /// Without one there is no bound beside those of its parts.
    budget: Option<Budget>,
    bytes: AtomicUsize,
}

/// Why a question was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Whoever asked went away or changed his mind.
    Cancelled,
    /// Its time was up.
    Deadline,
    /// Questions have all the memory that they may have together.
    Memory,
}

impl Cancel {
    /// A switch that is off.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same of a question whose memory comes from a budget.
    pub fn within(budget: &Budget) -> Self {
        let memory = Taken {
            budget: Some(budget.clone()),
            bytes: AtomicUsize::new(0),
        };
        Self {
            question: Arc::new(Question {
                memory,
                ..Question::default()
            }),
        }
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
        #[cfg(test)]
        self.look();
        match self.question.stop.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Stop::Cancelled),
            2 => Some(Stop::Deadline),
            _ => Some(Stop::Memory),
        }
    }

    /// Takes so many bytes of memory until the end of the question, its answer included; where
    /// there are none left the question is stopped.
    pub fn take(&self, bytes: usize) -> bool {
        let Taken {
            budget,
            bytes: taken,
        } = &self.question.memory;
        let Some(budget) = budget else {
            return true;
        };
        if !budget.take(bytes) {
            if self.stopped() != Some(Stop::Memory) {
                budget.note_refused();
            }
            self.stop(Stop::Memory);
            return false;
        }
        taken.fetch_add(bytes, Ordering::Relaxed);
        true
    }

    /// Gives back some of it before.
    pub(crate) fn give_back(&self, bytes: usize) {
        let Taken {
            budget,
            bytes: taken,
        } = &self.question.memory;
        if let Some(budget) = budget {
            taken.fetch_sub(bytes, Ordering::Relaxed);
            budget.give_back(bytes);
        }
    }

    fn stop(&self, stop: Stop) {
        let state = match stop {
            Stop::Cancelled => 1,
            Stop::Deadline => 2,
            Stop::Memory => 3,
        };
        // Losing the race means that another reason came first.
        _ = self
            .question
            .stop
            .compare_exchange(0, state, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.give_back(*self.bytes.get_mut());
        }
    }
}

/// Looks at the switch and texts that were tested, so that a test can stop a question at any look
/// and see how much is done behind it.
#[cfg(test)]
#[derive(Debug, Default)]
struct Watched {
    looks: AtomicUsize,
    /// The look at which it is cancelled; 0 for none.
    last_look: AtomicUsize,
    work: AtomicUsize,
    work_before: AtomicUsize,
}

#[cfg(test)]
impl Cancel {
    /// One that is cancelled at its look of this number.
    pub(crate) fn at_look(number: usize) -> Self {
        let cancel = Self::new();
        let watched = &cancel.question.watched;
        watched.last_look.store(number, Ordering::Relaxed);
        cancel
    }

    fn look(&self) {
        let watched = &self.question.watched;
        let looks = watched.looks.fetch_add(1, Ordering::Relaxed) + 1;
        if looks == watched.last_look.load(Ordering::Relaxed) {
            let work = watched.work.load(Ordering::Relaxed);
            watched.work_before.store(work, Ordering::Relaxed);
            self.cancel();
        }
    }

    /// Notes that a leaf is asked of an index, a kind, a text or a record.
    pub(crate) fn note_work(&self) {
        self.question.watched.work.fetch_add(1, Ordering::Relaxed);
    }

    /// How often it was looked at.
    pub(crate) fn looks(&self) -> usize {
        self.question.watched.looks.load(Ordering::Relaxed)
    }

    /// How much was done in all, and how much of it before it was cancelled.
    pub(crate) fn work(&self) -> (usize, usize) {
        let watched = &self.question.watched;
        (
            watched.work.load(Ordering::Relaxed),
            watched.work_before.load(Ordering::Relaxed),
        )
    }
}

#[cfg(not(test))]
impl Cancel {
    #[expect(clippy::unused_self, reason = "tests count it")]
    pub(crate) fn note_work(&self) {}
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "cancelled",
            Self::Deadline => "deadline passed",
            Self::Memory => "questions have no memory left",
        })
    }
}
