//! The one thread that makes records durable.
//!
//! It takes whatever waits, joins it into blocks by logspace, writes and syncs them as one group,
//! makes them visible, and calls back. The next group starts when the last sync returns, so the
//! batches grow by themselves under load and an idle server acknowledges at once; between the two,
//! a small group waits a moment for more. Groups in which nobody asks for [`Durability::Strict`] are
//! synced together, when the first of them must be.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};

use crate::durability::Durability;
use crate::journal::{Encoded, Encoder, JournalWriter};
use crate::limits::{
    BLOCK_BYTES, CLOCK_BACK_NANOS_MAX, COMMIT_SPACING_US, STALL_RETRY_MS, UNSYNCED_BYTES_MAX,
};
use crate::logspace::Logspace;
use crate::queue::{AppendError, Appended, OnDurable, Pending, Taken};
use crate::room;
use crate::status::State;
use crate::store::{Shared, locked};

/// Records of one logspace that go into one block.
struct Joined {
    logspace: Arc<Logspace>,
    first: RecordNumber,
    batch: RecordBatch,
}

/// When the oldest record that is written and not synced must be.
#[derive(Default)]
struct SyncDue(Option<Timestamp>);

impl SyncDue {
    /// How long to wait for more; `None` where nothing waits for a sync. A clock that steps back
    /// makes no difference longer than the longest window.
    fn patience(&self, now: Timestamp) -> Option<Duration> {
        let nanos = self.0?.nanos().saturating_sub(now.nanos());
        let patience = Duration::from_nanos(u64::try_from(nanos).unwrap_or(0));
        Some(patience.min(Durability::Fast.window()))
    }

    /// Notes records that were written and not synced.
    fn add(&mut self, now: Timestamp, window: Duration) {
        let nanos = i64::try_from(window.as_nanos()).unwrap_or(i64::MAX);
        let due = now.plus_nanos(nanos);
        self.0 = Some(self.0.map_or(due, |known| known.min(due)));
    }

    fn is_over(&self, now: Timestamp) -> bool {
        self.patience(now)
            .is_some_and(|patience| patience.is_zero())
    }
}

/// Makes durable what the journal had and may have been in the page cache only. Where the disk
/// refuses, the first commit tries again.
pub(crate) fn settle(shared: &Shared) {
    if locked(&shared.writer).unsynced_bytes() == 0 {
        return;
    }
    match commit(shared, &[], true) {
        Ok(()) => note_synced(shared),
        Err(reason) => {
            tracing::error!(%reason, "cannot make durable again what was found, trying again");
        }
    }
}

/// Runs until the queue is closed and empty.
pub(crate) fn run(shared: &Shared) {
    let mut due = SyncDue::default();
    if locked(&shared.writer).unsynced_bytes() > 0 {
        due.add(shared.clock.now(), Duration::ZERO);
    }
    let mut last_start = Timestamp::MIN;
    let mut encoder = Encoder::default();
    loop {
        let patience = due.patience(shared.clock.now());
        let spacing = || match spacing(last_start, shared.clock.now()) {
            Duration::ZERO => Duration::ZERO,
            spacing => shared.clock.pause(spacing),
        };
        match shared.queue.take_group(patience, spacing) {
            Taken::Group(group) => {
                last_start = shared.clock.now();
                let records = group.iter().map(|pending| pending.batch.len() as u64).sum();
                commit_group(shared, group, &mut due, &mut encoder);
                shared.queue.finish(records);
            }
            Taken::Nothing => {
                if write(shared, &[], true) {
                    due = SyncDue::default();
                    note_synced(shared);
                }
            }
            Taken::Closed => return end(shared, &due),
        }
    }
}

/// Makes durable what was acknowledged before its sync, and notes that all is.
fn end(shared: &Shared, due: &SyncDue) {
    if due.0.is_some() && !write(shared, &[], true) {
        tracing::error!("records acknowledged a moment ago may not be durable");
        return;
    }
    let mut writer = locked(&shared.writer);
    match writer.end() {
        Ok(()) => {
            let is_settled = writer.unsynced_bytes() == 0;
            shared.is_settled.store(is_settled, Ordering::Relaxed);
        }
        Err(error) => {
            tracing::warn!(%error, "the next start writes the last records of the journal once more");
        }
    }
}

/// How long a small commit waits.
fn spacing(last_start: Timestamp, now: Timestamp) -> Duration {
    let elapsed = now.nanos().saturating_sub(last_start.nanos());
    let elapsed = Duration::from_nanos(u64::try_from(elapsed).unwrap_or(u64::MAX));
    Duration::from_micros(COMMIT_SPACING_US).saturating_sub(elapsed)
}

