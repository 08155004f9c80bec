//! What is known of kinds, found out once for all segments of a store: most kinds are in every segment.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::Shape;
use super::keys::Keys;
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

/// What is known of kinds, by their keys. When it has grown to its limit it begins anew; the kinds of segments
/// that are in memory keep what they have.
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

    /// What is known of the kinds of some keys, in their order, and how many bytes those may take that nobody
    /// knew of.
    pub(super) fn of_keys(&self, keys: &Keys) -> (Vec<Arc<KnownKind>>, usize) {
        let mut new_bytes = 0;
        let mut all = Vec::with_capacity(keys.len());
        let pooled = self.kinds.read().unwrap_or_else(PoisonError::into_inner);
        let known = keys.iter().map_while(|key| pooled.kinds.get(key));
        all.extend(known.map(Arc::clone));
        drop(pooled);
        if all.len() < keys.len() {
            let mut pooled = self.kinds.write().unwrap_or_else(PoisonError::into_inner);
            for key in keys.iter().skip(all.len()) {
                let (known, bytes) = pooled.of_key(key, self.bytes_max);
                new_bytes += bytes;
                all.push(known);
            }
        }
        (all, new_bytes)
    }
}

impl Pooled {
    /// What is known of the kind of a key, and how many bytes that may take where it is new.
    fn of_key(&mut self, key: &[u8], bytes_max: usize) -> (Arc<KnownKind>, usize) {
        if let Some(known) = self.kinds.get(key) {
            return (Arc::clone(known), 0);
        }
        let bytes = (1 + SHAPE_BYTES_FACTOR) * key.len() + SHAPE_OVERHEAD_BYTES;
        if self.bytes + bytes > bytes_max {
            *self = Self::default();
        }
        self.bytes += bytes;
        let known = Arc::new(KnownKind::new());
        self.kinds.insert(key.into(), Arc::clone(&known));
        (known, bytes)
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    /// Keys of eight bytes each.
    fn keys(numbers: std::ops::Range<u64>) -> Keys {
        let mut keys = Keys::default();
        numbers.for_each(|number| keys.push(&number.to_le_bytes()));
        keys
    }

    #[test]
    fn the_same_key_is_the_same_kind_until_the_pool_is_full() {
        const BYTES: usize = SHAPE_OVERHEAD_BYTES + 5 * 8;
        let pool = KindPool::new(10 * BYTES);
        let ids = |numbers| {
            let (known, bytes) = pool.of_keys(&keys(numbers));
            let ids: Vec<u64> = known.iter().map(|known| known.id).collect();
            (ids, bytes / BYTES)
        };
        let (mut first, new) = ids(0..6);
        assert_eq!((first.len(), new), (6, 6));
        let (second, new) = ids(0..10);
        assert_eq!(
            (&second[..6], new),
            (&first[..], 4),
            "those that are new are paid for"
        );
        first.extend_from_slice(&second);
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 10, "no two have one number");
        assert_eq!(ids(10..11).1, 1);
        let (third, new) = ids(0..1);
        assert_eq!(new, 1, "it has begun anew");
        assert!(!first.contains(&third[0]));
    }
}
