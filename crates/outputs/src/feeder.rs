//! The thread of a destination: reads what it wants, gives it to workers, and keeps how far it is.
//!
//! Pieces are numbered. A piece is settled when each of its records is; the position moves past the pieces that are
//! settled, from the oldest on, and is kept now and then: first every worker makes durable what it has delivered and
//! waits, then position, figures and states of the sinks are written as one document, then the store is told that it
//! may delete what is before.

mod keeping;

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::{RecordNumber, RecordRef, Timestamp};
use query::Matcher;
use serde_json::Value;
use store::{Clock, Store};
use tokio::runtime::Handle;

use crate::account::{Account, Totals};
use crate::dead_letter::DeadLetters;
use crate::error::Error;
use crate::gather::{Bounds, Piece, Source};
use crate::limits::{BATCH_BYTES_MIN, KEEP_EVERY, LOOK_AGAIN, PIECES_UNDER_WAY, READ_AGAIN};
use crate::opening;
use crate::options::{Options, OrderBy};
use crate::position::Position;
use crate::sink::{Batch, Failure};
use crate::stop::{Stop, StopReceiver};
use crate::trouble::Told;
use crate::worker::{Command, Done, Worker};
use keeping::Keeping;

/// What a feeder is told.
pub(crate) enum Event {
    /// There may be new records.
    News,
    /// A part of a piece is settled.
    Done {
        index: usize,
        piece: u64,
        done: Done,
    },
    /// A worker has made durable what it has delivered; `None` where it could not.
    Settled {
        index: usize,
        state: Option<Option<Value>>,
    },
    /// A worker has ended.
    Ended,
    /// An order to stop was given.
    Stop,
}

/// What a feeder works with.
#[derive(Clone)]
pub(crate) struct Feeder {
    pub(crate) options: Arc<Options>,
    pub(crate) store: Arc<Store>,
    pub(crate) runtime: Handle,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) account: Arc<Account>,
    pub(crate) position: Arc<Position>,
    pub(crate) stop: StopReceiver,
    /// Most bytes of a batch, of the memory that all destinations share.
    pub(crate) bytes_max: Arc<AtomicUsize>,
    pub(crate) told: Arc<Told>,
}

/// A feeder at work.
struct Feeding {
    feeder: Feeder,
    sources: Vec<Source>,
    matcher: Option<Matcher>,
    workers: Vec<Hands>,
    events: Receiver<Event>,
    sender: Sender<Event>,
    under_way: VecDeque<UnderWay>,
    next_piece: u64,
    /// What is settled since the start.
    totals: Totals,
    /// The last settled number of each source.
    settled: Vec<RecordNumber>,
    keeping: Option<Keeping>,
    keep_at: Option<Instant>,
    keep_pause: Duration,
    read_at: Option<Instant>,
    /// The source that is read first the next time.
    turn: usize,
    is_broken: bool,
}

struct Hands {
    commands: Sender<Command>,
    thread: JoinHandle<()>,
    parts: usize,
}

/// A piece that is not settled.
struct UnderWay {
    piece: u64,
    source: usize,
    last: RecordNumber,
    parts: usize,
    bytes: u64,
    totals: Totals,
    /// When the first of it was received.
    received: Option<Timestamp>,
}

impl Feeder {
    /// Feeds until it is stopped. Whatever breaks is begun anew from the position that is kept.
    pub(crate) fn run(mut self, sources: Vec<Source>) {
        let mut sources = Some(sources);
        while self.stop.now() == Stop::No {
            let opened = match sources.take() {
                Some(sources) => Ok(sources),
                None => opening::sources(&self.store, &self.options, &self.position),
            };
            match opened.and_then(|sources| Feeding::begin(self.clone(), sources)) {
                Ok(feeding) => feeding.feed(),
                Err(error) => {
                    let failure = Failure::new(error.to_string());
                    self.told.failed(&self.options.full_name(), &failure);
                }
            }
            let runtime = self.runtime.clone();
            _ = runtime.block_on(self.stop.pause(READ_AGAIN));
        }
    }

