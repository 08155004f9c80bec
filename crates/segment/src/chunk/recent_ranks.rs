//! How many rows of each kind are before pages that were asked about lately.
//!
//! Bars of one question after another have the same edges, and to look up thousands of kinds takes longer
//! than to count what is between the edges.
#![deny(clippy::indexing_slicing)]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Pages whose ranks are kept: thirty bars have one or two edges in a segment of a day of many.
const PAGES_MAX: usize = 4;

/// The ranks of some pages, each with the number of its page; those kept last are at the end.
#[derive(Debug, Default)]
pub(super) struct RecentRanks(Mutex<VecDeque<(usize, Arc<[u32]>)>>);

impl RecentRanks {
    /// Those before a page, which `reckon` gives where they are not kept.
    pub(super) fn before(&self, page: usize, reckon: impl FnOnce() -> Arc<[u32]>) -> Arc<[u32]> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_asked = |(own, _): &(usize, Arc<[u32]>)| *own == page;
        if let Some((_, ranks)) = kept().iter().find(|own| is_asked(own)) {
            return Arc::clone(ranks);
        }
        let ranks = reckon();
        let mut kept = kept();
        kept.retain(|own| !is_asked(own));
        if kept.len() == PAGES_MAX {
            kept.pop_front();
        }
        kept.push_back((page, Arc::clone(&ranks)));
        ranks
    }

    /// Memory that they take at the most, of so many kinds, in bytes.
    pub(super) fn memory_bytes(kinds: usize) -> usize {
        PAGES_MAX * kinds * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_reckoned_once_for_the_pages_asked_for_last() {
        let recent = RecentRanks::default();
        let mut reckoned = Vec::new();
        for page in [0, 1, 0, 2, 3, 1, 0, 4, 0, 1] {
            let ranks = recent.before(page, || {
                reckoned.push(page);
                [page as u32].into()
            });
            assert_eq!(*ranks, [page as u32]);
        }
        assert_eq!(reckoned, [0, 1, 2, 3, 4, 0, 1], "first in, first out");
    }
}
