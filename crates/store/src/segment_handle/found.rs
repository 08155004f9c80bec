//! What questions have found in a segment, remembered: a segment never changes, and a page that is
//! refreshed, bars behind a count and rows behind bars ask the same again.
//!
//! It has a share of the memory for decoded pages, and what was not asked for lately goes first.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::SegmentHandle;

/// Which condition of which segment, by a number made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FoundKey {
    segment: u64,
    condition: u64,
}

/// Weighs what was found by the memory it takes.
#[derive(Clone)]
pub(super) struct FoundWeight;

impl quick_cache::Weighter<FoundKey, Arc<Found>> for FoundWeight {
    fn weight(&self, _: &FoundKey, found: &Arc<Found>) -> u64 {
        found.memory_bytes() as u64 + 64
    }
}

/// What a question has found.
#[derive(Debug)]
pub struct Found {
    condition: Box<str>,
    /// What was remembered.
    pub rows: Box<[u8]>,
}

impl Found {
    /// Memory it takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.condition.len() + self.rows.len()
    }
}

impl SegmentHandle {
    /// What was remembered for a condition, if it is still there.
    pub fn found(&self, condition: &str) -> Option<Arc<Found>> {
        let found = self.cache.found.get(&self.found_key(condition))?;
        // Another condition may have the same number.
        (*found.condition == *condition).then_some(found)
    }

    /// Remembers what was found for a condition, in the form of whoever asks for it again.
    pub fn remember(&self, condition: &str, rows: Vec<u8>) {
        let found = Found {
            condition: condition.into(),
            rows: rows.into(),
        };
        let key = self.found_key(condition);
        self.cache.found.insert(key, Arc::new(found));
    }

    fn found_key(&self, condition: &str) -> FoundKey {
        let mut hasher = DefaultHasher::new();
        condition.hash(&mut hasher);
        FoundKey {
            segment: self.uid,
            condition: hasher.finish(),
        }
    }
}
