//! The thread that turns tails into segments and gives journal files back.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use model::{RecordBatch, RecordNumber};
use segment::{BuildOptions, Builder, Built};

use crate::disk::OpenMode;
use crate::error::Error;
use crate::journal::JournalFile;
use crate::limits::{JOURNAL_BYTES_MAX, STALL_RETRY_MS};
use crate::logspace::Logspace;
use crate::manifest::Entry;
use crate::names;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::TailChunk;
use crate::store::{Shared, locked};

/// How the other threads and the sealer talk.
#[derive(Default)]
pub(crate) struct Sealer {
    state: Mutex<SealerState>,
    changed: Condvar,
}

#[derive(Default)]
struct SealerState {
    is_woken: bool,
    is_closed: bool,
    rounds: u64,
    failure: Option<String>,
}

impl Sealer {
    /// Why the last seal failed; `None` where it did not.
    pub(crate) fn failure(&self) -> Option<String> {
        locked(&self.state).failure.clone()
    }

    fn set_failure(&self, failure: Option<String>) {
        locked(&self.state).failure = failure;
    }

    /// Asks for a look at the tails.
    pub(crate) fn wake(&self) {
        locked(&self.state).is_woken = true;
        self.changed.notify_all();
    }

    /// Ends the thread after the segment it is building.
    pub(crate) fn close(&self) {
        locked(&self.state).is_closed = true;
        self.changed.notify_all();
    }

    /// Waits until the sealer has finished a round, at most for `timeout`.
    pub(crate) fn wait_for_progress(&self, timeout: Duration) {
        let state = locked(&self.state);
        let rounds = state.rounds;
        _ = self.changed.wait_timeout_while(state, timeout, |state| {
            state.rounds == rounds && !state.is_closed
        });
    }

    fn finish_round(&self) {
        locked(&self.state).rounds += 1;
        self.changed.notify_all();
    }

    /// Waits to be woken, at most for `timeout`; false when closed.
    fn wait(&self, timeout: Duration) -> bool {
        let state = locked(&self.state);
        let waited = self
            .changed
            .wait_timeout_while(state, timeout, |state| !state.is_woken && !state.is_closed);
        let (mut state, _) = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
        state.is_woken = false;
        !state.is_closed
    }

    fn is_closed(&self) -> bool {
        locked(&self.state).is_closed
    }
}

/// How often tails are looked at without being asked, for the turn of the day.
const ROUND: Duration = Duration::from_secs(10);

/// Runs until closed.
pub(crate) fn run(shared: &Shared) {
    let mut timeout = ROUND;
    while shared.sealer.wait(timeout) {
        timeout = ROUND;
        for logspace in shared.logspaces() {
            while !shared.sealer.is_closed() && is_due(shared, &logspace) {
                if let Err(error) = seal(shared, &logspace) {
                    tracing::error!(logspace = %logspace.name, %error, "cannot seal, trying again");
                    shared.sealer.set_failure(Some(error.to_string()));
                    timeout = Duration::from_millis(STALL_RETRY_MS);
                    break;
                }
                shared.sealer.set_failure(None);
                release_journal_files(shared);
                shared.sealer.finish_round();
            }
        }
        release_journal_files(shared);
        shared.sealer.finish_round();
    }
}

/// Whether the tail is large enough, of a day that is over, or in the way of the journal.
fn is_due(shared: &Shared, logspace: &Logspace) -> bool {
    let state = logspace.state();
    let (bytes, rows) = state.tail_size();
    let Some((first, day)) = state.tail_start() else {
        return false;
    };
    drop(state);
    bytes >= shared.options.tail_bytes
        || rows >= shared.options.segment_rows
        || day < shared.clock.now().day()
        || pins_journal(shared, logspace, first)
}

/// Whether the journal is too large and the logspace's oldest unsealed record is in its first file.
fn pins_journal(shared: &Shared, logspace: &Logspace, first: RecordNumber) -> bool {
    let files = locked(&shared.journal_files);
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let last_in_oldest = files.first().and_then(|file| file.last.get(&logspace.name));
    bytes > JOURNAL_BYTES_MAX && last_in_oldest.is_some_and(|last| *last >= first)
}

/// Seals the front of a logspace's tail.
fn seal(shared: &Shared, logspace: &Logspace) -> Result<(), Error> {
    let chunks = logspace.state().freeze(shared.options.segment_rows);
    let result = seal_chunks(shared, logspace, &chunks);
    let mut state = logspace.state();
    match result {
        Ok(segments) => {
            state.finish_seal(segments);
            Ok(())
        }
        Err(error) => {
            state.thaw();
            Err(error)
        }
    }
}

