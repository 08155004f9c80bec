//! What questions have found in a segment, remembered: a segment never changes, and a page that is
//! refreshed, bars behind a count and rows behind bars ask the same again.
//!
//! It has a share of the memory for decoded pages, and what was not asked for lately goes first.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder};

use super::SegmentHandle;
use crate::limits::FOUND_OFTEN_SHARE;

/// What questions have found.
pub(super) type FoundCache = Cache<FoundKey, Arc<Found>, FoundWeight>;

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

/// A cache of so many bytes. What was asked for more than once has a share of it alone: what a page asks
/// for next is there however often others have been asked.
pub(super) fn cache(bytes: u64) -> FoundCache {
    // What was found in a segment is some rows or a bit for each; this sizes the table.
    let count = usize::try_from(bytes / (16 * 1024))
        .unwrap_or(usize::MAX)
        .max(16);
    let options = OptionsBuilder::new()
        .estimated_items_capacity(count)
        .weight_capacity(bytes)
        .hot_allocation(FOUND_OFTEN_SHARE)
        .build();
    match options {
        Ok(options) => Cache::with_options(
            options,
            FoundWeight,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        ),
        Err(_) => Cache::with_weighter(count, bytes, FoundWeight),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(condition: u64) -> FoundKey {
        FoundKey {
            segment: 1,
            condition,
        }
    }

    #[test]
    fn what_was_asked_for_often_leaves_room_for_what_is_new() {
        let cache = cache(1 << 20);
        let found = || {
            Arc::new(Found {
                condition: "c".into(),
                rows: vec![0; 4096].into(),
            })
        };
        // Four times what there is room for, each asked for twice.
        for often in 0..1_000 {
            cache.insert(key(often), found());
            assert!(cache.get(&key(often)).is_some());
            _ = cache.get(&key(often));
        }
        let new = 2_000..2_050;
        for new in new.clone() {
            cache.insert(key(new), found());
        }
        let kept = new.filter(|new| cache.get(&key(*new)).is_some()).count();
        assert!(kept >= 48, "{kept} of 50");
    }
}
