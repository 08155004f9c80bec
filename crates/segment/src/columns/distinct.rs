//! Values, each once, found by their hashes.
//!
//! The hash has random keys, so that nobody can send values that all collide; nothing that is
//! written depends on it.

use std::hash::{BuildHasher, RandomState};

/// Values, each with a number from 0 in the order of first use.
#[derive(Debug)]
pub(super) struct Distinct<'a> {
    seeds: [u64; 2],
    /// For each value the upper half of its hash and, in the lower half, its number from 1; 0 is
    /// free. At least half are free.
    slots: Vec<u64>,
    values: Vec<&'a [u8]>,
}

impl<'a> Distinct<'a> {
    /// None yet, and room for so many.
    pub(super) fn new(values_max: usize) -> Self {
        let random = RandomState::new();
        Self {
            seeds: [random.hash_one(0), random.hash_one(1) | 1],
            slots: vec![0; (2 * values_max.max(1)).next_power_of_two()],
            values: Vec::new(),
        }
    }

    /// The number of a value, a new one where it has none; `None` where there is no room.
    pub(super) fn number(&mut self, value: &'a [u8]) -> Option<usize> {
        let hash = self.hash(value);
        let upper = hash >> 32 << 32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = *self.slots.get(slot)?;
            if entry == 0 {
                break;
            }
            let number = (entry as u32 - 1) as usize;
            if entry >> 32 << 32 == upper && self.values.get(number) == Some(&value) {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
        if self.values.len() * 2 >= self.slots.len() {
            return None;
        }
        let number = self.values.len();
        *self.slots.get_mut(slot)? = upper | (number as u64 + 1);
        self.values.push(value);
        Some(number)
    }

    /// The values in the order of their numbers.
    pub(super) fn values(&self) -> &[&'a [u8]] {
        &self.values
    }

    fn hash(&self, value: &[u8]) -> u64 {
        let [first, second] = self.seeds;
        let mut hash = first ^ value.len() as u64;
        let (words, tail) = value.as_chunks::<8>();
        for word in words {
            hash = mix(hash ^ u64::from_le_bytes(*word), second);
        }
        let last = tail
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        mix(mix(hash ^ last, second), first | 1)
    }
}

/// Both halves of a product.
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_numbers_in_the_order_of_first_use() {
        let texts: Vec<String> = (0..1_000).map(|number| format!("value {number}")).collect();
        let mut distinct = Distinct::new(1_000);
        for _ in 0..2 {
            for (number, text) in texts.iter().enumerate() {
                assert_eq!(distinct.number(text.as_bytes()), Some(number));
            }
        }
        assert_eq!(distinct.values().len(), 1_000);
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut distinct = Distinct::new(2);
        assert_eq!(distinct.number(b""), Some(0));
        assert_eq!(distinct.number(b"\0"), Some(1));
        assert_eq!(distinct.number(b"\0\0"), None);
        assert_eq!(distinct.number(b""), Some(0));
    }
}
