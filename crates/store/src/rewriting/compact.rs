//! Days that are over, made smaller: their segments are written anew with stronger compression.
//!
//! Each segment is compacted once, when there is nothing left to merge it with, and the manifest
//! remembers it, also where that was not worth the while. The work is done by a thread of the lowest
//! priority that holds one page at a time; it waits while the newest records take their share of
//! memory, and what it has written counts only if the segment is still there in the end.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use segment::{Rewrite, RewriteError};

use super::{By, Input, Stop, write};
use crate::copy;
use crate::disk::OpenMode;
use crate::error::Error;
use crate::limits::{
    COMPACTION_ALONE_BYTES_MAX, COMPACTION_PAUSE_MS, COMPACTION_SAVING_PERCENT_MIN,
};
use crate::logspace::Logspace;
use crate::manifest::{Entry, Manifest, fingerprint};
use crate::names;
use crate::segment_file::SegmentFile;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::Damage;
use crate::store::{Shared, locked};

/// How often it looks without being asked.
const ROUND: Duration = Duration::from_secs(60);

/// The niceness of the thread that compresses: it gets what nobody else wants.
const NICENESS: i32 = 19;

/// Runs until closed.
pub(crate) fn run(shared: &Shared) {
    while shared.compactor.wait(ROUND) {
        for logspace in shared.logspaces() {
            keep(shared, &logspace);
        }
        shared.compactor.set_failure(None);
        shared.compactor.finish_round();
    }
}

fn keep(shared: &Shared, logspace: &Logspace) {
    while !shared.compactor.is_closed() {
        let result = super::rewrite_next(shared, logspace, By::Compactor);
        let failure = match &result {
            Ok(false) if logspace.state().compaction_pauses.is_any() => return,
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        if logspace.set_compaction_failure(failure)
            && let Err(error) = &result
        {
            tracing::error!(logspace = %logspace.name, %error, "cannot compact");
        }
        if !matches!(result, Ok(true)) {
            return;
        }
    }
}

/// Waits until nobody minds that a page is read.
fn wait(shared: &Shared, logspace: &Logspace, segment: &SegmentHandle) -> Result<(), Stop> {
    loop {
        if shared.compactor.is_closed() || !logspace.state().is_open(segment.path()) {
            return Err(Stop::Over);
        }
        if !shared.has_large_tails() {
            return Ok(());
        }
        let pause = Duration::from_millis(COMPACTION_PAUSE_MS);
        shared.compactor.pause(shared.clock.pause(pause));
    }
}

/// Compacts a segment of a logspace.
pub(super) fn compact(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
    segment: &SegmentHandle,
) -> Result<(), Error> {
    let result = compact_now(shared, logspace, entry, segment);
    if result.is_err() {
        let now = shared.clock.now();
        let mut state = logspace.state();
        state.compaction_pauses.add(segment.path(), now);
    }
    result
}

fn compact_now(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
    segment: &SegmentHandle,
) -> Result<(), Error> {
    // Not the name that a merge would take meanwhile.
    let temporary = segment.path().with_extension(names::COMPACTION_SUFFIX);
    let wait = || wait(shared, logspace, segment);
    let input = Input::new(segment, &wait);
    let result = match write_apart(shared, &input, &temporary) {
        Ok(bytes) => settle(shared, logspace, entry, segment, &temporary, bytes),
        Err(error) => match super::failure(shared, logspace, &[segment], error) {
            Error::Closing => Ok(()),
            error => Err(error),
        },
    };
    // Gone already where it became the segment.
    _ = shared.disk.remove(&temporary);
    result
}

/// Writes a segment anew, in a thread that yields to all others where it takes long; how large it
/// is now.
fn write_apart(shared: &Shared, input: &Input<'_>, to: &Path) -> Result<u64, RewriteError<Stop>> {
    if input.file_bytes() < COMPACTION_ALONE_BYTES_MAX {
        return write_to(shared, input, to);
    }
    let failed = |error| RewriteError::Read {
        input: 0,
        source: Stop::Write(Error::io("start a thread to write", to)(error)),
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("compaction".to_owned());
        let work = || {
            // Where that is refused it works all the same.
            _ = rustix::process::nice(NICENESS);
            write_to(shared, input, to)
        };
        let running = thread.spawn_scoped(scope, work).map_err(failed)?;
        let panicked = || std::io::Error::other("it panicked");
        running.join().unwrap_or_else(|_| Err(failed(panicked())))
    })
}

