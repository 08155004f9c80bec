//! Which numbers of a logspace are given, which are seen, and which are durable.
//!
//! A number is given before its record is seen: an import seals for seconds what a commit behind it shows at
//! once. Who reads records by number must not pass such a hole, so a given number is open until its record is
//! seen, or until it is certain that it never will be. The lowest open number is the watermark: nothing below it
//! changes any more. What is seen before its sync has a watermark of its own.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::logspace::LogspaceState;

/// What is not settled of the numbers of a logspace.
#[derive(Debug, Default)]
pub(crate) struct Unsettled {
    /// The first number of each reservation whose records nobody sees so far.
    open: BTreeSet<u64>,
    /// The first number that is seen and may be in the page cache only.
    unsynced: Option<u64>,
}

impl LogspaceState {
    /// Gives numbers to records that nobody sees yet.
    pub(crate) fn reserve(&mut self, count: usize) -> Range<u64> {
        let first = self.next;
        self.next += count as u64;
        if count > 0 {
            self.unsettled.open.insert(first);
        }
        first..self.next
    }

    /// Settles reservations: their records are seen, or never will be.
    pub(crate) fn settle_numbers(&mut self, numbers: &Range<u64>) {
        while let Some(first) = self.unsettled.open.range(numbers.clone()).next().copied() {
            self.unsettled.open.remove(&first);
        }
    }

    /// Behind all records that are seen with none missing below: no record with a lower number comes any more.
    pub(crate) fn visible_end(&self) -> u64 {
        self.unsettled.open.first().copied().unwrap_or(self.next)
    }

    /// The same of records that are durable.
    pub(crate) fn durable_end(&self) -> u64 {
        let visible = self.visible_end();
        self.unsettled
            .unsynced
            .map_or(visible, |first| first.min(visible))
    }

    /// Notes records that are seen, or are about to be, and may be in the page cache only.
    pub(crate) fn note_unsynced(&mut self, first: u64) {
        let known = self.unsettled.unsynced.unwrap_or(first);
        self.unsettled.unsynced = Some(known.min(first));
    }

    /// Notes that all records that are seen are durable; whether that is news.
    pub(crate) fn note_synced(&mut self) -> bool {
        self.unsettled.unsynced.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watermark_waits_for_the_lowest_open_number() {
        let mut state = LogspaceState::new();
        assert_eq!(state.visible_end(), 1);
        let import = state.reserve(10);
        let commits = [state.reserve(2), state.reserve(3)];
        assert_eq!((import.clone(), state.next), (1..11, 16));
        assert_eq!(state.visible_end(), 1);
        // Both are one block.
        state.settle_numbers(&(commits[0].start..commits[1].end));
        assert_eq!(state.visible_end(), 1);
        state.settle_numbers(&import);
        assert_eq!(state.visible_end(), 16);
        state.reserve(0);
        assert_eq!(state.visible_end(), 16);
    }

    #[test]
    fn what_is_not_synced_is_not_durable() {
        let mut state = LogspaceState::new();
        let numbers = state.reserve(4);
        state.note_unsynced(3);
        state.note_unsynced(4);
        assert_eq!(state.durable_end(), 1);
        state.settle_numbers(&numbers);
        assert_eq!((state.durable_end(), state.visible_end()), (3, 5));
        assert!(state.note_synced() && !state.note_synced());
        assert_eq!(state.durable_end(), 5);
    }
}
