//! The threads that build segments: of tails for the sealer, and of batches for imports.
//!
//! Building is pure work: a builder touches no disk and holds no lock. Whoever has asked for a segment
//! publishes it, so that builders that finish in any order change nothing in the order of segments.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use model::Timestamp;
use segment::{BuildOptions, Builder};

use crate::error::Error;
use crate::limits::BUILDER_NICENESS;
use crate::publish::DaySegment;
use crate::store::{Shared, locked};

/// How long a builder that nobody needs keeps its memory.
const ROUND: Duration = Duration::from_secs(10);

/// What comes of building.
pub(crate) type Outcome = Result<Vec<DaySegment>, Error>;

/// What a builder does.
type Work = Box<dyn FnOnce(&mut Builder) -> Outcome + Send>;

/// Work and where its outcome goes.
struct Job {
    work: Work,
    outcome: SyncSender<Outcome>,
}

/// For whom something is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    /// For the sealer, which is woken when it is done. Goes first, since memory and the journal wait for it.
    Sealer,
    /// For an import.
    Import,
}

/// What waits for a builder.
#[derive(Default)]
pub(crate) struct Builders {
    queues: Mutex<Queues>,
    changed: Condvar,
}

#[derive(Default)]
struct Queues {
    sealer: VecDeque<Job>,
    imports: VecDeque<Job>,
    is_closed: bool,
}

/// What a builder finds.
enum Taken {
    Job(Job, For),
    Nothing,
    Closed,
}

impl Builders {
    /// Has something built.
    pub(crate) fn submit(&self, whom: For, work: Work) -> Building {
        let (outcome, built) = sync_channel(1);
        let job = Job { work, outcome };
        let mut queues = locked(&self.queues);
        if queues.is_closed {
            job.refuse();
        } else {
            match whom {
                For::Sealer => queues.sealer.push_back(job),
                For::Import => queues.imports.push_back(job),
            }
        }
        drop(queues);
        self.changed.notify_one();
        Building(built)
    }

    /// Ends the builders after the segments they are at; what waits is refused.
    pub(crate) fn close(&self) {
        let mut queues = locked(&self.queues);
        queues.is_closed = true;
        let Queues {
            sealer, imports, ..
        } = &mut *queues;
        sealer
            .drain(..)
            .chain(imports.drain(..))
            .for_each(Job::refuse);
        drop(queues);
        self.changed.notify_all();
    }

    fn take(&self, timeout: Duration) -> Taken {
        let queues = locked(&self.queues);
        let waited = self.changed.wait_timeout_while(queues, timeout, |queues| {
            queues.sealer.is_empty() && queues.imports.is_empty() && !queues.is_closed
        });
        let (mut queues, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if queues.is_closed {
            return Taken::Closed;
        }
        if let Some(job) = queues.sealer.pop_front() {
            return Taken::Job(job, For::Sealer);
        }
        match queues.imports.pop_front() {
            Some(job) => Taken::Job(job, For::Import),
            None => Taken::Nothing,
        }
    }
}

#[cfg(test)]
impl Builders {
    /// How many stretches wait for a builder.
    pub(crate) fn waiting(&self) -> usize {
        locked(&self.queues).sealer.len()
    }

    /// Fails the stretch that waits longest, as if its builder had panicked.
    pub(crate) fn fail_one(&self) {
        if let Some(job) = locked(&self.queues).sealer.pop_front() {
            _ = job.outcome.send(Err(Error::BuilderPanicked));
        }
    }
}

impl Job {
    fn refuse(self) {
        // Who does not wait any more does not mind.
        _ = self.outcome.send(Err(Error::Closing));
    }
}

/// Something that is being built, or waits for a builder.
pub(crate) struct Building(Receiver<Outcome>);

impl Building {
    /// The outcome, if it has come.
    pub(crate) fn try_take(&self) -> Option<Outcome> {
        match self.0.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(Error::Closing)),
        }
    }

    /// Waits for the outcome.
    pub(crate) fn wait(self) -> Outcome {
        self.0.recv().unwrap_or(Err(Error::Closing))
    }
}

