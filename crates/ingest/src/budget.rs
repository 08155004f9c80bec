//! The byte budget of the process: what bounds memory when the disk is slower than the senders.
//!
//! A reader takes a permit before it reads, with nothing else held, so that readers cannot lock
//! each other out. The permit shrinks to what the batch really takes, travels with it, and is
//! given back when the batch is durable.

use std::future::pending;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes that all receivers share.
#[derive(Clone, Debug)]
pub struct Budget {
    semaphore: Arc<Semaphore>,
    total_bytes: u32,
}

/// A share of the budget, given back when dropped.
#[derive(Debug)]
pub(crate) struct Permit(OwnedSemaphorePermit);

impl Budget {
    /// A budget of at least one byte and at most 4 GiB.
    pub fn new(bytes: usize) -> Self {
        let total_bytes = u32::try_from(bytes).unwrap_or(u32::MAX).max(1);
        let permits = usize::try_from(total_bytes).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            semaphore: Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS))),
            total_bytes,
        }
    }

    /// Waits for a share; a share larger than the budget is cut to all of it, so that one large
    /// message gets through alone. First come, first served.
    pub(crate) async fn acquire(&self, bytes: usize) -> Permit {
        let share = self.share(bytes);
        match Arc::clone(&self.semaphore).acquire_many_owned(share).await {
            Ok(permit) => Permit(permit),
            // The semaphore is never closed.
            Err(_) => pending().await,
        }
    }

    /// A share if it is there now.
    pub(crate) fn try_acquire(&self, bytes: usize) -> Option<Permit> {
        let share = self.share(bytes);
        let permit = Arc::clone(&self.semaphore).try_acquire_many_owned(share);
        permit.ok().map(Permit)
    }

    /// Bytes that can be handed out at a time.
    pub(crate) fn total_bytes(&self) -> usize {
        usize::try_from(self.total_bytes).unwrap_or(usize::MAX)
    }

    /// Bytes handed out now.
    pub(crate) fn used_bytes(&self) -> usize {
        self.total_bytes()
            .saturating_sub(self.semaphore.available_permits())
    }

    fn share(&self, bytes: usize) -> u32 {
        u32::try_from(bytes)
            .unwrap_or(u32::MAX)
            .min(self.total_bytes)
    }
}

impl Permit {
    /// Bytes it stands for.
    pub(crate) fn bytes(&self) -> usize {
        self.0.num_permits()
    }

    /// Gives back what is more than `bytes`.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let surplus = self.bytes().saturating_sub(bytes);
        drop(self.0.split(surplus));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_share_never_exceeds_the_budget() {
        let budget = Budget::new(100);
        let mut permit = budget.acquire(1_000).await;
        assert_eq!((permit.bytes(), budget.used_bytes()), (100, 100));
        assert!(budget.try_acquire(1).is_none());
        permit.shrink_to(30);
        assert_eq!((permit.bytes(), budget.used_bytes()), (30, 30));
        permit.shrink_to(50);
        assert_eq!(permit.bytes(), 30, "a permit only shrinks");
        drop(permit);
        assert_eq!(budget.used_bytes(), 0);
    }
}