fn seal_chunks(
    shared: &Shared,
    logspace: &Logspace,
    chunks: &[Arc<TailChunk>],
) -> Result<Vec<Arc<SegmentHandle>>, Error> {
    let Some(first) = chunks.first().map(|chunk| chunk.first) else {
        return Ok(Vec::new());
    };
    let batches = chunks.iter().map(|chunk| &chunk.batch);
    let built = build(first, batches, shared.options.compression_level)?;
    publish(shared, logspace, &built, false)
}

/// A segment in memory and the day it belongs to.
pub(crate) struct DaySegment {
    day: i64,
    built: Built,
}

/// Builds segments of records in order of receipt, one for each day they span.
pub(crate) fn build<'a>(
    first: RecordNumber,
    batches: impl Iterator<Item = &'a RecordBatch>,
    zstd_level: i32,
) -> Result<Vec<DaySegment>, Error> {
    let mut segments = Vec::new();
    let mut open: Option<(i64, Builder)> = None;
    let mut next = first;
    for batch in batches {
        for (day, part) in split_by_day(batch) {
            if open.as_ref().is_some_and(|(open_day, _)| *open_day != day)
                && let Some((day, builder)) = open.take()
            {
                segments.push(DaySegment {
                    day,
                    built: builder.finish()?,
                });
            }
            let options = BuildOptions {
                first_number: next,
                zstd_level,
            };
            let (_, builder) = open.get_or_insert_with(|| (day, Builder::new(options)));
            builder.push(&part)?;
            next = RecordNumber(next.0 + part.len() as u64);
        }
    }
    if let Some((day, builder)) = open {
        segments.push(DaySegment {
            day,
            built: builder.finish()?,
        });
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

/// Writes segments, makes them durable, adds them to the manifest, and opens them.
pub(crate) fn publish(
    shared: &Shared,
    logspace: &Logspace,
    built: &[DaySegment],
    is_imported: bool,
) -> Result<Vec<Arc<SegmentHandle>>, Error> {
    let mut entries = Vec::new();
    let mut handles = Vec::new();
    for DaySegment { day, built } in built {
        let path = write(shared, logspace, *day, built)?;
        let cache = Arc::clone(&shared.cache);
        handles.push(Arc::new(SegmentHandle::open(
            shared.disk.as_ref(),
            &path,
            cache,
        )?));
        entries.push(Entry {
            first: built.footer.first_number,
            rows: built.footer.rows,
            is_imported,
            day: *day,
            file_bytes: built.bytes.len() as u64,
            first_received: built.footer.first_received,
            last_received: built.footer.last_received,
            raw_bytes: built.footer.raw_bytes,
        });
    }
    if let Some(manifest) = locked(&logspace.manifest).as_mut() {
        manifest.add(&entries)?;
    }
    Ok(handles)
}

/// Writes a segment beside its place and renames it there once it is durable.
fn write(shared: &Shared, logspace: &Logspace, day: i64, built: &Built) -> Result<PathBuf, Error> {
    let dir = names::day_dir(&logspace.dir, day);
    shared
        .disk
        .create_dir_all(&dir)
        .map_err(Error::io("create", dir.as_path()))?;
    let path = names::segment(&logspace.dir, day, built.footer.first_number);
    let temporary = path.with_extension(names::TEMPORARY_SUFFIX.trim_start_matches('.'));
    let result = (|| {
        let file = shared
            .disk
            .open(&temporary, OpenMode::Create)
            .map_err(Error::io("create", temporary.as_path()))?;
        file.write_all_at(&built.bytes, 0)
            .map_err(Error::io("write", temporary.as_path()))?;
        file.sync()
            .map_err(Error::io("sync", temporary.as_path()))?;
        shared
            .disk
            .rename(&temporary, &path)
            .map_err(Error::io("rename", temporary.as_path()))?;
        shared
            .disk
            .sync_dir(&dir)
            .map_err(Error::io("sync", dir.as_path()))
    })();
    if result.is_err() {
        // A half-written file would keep a full disk full.
        _ = shared.disk.remove(&temporary);
    }
    result.map(|()| path)
}

/// Gives back the journal files whose records are all in segments.
pub(crate) fn release_journal_files(shared: &Shared) {
    let mut files = locked(&shared.journal_files);
    let (done, kept): (Vec<_>, Vec<_>) = files.drain(..).partition(|file| is_sealed(shared, file));
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
