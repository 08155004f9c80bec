//! Records by the values of some of their fields, within a bound of memory.

use std::cmp::Ordering;
use std::collections::HashMap;

use query::{FieldName, Value};

use crate::limits::{STATS_SHARED_BYTES_MAX, STATS_VALUE_OVERHEAD};
use crate::question::values::each_value;
use crate::rows::RowRef;

/// What is known of each combination of values.
///
/// A combination is kept as bytes: the length of each value and the value.
#[derive(Debug)]
pub(crate) struct Groups<A> {
    known: HashMap<Box<[u8]>, A>,
    bytes: usize,
    bytes_max: usize,
    is_full: bool,
}

impl<A: Default> Groups<A> {
    pub(crate) fn new() -> Self {
        Self::within(STATS_SHARED_BYTES_MAX)
    }

    fn within(bytes_max: usize) -> Self {
        Self {
            known: HashMap::new(),
            bytes: 0,
            bytes_max,
            is_full: false,
        }
    }

    /// Changes what is known of a combination. `change` returns the bytes of memory that this took.
    /// Combinations first seen when there is no room are left out, and so are changes that take
    /// memory.
    pub(crate) fn change(&mut self, key: &[u8], change: impl FnOnce(&mut A, Room) -> usize) {
        let mut room = Room(self.bytes_max.saturating_sub(self.bytes));
        if let Some(known) = self.known.get_mut(key) {
            let taken = change(known, room);
            self.is_full |= taken > room.0;
            self.bytes += taken.min(room.0);
            return;
        }
        let own = key.len() + size_of::<A>() + STATS_VALUE_OVERHEAD;
        if own > room.0 {
            self.is_full = true;
            return;
        }
        room.0 -= own;
        let mut fresh = A::default();
        let taken = change(&mut fresh, room);
        self.is_full |= taken > room.0;
        self.bytes += own + taken.min(room.0);
        self.known.insert(key.into(), fresh);
    }

    /// Whether something was left out.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// How many combinations there are.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Each key and what is known of it.
    pub(crate) fn into_keys(self) -> impl Iterator<Item = (Box<[u8]>, A)> {
        self.known.into_iter()
    }
}

/// Bytes of memory that are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room(pub(crate) usize);

/// Calls `visit` with the key of each combination of values of the fields, behind what `key` holds
/// already; afterwards that is all it holds.
pub(crate) fn each_key(
    by: &[FieldName],
    row: RowRef<'_>,
    key: &mut Vec<u8>,
    visit: &mut dyn FnMut(&[u8]),
) {
    let Some((field, others)) = by.split_first() else {
        return visit(key);
    };
    each_value(field, row, &mut |value| {
        let len = key.len();
        push_value(key, value);
        each_key(others, row, key, visit);
        key.truncate(len);
    });
}

/// Appends a value to a key.
pub(crate) fn push_value(key: &mut Vec<u8>, value: &[u8]) {
    let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
    key.extend_from_slice(&len.to_le_bytes());
    key.extend_from_slice(value);
}

/// The values of a key.
#[derive(Clone, Debug)]
pub(crate) struct Values<'a>(pub(crate) &'a [u8]);

impl<'a> Iterator for Values<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        let (len, rest) = self.0.split_first_chunk()?;
        let len = u32::from_le_bytes(*len) as usize;
        let (value, rest) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        self.0 = rest;
        Some(value)
    }
}

/// The values of a combination, and one more, as a row.
pub(crate) fn row(key: Values<'_>, last: Value) -> Vec<Value> {
    key.map(Value::of_text).chain([last]).collect()
}

/// The first `limit` members in an order, sorted.
pub(crate) fn first_of<T>(
    members: impl Iterator<Item = T>,
    limit: usize,
    order: impl Fn(&T, &T) -> Ordering,
) -> Vec<T> {
    let mut members: Vec<T> = members.collect();
    if limit < members.len() {
        members.select_nth_unstable_by(limit, &order);
        members.truncate(limit);
    }
    members.sort_unstable_by(order);
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_groups_go_on_counting_what_they_know() {
        let size = 1 + size_of::<u64>() + STATS_VALUE_OVERHEAD;
        let mut groups: Groups<u64> = Groups::within(2 * size);
        for key in ["a", "b", "c", "a", "b", "b"] {
            groups.change(key.as_bytes(), |count, _| {
                *count += 1;
                0
            });
        }
        assert!(groups.is_full());
        let mut counts: Vec<u64> = groups.into_keys().map(|(_, count)| count).collect();
        counts.sort_unstable();
        assert_eq!(counts, [2, 3]);
    }

    #[test]
    fn values_survive_their_key() {
        let mut key = Vec::new();
        for value in [&b"web-01"[..], b"\0", b"x y"] {
            push_value(&mut key, value);
        }
        let values: Vec<&[u8]> = Values(&key).collect();
        assert_eq!(values, [&b"web-01"[..], b"\0", b"x y"]);
        assert_eq!(Values(&[]).next(), None);
    }
}
