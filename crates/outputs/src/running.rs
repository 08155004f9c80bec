//! One destination: its thread, its account, and the order to stop.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use store::{Clock, Store};
use tokio::runtime::Handle;

use crate::account::Account;
use crate::error::Error;
use crate::feeder::Feeder;
use crate::gather::Source;
use crate::opening;
use crate::options::Options;
use crate::position::{Kept, Position};
use crate::sink::Failure;
use crate::status::{State, Status, StatusSource};
use crate::stop::{Stop, StopReceiver, StopSender, stop};
use crate::trouble::Told;

/// A destination that is there, whether it delivers or not.
pub(crate) struct Running {
    pub(crate) options: Arc<Options>,
    account: Arc<Account>,
    /// Its document; none where that cannot be read.
    position: Option<Arc<Position>>,
    is_paused: bool,
    /// Why it does not run.
    broken: Option<String>,
    stop: StopSender,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Running {
    /// Begins where it is. What keeps it from that is shown by its status, and keeps nobody else.
    pub(crate) fn begin(
        options: Arc<Options>,
        store: Arc<Store>,
        runtime: Handle,
        clock: Arc<dyn Clock>,
        bytes_max: Arc<AtomicUsize>,
    ) -> Self {
        let (sender, receiver) = stop();
        let mut running = Self {
            options,
            account: Arc::default(),
            position: None,
            is_paused: false,
            broken: None,
            stop: sender,
            thread: Mutex::default(),
        };
        if let Err(error) = running.try_to_begin(store, runtime, clock, bytes_max, receiver) {
            let destination = running.options.full_name();
            tracing::error!(destination, %error, "destination cannot be started");
            running.broken = Some(error.to_string());
        }
        running
    }

    fn try_to_begin(
        &mut self,
        store: Arc<Store>,
        runtime: Handle,
        clock: Arc<dyn Clock>,
        bytes_max: Arc<AtomicUsize>,
        receiver: StopReceiver,
    ) -> Result<(), Error> {
        let position = Position::open(Arc::clone(&store), &self.options.full_name())?;
        let position = Arc::new(position);
        let kept = position.kept();
        self.position = Some(Arc::clone(&position));
        self.account = Arc::new(Account::new(kept.totals));
        self.is_paused = kept.is_paused;
        let sources = opening::sources(&store, &self.options, &position)?;
        let mut live = self.account.lock();
        for source in &sources {
            let place = source.follower.position();
            live.settled.insert(source.logspace.to_string(), place);
        }
        drop(live);
        let feeder = Feeder {
            options: Arc::clone(&self.options),
            store,
            runtime,
            clock,
            account: Arc::clone(&self.account),
            position,
            stop: receiver,
            bytes_max,
            told: Arc::new(Told::default()),
        };
        let is_paused = self.is_paused;
        let begun = std::thread::Builder::new()
            .name(format!("for {}", self.options.name))
            .spawn(move || match is_paused {
                true => rest(feeder, sources),
                false => feeder.run(sources),
            });
        *self.thread() = Some(begun.map_err(|source| Error::Thread {
            destination: self.options.full_name(),
            source,
        })?);
        Ok(())
    }

    /// Asks it to stop behind the batch in flight.
    pub(crate) fn ask_to_stop(&self) {
        self.stop.set(Stop::Soon);
    }

    /// Stops it: behind the batch in flight, or at once when that takes too long.
    pub(crate) fn stop(&self, patience: Duration) {
        self.ask_to_stop();
        let Some(thread) = self.thread().take() else {
            return;
        };
        let sender = self.stop.clone();
        let (over, ended) = std::sync::mpsc::channel::<()>();
        let urge = std::thread::Builder::new()
            .name("stop".to_owned())
            .spawn(move || {
                if ended.recv_timeout(patience).is_err() {
                    sender.set(Stop::Now);
                }
            });
        if urge.is_err() {
            self.stop.set(Stop::Now);
        }
        if thread.join().is_err() {
            let failure = Failure::new("its thread has panicked");
            Told::default().failed(&self.options.full_name(), &failure);
        }
        drop(over);
    }

    /// Changes what is kept, while it does not run.
    pub(crate) fn change(
        &self,
        store: &Arc<Store>,
        change: impl FnOnce(&mut Kept),
    ) -> Result<(), Error> {
        match &self.position {
            Some(position) => position.change(change),
            None => Position::open(Arc::clone(store), &self.options.full_name())?.change(change),
        }
    }

    /// What is known of it.
    pub(crate) fn status(&self, store: &Store) -> Status {
        let live = self.account.now();
        let sources = live.settled.iter().filter_map(|(name, settled)| {
            let logspace = model::LogspaceName::parse(name).ok()?;
            let snapshot = store.snapshot(&logspace)?;
            Some(StatusSource::of(&snapshot, *settled))
        });
        let sources: Vec<_> = sources.collect();
        let state = match &self.broken {
            Some(reason) => State::Broken(reason.clone()),
            None if self.is_paused => State::Paused,
            None if live.failing > 0 => State::Failing,
            None => State::Working,
        };
        let behind: u64 = sources.iter().map(|source| source.behind).sum();
        let oldest = sources.iter().filter_map(|source| source.oldest).min();
        Status {
            name: self.options.full_name(),
            state,
            pending: live.pending,
            unread: behind.saturating_sub(live.pending),
            pending_bytes: live.pending_bytes,
            oldest: oldest.filter(|_| behind > 0),
            totals: live.totals,
            retries: live.retries,
            last_error: live.last_error,
            last_delivered: live.last_delivered,
            sources,
        }
    }

    fn thread(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the place of one that rests.
fn rest(mut feeder: Feeder, sources: Vec<Source>) {
    let runtime = feeder.runtime.clone();
    runtime.block_on(feeder.stop.wait_for(Stop::Soon));
    drop(sources);
}
