//! Values and how often they came, of all threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ValueCount;
use crate::cancel::Cancel;
use crate::value_table::ValueTable;

/// Values and how often they came, within a bound of memory.
pub(super) struct Tally(ValueTable<u64>);

impl Tally {
    /// An empty one, of so many bytes at most.
    pub(super) fn new(cancel: &Cancel, bytes_max: usize) -> Self {
        Self(ValueTable::within(cancel, bytes_max))
    }

    /// Counts a value so many times more, unless it is empty.
    pub(super) fn add(&mut self, value: &[u8], count: u64) {
        if value.is_empty() || count == 0 {
            return;
        }
        if let Some(known) = self.0.entry(value) {
            *known += count;
        }
    }

    /// The place of a value, from now on; `None` where there is no room for it.
    pub(super) fn index(&mut self, value: &[u8]) -> Option<usize> {
        self.0.index(value)
    }

    /// Counts the value at a place so many times more.
    pub(super) fn add_at(&mut self, index: usize, count: u64) {
        if let Some(known) = self.0.kept_mut(index) {
            *known += count;
        }
    }

    /// Whether values were left out.
    pub(super) fn is_full(&self) -> bool {
        self.0.is_full()
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Each value and how often it came.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.0.iter().map(|(value, count)| (value, *count))
    }

    /// The most frequent values, equally frequent ones in the order of their bytes, as far as there
    /// is memory for them.
    pub(super) fn top(&self, limit: usize, cancel: &Cancel) -> Vec<ValueCount> {
        let ranked = limit.min(self.len()) * size_of::<(Reverse<u64>, &[u8])>();
        if !cancel.take(2 * ranked) {
            return Vec::new();
        }
        // The least wanted of those at hand is on top.
        let mut best = BinaryHeap::new();
        for (value, count) in self.0.iter() {
            let ranked = (Reverse(*count), value);
            if best.len() < limit {
                best.push(ranked);
            } else if let Some(mut last) = best.peek_mut()
                && ranked < *last
            {
                *last = ranked;
            }
        }
        let best = best.into_sorted_vec().into_iter();
        let best = best.take_while(|(_, value)| cancel.take(size_of::<ValueCount>() + value.len()));
        best.map(|(Reverse(count), value)| ValueCount {
            value: String::from_utf8_lossy(value).into_owned(),
            count,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{STATS_BYTES_MAX, VALUE_TABLE_BYTES_MIN};

    #[test]
    fn a_full_tally_goes_on_counting_what_it_knows() {
        let mut tally = Tally::new(&Cancel::new(), 4 * VALUE_TABLE_BYTES_MIN);
        let known = ["a", "b"];
        for value in known {
            tally.add(value.as_bytes(), 1);
        }
        let mut rare = 0_u32..;
        while !tally.0.is_full() {
            let value = format!("rare {:?}", rare.next());
            tally.add(value.as_bytes(), 1);
        }
        let distinct = tally.0.len();
        for value in ["a", "", "behind the bound, and long", "b", "b"] {
            tally.add(value.as_bytes(), 1);
        }
        assert_eq!(tally.0.len(), distinct);
        let top = tally.top(2, &Cancel::new());
        let top: Vec<_> = top.iter().map(|v| (v.value.as_str(), v.count)).collect();
        assert_eq!(top, [("b", 3), ("a", 2)]);
        assert!(tally.top(0, &Cancel::new()).is_empty());
    }

    #[test]
    fn equally_frequent_values_come_in_the_order_of_their_bytes() {
        let mut tally = Tally::new(&Cancel::new(), STATS_BYTES_MAX);
        for (value, count) in [("b", 1), ("C", 1), ("a", 1), ("d", 5)] {
            tally.add(value.as_bytes(), count);
        }
        let top: Vec<_> = tally
            .top(3, &Cancel::new())
            .into_iter()
            .map(|v| v.value)
            .collect();
        assert_eq!(top, ["d", "C", "a"]);
    }
}
