//! Steps that let only some of many records pass.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use macros::Template;
use model::Editor;

use super::set::render;
use crate::limits::KEYS_MAX;
use crate::step::{Action, Failure, Scratch};

/// What is remembered of keys: a time and a number each. When there are too many, all that is older than a
/// period is forgotten; and where that is not enough, everything.
#[derive(Debug, Default)]
struct Memory(Mutex<HashMap<u64, (i64, f64)>>);

impl Memory {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, (i64, f64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make_room(known: &mut HashMap<u64, (i64, f64)>, now: i64, period: i64) {
        if known.len() < KEYS_MAX {
            return;
        }
        known.retain(|_, (at, _)| now.saturating_sub(*at) < period);
        if known.len() >= KEYS_MAX {
            known.clear();
        }
    }
}

/// The number of what a template makes of a record.
fn key_of(template: &Template, record: &Editor<'_>, scratch: &mut Scratch) -> Result<u64, Failure> {
    render(template, record, scratch)?;
    let mut hasher = DefaultHasher::new();
    scratch.text.hash(&mut hasher);
    Ok(hasher.finish())
}

fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

/// Lets so many records of a key pass in a period, a token bucket that is full at first; drops the others.
#[derive(Debug)]
pub struct RateLimit {
    key: Template,
    records: u32,
    period: i64,
    memory: Memory,
}

impl RateLimit {
    /// `key` tells records apart; `records` is how many may pass in each `period`.
    pub fn new(key: Template, records: u32, period: Duration) -> Self {
        Self {
            key,
            records: records.max(1),
            period: nanos(period).max(1),
            memory: Memory::default(),
        }
    }
}

impl Action for RateLimit {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        let key = key_of(&self.key, record, scratch)?;
        let now = record.record().received().nanos();
        let most = f64::from(self.records);
        let mut known = self.memory.lock();
        Memory::make_room(&mut known, now, self.period);
        let (at, tokens) = known.entry(key).or_insert((now, most));
        let passed = now.saturating_sub(*at).max(0);
        *tokens = (*tokens + passed as f64 / self.period as f64 * most).min(most);
        *at = (*at).max(now);
        if *tokens < 1.0 {
            return Err(Failure::Drop);
        }
        *tokens -= 1.0;
        Ok(())
    }
}

/// Drops a record where one of the same key passed less than a period ago.
#[derive(Debug)]
pub struct Dedupe {
    key: Template,
    period: i64,
    memory: Memory,
}

impl Dedupe {
    /// `key` says which records are the same.
    pub fn new(key: Template, period: Duration) -> Self {
        Self {
            key,
            period: nanos(period).max(1),
            memory: Memory::default(),
        }
    }
}

impl Action for Dedupe {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        let key = key_of(&self.key, record, scratch)?;
        let now = record.record().received().nanos();
        let mut known = self.memory.lock();
        Memory::make_room(&mut known, now, self.period);
        match known.get_mut(&key) {
            Some((at, _)) if now.saturating_sub(*at) < self.period => Err(Failure::Drop),
            Some((at, _)) => {
                *at = now;
                Ok(())
            }
            None => {
                known.insert(key, (now, 0.0));
                Ok(())
            }
        }
    }
}

/// Lets one of so many records pass, chosen by a key, so that all records of a key pass or none.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What is chosen by.
    pub key: Template,
    /// One of how many passes; at least 1.
    pub one_of: u32,
}

impl Action for Sample {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        let key = key_of(&self.key, record, scratch)?;
        match key % u64::from(self.one_of.max(1)) {
            0 => Ok(()),
            _ => Err(Failure::Drop),
        }
    }
}