fn commit_group(shared: &Shared, group: Vec<Pending>, due: &mut SyncDue, encoder: &mut Encoder) {
    let strictest = group.iter().map(|pending| pending.durability).min();
    let durability = strictest.unwrap_or_default();
    let (joined, callbacks) = join(group);
    wait_for_room(shared);
    let blocks = encode(&joined, encoder);
    let start = shared.clock.now();
    let sync = durability == Durability::Strict
        || due.is_over(start)
        || locked(&shared.writer).unsynced_bytes() > UNSYNCED_BYTES_MAX
        || !shared.note_ceilings(&ends(&joined));
    let is_first_sync = sync && due.0.is_some();
    if !write(shared, &blocks, sync) {
        for (on_durable, _) in callbacks {
            on_durable(Err(AppendError::Closed));
        }
        // What waits behind it must not become durable with a hole before it.
        shared.queue.refuse_rest();
        return;
    }
    if sync {
        *due = SyncDue::default();
    } else {
        due.add(start, durability.window());
        for block in &joined {
            block.logspace.state().note_unsynced(block.first.0);
        }
    }
    shared.count_commit(shared.clock.now().nanos().saturating_sub(start.nanos()));
    publish(shared, joined);
    if is_first_sync {
        note_synced(shared);
    }
    for (on_durable, appended) in callbacks {
        on_durable(Ok(appended));
    }
    shared.notify_listeners();
}

/// The number behind the last record of each block.
fn ends(joined: &[Joined]) -> Vec<(&Logspace, u64)> {
    let end = |block: &Joined| block.first.0 + block.batch.len() as u64;
    let ends = joined
        .iter()
        .map(|block| (block.logspace.as_ref(), end(block)));
    ends.collect()
}

/// Notes that all records that are seen are durable.
fn note_synced(shared: &Shared) {
    for logspace in shared.logspaces() {
        if logspace.state().note_synced() {
            logspace.news.notify_all();
        }
    }
}

/// Encodes blocks. Each says up to which number the journal has had records of its logspace, so that
/// a file that is lost shows.
fn encode(joined: &[Joined], encoder: &mut Encoder) -> Vec<Arc<Encoded>> {
    let mut ends: BTreeMap<&LogspaceName, u64> = BTreeMap::new();
    let blocks = joined.iter().map(|block| {
        let name = &block.logspace.name;
        let end = block.first.0 + block.batch.len() as u64;
        let before = ends.insert(name, end);
        let before = before.unwrap_or_else(|| block.logspace.state().journaled);
        Arc::new(encoder.encode(name, before, block.first, &block.batch))
    });
    blocks.collect()
}

/// Makes records visible.
fn publish(shared: &Shared, joined: Vec<Joined>) {
    for block in joined {
        let mut state = block.logspace.state();
        let (before, _) = state.tail_size();
        state.publish(block.first, block.batch);
        let (after, _) = state.tail_size();
        let (_, rows) = state.open_size();
        drop(state);
        block.logspace.news.notify_all();
        shared.tails.add(after - before);
        if shared.has_stretch() || rows >= shared.options.segment_rows {
            shared.sealer.wake();
        }
    }
}

/// Batches of one logspace that will be one block, in order of receipt.
struct Gathered {
    logspace: Arc<Logspace>,
    first: RecordNumber,
    last_received: Timestamp,
    /// The number behind the last record.
    end: u64,
    memory_bytes: usize,
    batches: Vec<RecordBatch>,
}

/// Joins batches by logspace into blocks, gives the records their numbers, and keeps their times
/// of receipt in order.
fn join(group: Vec<Pending>) -> (Vec<Joined>, Vec<(OnDurable, Appended)>) {
    let mut blocks: Vec<Gathered> = Vec::new();
    let mut last_block: BTreeMap<LogspaceName, usize> = BTreeMap::new();
    let mut callbacks = Vec::with_capacity(group.len());
    for Pending {
        logspace,
        mut batch,
        on_durable,
        ..
    } in group
    {
        let first = number(&logspace, &mut batch);
        let (first_received, last_received) = batch.received_bounds().unwrap_or_default();
        let records = batch.len();
        callbacks.push((on_durable, Appended { first, records }));
        if batch.is_empty() {
            continue;
        }
        let (end, memory_bytes) = (first.0 + records as u64, batch.memory_bytes());
        let open = last_block
            .get(&logspace.name)
            .and_then(|index| blocks.get_mut(*index));
        if let Some(block) = open
            && block.end == first.0
            && block.last_received <= first_received
            && block.memory_bytes + memory_bytes <= BLOCK_BYTES
        {
            block.end = end;
            block.last_received = last_received;
            block.memory_bytes += memory_bytes;
            block.batches.push(batch);
            continue;
        }
        last_block.insert(logspace.name.clone(), blocks.len());
        blocks.push(Gathered {
            logspace,
            first,
            last_received,
            end,
            memory_bytes,
            batches: vec![batch],
        });
    }
    let mut joined = Vec::with_capacity(blocks.len());
    for block in blocks {
        block.join(&mut joined);
    }
    (joined, callbacks)
}

