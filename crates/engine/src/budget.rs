//! Memory that all questions of a process share.
//!
//! A question takes of it as what it keeps grows, and gives everything back at its end. Where there
//! is none left it is stopped, as it is by whoever asked: every loop that looks at
//! [`crate::Cancel`] ends, and the answer says why it is not complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::cancel::Cancel;

/// So many bytes for all questions together. Clones share them.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bytes: usize,
    taken: AtomicUsize,
    refused: AtomicU64,
}

impl Budget {
    /// Of so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Shared {
            bytes,
            taken: AtomicUsize::new(0),
            refused: AtomicU64::new(0),
        }))
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// How many of them questions have now.
    pub fn taken_bytes(&self) -> usize {
        self.0.taken.load(Ordering::Relaxed)
    }

    /// How many questions were stopped because there were none left.
    pub fn refused(&self) -> u64 {
        self.0.refused.load(Ordering::Relaxed)
    }

    /// Takes so many bytes, if there are.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let more = |taken: usize| {
            let taken = taken.checked_add(bytes)?;
            (taken <= self.0.bytes).then_some(taken)
        };
        let taken = &self.0.taken;
        let updated = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        updated.is_ok()
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        self.0.taken.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn note_refused(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a part of a question has of the memory. Given back when dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    cancel: Cancel,
    bytes: usize,
}

impl Lease {
    /// Nothing yet.
    pub(crate) fn new(cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            bytes: 0,
        }
    }

    /// Has so many bytes at least from now on; where there are none left the question is stopped.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        if more > 0 && !self.cancel.take(more) {
            return false;
        }
        self.bytes += more;
        true
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.cancel.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Stop;

    #[test]
    fn what_one_question_has_another_does_not_get_until_it_ends() {
        let budget = Budget::new(100);
        let (one, two) = (Cancel::within(&budget), Cancel::within(&budget));
        assert!(one.take(60) && one.stopped().is_none());
        let mut lease = Lease::new(&two);
        assert!(lease.grow_to(30) && lease.grow_to(20) && lease.grow_to(40));
        assert_eq!(budget.taken_bytes(), 100);
        assert!(!lease.grow_to(41));
        assert_eq!(two.stopped(), Some(Stop::Memory));
        assert_eq!((one.stopped(), budget.refused()), (None, 1));
        drop(lease);
        assert_eq!(budget.taken_bytes(), 60);
        let clone = one.clone();
        drop(one);
        assert_eq!(budget.taken_bytes(), 60);
        drop(clone);
        assert_eq!(budget.taken_bytes(), 0);
    }

    #[test]
    fn without_a_budget_there_is_no_bound() {
        let cancel = Cancel::new();
        assert!(cancel.take(usize::MAX) && cancel.take(usize::MAX));
        assert!(Lease::new(&cancel).grow_to(usize::MAX));
        assert_eq!(cancel.stopped(), None);
    }
}
