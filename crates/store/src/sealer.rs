//! The thread that turns tails into segments and gives journal files back.
//!
//! It takes stretches off the tails, has the builders make segments of them, several at a time, and
//! publishes these in the order in which it took the stretches. So a manifest has all that was sealed up
//! to some number, whatever becomes of what is being built behind it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use model::{LogspaceName, RecordBatch, RecordNumber};
use segment::Builder;

use crate::builders::{Building, For, Outcome};
use crate::error::Error;
use crate::journal::JournalFile;
use crate::limits::{JOURNAL_BYTES_MAX, STALL_RETRY_MS};
use crate::logspace::Logspace;
use crate::publish::{self, DaySegment, Origin};
use crate::snapshot::TailChunk;
use crate::store::{Shared, locked};

/// How often tails are looked at without being asked, for the turn of the day.
const ROUND: Duration = Duration::from_secs(10);

/// Runs until closed, and then publishes what is being built.
pub(crate) fn run(shared: &Shared) {
    // What a sealer was at that panicked is begun anew.
    for logspace in shared.logspaces() {
        shared.tails.thaw(logspace.state().thaw());
    }
    let mut sealing = Sealing::default();
    let mut timeout = ROUND;
    while shared.sealer.wait_amid(timeout, !sealing.0.is_empty()) {
        timeout = match sealing.round(shared) {
            true => ROUND,
            false => shared.clock.pause(Duration::from_millis(STALL_RETRY_MS)),
        };
        release_journal_files(shared);
        shared.sealer.finish_round();
        shared.housekeeper.wake();
    }
    sealing.end(shared);
}

/// A stretch of a tail on its way into segments.
struct Stretch {
    logspace: Arc<Logspace>,
    chunks: Vec<Arc<TailChunk>>,
    stage: Stage,
}

enum Stage {
    /// For a builder, for the first time or once more.
    Waiting,
    Building(Building),
    Done(Outcome),
}

impl Stretch {
    fn is_waiting(&self) -> bool {
        matches!(self.stage, Stage::Waiting)
    }

    /// Whether a builder is at it still.
    fn is_building(&mut self) -> bool {
        if let Stage::Building(building) = &self.stage
            && let Some(outcome) = building.try_take()
        {
            self.stage = Stage::Done(outcome);
        }
        matches!(self.stage, Stage::Building(_))
    }

    fn build(&mut self, shared: &Shared) {
        let chunks = self.chunks.clone();
        let work = move |builder: &mut Builder| {
            let first = chunks.first().map(|chunk| chunk.first).unwrap_or_default();
            build(builder, first, chunks.iter().map(|chunk| &chunk.batch))
        };
        let building = shared.builders.submit(For::Sealer, Box::new(work));
        self.stage = Stage::Building(building);
    }

    /// Puts segments in the place of the stretch, where they are built; whether they are. After an error it
    /// may be called again: what is built is published then, what is not is built first.
    fn publish(&mut self, shared: &Shared) -> Result<bool, Error> {
        match std::mem::replace(&mut self.stage, Stage::Waiting) {
            Stage::Done(built) => {
                let built = built?;
                let published =
                    publish::publish(shared, &self.logspace, &built, &Origin::default());
                self.stage = Stage::Done(Ok(built));
                let bytes = self.logspace.state().finish_seal(published?);
                shared.tails.seal(bytes);
                Ok(true)
            }
            unfinished => {
                self.stage = unfinished;
                Ok(false)
            }
        }
    }
}

/// The stretches that are being sealed, in the order in which they were taken.
#[derive(Default)]
struct Sealing(VecDeque<Stretch>);

impl Sealing {
    /// Starts what is due and publishes what is built. Whether nothing failed.
    fn round(&mut self, shared: &Shared) -> bool {
        self.start(shared);
        let mut failed = BTreeSet::new();
        let mut at = 0;
        while let Some(stretch) = self.0.get_mut(at) {
            if failed.contains(&stretch.logspace.name) {
                at += 1;
                continue;
            }
            match stretch.publish(shared) {
                Ok(true) => {
                    self.0.remove(at);
                    shared.sealer.set_failure(None);
                    release_journal_files(shared);
                    shared.sealer.finish_round();
                    self.start(shared);
                }
                // Those behind it have their turn when it is built: the same records make the same calls of
                // the disk in the same order, however fast the builders are.
                Ok(false) => break,
                Err(error) => {
                    failed.insert(note_failure(shared, &stretch.logspace, &error));
                    at += 1;
                }
            }
        }
        failed.is_empty()
    }

    /// Gives the builders work, as far as they have none.
    fn start(&mut self, shared: &Shared) {
        let builders = shared.options.threads.max(1);
        let building = self
            .0
            .iter_mut()
            .map(|stretch| usize::from(stretch.is_building()));
        let mut free = builders.saturating_sub(building.sum());
        for stretch in self
            .0
            .iter_mut()
            .filter(|stretch| stretch.is_waiting())
            .take(free)
        {
            stretch.build(shared);
            free -= 1;
        }
        for logspace in shared.logspaces() {
            // As many again may wait to be published.
            while free > 0
                && self.0.len() < 2 * builders
                && !shared.sealer.is_closed()
                && is_due(shared, &logspace)
            {
                let options = &shared.options;
                let frozen = logspace
                    .state()
                    .freeze(options.segment_rows, shared.stretch_bytes());
                shared.tails.freeze(frozen.bytes);
                let mut stretch = Stretch {
                    logspace: Arc::clone(&logspace),
                    chunks: frozen.chunks,
                    stage: Stage::Waiting,
                };
                stretch.build(shared);
                self.0.push_back(stretch);
                free -= 1;
            }
        }
    }

