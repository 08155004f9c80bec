//! Driving one store on one machine: starting, handing over, waiting, stopping.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use model::{LogspaceName, RecordBatch, Timestamp};
use store::{
    AppendError, Appended, Clock, Durability, Options, Retention, State, Store, Undelivered, Until,
};

use crate::clock::SimClock;
use crate::disk::{Machine, Plan};
use crate::keeper::Keeper;
use crate::oracle::{Oracle, Ticket};
use crate::random::Random;
use crate::readers::Reader;
use crate::run::Failure;

/// How long nothing may happen before a run counts as hanging.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a store may struggle with a failing disk before the disk is mended.
const STRUGGLE: Duration = Duration::from_millis(4);

/// Sealed segments are compressed so little that compacting them is worth the while.
pub(crate) const COMPRESSION_LEVEL: i32 = -100;

/// How a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It is asked to.
    Close,
    /// It is killed; what it wrote is in the page cache.
    Kill,
    /// The power goes; what was not flushed stays with so many percent.
    PowerCut(u64),
    /// It is asked to, and when it has, the power goes.
    CloseThenPowerCut(u64),
}

/// Logspaces of which nothing is deleted that a reader has not confirmed.
const KEPT_FOR_READERS: [&str; 2] = ["main", "aged"];

type Outcome = (Ticket, Durability, Result<Appended, AppendError>);

/// A store, the machine it runs on, and what is known of it.
pub(crate) struct Drive {
    pub(crate) random: Random,
    pub(crate) machine: Machine,
    pub(crate) clock: Arc<SimClock>,
    pub(crate) oracle: Oracle,
    pub(crate) trace: Vec<String>,
    options: Options,
    logspaces: Vec<(LogspaceName, Retention)>,
    store: Option<Store>,
    /// Two of each logspace.
    readers: Vec<Reader>,
    keeper: Keeper,
    /// Decides how readers read, so that they change nothing else.
    reading: Random,
    outcomes: (mpsc::Sender<Outcome>, mpsc::Receiver<Outcome>),
    waiting: usize,
}

/// Where the data lies on a simulated disk.
pub(crate) fn data_dir() -> PathBuf {
    PathBuf::from("/data")
}

impl Drive {
    /// A machine with an empty disk, and no store yet.
    pub(crate) fn new(seed: u64, options: Options, names: &[&str]) -> Result<Self, Failure> {
        let clock = Arc::new(SimClock::new(Timestamp::from_seconds(1_700_000_000)));
        let mut logspaces = Vec::new();
        let mut readers = Vec::new();
        for name in names {
            let name = LogspaceName::parse(name).map_err(|e| Failure::new(e.to_string()))?;
            // Only what is bounded by size is held to its size.
            let undelivered = match KEPT_FOR_READERS.contains(&name.as_str()) {
                true => Undelivered::Keep,
                false => Undelivered::Delete,
            };
            for until in [Until::Visible, Until::Durable] {
                readers.push(Reader::new(name.clone(), until, undelivered));
            }
            logspaces.push((name, Retention::default()));
        }
        Ok(Self {
            random: Random::new(seed),
            machine: Machine::new(seed, Arc::clone(&clock)),
            clock,
            oracle: Oracle::default(),
            trace: Vec::new(),
            options,
            logspaces,
            store: None,
            readers,
            keeper: Keeper::default(),
            reading: Random::new(seed ^ 0x4ead),
            outcomes: mpsc::channel(),
            waiting: 0,
        })
    }

    /// Says what happens, for when it fails.
    pub(crate) fn note(&mut self, what: impl Into<String>) {
        let calls = self.machine.calls();
        self.trace.push(format!("call {calls}: {}", what.into()));
    }

