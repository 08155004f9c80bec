//! What waits for the committer.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{RecordBatch, RecordNumber};

use crate::durability::Durability;
use crate::limits::{COMMIT_RECORDS, GROUP_BYTES};
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
    /// Those of the running commit included.
    records: u64,
    /// Pending records for which the committer wants to be woken; 0 while it is not waiting. Waking
    /// somebody takes longer than adding a record.
    wanted: usize,
    is_closed: bool,
}

impl Queue {
    /// Adds records, or calls back at once when the store is closed.
    pub(crate) fn push(&self, pending: Pending) {
        let mut state = locked(&self.state);
        if state.is_closed {
            drop(state);
            return (pending.on_durable)(Err(AppendError::Closed));
        }
        state.records += pending.batch.len() as u64;
        state.pending_records += pending.batch.len();
        state.pending.push_back(pending);
        // A batch without records has a caller who waits, too.
        let is_wanted = (1..=state.pending_records.max(1)).contains(&state.wanted);
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
    /// a group of them.
    pub(crate) fn take_group(
        &self,
        patience: Option<Duration>,
        spacing: impl Fn() -> Duration,
    ) -> Taken {
        let mut state = locked(&self.state);
        state.wanted = 1;
        let is_idle = |state: &mut QueueState| state.pending.is_empty() && !state.is_closed;
        state = self.wait_while(state, patience, is_idle);
        let spacing = spacing();
        if !state.pending.is_empty() && !spacing.is_zero() {
            state.wanted = COMMIT_RECORDS;
            let is_small =
                |state: &mut QueueState| state.pending_records < COMMIT_RECORDS && !state.is_closed;
            state = self.wait_while(state, Some(spacing), is_small);
        }
        state.wanted = 0;
        if state.pending.is_empty() {
            return if state.is_closed {
                Taken::Closed
            } else {
                Taken::Nothing
            };
        }
        let mut group = Vec::new();
        let mut bytes = 0;
        while let Some(next) = state.pending.front() {
            bytes += next.batch.memory_bytes();
            if !group.is_empty() && bytes > GROUP_BYTES {
                break;
            }
            group.extend(state.pending.pop_front());
        }
        let records: usize = group.iter().map(|pending| pending.batch.len()).sum();
        state.pending_records -= records;
        Taken::Group(group)
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
        state.pending_records = 0;
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
