//! Who is called after commits and imports, until they do not want to be any more.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, Weak};

type Listener = Box<dyn Fn() + Send + Sync>;

/// Those who are called.
#[derive(Default)]
pub(crate) struct Listeners(Arc<RwLock<Known>>);

#[derive(Default)]
struct Known {
    next: u64,
    listeners: BTreeMap<u64, Listener>,
}

/// Keeps a listener of [`crate::Store::on_commit`] listening until it is dropped, which waits for a call that is
/// under way: a listener must not drop its own.
#[must_use = "who drops it is not called"]
pub struct Subscription {
    known: Weak<RwLock<Known>>,
    id: u64,
}

impl Listeners {
    /// Has a listener called.
    pub(crate) fn add(&self, listener: Listener) -> Subscription {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let id = known.next;
        known.next += 1;
        known.listeners.insert(id, listener);
        Subscription {
            known: Arc::downgrade(&self.0),
            id,
        }
    }

    /// Calls all.
    pub(crate) fn call(&self) {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.listeners.values().for_each(|listener| listener());
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(known) = self.known.upgrade() {
            let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
            known.listeners.remove(&self.id);
        }
    }
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn who_has_dropped_its_subscription_is_not_called() {
        let listeners = Listeners::default();
        let counts = [(); 2].map(|()| Arc::new(AtomicU64::new(0)));
        let mut subscriptions: Vec<_> = counts
            .iter()
            .map(|count| {
                let count = Arc::clone(count);
                listeners.add(Box::new(move || _ = count.fetch_add(1, Ordering::Relaxed)))
            })
            .collect();
        listeners.call();
        drop(subscriptions.pop());
        listeners.call();
        let counted = counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        assert_eq!(counted, [2, 1]);
        // What it held is free.
        assert_eq!(Arc::strong_count(&counts[1]), 1);
        drop(listeners);
        drop(subscriptions);
    }
}
