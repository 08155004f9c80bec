//! A thread that delivers batches with a sink of its own, again and again until each record is settled.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use serde_json::Value;
use store::Clock;
use tokio::runtime::Handle;

use crate::account::Account;
use crate::backoff::Backoff;
use crate::dead_letter::DeadLetters;
use crate::feeder::Event;
use crate::limits::IDLE;
use crate::options::Options;
use crate::position::{Keeper, Position};
use crate::sink::{Batch, Failure, Opening, Sink};
use crate::stop::{Stop, StopReceiver};
use crate::trouble::Told;

/// What a worker is told.
pub(crate) enum Command {
    /// To deliver a part of a piece.
    Deliver { piece: u64, batch: Batch },
    /// To make durable what it has delivered, and to wait until that is kept.
    Settle { kept: Receiver<bool> },
}

/// What became of a part of a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) delivered: u64,
    pub(crate) rejected: u64,
    pub(crate) bytes: u64,
    /// Whether the sink wants to settle soon.
    pub(crate) wants_to_settle: bool,
}

/// What a worker works with.
pub(crate) struct Worker {
    pub(crate) index: usize,
    pub(crate) options: Arc<Options>,
    pub(crate) runtime: Handle,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stop: StopReceiver,
    pub(crate) account: Arc<Account>,
    pub(crate) position: Arc<Position>,
    pub(crate) dead_letters: Option<DeadLetters>,
    pub(crate) events: Sender<Event>,
    pub(crate) told: Arc<Told>,
}

/// A worker with a sink, or without one where it could not be made yet.
struct Working {
    worker: Worker,
    sink: Option<Box<dyn Sink>>,
    /// What the sink that comes next goes on from.
    state: Option<Value>,
    is_failing: bool,
    /// Nothing more is delivered; what is settled can still be made durable.
    is_over: bool,
}

