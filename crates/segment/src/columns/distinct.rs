//! Values, each once, found by their hashes.

use crate::hash::{Seeds, Short};

/// Values that there is room for before they are asked for.
const VALUES_FIRST: usize = 64;

/// Values, each with a number from 0 in the order of first use.
#[derive(Debug)]
pub(super) struct Distinct<'a> {
    seeds: Seeds,
    /// For each value the upper half of its hash and, in the lower half, its number from 1; 0 is
    /// free. At least half are free.
    slots: Vec<u64>,
    values: Vec<&'a [u8]>,
    /// The same values, those that are short.
    shorts: Vec<Option<Short>>,
}

impl<'a> Distinct<'a> {
    /// None yet, and room for so many.
    pub(super) fn new(values_max: usize) -> Self {
        Self {
            seeds: Seeds::of_process(),
            slots: vec![0; (2 * values_max.max(1)).next_power_of_two()],
            values: Vec::with_capacity(values_max.min(VALUES_FIRST)),
            shorts: Vec::with_capacity(values_max.min(VALUES_FIRST)),
        }
    }

    /// The number of a value, a new one where it has none; `None` where there is no room.
    pub(super) fn number(&mut self, value: &'a [u8]) -> Option<usize> {
        let short = Short::of(value);
        let hash = match &short {
            Some(short) => short.hash(self.seeds),
            None => self.seeds.hash(value),
        };
        let upper = hash >> 32 << 32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = *self.slots.get(slot)?;
            if entry == 0 {
                break;
            }
            let number = (entry as u32 - 1) as usize;
            if entry >> 32 << 32 == upper && self.is_at(number, short.as_ref(), value) {
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
        self.shorts.push(short);
        Some(number)
    }

    /// Whether a value has a number. A short one is the same as no other that is short.
    #[inline]
    fn is_at(&self, number: usize, short: Option<&Short>, value: &[u8]) -> bool {
        match self.shorts.get(number) {
            Some(Some(known)) => short == Some(known),
            _ => short.is_none() && self.values.get(number).is_some_and(|known| *known == value),
        }
    }

    /// The values in the order of their numbers.
    pub(super) fn values(&self) -> &[&'a [u8]] {
        &self.values
    }
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
