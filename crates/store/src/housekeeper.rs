//! The thread that keeps a store tidy in the background: deletes what need not be kept, makes
//! damaged indexes anew, merges small segments and moves old ones to the archive. It waits while
//! records are coming in faster than they are sealed.

use std::time::Duration;

use crate::archive;
use crate::error::Error;
use crate::import;
use crate::limits::ARCHIVE_SEGMENTS_MAX;
use crate::logspace::Logspace;
use crate::retention;
use crate::rewriting::{self, By};
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
    while !worker.is_closed() {
        match rewriting::rewrite_next(shared, logspace, By::Housekeeper) {
            Ok(true) => {}
            Ok(false) | Err(Error::Closing) => break,
            Err(error) => {
                tracing::error!(logspace = %logspace.name, %error, "cannot write segments anew");
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