impl Gathered {
    /// Copies each record once: room for all of them is made before, since a batch that grows is
    /// copied again and again, to memory that nobody has touched.
    fn join(self, joined: &mut Vec<Joined>) {
        let mut batches = self.batches.into_iter();
        let Some(mut whole) = batches.next() else {
            return;
        };
        whole.reserve_for(batches.as_slice());
        let mut block = Joined {
            logspace: self.logspace,
            first: self.first,
            batch: whole,
        };
        for batch in batches {
            if block.batch.append(&batch).is_ok() {
                continue;
            }
            // They have more names than one batch may.
            let next = Joined {
                logspace: Arc::clone(&block.logspace),
                first: RecordNumber(block.first.0 + block.batch.len() as u64),
                batch,
            };
            joined.push(std::mem::replace(&mut block, next));
        }
        joined.push(block);
    }
}

/// Gives the records their numbers and keeps their times of receipt in order, but for a clock that
/// was set back by more than it may: order would then be kept by times that are not true, until
/// the clock has caught up, and that may take years.
fn number(logspace: &Logspace, batch: &mut RecordBatch) -> RecordNumber {
    let mut state = logspace.state();
    let first = RecordNumber(state.reserve(batch.len()).start);
    let floor = state.last_received;
    let back = batch.received_bounds().map_or(0, |(received, _)| {
        floor.nanos().saturating_sub(received.nanos())
    });
    let floor = match back > CLOCK_BACK_NANOS_MAX {
        true => {
            state.clock_steps_back += 1;
            tracing::warn!(
                logspace = %logspace.name,
                newest = %floor,
                seconds = back / 1_000_000_000,
                "the newest records are of the future by the clock of this machine: \
                 what is received from now on has its time again, and stands before them"
            );
            Timestamp::MIN
        }
        false => floor,
    };
    state.last_received = batch.make_received_monotone(floor);
    first
}

/// Waits while the sealer is so far behind that the tails would outgrow their memory.
fn wait_for_room(shared: &Shared) {
    let limit = shared.options.shares().tails_max;
    while shared.tails.bytes() > limit && !shared.queue.is_closed() {
        if let Some(reason) = shared.sealer.failure() {
            shared.set_state(State::Stalled(reason));
        }
        shared.sealer.wake();
        shared
            .sealer
            .wait_for_progress(Duration::from_millis(STALL_RETRY_MS));
    }
}