    /// Starts a worker.
    fn hire(&self, index: usize, events: Sender<Event>) -> Result<Hands, Error> {
        let dead_letters = self.options.on_reject.clone().map(|logspace| DeadLetters {
            store: Arc::clone(&self.store),
            logspace,
            destination: self.options.full_name(),
        });
        let worker = Worker {
            index,
            options: Arc::clone(&self.options),
            runtime: self.runtime.clone(),
            clock: Arc::clone(&self.clock),
            stop: self.stop.clone(),
            account: Arc::clone(&self.account),
            position: Arc::clone(&self.position),
            dead_letters,
            events,
            told: Arc::clone(&self.told),
        };
        let (commands, obeyed) = channel();
        let thread = std::thread::Builder::new()
            .name(format!("to {}", self.options.name))
            .spawn(move || worker.run(&obeyed));
        let thread = thread.map_err(|source| Error::Thread {
            destination: self.options.full_name(),
            source,
        })?;
        Ok(Hands {
            commands,
            thread,
            parts: 0,
        })
    }

    fn bounds(&self) -> Bounds {
        let share = self.bytes_max.load(Ordering::Relaxed).max(BATCH_BYTES_MIN);
        Bounds {
            records: self.options.batch.records_max.max(1),
            bytes: self.options.batch.bytes_max.min(share),
        }
    }
}

impl Feeding {
    fn begin(feeder: Feeder, sources: Vec<Source>) -> Result<Self, Error> {
        let kept = feeder.position.kept();
        feeder.account.lock().go_back(kept.totals.clone());
        let (sender, events) = channel();
        let settled = sources.iter().map(|source| source.follower.position());
        let mut feeding = Self {
            matcher: feeder.options.matching.as_ref().map(Matcher::new),
            workers: Vec::new(),
            events,
            sender,
            under_way: VecDeque::new(),
            next_piece: 0,
            totals: kept.totals,
            settled: settled.collect(),
            sources,
            keeping: None,
            keep_at: None,
            keep_pause: KEEP_EVERY,
            read_at: None,
            turn: 0,
            is_broken: false,
            feeder,
        };
        let workers = feeding.feeder.options.workers;
        let workers = workers.clamp(1, feeding.feeder.options.kind.workers_max().max(1));
        for index in 0..workers {
            let hands = feeding.feeder.hire(index, feeding.sender.clone())?;
            feeding.workers.push(hands);
        }
        feeding.show_settled();
        Ok(feeding)
    }

    /// Feeds until it is stopped or something breaks.
    fn feed(mut self) {
        let is_told = Arc::new(AtomicBool::new(false));
        let (told, sender) = (Arc::clone(&is_told), self.sender.clone());
        let subscription = self.feeder.store.on_commit(Box::new(move || {
            if !told.swap(true, Ordering::AcqRel) {
                _ = sender.send(Event::News);
            }
        }));
        let (mut stop, sender) = (self.feeder.stop.clone(), self.sender.clone());
        let stopping = self.feeder.runtime.spawn(async move {
            stop.wait_for(Stop::Soon).await;
            _ = sender.send(Event::Stop);
        });
        while self.feeder.stop.now() == Stop::No && !self.is_broken {
            let has_read = self.read();
            self.hand_out();
            self.keep_when_due();
            if !has_read {
                self.wait();
            }
            // What is committed from here on is told of anew.
            is_told.store(false, Ordering::Release);
            self.drain();
        }
        drop(subscription);
        stopping.abort();
        self.end();
    }

    /// Reads on where there is room; whether there was something.
    fn read(&mut self) -> bool {
        let now = Instant::now();
        let is_waiting = self.sources.iter().any(Source::is_ready);
        if is_waiting || !self.has_room() || self.read_at.is_some_and(|at| now < at) {
            return false;
        }
        self.read_at = None;
        let bounds = self.feeder.bounds();
        for step in 0..self.sources.len() {
            let index = (self.turn + step) % self.sources.len();
            let Some(source) = self.sources.get_mut(index) else {
                continue;
            };
            match source.read(self.matcher.as_mut(), bounds, now) {
                Ok(true) => {
                    self.turn = index + 1;
                    return true;
                }
                Ok(false) => {}
                Err(error) => {
                    // What cannot be read now may be readable later, as an archive that is not mounted.
                    let text = error.to_string();
                    self.feeder.account.lock().last_error = Some((self.feeder.clock.now(), text));
                    let failure = Failure::new(format!("records cannot be read: {error}"));
                    self.feeder
                        .told
                        .failed(&self.feeder.options.full_name(), &failure);
                    self.read_at = Some(now + READ_AGAIN);
                }
            }
        }
        false
    }

