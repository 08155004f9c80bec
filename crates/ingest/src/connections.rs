//! The connections of a listener that are open, for what can be asked of their sockets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::stream::Stream;

/// Connections that are open. Whoever serves one owns it: a connection that ends is closed then,
/// whoever looks.
#[derive(Default)]
pub(crate) struct Connections {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    streams: BTreeMap<u64, Weak<Stream>>,
}

/// A connection that is known until this is dropped.
pub(crate) struct Known<'a> {
    connections: &'a Connections,
    number: u64,
}

impl Connections {
    /// Notes a connection.
    pub(crate) fn add(&self, stream: &Arc<Stream>) -> Known<'_> {
        let mut open = self.open();
        let number = open.next;
        open.next += 1;
        open.streams.insert(number, Arc::downgrade(stream));
        Known {
            connections: self,
            number,
        }
    }

    /// Bytes that have arrived over all of them and wait in the kernel to be read. A system call
    /// for each: 10,000 of them take some milliseconds.
    pub(crate) fn kernel_queue_bytes(&self) -> u64 {
        let streams: Vec<Weak<Stream>> = self.open().streams.values().cloned().collect();
        let waiting = |stream: &Weak<Stream>| stream.upgrade()?.kernel_queue_bytes().ok();
        streams.iter().filter_map(waiting).sum()
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Known<'_> {
    fn drop(&mut self) {
        self.connections.open().streams.remove(&self.number);
    }
}
