//! The threads of a store, and what becomes of it when one of them panics.
//!
//! That is our own mistake, and must not leave a store that looks alive. What the background was at
//! is tried again; a committer that has panicked leaves a journal of which nobody knows the state,
//! so nothing is accepted any more until the process is started again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::builders;
use crate::committer;
use crate::error::Error;
use crate::housekeeper;
use crate::limits::STALL_RETRY_MS;
use crate::memory_segments;
use crate::rewriting;
use crate::sealer;
use crate::status::State;
use crate::store::Shared;
use crate::worker::Worker;

/// What a thread does.
type Work = Box<dyn FnOnce(&Shared) + Send>;

/// Starts all of them.
pub(crate) fn start(shared: &Arc<Shared>) -> Result<Vec<JoinHandle<()>>, Error> {
    let mut works: Vec<(String, Work)> = vec![
        ("committer".to_owned(), Box::new(commit)),
        ("sealer".to_owned(), Box::new(seal)),
        background(
            "housekeeper",
            |shared| &shared.housekeeper,
            housekeeper::run,
        ),
        background(
            "compactor",
            |shared| &shared.compactor,
            rewriting::compact::run,
        ),
        background(
            "memory_builder",
            |shared| &shared.memory_builder,
            memory_segments::run,
        ),
    ];
    for number in 0..shared.options.threads.max(1) {
        let build: Work = Box::new(move |shared| builders::run(shared, number));
        works.push((format!("builder {number}"), build));
    }
    let mut threads = Vec::new();
    for (name, work) in works {
        let shared_here = Arc::clone(shared);
        let thread = std::thread::Builder::new()
            .name(name)
            .spawn(move || work(&shared_here));
        let data_dir = shared.options.data_dir.as_path();
        threads.push(thread.map_err(Error::io("start a thread for", data_dir))?);
    }
    Ok(threads)
}

/// A thread that works until its worker is closed, and again where it panics.
fn background(
    name: &'static str,
    worker: fn(&Shared) -> &Worker,
    run: fn(&Shared),
) -> (String, Work) {
    let work = move |shared: &Shared| repeat(shared, worker(shared), name, run);
    (name.to_owned(), Box::new(work))
}

fn seal(shared: &Shared) {
    repeat(shared, &shared.sealer, "sealer", sealer::run);
    // What was being built at the end of it is published.
    shared.builders.close();
}

fn commit(shared: &Shared) {
    if catch_unwind(AssertUnwindSafe(|| committer::run(shared))).is_ok() {
        return;
    }
    let reason = "the thread that writes the journal has panicked: start Logwood again";
    tracing::error!(reason, "nothing is accepted any more");
    shared.set_state(State::Stalled(reason.to_owned()));
    shared.queue.close();
    shared.queue.refuse_rest();
}

/// Runs the work of a thread, again and again as long as it panics.
fn repeat(shared: &Shared, worker: &Worker, name: &str, run: fn(&Shared)) {
    while catch_unwind(AssertUnwindSafe(|| run(shared))).is_err() {
        tracing::error!(name, "a thread of the store panicked, trying again");
        worker.set_failure(Some(format!("the {name} has panicked")));
        let pause = Duration::from_millis(STALL_RETRY_MS);
        worker.pause(shared.clock.pause(pause));
        worker.wake();
    }
}
