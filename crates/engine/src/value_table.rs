//! Distinct values and something about each, within a bound of memory.
//!
//! A question may meet a million distinct values, so each costs little more than its bytes: the
//! bytes of all lie one behind another, and the table that finds a value holds its index alone. The
//! bound is on what is allocated, not on what of it is in use; so vectors grow by an eighth, not to
//! their double.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::budget::Lease;
use crate::cancel::Cancel;
use crate::limits::VALUE_TABLE_BYTES_MIN;

/// Distinct values, and a `T` for each.
#[derive(Debug)]
pub(crate) struct ValueTable<T> {
    /// The bytes of all values, in the order in which they were first seen.
    bytes: Vec<u8>,
    /// Where each value ends in `bytes`.
    ends: Vec<u32>,
    /// What is kept of each value.
    kept: Vec<T>,
    /// The index of each value, by its hash.
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    bytes_max: usize,
    /// What it has of the memory of all questions; `None` of a small one, which is counted with its
    /// thread.
    lease: Option<Lease>,
    is_full: bool,
}

impl<T: Default> ValueTable<T> {
    /// The same of what all questions have together.
    pub(crate) fn within(cancel: &Cancel, bytes_max: usize) -> Self {
        Self {
            lease: Some(Lease::new(cancel)),
            ..Self::new(bytes_max)
        }
    }

    /// An empty one that takes at most so many bytes of memory.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            kept: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            bytes_max,
            lease: None,
            is_full: false,
        }
    }

    /// What is kept of a value, which is the default for one that is new. `None` where it is new
    /// and does not fit any more.
    pub(crate) fn entry(&mut self, value: &[u8]) -> Option<&mut T> {
        let index = self.index(value)?;
        self.kept.get_mut(index)
    }

    /// The index of a value, which is added where it is new. `None` where it does not fit any more.
    pub(crate) fn index(&mut self, value: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(value);
        let is_it = |index: &u32| value_at(&self.bytes, &self.ends, *index) == value;
        if let Some(index) = self.table.find(hash, is_it) {
            return Some(*index as usize);
        }
        if self.push(hash, value).is_none() {
            self.is_full = true;
            return None;
        }
        self.kept.len().checked_sub(1)
    }

    /// Takes no more than so many bytes of memory from now on.
    pub(crate) fn limit_to(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.kept.capacity() * size_of::<T>()
            + self.table.allocation_size()
    }

    /// The value of an index; empty where there is none.
    pub(crate) fn value(&self, index: u32) -> &[u8] {
        value_at(&self.bytes, &self.ends, index)
    }

    /// What is kept of the value of an index.
    pub(crate) fn kept_mut(&mut self, index: usize) -> Option<&mut T> {
        self.kept.get_mut(index)
    }

    /// Appends a new value, if it fits.
    fn push(&mut self, hash: u64, value: &[u8]) -> Option<()> {
        let index = u32::try_from(self.ends.len()).ok()?;
        let end = u32::try_from(self.bytes.len() + value.len()).ok()?;
        let bytes = grown(&self.bytes, value.len());
        let ends = grown(&self.ends, 1);
        let kept = grown(&self.kept, 1);
        let mut table = self.table.allocation_size();
        if self.table.len() == self.table.capacity() {
            // It doubles, and is copied meanwhile.
            table *= 3;
        }
        let all = bytes + ends * size_of::<u32>() + kept * size_of::<T>() + table;
        if all > self.bytes_max {
            return None;
        }
        if let Some(lease) = &mut self.lease
            && !lease.grow_to(all)
        {
            return None;
        }
        self.bytes.reserve_exact(bytes - self.bytes.len());
        self.ends.reserve_exact(ends - self.ends.len());
        self.kept.reserve_exact(kept - self.kept.len());
        self.bytes.extend_from_slice(value);
        self.ends.push(end);
        self.kept.push(T::default());
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.table.insert_unique(hash, index, |index| {
            hasher.hash_one(value_at(bytes, ends, *index))
        });
        Some(())
    }

    /// Takes all values out, in the order in which they were first seen. Their memory is used again.
    pub(crate) fn drain(&mut self, mut visit: impl FnMut(&[u8], T)) {
        for (index, kept) in (0..).zip(self.kept.drain(..)) {
            visit(value_at(&self.bytes, &self.ends, index), kept);
        }
        self.bytes.clear();
        self.ends.clear();
        self.table.clear();
        self.is_full = false;
    }

    /// Whether a value was left out.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether half of its memory is in use.
    pub(crate) fn is_half_full(&self) -> bool {
        let fixed = size_of::<u32>() + size_of::<T>();
        let used = self.bytes.len() + self.ends.len() * fixed + self.table.allocation_size();
        used > self.bytes_max / 2
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The values, in the order in which they were first seen, and what is kept of each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &T)> {
        let value = |index| value_at(&self.bytes, &self.ends, index);
        (0..).map(value).zip(&self.kept)
    }
}