    /// Gives workers what is ready, and what has waited for long enough.
    fn hand_out(&mut self) {
        let now = Instant::now();
        let wait = self.feeder.options.batch.wait;
        for index in 0..self.sources.len() {
            while self.has_room() {
                let Some(source) = self.sources.get_mut(index) else {
                    break;
                };
                if !source.is_ready() {
                    let is_due = source.begun().is_some_and(|begun| {
                        source.is_only_passing() || now.duration_since(begun) >= wait
                    });
                    if !is_due {
                        break;
                    }
                    source.finish();
                }
                let Some(piece) = source.next() else {
                    break;
                };
                self.give(index, piece);
            }
        }
    }

    /// Whether another piece can be given.
    fn has_room(&self) -> bool {
        let mut parts = self.workers.iter().map(|worker| worker.parts);
        let is_free = |parts: usize| parts < PIECES_UNDER_WAY;
        // A piece that is divided needs all of them.
        match self.feeder.options.order_by {
            OrderBy::Nothing => parts.any(is_free),
            _ => parts.all(is_free),
        }
    }

    /// Gives one piece to one worker, or to each the records of its keys.
    fn give(&mut self, source: usize, piece: Piece) {
        let number = self.next_piece;
        self.next_piece += 1;
        let matched = piece.batch.len() as u64;
        let bytes = piece.batch.records.memory_bytes() as u64;
        self.note_read(&piece, matched, bytes);
        let mut under_way = UnderWay {
            piece: number,
            source,
            last: piece.last,
            parts: 0,
            bytes,
            totals: Totals {
                matched: matched + piece.gone.all(),
                dropped: piece.gone,
                ..Totals::default()
            },
            received: piece.batch.get(0).map(|item| item.record.received()),
        };
        for (worker, batch) in self.divide(piece.batch) {
            let Some(hands) = self.workers.get_mut(worker) else {
                continue;
            };
            let command = Command::Deliver {
                piece: number,
                batch,
            };
            self.is_broken |= hands.commands.send(command).is_err();
            hands.parts += 1;
            under_way.parts += 1;
        }
        self.under_way.push_back(under_way);
        self.advance();
        self.keep_at.get_or_insert(Instant::now() + self.keep_pause);
    }

    fn note_read(&self, piece: &Piece, matched: u64, bytes: u64) {
        let mut live = self.feeder.account.lock();
        live.take(matched, bytes, &piece.gone);
        drop(live);
        for (reason, records) in piece.gone.by_reason() {
            if records > 0 {
                let destination = self.feeder.options.full_name();
                let logspace = piece.batch.logspace.as_str();
                tracing::error!(
                    destination,
                    logspace,
                    reason,
                    records,
                    "records are gone before they were delivered"
                );
            }
        }
    }

    /// The parts of a batch, by worker.
    fn divide(&self, batch: Batch) -> Vec<(usize, Batch)> {
        if batch.is_empty() {
            return Vec::new();
        }
        let workers = self.workers.len();
        if self.feeder.options.order_by == OrderBy::Nothing || workers == 1 {
            let idle = (0..workers).min_by_key(|index| self.workers.get(*index).map(|w| w.parts));
            return vec![(idle.unwrap_or_default(), batch)];
        }
        let mut rows = vec![Vec::new(); workers];
        for row in &batch.rows {
            let record = batch.records.get(row.index as usize);
            let worker = record.map_or(0, |record| key(self.feeder.options.order_by, record));
            if let Some(rows) = rows.get_mut((worker % workers as u64) as usize) {
                rows.push(*row);
            }
        }
        let parts = rows
            .into_iter()
            .enumerate()
            .filter(|(_, rows)| !rows.is_empty());
        let part = |(worker, rows)| {
            let (logspace, records) = (batch.logspace.clone(), Arc::clone(&batch.records));
            (
                worker,
                Batch {
                    logspace,
                    records,
                    rows,
                },
            )
        };
        parts.map(part).collect()
    }