/// Writes the blocks, and syncs them and all before them if asked to, on another file after each
/// failure, for as long as it takes. False when the store is closing and the disk still refuses.
fn write(shared: &Shared, blocks: &[Arc<Encoded>], sync: bool) -> bool {
    if blocks.is_empty() && locked(&shared.writer).unsynced_bytes() == 0 {
        return true;
    }
    loop {
        match commit(shared, blocks, sync) {
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

fn commit(shared: &Shared, blocks: &[Arc<Encoded>], sync: bool) -> Result<(), String> {
    room::check(shared)?;
    let mut writer: MutexGuard<'_, JournalWriter> = locked(&shared.writer);
    let result = writer.commit(blocks, sync);
    shared.note_open_journal(&writer);
    let durable = writer.durable().filter(|_| sync);
    drop(writer);
    if let Some(file) = durable.filter(|_| result.is_ok()) {
        shared.note_journal(file);
    }
    let (closed, result) = match result {
        Ok(closed) => (closed, Ok(())),
        Err(failed) => (failed.closed, Err(failed.error.to_string())),
    };
    locked(&shared.journal_files).extend(closed);
    result
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use model::limits::BATCH_TAGS_MAX;
    use model::{RecordParts, SYSLOG_TAG_NAMES};

    use super::*;
    use crate::logspace::LogspaceState;
    use crate::places::Places;

    fn pending(logspace: &Arc<Logspace>, tags: std::ops::Range<usize>) -> Pending {
        let mut batch = RecordBatch::new();
        let source = batch.source_index("tcp").expect("fits");
        for tag in tags {
            let parts = RecordParts {
                tags: batch.tag_bit(&format!("tag {tag}")).expect("fits"),
                ..RecordParts::default()
            };
            let pushed = batch.push(b"text", &parts, Timestamp::default(), None, source);
            pushed.expect("fits");
        }
        waiting(logspace, batch)
    }

    fn waiting(logspace: &Arc<Logspace>, batch: RecordBatch) -> Pending {
        Pending {
            logspace: Arc::clone(logspace),
            batch,
            durability: Durability::Strict,
            on_durable: Box::new(|_| {}),
        }
    }

    fn logspace() -> Arc<Logspace> {
        let places = Places {
            home: PathBuf::new(),
            archive: None,
        };
        let name = LogspaceName::main();
        Arc::new(Logspace::new(name, places, None, LogspaceState::new()))
    }

    #[test]
    fn batches_become_one_block_as_far_as_their_names_fit_one() {
        let logspace = logspace();
        let some = (BATCH_TAGS_MAX - SYSLOG_TAG_NAMES.len()) / 2;
        let group = [0..some, some..2 * some, 0..10, 2 * some..3 * some, 0..10];
        let group = group.map(|sources| pending(&logspace, sources));
        let (joined, callbacks) = join(Vec::from(group));
        let found = joined
            .iter()
            .map(|block| (block.first.0, block.batch.len()));
        let found: Vec<_> = found.collect();
        assert_eq!(
            found,
            [(1, 2 * some + 10), (2 * some as u64 + 11, some + 10)]
        );
        let firsts: Vec<_> = callbacks.iter().map(|(_, done)| done.first.0).collect();
        let some = some as u64;
        let expected = [0, some, 2 * some, 2 * some + 10, 3 * some + 10];
        assert_eq!(firsts, expected.map(|before| before + 1));
    }

    #[test]
    fn a_block_ends_where_times_of_receipt_go_back() {
        let logspace = logspace();
        let at = |seconds| {
            let mut batch = RecordBatch::new();
            let source = batch.source_index("tcp").expect("fits");
            let received = Timestamp::from_seconds(seconds);
            let pushed = batch.push(b"text", &RecordParts::default(), received, None, source);
            pushed.expect("fits");
            waiting(&logspace, batch)
        };
        // A minute is a step that a time service may make; a second more is a clock put right.
        let group = [1_000, 9_000, 8_940, 8_941, 1_000, 1_001, 939, 1_000_000, 5];
        let (joined, _) = join(group.map(at).into());
        let received = |block: &Joined| -> Vec<i64> {
            let records = block.batch.iter();
            records
                .map(|record| record.received().nanos() / 1_000_000_000)
                .collect()
        };
        let received: Vec<_> = joined.iter().map(received).collect();
        let expected = [
            vec![1_000, 9_000, 9_000, 9_000],
            vec![1_000, 1_001],
            vec![939, 1_000_000],
            vec![5],
        ];
        assert_eq!(received, expected);
        assert_eq!(logspace.state().clock_steps_back, 3);
    }

    #[test]
    fn blocks_are_full_and_keep_all_records_in_order() {
        let logspace = logspace();
        let lens = [
            10,
            300,
            BLOCK_BYTES / 3,
            BLOCK_BYTES / 2,
            2 * BLOCK_BYTES,
            7,
        ];
        let lens: Vec<usize> = lens.iter().cycle().take(40).copied().collect();
        let one = |len: &usize| {
            let mut batch = RecordBatch::new();
            let source = batch.source_index("tcp").expect("fits");
            let (parts, now) = (RecordParts::default(), Timestamp::default());
            let pushed = batch.push(&vec![b'x'; *len], &parts, now, None, source);
            pushed.expect("fits");
            waiting(&logspace, batch)
        };
        let (joined, _) = join(lens.iter().map(one).collect());
        let mut found = Vec::new();
        for block in &joined {
            assert_eq!(block.first.0, found.len() as u64 + 1);
            assert!(block.batch.memory_bytes() <= BLOCK_BYTES || block.batch.len() == 1);
            found.extend(block.batch.iter().map(|record| record.raw().len()));
        }
        assert_eq!(found, lens);
        for pair in joined.windows(2) {
            let both = pair[0].batch.memory_bytes() + pair[1].batch.memory_bytes();
            assert!(both > BLOCK_BYTES, "they would have been one block");
        }
    }
}
