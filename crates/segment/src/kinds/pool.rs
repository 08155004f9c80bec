//! What is known of kinds, found out once for all segments of a store: most kinds are in every segment.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::Shape;
use super::shape::KeyCounts;
use super::table::{SHAPE_BYTES_FACTOR, SHAPE_OVERHEAD_BYTES};
use crate::Corrupt;
use crate::hash::Seeds;

/// What is known of a kind: what is asked of every kind of a chunk, and its shape. A reader of a few rows or
/// columns goes through the numbers alone, and decodes the shapes of its own kinds.
#[derive(Debug)]
pub(super) struct KnownKind {
    /// No other has it.
    pub(super) id: u64,
    counts: OnceLock<KeyCounts>,
    /// None where the key is that of no kind.
    shape: OnceLock<Option<Box<Shape>>>,
}

impl KnownKind {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            counts: OnceLock::new(),
            shape: OnceLock::new(),
        }
    }

    /// What is counted in its key, which is this.
    pub(super) fn counts(&self, key: &[u8]) -> Result<&KeyCounts, Corrupt> {
        if let Some(counts) = self.counts.get() {
            return Ok(counts);
        }
        let counts = KeyCounts::of_key(key)?;
        Ok(self.counts.get_or_init(|| counts))
    }

    /// The shape that its key says, which is this.
    pub(super) fn shape(&self, key: &[u8]) -> Option<&Shape> {
        let decoded = || Shape::decode(key).ok().map(Box::new);
        self.shape.get_or_init(decoded).as_deref()
    }
}

/// What is known of kinds, by their keys. When it has grown to its limit it begins anew; segments that are
/// open keep what they have.
#[derive(Debug)]
pub struct KindPool {
    kinds: RwLock<Pooled>,
    /// What it may take, in bytes, roughly.
    bytes_max: usize,
}

#[derive(Debug)]
struct Pooled {
    kinds: HashMap<Box<[u8]>, Arc<KnownKind>, Seeds>,
    bytes: usize,
}

impl Default for Pooled {
    fn default() -> Self {
        Self {
            kinds: HashMap::with_hasher(Seeds::of_process()),
            bytes: 0,
        }
    }
}

impl KindPool {
    /// An empty one that may take so many bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self {
            kinds: RwLock::default(),
            bytes_max,
        }
    }

    /// What is known of the kind of a key.
    pub(super) fn of_key(&self, key: &[u8]) -> Arc<KnownKind> {
        let pooled = self.kinds.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = pooled.kinds.get(key) {
            return Arc::clone(known);
        }
        drop(pooled);
        let mut pooled = self.kinds.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = (1 + SHAPE_BYTES_FACTOR) * key.len() + SHAPE_OVERHEAD_BYTES;
        if pooled.bytes + bytes > self.bytes_max {
            *pooled = Pooled::default();
        }
        let Pooled { kinds, bytes: all } = &mut *pooled;
        let known = kinds.entry(key.into()).or_insert_with(|| {
            *all += bytes;
            Arc::new(KnownKind::new())
        });
        Arc::clone(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_is_the_same_kind_until_the_pool_is_full() {
        let pool = KindPool::new(10 * (SHAPE_OVERHEAD_BYTES + 5 * 8));
        let key = |number: u64| number.to_le_bytes();
        let first = pool.of_key(&key(0));
        for number in 1..10 {
            assert_ne!(pool.of_key(&key(number)).id, first.id);
        }
        assert_eq!(pool.of_key(&key(0)).id, first.id);
        pool.of_key(&key(10));
        assert_ne!(pool.of_key(&key(0)).id, first.id, "it has begun anew");
    }
}
