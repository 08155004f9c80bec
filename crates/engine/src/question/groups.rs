//! Records by the values of some of their fields, within a bound of memory.

use std::cmp::Ordering;

use query::{FieldName, Value};

use crate::budget::Lease;
use crate::cancel::Cancel;
use crate::limits::{STATS_SHARED_BYTES_MAX, TABLE_VALUE_BYTES};
use crate::question::values::each_value;
use crate::rows::RowRef;
use crate::value_table::ValueTable;

/// What is known of each combination of values.
///
/// A combination is kept as bytes: the length of each value and the value.
#[derive(Debug)]
pub(crate) struct Groups<A> {
    known: ValueTable<A>,
    /// Memory of what is known, beside the table.
    bytes: usize,
    bytes_max: usize,
    lease: Lease,
    is_full: bool,
}

impl<A: Default> Groups<A> {
    pub(crate) fn new(cancel: &Cancel) -> Self {
        Self::within(cancel, STATS_SHARED_BYTES_MAX)
    }

    /// Of so many bytes at most.
    pub(crate) fn within(cancel: &Cancel, bytes_max: usize) -> Self {
        Self {
            known: ValueTable::within(cancel, bytes_max),
            bytes: 0,
            bytes_max,
            lease: Lease::new(cancel),
            is_full: false,
        }
    }

    /// Changes what is known of a combination. `change` returns the bytes of memory that this took.
    /// Combinations first seen when there is no room are left out, and so are changes that take
    /// memory.
    pub(crate) fn change(&mut self, key: &[u8], change: impl FnOnce(&mut A, Room) -> usize) {
        self.known
            .limit_to(self.bytes_max.saturating_sub(self.bytes));
        let index = self.known.index(key);
        let room = self
            .bytes_max
            .saturating_sub(self.bytes + self.known.memory());
        let Some(known) = index.and_then(|index| self.known.kept_mut(index)) else {
            self.is_full = true;
            return;
        };
        let taken = change(known, Room(room));
        self.bytes += taken.min(room);
        self.is_full |= taken > room || !self.lease.grow_to(self.bytes);
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
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &A)> {
        self.known.iter()
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

/// The rows of a table, those that there is memory for.
pub(crate) fn kept_rows(
    cancel: &Cancel,
    rows: impl Iterator<Item = Vec<Value>>,
) -> Vec<Vec<Value>> {
    rows.take_while(|row| cancel.take(row_bytes(row))).collect()
}

/// Memory of a row of a table.
pub(crate) fn row_bytes(cells: &[Value]) -> usize {
    let bytes = |value: &Value| TABLE_VALUE_BYTES + value.heap_bytes();
    size_of::<Vec<Value>>() + cells.iter().map(bytes).sum::<usize>()
}

/// The first `limit` members in an order, sorted; none where there is no memory for so many.
pub(crate) fn first_of<T>(
    cancel: &Cancel,
    (members, count): (impl Iterator<Item = T>, usize),
    limit: usize,
    order: impl Fn(&T, &T) -> Ordering,
) -> Vec<T> {
    if !cancel.take(count * size_of::<T>()) {
        return Vec::new();
    }
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
    use crate::limits::VALUE_TABLE_BYTES_MIN;

    #[test]
    fn full_groups_go_on_counting_what_they_know() {
        let cancel = Cancel::new();
        let mut groups: Groups<u64> = Groups::within(&cancel, 4 * VALUE_TABLE_BYTES_MIN);
        let mut add = |key: &str, taken: usize| {
            groups.change(key.as_bytes(), |count, room| {
                *count += u64::from(taken <= room.0);
                taken
            });
            groups.is_full()
        };
        assert!(!add("a", 100));
        let mut rare = 0_u32..;
        while !add(&format!("rare {:?}", rare.next()), 0) {}
        add("behind the bound, and long", 0);
        add("a", 0);
        add("a", 4 * VALUE_TABLE_BYTES_MIN);
        let counts: Vec<_> = groups.iter().take(2).collect();
        assert_eq!(counts, [(&b"a"[..], &2), (b"rare Some(0)", &1)]);
        assert_eq!(groups.len() as u32, rare.start);
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
