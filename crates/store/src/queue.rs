//! What waits for the committer.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{RecordBatch, RecordNumber};

use crate::durability::Durability;
use crate::limits::{COMMIT_BYTES, COMMIT_RECORDS, GROUP_BYTES};
use crate::logspace::Logspace;
use crate::store::locked;

/// Called once on the committer's thread: the records are durable and visible, or never will be.
/// It must not block.
pub type OnDurable = Box<dyn FnOnce(Result<Appended, AppendError>) + Send>;

/// Records that are durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The number of the first one; the others follow in order.
    pub first: RecordNumber,
    /// How many there are.
    pub records: usize,
}

/// Why records did not become durable. They must not be acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// There is no logspace of that name.
    #[error("there is no logspace {0}")]
    UnknownLogspace(model::LogspaceName),
    /// The store is open for reading only.
    #[error("the store is open for reading only")]
    ReadOnly,
    /// The store was closed before the disk took the records.
    #[error("the store was closed before the records were durable")]
    Closed,
}

/// Records that wait for their commit.
pub(crate) struct Pending {
    pub(crate) logspace: Arc<Logspace>,
    pub(crate) batch: RecordBatch,
    pub(crate) durability: Durability,
    /// Whether somebody waits for an answer.
    pub(crate) is_awaited: bool,
    pub(crate) on_durable: OnDurable,
}

/// What the committer found in the queue.
pub(crate) enum Taken {
    Group(Vec<Pending>),
    /// Nothing came in time.
    Nothing,
    /// Nothing will come any more.
    Closed,
}

/// What waits for the committer.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    pending: VecDeque<Pending>,
    pending_records: usize,
    pending_bytes: usize,
    /// Pending batches with somebody who waits for an answer.
    pending_awaited: usize,
    /// Those of the running commit included.
    records: u64,
    committer: Committer,
    is_closed: bool,
}

/// What would wake the committer. Waking somebody takes longer than adding a record.
#[derive(Default)]
enum Committer {
    /// Nothing: it is at work, or has been woken.
    #[default]
    AtWork,
    /// Anything.
    Idle,
    /// As much as it waits for, or the first for which somebody waits.
    Gathering,
}

impl QueueState {
    /// Whether a commit need not wait for more.
    fn is_enough(&self) -> bool {
        self.is_closed
            || if self.pending_awaited > 0 {
                self.pending_records >= COMMIT_RECORDS
            } else {
                self.pending_bytes >= COMMIT_BYTES
            }
    }

    fn add(&mut self, pending: Pending) {
        self.records += pending.batch.len() as u64;
        self.pending_records += pending.batch.len();
        self.pending_bytes += pending.batch.memory_bytes();
        self.pending_awaited += usize::from(pending.is_awaited);
        self.pending.push_back(pending);
    }

    /// Takes what waits, from the front on, up to a group of it.
    fn take_group(&mut self) -> Vec<Pending> {
        let mut group = Vec::new();
        let mut bytes = 0;
        while let Some(next) = self.pending.front() {
            bytes += next.batch.memory_bytes();
            if !group.is_empty() && bytes > GROUP_BYTES {
                break;
            }
            self.pending_records -= next.batch.len();
            self.pending_bytes -= next.batch.memory_bytes();
            self.pending_awaited -= usize::from(next.is_awaited);
            group.extend(self.pending.pop_front());
        }
        group
    }
}

impl Queue {
    /// Adds records, or calls back at once when the store is closed.
    pub(crate) fn push(&self, pending: Pending) {
        let mut state = locked(&self.state);
        if state.is_closed {
            drop(state);
            return (pending.on_durable)(Err(AppendError::Closed));
        }
        let is_awaited = pending.is_awaited;
        state.add(pending);
        let is_wanted = match state.committer {
            Committer::AtWork => false,
            Committer::Idle => true,
            Committer::Gathering => state.is_enough() || (is_awaited && state.pending_awaited == 1),
        };
        if is_wanted {
            state.committer = Committer::AtWork;
        }
        drop(state);
        if is_wanted {
            self.changed.notify_all();
        }
    }

    /// Lets the committer end once the queue is empty.
    pub(crate) fn close(&self) {
        locked(&self.state).is_closed = true;
        self.changed.notify_all();
    }

    /// Records that wait, those of the running commit included.
    pub(crate) fn records(&self) -> u64 {
        locked(&self.state).records
    }

    pub(crate) fn is_closed(&self) -> bool {
        locked(&self.state).is_closed
    }

    /// Waits for records, for ever or for some time, then for more if they are few, and takes up to
    /// a group of them. `spacing` says how much longer to wait for more, by whether somebody waits
    /// for an answer.
    pub(crate) fn take_group(
        &self,
        patience: Option<Duration>,
        spacing: impl Fn(bool) -> Duration,
    ) -> Taken {
        let mut state = locked(&self.state);
        state.committer = Committer::Idle;
        let is_idle = |state: &mut QueueState| state.pending.is_empty() && !state.is_closed;
        state = self.wait_while(state, patience, is_idle);
        state = self.gather(state, spacing);
        state.committer = Committer::AtWork;
        match state.pending.is_empty() {
            false => Taken::Group(state.take_group()),
            true if state.is_closed => Taken::Closed,
            true => Taken::Nothing,
        }
    }