impl Worker {
    /// Obeys commands until nobody gives any.
    pub(crate) fn run(self, commands: &Receiver<Command>) {
        let _last_word = LastWord(self.events.clone());
        let state = self.position.kept().states.remove(&self.index);
        let mut working = Working {
            worker: self,
            sink: None,
            state,
            is_failing: false,
            is_over: false,
        };
        loop {
            match commands.recv_timeout(IDLE) {
                Ok(Command::Deliver { piece, batch }) => {
                    if !working.is_over {
                        working.deliver(piece, batch);
                    }
                }
                Ok(Command::Settle { kept }) => working.settle(&kept),
                Err(RecvTimeoutError::Timeout) => working.idle(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        working.close();
    }
}

impl Working {
    /// Delivers until every record is settled, or it is time to stop.
    fn deliver(&mut self, piece: u64, mut batch: Batch) {
        let mut backoff = Backoff::new(self.worker.options.retry);
        let mut done = Done::default();
        loop {
            let Some(tried) = self.try_to(&batch, &mut done) else {
                break self.is_over = true;
            };
            match tried {
                Ok(left) if left.is_empty() => {
                    self.work_again();
                    let index = self.worker.index;
                    done.wants_to_settle = self
                        .sink
                        .as_ref()
                        .is_some_and(|sink| sink.wants_to_settle());
                    let event = Event::Done { index, piece, done };
                    _ = self.worker.events.send(event);
                    return;
                }
                Ok(left) => {
                    // The other side has taken some: it is there.
                    if left.len() < batch.len() {
                        self.work_again();
                        backoff.reset();
                    }
                    batch = batch.only(&left);
                }
                Err((left, failure)) => {
                    if left.len() < batch.len() {
                        backoff.reset();
                    }
                    batch = batch.only(&left);
                    let wait = backoff.next(failure.after);
                    self.fail(&failure, wait);
                    let mut stop = self.worker.stop.clone();
                    if !self.worker.runtime.block_on(stop.pause(wait)) {
                        break self.is_over = true;
                    }
                }
            }
        }
        self.work_again();
    }

    /// Tries once; the places that are left, and why. `None` where it is time to stop.
    fn try_to(&mut self, batch: &Batch, done: &mut Done) -> Option<Result<Vec<usize>, Left>> {
        let all = || (0..batch.len()).collect::<Vec<_>>();
        if let Err(failure) = self.open() {
            return Some(Err((all(), failure)));
        }
        let sink = self.sink.as_mut()?;
        let mut stop = self.worker.stop.clone();
        let outcome = self.worker.runtime.block_on(async {
            tokio::select! {
                biased;
                outcome = sink.deliver(batch) => Some(outcome),
                () = stop.wait_for(Stop::Now) => None,
            }
        });
        let Some(outcome) = outcome else {
            // What it was doing is not known.
            self.sink = None;
            return None;
        };
        done.bytes += outcome.bytes;
        if let Err(failure) = self.keep_rejected(batch, &outcome.rejected) {
            // They are refused once more, then.
            let refused = outcome.rejected.iter().map(|refused| refused.place);
            let mut left: Vec<_> = outcome.left.iter().copied().chain(refused).collect();
            left.sort_unstable();
            done.delivered += (batch.len() - left.len()) as u64;
            return Some(Err((left, failure)));
        }
        done.rejected += outcome.rejected.len() as u64;
        done.delivered += (batch.len() - outcome.left.len() - outcome.rejected.len()) as u64;
        Some(match outcome.failure {
            Some(failure) if !outcome.left.is_empty() => Err((outcome.left, failure)),
            _ => Ok(outcome.left),
        })
    }

    fn keep_rejected(
        &self,
        batch: &Batch,
        rejected: &[crate::sink::Rejected],
    ) -> Result<(), Failure> {
        let Some(first) = rejected.first() else {
            return Ok(());
        };
        let name = self.worker.options.full_name();
        self.worker
            .told
            .rejected(&name, rejected.len(), &first.reason);
        match &self.worker.dead_letters {
            Some(dead_letters) => dead_letters.keep(batch, rejected),
            None => Ok(()),
        }
    }

    fn open(&mut self) -> Result<(), Failure> {
        if self.sink.is_some() {
            return Ok(());
        }
        let Worker {
            index,
            options,
            position,
            runtime,
            ..
        } = &self.worker;
        let keeper = Keeper {
            position: Arc::clone(position),
            worker: *index,
        };
        // Some kinds register sockets or timers while they are made.
        let _inside = runtime.enter();
        self.sink = Some(options.kind.open(Opening {
            worker: *index,
            destination: options.full_name(),
            store: position.store_id(),
            state: self.state.take(),
            keeper: Arc::new(keeper),
        })?);
        Ok(())
    }

    /// Makes durable what was delivered, says so, and waits until it is kept.
    fn settle(&mut self, kept: &Receiver<bool>) {
        let runtime = self.worker.runtime.clone();
        let state = match &mut self.sink {
            Some(sink) => runtime.block_on(sink.settle()),
            None => Ok(self
                .worker
                .position
                .kept()
                .states
                .remove(&self.worker.index)),
        };
        if let Err(failure) = &state {
            let name = self.worker.options.full_name();
            self.worker.told.failed(&name, failure);
        }
        // What was left in the middle is in the state, and not in the position.
        let state = state.ok().filter(|state| state.is_none() || !self.is_over);
        let index = self.worker.index;
        let event = Event::Settled { index, state };
        if self.worker.events.send(event).is_err() {
            return;
        }
        if kept.recv() == Ok(true)
            && let Some(sink) = &mut self.sink
        {
            sink.settled();
        }
    }

    fn idle(&mut self) {
        let runtime = self.worker.runtime.clone();
        let mut stop = self.worker.stop.clone();
        if let Some(sink) = &mut self.sink {
            runtime.block_on(async {
                tokio::select! {
                    () = sink.idle() => {}
                    () = stop.wait_for(Stop::Now) => {}
                }
            });
        }
    }

    fn close(&mut self) {
        let runtime = self.worker.runtime.clone();
        let mut stop = self.worker.stop.clone();
        if let Some(sink) = &mut self.sink {
            runtime.block_on(async {
                tokio::select! {
                    () = sink.close() => {}
                    () = stop.wait_for(Stop::Now) => {}
                }
            });
        }
    }

    /// Notes that it does not work.
    fn fail(&mut self, failure: &Failure, wait: std::time::Duration) {
        let now = self.worker.clock.now();
        let mut live = self.worker.account.lock();
        live.last_error = Some((now, failure.what.clone()));
        live.retries += 1;
        live.failing += usize::from(!self.is_failing);
        drop(live);
        if !std::mem::replace(&mut self.is_failing, true) {
            let name = self.worker.options.full_name();
            self.worker
                .told
                .began_to_fail(&name, failure, wait, Instant::now());
        }
    }

    /// Notes that it works.
    fn work_again(&mut self) {
        if std::mem::take(&mut self.is_failing) {
            let mut live = self.worker.account.lock();
            live.failing = live.failing.saturating_sub(1);
            let is_well = live.failing == 0;
            drop(live);
            if is_well && !self.is_over {
                let name = self.worker.options.full_name();
                self.worker.told.works_again(&name, Instant::now());
            }
        }
    }
}

/// Says that a worker has ended, also where it has panicked.
struct LastWord(Sender<Event>);

impl Drop for LastWord {
    fn drop(&mut self) {
        _ = self.0.send(Event::Ended);
    }
}

/// The places that are left, and why.
type Left = (Vec<usize>, Failure);