    /// Adds how it came to it.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        Failure {
            trace: self.trace.clone(),
            calls: self.machine.last_calls(),
            ..failure
        }
    }

    pub(crate) fn logspace(&self, index: usize) -> Option<LogspaceName> {
        self.logspaces.get(index).map(|(name, _)| name.clone())
    }

    fn store(&self) -> Result<&Store, Failure> {
        self.store
            .as_ref()
            .ok_or_else(|| Failure::new("there is no store"))
    }

    /// Starts the store. It may fail while a plan is in force, and must not without.
    pub(crate) fn start(&mut self) -> Result<bool, Failure> {
        match self.try_start() {
            Ok(store) => {
                // Before anything is deleted.
                for reader in &mut self.readers {
                    reader.open(&store)?;
                }
                self.store = Some(store);
                match self.wake() {
                    Ok(()) => Ok(true),
                    Err(failure) => Err(failure),
                }
            }
            Err(error) => {
                self.note(format!("does not start: {error}"));
                Ok(false)
            }
        }
    }

    fn try_start(&self) -> Result<Store, store::Error> {
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let store = Store::open(self.options.clone(), self.machine.disk(), clock)?;
        for (name, _) in &self.logspaces {
            store.create_logspace(name)?;
        }
        Ok(store)
    }

    /// Ends the store in some way. What it acknowledged until then counts.
    pub(crate) fn end(&mut self, end: End) -> Result<(), Failure> {
        self.note(format!("ends: {end:?}"));
        let is_asked = matches!(end, End::Close | End::CloseThenPowerCut(_));
        if !is_asked {
            self.machine.stop();
        }
        // Also where a planned stop came while it was closing.
        if let Some(store) = self.store.take() {
            store.close();
            // Not before: retention would delete what they have not read.
            self.readers.iter_mut().for_each(Reader::close);
            // Unless the disk refused, everything is durable now.
            let is_done = !self.machine.is_down() && store.status().state == State::Working;
            drop(store);
            self.collect(Duration::ZERO)?;
            if is_asked && is_done {
                self.oracle.sync();
            }
        }
        self.waiting = 0;
        self.outcomes = mpsc::channel();
        self.machine.release();
        let kept = match end {
            End::PowerCut(kept) | End::CloseThenPowerCut(kept) => Some(kept),
            End::Close | End::Kill => None,
        };
        if let Some(kept) = kept {
            self.machine.cut_power(kept);
        }
        self.machine.set_plan(Plan::default());
        // What was acknowledged on the page cache's word goes with the page cache.
        if kept.is_some() || self.machine.has_forgotten() {
            self.oracle.forget_unsynced();
        }
        self.oracle.end_life(kept.is_some());
        Ok(())
    }

    /// Hands a batch over.
    pub(crate) fn append(
        &mut self,
        name: &LogspaceName,
        batch: RecordBatch,
        durability: Durability,
    ) -> Result<(), Failure> {
        let ticket = self.oracle.hand_over(name, &batch, false);
        self.oracle.ask_for(durability);
        let outcomes = self.outcomes.0.clone();
        let on_durable = Box::new(move |result| _ = outcomes.send((ticket, durability, result)));
        self.store()?.append(name, batch, durability, on_durable);
        self.waiting += 1;
        Ok(())
    }

    /// Imports a batch.
    pub(crate) fn import(
        &mut self,
        name: &LogspaceName,
        batch: RecordBatch,
    ) -> Result<(), Failure> {
        let ticket = self.oracle.hand_over(name, &batch, true);
        let result = self.store()?.import(name, batch);
        match result {
            Ok(()) => self.oracle.acknowledge(&ticket, Durability::Strict, None),
            Err(error) => self.note(format!("the import fails: {error}")),
        }
        Ok(())
    }

    /// Has the readers read on; whether all of them came to the end.
    pub(crate) fn read(&mut self) -> Result<bool, Failure> {
        let mut is_at_end = true;
        for reader in &mut self.readers {
            is_at_end &= reader.read(&mut self.oracle, &mut self.reading)?;
        }
        Ok(is_at_end)
    }

    /// Writes a document once more.
    pub(crate) fn put_document(&mut self) -> Result<(), Failure> {
        let store = self.store.as_ref();
        let store = store.ok_or_else(|| Failure::new("there is no store"))?;
        self.keeper.put(store, &mut self.reading)
    }

    /// Keeps less of a logspace.
    pub(crate) fn bound(&mut self, index: usize, retention: Retention) -> Result<(), Failure> {
        let Some((name, kept)) = self.logspaces.get_mut(index) else {
            return Ok(());
        };
        *kept = retention;
        let name = name.clone();
        self.oracle.bound(&name, retention);
        let result = self.store()?.set_retention(&name, retention);
        result.map_err(|error| Failure::new(error.to_string()))
    }

    /// Takes the outcomes that have come, waiting a little for the first.
    fn collect(&mut self, wait: Duration) -> Result<usize, Failure> {
        let mut taken = 0;
        let mut next = self.outcomes.1.recv_timeout(wait).ok();
        while let Some((ticket, durability, result)) = next {
            taken += 1;
            match result {
                Ok(appended) => {
                    let first = Some(appended.first.0);
                    self.oracle.acknowledge(&ticket, durability, first);
                    // There is one journal, and a sync covers all of it.
                    if durability == Durability::Strict {
                        self.oracle.sync();
                    }
                }
                Err(AppendError::Closed) => {}
                Err(error) => return Err(Failure::new(format!("refused: {error}"))),
            }
            next = self.outcomes.1.try_recv().ok();
        }
        self.waiting = self.waiting.saturating_sub(taken);
        Ok(taken)
    }

    /// Waits until everything handed over has its outcome, or the machine is down.
    pub(crate) fn wait(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        while self.waiting > 0 && !self.machine.is_down() {
            self.collect(Duration::from_micros(500))?;
            self.watch(start, "an outcome")?;
        }
        Ok(())
    }

    /// Waits until the disk has given its word for everything, or the machine is down.
    pub(crate) fn wait_for_sync(&mut self) -> Result<(), Failure> {
        self.wait()?;
        let start = Instant::now();
        while self.store()?.status().unsynced_bytes > 0 && !self.machine.is_down() {
            std::thread::sleep(Duration::from_millis(1));
            self.watch(start, "a sync")?;
        }
        if !self.machine.is_down() {
            self.oracle.sync();
        }
        Ok(())
    }

    /// Waits until the background has nothing to do, or the machine is down.
    pub(crate) fn settle(&mut self) -> Result<(), Failure> {
        self.wait()?;
        let start = Instant::now();
        while !self.machine.is_down() && !self.store()?.is_idle() {
            std::thread::sleep(Duration::from_micros(20));
            self.watch(start, "the background")?;
        }
        Ok(())
    }

    /// Mends a disk that has failed long enough, and gives up on what hangs.
    fn watch(&mut self, start: Instant, what: &str) -> Result<(), Failure> {
        let elapsed = start.elapsed();
        if elapsed > PATIENCE {
            return Err(Failure::new(format!("{what} does not come")));
        }
        let is_stuck = elapsed > 16 * STRUGGLE
            || (elapsed > STRUGGLE && matches!(self.store()?.status().state, State::Stalled(_)));
        if is_stuck {
            self.machine.mend();
        }
        Ok(())
    }

    /// Lets faults end and the background come to rest, and asks the oracle.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        self.settle()?;
        if self.machine.is_down() {
            return Ok(());
        }
        self.machine.mend();
        self.machine.set_plan(Plan::default());
        self.wake()?;
        self.settle()?;
        if self.machine.has_failed_reads() {
            // What could not be read counts as damaged until the next start.
            self.end(End::Close)?;
            if !self.start()? {
                return Err(Failure::new("the store does not start on a mended disk"));
            }
            self.settle()?;
        }
        self.oracle.pass_time(self.clock.now());
        let store = self.store.as_ref();
        let store = store.ok_or_else(|| Failure::new("there is no store"))?;
        self.oracle.check(store)?;
        if !self.read()? {
            return Err(Failure::new("a reader cannot read from a mended disk"));
        }
        self.check_readers()?;
        self.keeper.check(self.store()?)?;
        self.check_sizes()
    }

    /// Has the background look around, as it does every ten seconds: what failed to be deleted is
    /// tried again, and what is due gets merged and compacted.
    pub(crate) fn wake(&self) -> Result<(), Failure> {
        for (name, retention) in &self.logspaces {
            let result = self.store()?.set_retention(name, *retention);
            result.map_err(|error| Failure::new(error.to_string()))?;
        }
        Ok(())
    }

    /// Readers have got all that there is behind where they began.
    fn check_readers(&self) -> Result<(), Failure> {
        for reader in &self.readers {
            let snapshot = self.store()?.snapshot(reader.logspace());
            let snapshot = snapshot.ok_or_else(|| Failure::new("a logspace is gone"))?;
            reader.check(&snapshot)?;
        }
        Ok(())
    }

    /// No logspace is larger than it may be, but for one segment.
    fn check_sizes(&self) -> Result<(), Failure> {
        let status = self.store()?.status();
        for (name, retention) in &self.logspaces {
            let logspace = status.logspaces.iter().find(|l| l.name == *name);
            if let (Some(logspace), Some(max)) = (logspace, retention.bytes_max)
                && logspace.segments > 1
                && logspace.disk_bytes > max
            {
                let bytes = logspace.disk_bytes;
                let what = format!("logspace {name} has {bytes} bytes, more than {max}");
                return Err(Failure::new(what));
            }
        }
        Ok(())
    }
}
