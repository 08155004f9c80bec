//! The thread that keeps a store tidy in the background: deletes what need not be kept, makes
//! damaged indexes anew, merges small segments and moves old ones to the archive. It waits while
//! records are coming in faster than they are sealed.

use std::time::Duration;

use crate::archive;
use crate::error::Error;
use crate::import;
use crate::limits::{ARCHIVE_SEGMENTS_MAX, MERGE_PENDING_SEGMENTS};
use crate::logspace::Logspace;
use crate::mend;
use crate::merge;
use crate::retention;
use crate::store::Shared;
use crate::worker::Worker;

/// How often it looks without being asked.
const ROUND: Duration = Duration::from_secs(10);

/// Runs until closed.
pub(crate) fn run(shared: &Shared) {
    let mut was_low = false;
    while shared.housekeeper.wait(ROUND) {
        let is_low = shared.is_disk_low();
        if is_low && !was_low {
            let data_dir = shared.options.data_dir.display();
            tracing::warn!(%data_dir, "little of the disk is free: less than store.free_warn");
        }
        was_low = is_low;
        for logspace in shared.logspaces() {
            keep(shared, &logspace, &shared.housekeeper);
        }
        shared.compactor.wake();
        shared.housekeeper.set_failure(None);
        shared.housekeeper.finish_round();
    }
}

fn keep(shared: &Shared, logspace: &Logspace, worker: &Worker) {
    import::tidy(shared, logspace);
    if let Err(error) = retention::enforce(shared, logspace) {
        tracing::error!(logspace = %logspace.name, %error, "cannot delete what need not be kept");
    }
    if let Err(error) = mend::mend_some(shared, logspace) {
        tracing::error!(logspace = %logspace.name, %error, "cannot make a damaged segment whole");
    }
    while !worker.is_closed() && may_merge(shared, logspace) {
        match merge::merge_some(shared, logspace) {
            Ok(true) => {}
            Ok(false) | Err(Error::Closing) => break,
            Err(error) => {
                tracing::error!(logspace = %logspace.name, %error, "cannot merge segments");
                break;
            }
        }
    }
    for _ in 0..ARCHIVE_SEGMENTS_MAX {
        let result = archive::archive_some(shared, logspace);
        if worker.is_closed() {
            break;
        }
        let failure = result.as_ref().err().map(ToString::to_string);
        if logspace.set_archive_failure(failure)
            && let Err(error) = &result
        {
            tracing::error!(logspace = %logspace.name, %error, "cannot archive");
        }
        match result {
            Ok(true) => {}
            Ok(false) | Err(_) => return,
        }
    }
    // The other logspaces have their turn first.
    worker.wake();
}

/// Receiving goes first, unless so many segments have come together that searches suffer.
fn may_merge(shared: &Shared, logspace: &Logspace) -> bool {
    let state = logspace.state();
    let (_, rows) = state.tail_size();
    let segments = state.segments.len();
    drop(state);
    let is_quiet = !shared.has_large_tails() && rows < shared.options.segment_rows;
    is_quiet || segments >= MERGE_PENDING_SEGMENTS
}