    /// Waits for more where that is worth it.
    fn gather<'a>(
        &self,
        mut state: MutexGuard<'a, QueueState>,
        spacing: impl Fn(bool) -> Duration,
    ) -> MutexGuard<'a, QueueState> {
        // Twice at most: behind the longer wait the shorter one, where somebody who waits has come.
        for is_awaited in [false, true] {
            let is_for_these = (state.pending_awaited > 0) == is_awaited;
            if state.pending.is_empty() || state.is_enough() || !is_for_these {
                continue;
            }
            let spacing = spacing(is_awaited);
            if !spacing.is_zero() {
                state.committer = Committer::Gathering;
                state = self.wait_while(state, Some(spacing), |state| {
                    !state.is_enough() && (state.pending_awaited > 0) == is_awaited
                });
            }
        }
        state
    }

    fn wait_while<'a>(
        &self,
        state: MutexGuard<'a, QueueState>,
        patience: Option<Duration>,
        condition: impl FnMut(&mut QueueState) -> bool,
    ) -> MutexGuard<'a, QueueState> {
        match patience {
            None => self.changed.wait_while(state, condition),
            Some(patience) => self
                .changed
                .wait_timeout_while(state, patience, condition)
                .map(|(state, _)| state)
                .map_err(|error| PoisonError::new(error.into_inner().0)),
        }
        .unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls back for everything that still waits in a closed queue.
    pub(crate) fn refuse_rest(&self) {
        let mut state = locked(&self.state);
        let rest = std::mem::take(&mut state.pending);
        (state.pending_records, state.pending_bytes) = (0, 0);
        state.pending_awaited = 0;
        let records: u64 = rest.iter().map(|pending| pending.batch.len() as u64).sum();
        state.records -= records;
        drop(state);
        for pending in rest {
            (pending.on_durable)(Err(AppendError::Closed));
        }
    }

    /// Notes that a group was committed, or will never be.
    pub(crate) fn finish(&self, records: u64) {
        locked(&self.state).records -= records;
    }

    /// Waits before the disk is tried again; ends early when the store closes.
    pub(crate) fn pause(&self, retry: Duration) {
        let state = locked(&self.state);
        if !state.is_closed {
            _ = self
                .changed
                .wait_timeout_while(state, retry, |state| !state.is_closed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::mpsc::channel;
    use std::thread;

    use model::{LogspaceName, RecordParts, Timestamp};

    use super::*;
    use crate::logspace::LogspaceState;
    use crate::places::Places;

    fn pending(text: &[u8], is_awaited: bool) -> Pending {
        let places = Places {
            home: PathBuf::new(),
            archive: None,
        };
        let (name, state) = (LogspaceName::main(), LogspaceState::new());
        let mut batch = RecordBatch::new();
        let parts = RecordParts::default();
        let pushed = batch.push(text, &parts, Timestamp::default(), None, 0);
        pushed.expect("fits");
        Pending {
            logspace: Arc::new(Logspace::new(name, places, None, state)),
            batch,
            durability: Durability::Strict,
            is_awaited,
            on_durable: Box::new(|_| {}),
        }
    }

    fn taken(taken: Taken) -> usize {
        match taken {
            Taken::Group(group) => group.len(),
            Taken::Nothing | Taken::Closed => 0,
        }
    }

    /// What a committer takes that waits as good as for ever where nobody waits for an answer,
    /// when `then` happens while it does.
    fn taken_after(queue: &Queue, then: impl FnOnce()) -> usize {
        let (waits, is_waiting) = channel();
        thread::scope(|scope| {
            let committer = scope.spawn(move || {
                taken(queue.take_group(None, |is_awaited| {
                    let hour = Duration::from_secs(3_600);
                    match is_awaited {
                        true => Duration::ZERO,
                        false => waits.send(()).map_or(Duration::ZERO, |()| hour),
                    }
                }))
            });
            is_waiting.recv().expect("it waits");
            then();
            committer.join().expect("no panic")
        })
    }

    #[test]
    fn records_somebody_waits_for_take_along_what_was_before_them() {
        let queue = Queue::default();
        queue.push(pending(b"one", false));
        let found = taken_after(&queue, || {
            queue.push(pending(b"two", true));
        });
        assert_eq!(found, 2);
    }

    #[test]
    fn a_clock_that_stands_still_keeps_nobody_waiting() {
        let queue = Queue::default();
        for is_awaited in [false, true] {
            queue.push(pending(b"one", is_awaited));
            let found = queue.take_group(None, |_| Duration::from_nanos(1));
            assert_eq!(taken(found), 1);
        }
    }

    #[test]
    fn a_queue_that_closes_keeps_nobody_waiting() {
        let queue = Queue::default();
        queue.push(pending(b"one", false));
        assert_eq!(taken_after(&queue, || queue.close()), 1);
    }

    #[test]
    fn a_block_of_records_is_enough_for_a_commit() {
        let queue = Queue::default();
        queue.push(pending(b"one", false));
        let found = taken_after(&queue, || {
            queue.push(pending(&vec![b'x'; COMMIT_BYTES], false));
        });
        assert_eq!(found, 2);
        queue.push(pending(&vec![b'x'; COMMIT_BYTES], false));
        let at_once = queue.take_group(None, |_| panic!("nothing to wait for"));
        assert_eq!(taken(at_once), 1);
    }
}
