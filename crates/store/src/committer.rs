//! The one thread that makes records durable.
//!
//! It takes whatever waits, joins it into blocks by logspace, writes and syncs them as one group,
//! makes them visible, and calls back. The next group starts when the last sync returns, so the
//! batches grow by themselves under load and an idle server acknowledges at once.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use model::{RecordBatch, RecordNumber};

use crate::journal::{Encoded, JournalWriter};
use crate::limits::{BLOCK_BYTES, GROUP_BYTES, STALL_RETRY_MS, TAIL_OVERFLOW};
use crate::logspace::Logspace;
use crate::room;
use crate::status::State;
use crate::store::{Shared, locked};

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
    pub(crate) on_durable: OnDurable,
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
    records: u64,
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
        state.pending.push_back(pending);
        drop(state);
        self.changed.notify_one();
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

    /// Waits for records and takes up to a group of them; `None` when closed and empty.
    fn take_group(&self) -> Option<Vec<Pending>> {
        let mut state = locked(&self.state);
        while state.pending.is_empty() {
            if state.is_closed {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
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
        Some(group)
    }

    /// Calls back for everything that still waits in a closed queue.
    fn refuse_rest(&self) {
        let mut state = locked(&self.state);
        let rest = std::mem::take(&mut state.pending);
        let records: u64 = rest.iter().map(|pending| pending.batch.len() as u64).sum();
        state.records -= records;
        drop(state);
        for pending in rest {
            (pending.on_durable)(Err(AppendError::Closed));
        }
    }

    fn finish(&self, records: u64) {
        locked(&self.state).records -= records;
    }

    /// Waits before the disk is tried again; ends early when the store closes.
    fn pause(&self, retry: Duration) {
        let state = locked(&self.state);
        if !state.is_closed {
            _ = self
                .changed
                .wait_timeout_while(state, retry, |state| !state.is_closed);
        }
    }
}

/// Records of one logspace that go into one block.
struct Joined {
    logspace: Arc<Logspace>,
    first: RecordNumber,
    batch: RecordBatch,
}

/// Runs until the queue is closed and empty.
pub(crate) fn run(shared: &Shared) {
    while let Some(group) = shared.queue.take_group() {
        let records = group.iter().map(|pending| pending.batch.len() as u64).sum();
        commit_group(shared, group);
        shared.queue.finish(records);
    }
}

fn commit_group(shared: &Shared, group: Vec<Pending>) {
    let (joined, callbacks) = join(group);
    for block in &joined {
        wait_for_room(shared, &block.logspace);
    }
    let blocks: Vec<Encoded> = joined
        .iter()
        .map(|block| Encoded::new(&block.logspace.name, block.first, &block.batch))
        .collect();
    let start = shared.clock.now();
    if !make_durable(shared, &blocks) {
        for (on_durable, _) in callbacks {
            on_durable(Err(AppendError::Closed));
        }
        // What waits behind it must not become durable with a hole before it.
        shared.queue.refuse_rest();
        return;
    }
    shared.count_commit(shared.clock.now().nanos().saturating_sub(start.nanos()));
    for block in joined {
        let mut state = block.logspace.state();
        state.publish(block.first, block.batch);
        let (bytes, rows) = state.tail_size();
        drop(state);
        if bytes >= shared.options.tail_bytes || rows >= shared.options.segment_rows {
            shared.sealer.wake();
        }
    }
    for (on_durable, appended) in callbacks {
        on_durable(Ok(appended));
    }
    shared.notify_listeners();
}

/// Joins batches by logspace into blocks, gives the records their numbers, and keeps their times
/// of receipt in order.
fn join(group: Vec<Pending>) -> (Vec<Joined>, Vec<(OnDurable, Appended)>) {
    let mut blocks: Vec<Joined> = Vec::new();
    let mut last_block: BTreeMap<model::LogspaceName, usize> = BTreeMap::new();
    let mut callbacks = Vec::with_capacity(group.len());
    for Pending {
        logspace,
        mut batch,
        on_durable,
    } in group
    {
        let first = number(&logspace, &mut batch);
        callbacks.push((
            on_durable,
            Appended {
                first,
                records: batch.len(),
            },
        ));
        if batch.is_empty() {
            continue;
        }
        let open = last_block
            .get(&logspace.name)
            .and_then(|index| blocks.get_mut(*index));
        if let Some(block) = open
            && block.first.0 + block.batch.len() as u64 == first.0
            && block.batch.memory_bytes() + batch.memory_bytes() <= BLOCK_BYTES
            && block.batch.append(&batch).is_ok()
        {
            continue;
        }
        last_block.insert(logspace.name.clone(), blocks.len());
        blocks.push(Joined {
            logspace,
            first,
            batch,
        });
    }
    (blocks, callbacks)
}

fn number(logspace: &Logspace, batch: &mut RecordBatch) -> RecordNumber {
    let mut state = logspace.state();
    let first = RecordNumber(state.next);
    state.next += batch.len() as u64;
    state.last_received = batch.make_received_monotone(state.last_received);
    first
}

/// Waits while the sealer is so far behind that the tail would outgrow its memory.
fn wait_for_room(shared: &Shared, logspace: &Logspace) {
    let limit = shared.options.tail_bytes.saturating_mul(TAIL_OVERFLOW);
    while logspace.state().tail_size().0 > limit && !shared.queue.is_closed() {
        if let Some(reason) = shared.sealer.failure() {
            shared.set_state(State::Stalled(reason));
        }
        shared.sealer.wake();
        shared
            .sealer
            .wait_for_progress(Duration::from_millis(STALL_RETRY_MS));
    }
}

/// Writes the blocks, on another file after each failure, for as long as it takes. False when the
/// store is closing and the disk still refuses.
fn make_durable(shared: &Shared, blocks: &[Encoded]) -> bool {
    if blocks.is_empty() {
        return true;
    }
    loop {
        match commit(shared, blocks) {
            Ok(()) => {
                shared.set_state(State::Working);
                return true;
            }
            Err(reason) => {
                tracing::error!(%reason, "cannot make records durable, trying again");
                shared.set_state(State::Stalled(reason));
                if shared.queue.is_closed() {
                    return false;
                }
                shared.sealer.wake();
                let retry = Duration::from_millis(STALL_RETRY_MS);
                shared.queue.pause(shared.clock.pause(retry));
            }
        }
    }
}

fn commit(shared: &Shared, blocks: &[Encoded]) -> Result<(), String> {
    room::check(shared)?;
    let mut writer: std::sync::MutexGuard<'_, JournalWriter> = locked(&shared.writer);
    let result = writer.commit(blocks);
    drop(writer);
    let (closed, result) = match result {
        Ok(closed) => (closed, Ok(())),
        Err(failed) => (failed.closed, Err(failed.error.to_string())),
    };
    locked(&shared.journal_files).extend(closed);
    result
}
