//! All destinations of a server: started, changed, asked and told what to do, each without touching the others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{LogspaceName, RecordBatch, RecordNumber, RecordParts};
use store::{Clock, Store};
use tokio::runtime::Handle;

use crate::error::Error;
use crate::limits::{MEMORY_BYTES_MIN, PIECES_UNDER_WAY, STOP_PATIENCE};
use crate::options::{Options, Start};
use crate::running::Running;
use crate::sink::{Batch, Item, Opening, Row};
use crate::status::{Explained, Status};

/// The destinations of a server.
pub struct Destinations {
    store: Arc<Store>,
    runtime: Handle,
    clock: Arc<dyn Clock>,
    bytes_max: Arc<AtomicUsize>,
    running: Mutex<BTreeMap<String, Arc<Running>>>,
    /// Held while something is started, stopped or changed.
    changing: Mutex<()>,
}

/// Where a destination is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// As a new one begins.
    Start(Start),
    /// With the record of this number.
    Number(RecordNumber),
}

impl Destinations {
    /// Starts all of them. To have records kept that are not delivered yet, it is called before
    /// [`Store::set_retention`].
    pub fn start(
        store: Arc<Store>,
        runtime: Handle,
        clock: Arc<dyn Clock>,
        options: Vec<Options>,
    ) -> Self {
        let destinations = Self {
            store,
            runtime,
            clock,
            bytes_max: Arc::default(),
            running: Mutex::default(),
            changing: Mutex::default(),
        };
        destinations.reload(options);
        destinations
    }

    /// Has those run that are given: starts new ones, stops those that are gone, and begins those anew whose
    /// options are others. The rest is not touched. Waits for batches in flight, for a while.
    pub fn reload(&self, options: Vec<Options>) {
        let _changing = self.changing();
        self.share_memory(&options);
        let wanted: BTreeMap<_, _> = options
            .into_iter()
            .map(|options| (options.full_name(), Arc::new(options)))
            .collect();
        let is_same = |name: &String, running: &Arc<Running>| {
            let options = wanted.get(name);
            options.is_some_and(|options| options.definition == running.options.definition)
        };
        // Those that are changed stay in sight until the new ones are there.
        let running = self.running();
        let old = running
            .iter()
            .filter(|(name, running)| !is_same(name, running));
        let old: Vec<_> = old.map(|(_, running)| Arc::clone(running)).collect();
        drop(running);
        stop_all(&old, STOP_PATIENCE);
        self.running().retain(|name, _| wanted.contains_key(name));
        for (name, options) in wanted {
            let running = self.running().get(&name).map(Arc::clone);
            if running.is_none_or(|running| running.options.definition != options.definition) {
                let begun = Arc::new(self.begin(options));
                self.running().insert(name, begun);
            }
        }
    }

    /// Stops all: each finishes the batch in flight, or leaves it after some time.
    pub fn shutdown(&self, patience: Duration) {
        let _changing = self.changing();
        let all = std::mem::take(&mut *self.running());
        let all: Vec<_> = all.into_values().collect();
        stop_all(&all, patience);
    }

    /// What is known of each, by name.
    pub fn status(&self) -> Vec<Status> {
        let all: Vec<_> = self.running().values().cloned().collect();
        all.iter()
            .map(|running| running.status(&self.store))
            .collect()
    }

    /// The full name of a destination that somebody names, with its kind or without.
    ///
    /// # Errors
    /// When there is none, or there are several.
    pub fn find(&self, name: &str) -> Result<String, Error> {
        Ok(self.running_of(name)?.options.full_name())
    }

    /// Has one rest, over restarts too; what comes meanwhile waits in the store.
    ///
    /// # Errors
    /// When there is none of that name, or that cannot be kept.
    pub fn pause(&self, name: &str) -> Result<(), Error> {
        self.change(name, |kept| kept.is_paused = true)
    }

    /// Has one go on.
    ///
    /// # Errors
    /// When there is none of that name, or that cannot be kept.
    pub fn resume(&self, name: &str) -> Result<(), Error> {
        self.change(name, |kept| kept.is_paused = false)
    }

    /// Sets one to a place, for one logspace or all that it takes records of: what is behind that is delivered,
    /// again where it was already. What is passed over is not counted as dropped when it was delivered already, and
    /// as skipped where it was not.
    ///
    /// # Errors
    /// When there is none of that name, or that cannot be kept.
    pub fn set(&self, name: &str, logspace: Option<&LogspaceName>, to: Place) -> Result<(), Error> {
        let running = self.running_of(name)?;
        let from = &running.options.from;
        if let Some(logspace) = logspace.filter(|logspace| !from.contains(logspace)) {
            return Err(Error::OtherLogspace {
                destination: running.options.full_name(),
                logspace: logspace.to_string(),
            });
        }
        let chosen = from
            .iter()
            .filter(|name| logspace.is_none_or(|one| one == *name));
        let snapshots: Vec<_> = chosen
            .filter_map(|name| self.store.snapshot(name))
            .collect();
        self.change(name, |kept| {
            for snapshot in &snapshots {
                let place = snapshot.logspace.as_str();
                let old = kept.positions.get(place).copied().unwrap_or_default();
                let new = match to {
                    Place::Start(start) => kept.begin(snapshot, start),
                    Place::Number(number) => {
                        let last = crate::opening::last(snapshot);
                        let after = RecordNumber(number.0.saturating_sub(1)).min(last);
                        kept.since.remove(place);
                        kept.positions.insert(place.to_owned(), after.0);
                        after
                    }
                };
                let skipped = records_between(snapshot, old, new.0);
                kept.totals.matched += skipped;
                kept.totals.dropped.skipped += skipped;
            }
        })
    }

