//! Who holds a connection, and who gives his up when there are as many as may be.
//!
//! A connection that waits for a request costs a file descriptor and nothing else, so whoever
//! opens many of them would keep others out. When there is no room, the one that has waited longest
//! makes it; connections with a request at work are never closed for others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// All connections.
pub(crate) struct Connections {
    max: usize,
    state: Mutex<State>,
    refused: AtomicU64,
}

#[derive(Default)]
struct State {
    open: usize,
    next: u64,
    /// Those that wait for a request, in the order in which they began to.
    waiting: BTreeMap<u64, Arc<Notify>>,
}

/// A connection's place among them, until it is dropped.
pub(crate) struct Place {
    connections: Arc<Connections>,
    /// Under which number it waits; `None` while a request is at work.
    waits_as: Mutex<Option<u64>>,
    closing: Arc<Notify>,
}

/// A request at work on a connection.
pub(crate) struct AtWork(Arc<Place>);

impl Connections {
    /// Room for so many.
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            max,
            state: Mutex::default(),
            refused: AtomicU64::new(0),
        })
    }

    /// A place, if there is one or one that waits can be closed for it.
    pub(crate) fn admit(self: &Arc<Self>) -> Option<Arc<Place>> {
        let mut state = self.state();
        if state.open < self.max {
            state.open += 1;
        } else if let Some((_, oldest)) = state.waiting.pop_first() {
            // Its place is counted for the newcomer from here on.
            oldest.notify_one();
        } else {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let closing = Arc::<Notify>::default();
        let number = state.wait(&closing);
        Some(Arc::new(Place {
            connections: Arc::clone(self),
            waits_as: Mutex::new(Some(number)),
            closing,
        }))
    }

    /// The most there may be.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Those that are open, and how many were turned away so far.
    pub(crate) fn figures(&self) -> (usize, u64) {
        (self.state().open, self.refused.load(Ordering::Relaxed))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wait(&mut self, closing: &Arc<Notify>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.waiting.insert(number, Arc::clone(closing));
        number
    }
}

impl Place {
    /// Says that a request has come; it is at work until the answer's body is dropped.
    pub(crate) fn work(self: &Arc<Self>) -> AtWork {
        let waited = self.waits_as().take();
        if let Some(number) = waited {
            let mut state = self.connections.state();
            // One that was to make room has a request after all: it counts again, beyond the most,
            // until the answer is there.
            if state.waiting.remove(&number).is_none() {
                state.open += 1;
            }
        }
        AtWork(Arc::clone(self))
    }

    /// Whether no request is at work.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waits_as().is_some()
    }

    /// Resolves when the connection has to make room.
    pub(crate) async fn closing(&self) {
        self.closing.notified().await;
    }

    fn waits_as(&self) -> MutexGuard<'_, Option<u64>> {
        self.waits_as.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let number = self.0.connections.state().wait(&self.0.closing);
        *self.0.waits_as() = Some(number);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let number = self.waits_as().take();
        let mut state = self.connections.state();
        // A place that was given away is no longer counted.
        let is_given_away = number.is_some_and(|number| state.waiting.remove(&number).is_none());
        if !is_given_away {
            state.open = state.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_one_that_waits_longest_makes_room() {
        let connections = Connections::new(2);
        let first = connections.admit().expect("room");
        let second = connections.admit().expect("room");
        drop(first.work());
        let third = connections.admit().expect("the second makes room");
        second.closing().await;
        drop(second);
        assert_eq!(connections.figures(), (2, 0));
        let (_one, _other) = (first.work(), third.work());
        assert!(connections.admit().is_none(), "both are at work");
        assert_eq!(connections.figures(), (2, 1));
    }

    #[test]
    fn a_request_that_comes_as_its_connection_makes_room_is_still_served() {
        let connections = Connections::new(1);
        let first = connections.admit().expect("room");
        let second = connections.admit().expect("the first makes room");
        let work = first.work();
        assert!(!first.is_waiting());
        assert_eq!(connections.figures().0, 2);
        drop(work);
        drop((first, second));
        assert_eq!(connections.figures().0, 0);
    }
}