    /// Waits for something to happen.
    fn wait(&mut self) {
        let now = Instant::now();
        let mut until = now + LOOK_AGAIN;
        if self.has_room() {
            let wait = self.feeder.options.batch.wait;
            let begun = self.sources.iter().filter_map(Source::begun).min();
            until = begun.map_or(until, |begun| until.min(begun + wait));
        }
        if self.keeping.is_none() {
            until = self.keep_at.map_or(until, |at| until.min(at));
        }
        match self
            .events
            .recv_timeout(until.saturating_duration_since(now))
        {
            Ok(event) => self.obey(event),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.is_broken = true,
        }
    }

    /// Takes in what has happened.
    fn drain(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.obey(event);
        }
    }

    fn obey(&mut self, event: Event) {
        match event {
            Event::News | Event::Stop => {}
            Event::Ended => self.is_broken = true,
            Event::Done { index, piece, done } => self.done(index, piece, done),
            Event::Settled { index, state } => self.worker_settled(index, state),
        }
    }

    fn done(&mut self, index: usize, piece: u64, done: Done) {
        let now = self.feeder.clock.now();
        if let Some(hands) = self.workers.get_mut(index) {
            hands.parts = hands.parts.saturating_sub(1);
        }
        if let Some(under_way) = self.under_way.iter_mut().find(|one| one.piece == piece) {
            under_way.parts -= 1;
            under_way.totals.delivered += done.delivered;
            under_way.totals.bytes += done.bytes;
            under_way.totals.dropped.rejected += done.rejected;
        }
        if done.wants_to_settle {
            self.keep_at = Some(Instant::now());
        }
        let mut live = self.feeder.account.lock();
        live.settle(done.delivered, done.rejected, done.bytes);
        if done.delivered > 0 {
            live.last_delivered = Some(now);
        }
        drop(live);
        self.advance();
    }

    /// Moves past the pieces that are settled.
    fn advance(&mut self) {
        let mut has_moved = false;
        while let Some(settled) = self.under_way.pop_front_if(|piece| piece.parts == 0) {
            self.totals.add(&settled.totals);
            if let Some(last) = self.settled.get_mut(settled.source) {
                *last = settled.last;
            }
            let mut live = self.feeder.account.lock();
            live.pending_bytes = live.pending_bytes.saturating_sub(settled.bytes);
            has_moved = true;
        }
        if has_moved {
            self.show_settled();
        }
    }

    fn show_settled(&self) {
        let mut live = self.feeder.account.lock();
        live.oldest = self.under_way.iter().find_map(|piece| piece.received);
        for (source, number) in self.sources.iter().zip(&self.settled) {
            live.settled.insert(source.logspace.to_string(), *number);
        }
    }

    /// Ends in order: finishes what is being delivered, and keeps how far it is.
    fn end(mut self) {
        // Commands are obeyed in turn: when all have answered, everything before is over.
        self.start_keeping();
        while self.keeping.is_some() {
            match self.events.recv_timeout(LOOK_AGAIN) {
                Ok(Event::Ended) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(event) => self.obey(event),
                // A worker that hangs is left when the order is to leave at once.
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        self.keeping = None;
        for hands in self.workers.drain(..) {
            drop(hands.commands);
            _ = hands.thread.join();
        }
        // What is under way is read again.
        let kept = self.feeder.position.kept();
        self.feeder.account.lock().go_back(kept.totals);
    }
}

/// Stands for what a record has in common with those that it stays in order with.
fn key(order_by: OrderBy, record: RecordRef<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    match order_by {
        OrderBy::Nothing => {}
        OrderBy::Host => record.host().hash(&mut hasher),
        OrderBy::Program => record.program().hash(&mut hasher),
        OrderBy::HostProgram => (record.host(), record.program()).hash(&mut hasher),
        OrderBy::Source => record.source().hash(&mut hasher),
        OrderBy::Peer => record.peer().hash(&mut hasher),
    }
    hasher.finish()
}