fn write_to(shared: &Shared, input: &Input<'_>, to: &Path) -> Result<u64, RewriteError<Stop>> {
    let mut file = SegmentFile::create(shared.disk.as_ref(), to).map_err(failed)?;
    write(
        shared,
        std::slice::from_ref(input),
        Rewrite::Compacted,
        &mut file,
    )?;
    file.finish().map_err(failed)
}

fn failed(error: Error) -> RewriteError<Stop> {
    RewriteError::Read {
        input: 0,
        source: Stop::Write(error),
    }
}

/// Puts what was written in the place of the segment, or remembers that it was not worth the while.
fn settle(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
    segment: &SegmentHandle,
    temporary: &Path,
    file_bytes: u64,
) -> Result<(), Error> {
    let saved = entry.file_bytes.saturating_sub(file_bytes);
    let is_smaller = saved * 100 >= entry.file_bytes * COMPACTION_SAVING_PERCENT_MIN;
    let is_worth_it = is_smaller || segment::can_be_coalesced(segment.footer());
    let generation = entry.generation.checked_add(1).filter(|_| is_worth_it);
    let fingerprint = match generation {
        None => entry.fingerprint,
        Some(_) => {
            let file = shared.disk.open(temporary, OpenMode::Read);
            let read = file.and_then(|file| fingerprint(file.as_ref()));
            read.map_err(Error::io("read", temporary))?
        }
    };
    let made = Entry {
        fingerprint,
        is_compacted: true,
        file_bytes: generation.map_or(entry.file_bytes, |_| file_bytes),
        generation: generation.unwrap_or(entry.generation),
        ..*entry
    };
    if generation.is_some()
        && let Some(Damage { path, offset, what }) =
            copy::check(shared.disk.as_ref(), temporary, &shared.cache)
    {
        return Err(Error::Damaged { path, offset, what });
    }
    // Those who merge, mend or archive have chosen their segments before they write.
    let _alone = locked(&logspace.rewriting);
    let mut manifest = locked(&logspace.manifest);
    let Some(manifest) = manifest.as_mut() else {
        return Ok(());
    };
    if !manifest.contents().entries.contains(entry) {
        return Ok(());
    }
    let old = segment.path().to_owned();
    if generation.is_none() {
        manifest.change(&[made], &[])?;
        logspace.state().note_compacted(old, 0);
        return Ok(());
    }
    let new = replace(shared, logspace, manifest, entry, &made, temporary)?;
    let mut state = logspace.state();
    let path = new.path().to_owned();
    state.replace(std::slice::from_ref(&old), vec![Arc::new(new)]);
    state.note_compacted(path, saved);
    drop(state);
    tracing::debug!(logspace = %logspace.name, path = %old.display(), saved, "compacted");
    shared.remove_segment(&old);
    Ok(())
}

/// Gives what was written its name, durably, and has the manifest name it.
fn replace(
    shared: &Shared,
    logspace: &Logspace,
    manifest: &mut Manifest,
    entry: &Entry,
    made: &Entry,
    temporary: &Path,
) -> Result<SegmentHandle, Error> {
    let disk = shared.disk.as_ref();
    let path = logspace.path(made);
    disk.rename(temporary, &path)
        .map_err(Error::io("rename", temporary))?;
    let day_dir = names::day_dir(&logspace.dir, made.day);
    disk.sync_dir(&day_dir)
        .map_err(Error::io("sync", day_dir))?;
    let new = SegmentHandle::open(disk, &path, Arc::clone(&shared.cache))?;
    manifest.change(std::slice::from_ref(made), &[entry.id()])?;
    Ok(new)
}
