//! The thread that turns tails into segments and gives journal files back.

use std::sync::Arc;
use std::time::Duration;

use model::{RecordBatch, RecordNumber, Timestamp};
use segment::{BuildOptions, Builder};

use crate::error::Error;
use crate::journal::JournalFile;
use crate::limits::{JOURNAL_BYTES_MAX, STALL_RETRY_MS};
use crate::logspace::Logspace;
use crate::publish::{self, DaySegment, Origin};
use crate::segment_handle::SegmentHandle;
use crate::snapshot::TailChunk;
use crate::store::{Shared, locked};

/// How often tails are looked at without being asked, for the turn of the day.
const ROUND: Duration = Duration::from_secs(10);

/// Runs until closed.
pub(crate) fn run(shared: &Shared) {
    let mut timeout = ROUND;
    let mut workshop = Workshop::default();
    while shared.sealer.wait(timeout) {
        timeout = ROUND;
        for logspace in shared.logspaces() {
            while !shared.sealer.is_closed() && is_due(shared, &logspace) {
                let builder =
                    workshop.builder(shared.clock.now(), shared.options.compression_level);
                if let Err(error) = seal(shared, &logspace, builder) {
                    tracing::error!(logspace = %logspace.name, %error, "cannot seal, trying again");
                    shared.sealer.set_failure(Some(error.to_string()));
                    timeout = shared.clock.pause(Duration::from_millis(STALL_RETRY_MS));
                    break;
                }
                shared.sealer.set_failure(None);
                release_journal_files(shared);
                shared.sealer.finish_round();
            }
        }
        release_journal_files(shared);
        shared.sealer.finish_round();
        shared.housekeeper.wake();
        workshop.tidy(shared.clock.now());
    }
}

/// The builder of segments and when it was last asked for. It is kept from one segment to the next, and
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

/// Whether the tail is large enough, of a day that is over, or in the way of the journal; or the
/// largest one while all together are too large.
fn is_due(shared: &Shared, logspace: &Logspace) -> bool {
    let state = logspace.state();
    let (bytes, rows) = state.tail_size();
    let Some((first, day)) = state.tail_start() else {
        return false;
    };
    drop(state);
    (shared.has_large_tails() && bytes >= largest_tail(shared))
        || rows >= shared.options.segment_rows
        || day < shared.clock.now().day()
        || pins_journal(shared, logspace, first)
}

fn largest_tail(shared: &Shared) -> usize {
    let logspaces = shared.logspaces();
    let sizes = logspaces
        .iter()
        .map(|logspace| logspace.state().tail_size().0);
    sizes.max().unwrap_or(0)
}

/// Whether the journal is too large and the logspace's oldest unsealed record is in its first file.
fn pins_journal(shared: &Shared, logspace: &Logspace, first: RecordNumber) -> bool {
    let files = locked(&shared.journal_files);
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let last_in_oldest = files.first().and_then(|file| file.last.get(&logspace.name));
    bytes > JOURNAL_BYTES_MAX && last_in_oldest.is_some_and(|last| *last >= first)
}

/// Seals the front of a logspace's tail.
fn seal(shared: &Shared, logspace: &Logspace, builder: &mut Builder) -> Result<(), Error> {
    let chunks = logspace.state().freeze(shared.options.segment_rows);
    let result = seal_chunks(shared, logspace, &chunks, builder);
    let mut state = logspace.state();
    match result {
        Ok(segments) => {
            let (before, _) = state.tail_size();
            state.finish_seal(segments);
            let (after, _) = state.tail_size();
            drop(state);
            shared.tails.change(before, after);
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
    builder: &mut Builder,
) -> Result<Vec<Arc<SegmentHandle>>, Error> {
    let Some(first) = chunks.first().map(|chunk| chunk.first) else {
        return Ok(Vec::new());
    };
    let batches = chunks.iter().map(|chunk| &chunk.batch);
    let built = build(builder, first, batches)?;
    publish::publish(shared, logspace, &built, &Origin::default())
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
}
