//! The keys of kinds, one behind another.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

/// Keys by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Keys {
    /// Room for so many keys of so many bytes together.
    pub(super) fn with_capacity(count: usize, bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(count),
        }
    }

    /// Adds a key.
    pub(super) fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len() as u32);
    }

    /// The key of a number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        self.bytes.get(self.range(number)?)
    }

    fn range(&self, number: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(number)? as usize;
        let before = number.checked_sub(1).and_then(|at| self.ends.get(at));
        Some(before.map_or(0, |end| *end as usize)..end)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How long they are together, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Memory they take, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }

    /// All of them in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|number| self.get(number))
    }
}
