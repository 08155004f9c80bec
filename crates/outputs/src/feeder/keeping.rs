//! Keeping how far a destination is: a barrier for its workers, and one document.

use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use serde_json::Value;

use super::Feeding;
use crate::limits::{KEEP_EVERY, KEEP_PAUSE_FACTOR};
use crate::sink::Failure;
use crate::worker::Command;

/// Workers are making durable what they have delivered.
pub(super) struct Keeping {
    since: Instant,
    resume: Vec<Sender<bool>>,
    states: BTreeMap<usize, Value>,
    waiting: usize,
    has_failed: bool,
}

impl Feeding {
    /// Begins to keep the position where that is due.
    pub(super) fn keep_when_due(&mut self) {
        let is_due = self.keep_at.is_some_and(|at| Instant::now() >= at);
        if is_due && self.keeping.is_none() {
            self.start_keeping();
        }
    }

    /// Has every worker finish what it was given so far, make it durable, and wait.
    pub(super) fn start_keeping(&mut self) {
        if self.keeping.is_some() {
            return;
        }
        self.keep_at = None;
        let mut keeping = Keeping {
            since: Instant::now(),
            resume: Vec::new(),
            states: BTreeMap::new(),
            waiting: 0,
            has_failed: false,
        };
        for hands in &self.workers {
            let (resume, kept) = channel();
            match hands.commands.send(Command::Settle { kept }) {
                Ok(()) => keeping.waiting += 1,
                Err(_) => self.is_broken = true,
            }
            keeping.resume.push(resume);
        }
        self.keeping = (keeping.waiting > 0).then_some(keeping);
    }

    /// A worker waits; when all do, the position is kept and they go on.
    pub(super) fn worker_settled(&mut self, index: usize, state: Option<Option<Value>>) {
        let Some(keeping) = &mut self.keeping else {
            return;
        };
        keeping.waiting -= 1;
        match state {
            None => keeping.has_failed = true,
            Some(state) => keeping.states.extend(state.map(|state| (index, state))),
        }
        if keeping.waiting > 0 {
            return;
        }
        let Some(keeping) = self.keeping.take() else {
            return;
        };
        let is_kept = !keeping.has_failed && self.keep(&keeping);
        for resume in &keeping.resume {
            _ = resume.send(is_kept);
        }
        self.keep_pause = KEEP_EVERY.max(keeping.since.elapsed() * KEEP_PAUSE_FACTOR);
        if !is_kept || !self.under_way.is_empty() {
            self.keep_at.get_or_insert(Instant::now() + self.keep_pause);
        }
    }

    /// Writes position, figures and states; whether they are durable.
    fn keep(&self, keeping: &Keeping) -> bool {
        let places = self.sources.iter().zip(&self.settled);
        let changed = self.feeder.position.change(|kept| {
            for (source, number) in places.clone() {
                kept.positions.insert(source.logspace.to_string(), number.0);
            }
            kept.totals = self.totals.clone();
            kept.states = keeping.states.clone();
        });
        if let Err(error) = changed {
            let failure = Failure::new(format!("the position cannot be kept: {error}"));
            let name = self.feeder.options.full_name();
            self.feeder.told.failed(&name, &failure);
            return false;
        }
        for (source, number) in places {
            source.follower.confirm(*number);
        }
        true
    }
}