    /// Publishes what is being built. The rest stays in the journal.
    fn end(self, shared: &Shared) {
        let mut failed = BTreeSet::new();
        for mut stretch in self.0 {
            if failed.contains(&stretch.logspace.name) {
                continue;
            }
            if let Stage::Building(building) = stretch.stage {
                stretch.stage = Stage::Done(building.wait());
            }
            match stretch.publish(shared) {
                Ok(true) => {}
                Ok(false) => _ = failed.insert(stretch.logspace.name.clone()),
                Err(error) => _ = failed.insert(note_failure(shared, &stretch.logspace, &error)),
            }
        }
        release_journal_files(shared);
    }
}

fn note_failure(shared: &Shared, logspace: &Logspace, error: &Error) -> LogspaceName {
    tracing::error!(logspace = %logspace.name, %error, "cannot seal, trying again");
    shared.sealer.set_failure(Some(error.to_string()));
    logspace.name.clone()
}

/// Whether what of the tail is not being sealed is large enough, of a day that is over, or in the way of the
/// journal; or the largest one while all together are too large.
fn is_due(shared: &Shared, logspace: &Logspace) -> bool {
    let state = logspace.state();
    let (bytes, rows) = state.open_size();
    let Some((first, day)) = state.open_start() else {
        return false;
    };
    drop(state);
    (shared.has_stretch() && bytes >= largest_open_tail(shared))
        || rows >= shared.options.segment_rows
        || day < shared.clock.now().day()
        || pins_journal(shared, logspace, first)
}

fn largest_open_tail(shared: &Shared) -> usize {
    let logspaces = shared.logspaces();
    let sizes = logspaces
        .iter()
        .map(|logspace| logspace.state().open_size().0);
    sizes.max().unwrap_or(0)
}

/// Whether the journal is too large and the logspace's oldest record that is not being sealed is
/// in its first file.
fn pins_journal(shared: &Shared, logspace: &Logspace, first: RecordNumber) -> bool {
    let files = locked(&shared.journal_files);
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let last_in_oldest = files.first().and_then(|file| file.last.get(&logspace.name));
    bytes > JOURNAL_BYTES_MAX && last_in_oldest.is_some_and(|last| *last >= first)
}

/// Builds segments of records in order of receipt, one for each day they span; the numbers of the
/// records follow the first one.
pub(crate) fn build<'a>(
    builder: &mut Builder,
    first: RecordNumber,
    batches: impl Iterator<Item = &'a RecordBatch>,
) -> Result<Vec<DaySegment>, Error> {
    builder.start(first);
    let mut segments = Vec::new();
    let mut open = None;
    for batch in batches {
        for (day, part) in split_by_day(batch) {
            if let Some(day) = open.replace(day).filter(|open| *open != day) {
                let built = builder.finish()?;
                segments.push(DaySegment { day, built });
            }
            builder.push(&part)?;
        }
    }
    if let Some(day) = open {
        let built = builder.finish()?;
        segments.push(DaySegment { day, built });
    }
    Ok(segments)
}

/// The records of a batch by the day of their receipt; borrowed where there is one day only.
fn split_by_day(batch: &RecordBatch) -> Vec<(i64, std::borrow::Cow<'_, RecordBatch>)> {
    let day_of = |index: usize| batch.get(index).map(|record| record.received().day());
    let (Some(first), Some(last)) = (day_of(0), day_of(batch.len().wrapping_sub(1))) else {
        return Vec::new();
    };
    if first == last {
        return vec![(first, std::borrow::Cow::Borrowed(batch))];
    }
    let mut parts: Vec<(i64, std::borrow::Cow<'_, RecordBatch>)> = Vec::new();
    for record in batch.iter() {
        let day = record.received().day();
        if parts.last().is_none_or(|(last_day, _)| *last_day != day) {
            parts.push((day, std::borrow::Cow::Owned(RecordBatch::new())));
        }
        if let Some((_, part)) = parts.last_mut() {
            let pushed = part.to_mut().push_record(record);
            debug_assert!(pushed.is_ok(), "a part of a batch fits into a batch");
        }
    }
    parts
}

/// Gives back the journal files whose records are all in segments.
pub(crate) fn release_journal_files(shared: &Shared) {
    let mut files = locked(&shared.journal_files);
    let (done, kept): (Vec<_>, Vec<_>) = files
        .drain(..)
        .partition(|file| is_sealed(shared, file) && !shared.is_noted(file));
    *files = kept;
    drop(files);
    for file in done {
        if let Err(error) = locked(&shared.writer).release(&file) {
            tracing::warn!(%error, "cannot release a journal file");
        }
    }
}

fn is_sealed(shared: &Shared, file: &JournalFile) -> bool {
    file.last.iter().all(|(name, last)| {
        shared.logspace(name).is_none_or(|logspace| {
            logspace
                .state()
                .tail_start()
                .is_none_or(|(first, _)| first > *last)
        })
    })
}