    /// Delivers one message with a sink of its own, beside what goes on; waits for the other side for a while.
    ///
    /// # Errors
    /// When there is no destination of that name, or the record was not delivered.
    pub fn test(&self, name: &str, message: &[u8]) -> Result<(), Error> {
        let running = self.running_of(name)?;
        let batch = self.batch_of(&running.options, message);
        let destination = running.options.full_name();
        let not = |reason: String| Error::NotDelivered {
            destination: destination.clone(),
            reason,
        };
        let _inside = self.runtime.enter();
        let opening = Opening {
            worker: 0,
            destination: destination.clone(),
            store: self.store.id(),
            state: None,
            keeper: Arc::new(crate::position::Forget),
        };
        let sink = running.options.kind.open(opening);
        let mut sink = sink.map_err(|failure| not(failure.what))?;
        let outcome = self.runtime.block_on(async {
            let delivered = tokio::time::timeout(STOP_PATIENCE, sink.deliver(&batch)).await;
            sink.close().await;
            delivered
        });
        let outcome = outcome
            .map_err(|_| not(format!("no answer for {} seconds", STOP_PATIENCE.as_secs())))?;
        if let Some(rejected) = outcome.rejected.into_iter().next() {
            return Err(not(format!("refused: {}", rejected.reason)));
        }
        match outcome.failure {
            Some(failure) => Err(not(failure.what)),
            None if outcome.left.is_empty() => Ok(()),
            None => Err(not("it was not taken".to_owned())),
        }
    }

    /// Which destinations would take a record of a logspace, and what each would send.
    pub fn explain(&self, record: Item<'_>) -> Vec<Explained> {
        let all: Vec<_> = self.running().values().cloned().collect();
        let explained = all
            .iter()
            .map(|running| Explained::of(&running.options, record));
        explained.collect()
    }

    /// A message as a batch of one record, read as one that comes in.
    fn batch_of(&self, options: &Options, message: &[u8]) -> Batch {
        let received = self.clock.now();
        let context = syslog::Context {
            received,
            peer: None,
        };
        let mut parts = RecordParts::default();
        syslog::Parser::new(syslog::ParseOptions::default()).parse(message, &context, &mut parts);
        let mut records = RecordBatch::new();
        // An empty batch has room for one source and one message.
        if let Ok(source) = records.source_index("internal") {
            _ = records.push(message, &parts, received, None, source);
        }
        let first = options.from.first();
        Batch {
            logspace: first.cloned().unwrap_or_else(LogspaceName::main),
            records: Arc::new(records),
            rows: vec![Row {
                index: 0,
                number: RecordNumber(0),
            }],
        }
    }

    /// Stops one, changes what is kept of it, and starts it again.
    fn change(
        &self,
        name: &str,
        change: impl FnOnce(&mut crate::position::Kept),
    ) -> Result<(), Error> {
        let _changing = self.changing();
        let running = self.running_of(name)?;
        running.stop(STOP_PATIENCE);
        let changed = running.change(&self.store, change);
        let begun = Arc::new(self.begin(Arc::clone(&running.options)));
        self.running().insert(running.options.full_name(), begun);
        changed
    }

    fn begin(&self, options: Arc<Options>) -> Running {
        Running::begin(
            options,
            Arc::clone(&self.store),
            self.runtime.clone(),
            Arc::clone(&self.clock),
            Arc::clone(&self.bytes_max),
        )
    }

    /// Gives each batch under way the same share of the memory for destinations.
    fn share_memory(&self, options: &[Options]) {
        let all = self.store.shares().destinations.max(MEMORY_BYTES_MIN);
        // Being read, in the hands of each worker, and one each that is being sent, in another form.
        let shares = options
            .iter()
            .map(|options| 1 + options.workers * (PIECES_UNDER_WAY + 1));
        let shares: usize = shares.sum();
        self.bytes_max.store(all / shares.max(1), Ordering::Relaxed);
    }

    fn running_of(&self, name: &str) -> Result<Arc<Running>, Error> {
        let running = self.running();
        if let Some(found) = running.get(name) {
            return Ok(Arc::clone(found));
        }
        let named = running
            .values()
            .filter(|running| running.options.name == name);
        let named: Vec<_> = named.cloned().collect();
        match named.as_slice() {
            [one] => Ok(Arc::clone(one)),
            [] => Err(Error::Unknown {
                name: name.to_owned(),
            }),
            several => {
                let names = several.iter().map(|running| running.options.full_name());
                Err(Error::Ambiguous {
                    name: name.to_owned(),
                    all: names.collect::<Vec<_>>().join(", "),
                })
            }
        }
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops several at the same time.
fn stop_all(running: &[Arc<Running>], patience: Duration) {
    running.iter().for_each(|running| running.ask_to_stop());
    let deadline = std::time::Instant::now() + patience;
    for running in running {
        running.stop(deadline.saturating_duration_since(std::time::Instant::now()));
    }
}

/// Records between two numbers that are there.
fn records_between(snapshot: &store::Snapshot, after: u64, last: u64) -> u64 {
    let parts = snapshot.parts.iter().map(|part| {
        let first = part.first_number().0;
        let end = first + u64::from(part.rows());
        end.min(last + 1).saturating_sub(first.max(after + 1))
    });
    parts.sum()
}

impl std::fmt::Debug for Destinations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.running().keys().cloned().collect();
        f.debug_tuple("Destinations").field(&names).finish()
    }
}
