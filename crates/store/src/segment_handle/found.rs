//! What questions have found in a segment, remembered: a segment never changes, and a page that is
//! refreshed, bars behind a count and rows behind bars ask the same again.
//!
//! It is kept among the decoded pages, in their memory, and what was not asked for lately goes first.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::{Kind, Page, PageKey, SegmentHandle};

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
        match self.cache.get(&self.found_key(condition))? {
            // Another condition may have the same number.
            Page::Found(found) if *found.condition == *condition => Some(found),
            _ => None,
        }
    }

    /// Remembers what was found for a condition, in the form of whoever asks for it again.
    pub fn remember(&self, condition: &str, rows: Vec<u8>) {
        let found = Found {
            condition: condition.into(),
            rows: rows.into(),
        };
        let key = self.found_key(condition);
        self.cache.insert(key, Page::Found(Arc::new(found)));
    }

    fn found_key(&self, condition: &str) -> PageKey {
        let mut hasher = DefaultHasher::new();
        condition.hash(&mut hasher);
        PageKey {
            segment: self.uid,
            kind: Kind::Found,
            index: hasher.finish() as u32,
        }
    }
}