/// The capacity of a vector that takes so many more elements.
fn grown<T>(vector: &Vec<T>, more: usize) -> usize {
    let (len, capacity) = (vector.len() + more, vector.capacity());
    if len <= capacity {
        return capacity;
    }
    let least = VALUE_TABLE_BYTES_MIN / size_of::<T>().max(1);
    len.max(capacity + capacity / 8).max(least)
}

fn value_at<'a>(bytes: &'a [u8], ends: &[u32], index: u32) -> &'a [u8] {
    let index = index as usize;
    let before = index.checked_sub(1).and_then(|index| ends.get(index));
    let start = before.copied().unwrap_or_default() as usize;
    let end = ends.get(index).copied().unwrap_or_default() as usize;
    bytes.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_counts_as_a_map_does(values in prop::collection::vec("[a-c]{0,3}", 0..200)) {
            let mut table = ValueTable::<u64>::new(1 << 20);
            let mut map = HashMap::<Vec<u8>, u64>::new();
            for value in &values {
                *table.entry(value.as_bytes()).unwrap() += 1;
                *map.entry(value.clone().into_bytes()).or_default() += 1;
            }
            prop_assert_eq!(table.len(), map.len());
            let counted = table.iter().map(|(value, count)| (value.to_vec(), *count));
            prop_assert_eq!(counted.collect::<HashMap<_, _>>(), map.clone());
            let mut drained = HashMap::new();
            table.drain(|value, count| _ = drained.insert(value.to_vec(), count));
            prop_assert_eq!(drained, map);
            prop_assert_eq!(table.len(), 0);
            prop_assert_eq!(table.entry(b"new").copied(), Some(0));
        }
    }

    #[test]
    fn it_takes_no_more_memory_than_it_may() {
        for len in [1, 20, 3_000] {
            let bytes_max = 1 << 20;
            let mut table = ValueTable::<u64>::new(bytes_max);
            let mut number = 0_u64;
            while !table.is_full() {
                let value = format!("{number:0len$}");
                if let Some(count) = table.entry(value.as_bytes()) {
                    *count += 1;
                }
                assert!(table.memory() <= bytes_max);
                number += 1;
            }
            // The last doubling of the table may not fit where half of it was used.
            assert!(table.memory() > bytes_max / 2, "values of {len} bytes");
            let first = format!("{:0len$}", 0);
            *table.entry(first.as_bytes()).unwrap() += 1;
            assert_eq!(table.iter().next(), Some((first.as_bytes(), &2)));
        }
    }

    #[test]
    fn many_short_values_take_less_than_forty_bytes_each() {
        let mut table = ValueTable::<u64>::new(64 << 20);
        for number in 0..100_000 {
            table.entry(format!("{number:x}").as_bytes()).unwrap();
        }
        assert_eq!(table.len(), 100_000);
        assert!(table.memory() < 4_000_000, "{}", table.memory());
    }
}