/// Works as one of the builders until they are closed. All but the first give way to whoever receives.
pub(crate) fn run(shared: &Shared, number: usize) {
    if number > 0 {
        // Where that is refused it works all the same.
        _ = rustix::process::nice(BUILDER_NICENESS);
    }
    let mut workshop = Workshop::default();
    loop {
        match shared.builders.take(ROUND) {
            Taken::Job(Job { work, outcome }, whom) => {
                let level = shared.options.compression_level;
                let now = shared.clock.now();
                let done = catch_unwind(AssertUnwindSafe(|| work(workshop.builder(now, level))));
                let built = done.unwrap_or_else(|_| {
                    // Nobody knows in which state it left its builder.
                    workshop = Workshop::default();
                    Err(Error::BuilderPanicked)
                });
                // Who does not wait any more does not mind.
                _ = outcome.send(built);
                if whom == For::Sealer {
                    shared.sealer.wake();
                }
            }
            Taken::Nothing => workshop.tidy(shared.clock.now()),
            Taken::Closed => return,
        }
    }
}

/// The builder of a thread and when it was last asked for. It is kept from one segment to the next, and
/// given back once none was built for a round.
#[derive(Default)]
struct Workshop(Option<(Timestamp, Builder)>);

impl Workshop {
    /// The builder; its level of zstd is that of the first call.
    fn builder(&mut self, now: Timestamp, zstd_level: i32) -> &mut Builder {
        let options = BuildOptions {
            zstd_level,
            ..BuildOptions::default()
        };
        let new = || (now, Builder::new(options));
        let (used, builder) = self.0.get_or_insert_with(new);
        *used = now;
        builder
    }

    fn tidy(&mut self, now: Timestamp) {
        // Clocks may step back.
        self.0.take_if(|(used, _)| {
            u128::from(now.nanos().abs_diff(used.nanos())) >= ROUND.as_nanos()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_builder_is_kept_until_a_round_is_over_without_it() {
        let mut workshop = Workshop::default();
        let start = Timestamp::from_nanos(1_000_000_000_000);
        let round = ROUND.as_nanos() as i64;
        let is_kept = |workshop: &Workshop| workshop.0.is_some();
        workshop.tidy(start);
        assert!(!is_kept(&workshop));
        workshop.builder(start, 1);
        workshop.builder(start.plus_nanos(round), 1);
        workshop.tidy(start.plus_nanos(2 * round - 1));
        assert!(is_kept(&workshop));
        workshop.tidy(start.plus_nanos(2 * round));
        assert!(!is_kept(&workshop));
        workshop.builder(start, 1);
        workshop.tidy(start.plus_nanos(-2 * round));
        assert!(!is_kept(&workshop));
    }

    #[test]
    fn the_sealer_goes_first_and_nothing_is_forgotten_at_the_end() {
        let builders = Builders::default();
        let nothing = || -> Work { Box::new(|_| Ok(Vec::new())) };
        let import = builders.submit(For::Import, nothing());
        let stretch = builders.submit(For::Sealer, nothing());
        let second = builders.submit(For::Sealer, nothing());
        assert!(matches!(
            builders.take(Duration::ZERO),
            Taken::Job(_, For::Sealer)
        ));
        // A builder that is gone with its job.
        assert!(matches!(stretch.wait(), Err(Error::Closing)));
        assert!(second.try_take().is_none() && import.try_take().is_none());
        builders.close();
        assert!(matches!(builders.take(Duration::ZERO), Taken::Closed));
        let late = builders.submit(For::Import, nothing());
        for building in [second, import, late] {
            assert!(matches!(building.wait(), Err(Error::Closing)));
        }
    }
}
