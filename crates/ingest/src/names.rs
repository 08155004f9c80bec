//! Names of senders by reverse DNS, that nobody ever waits for.
//!
//! Who asks gets what is known at that moment, and where nothing is, a lookup is put into a queue
//! that threads of its own work off; until it is done, and where it fails, the sender has its
//! address only. Names and failures are kept for a while, and a name that has become old is used
//! until the new one is there. Queue and memory are bounded: addresses of datagrams can be made up.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use syslog::limits::HOST_BYTES_MAX;

use crate::limits::{DNS_KNOWN_FOR, DNS_NAMES_MAX, DNS_QUEUE_MAX, DNS_THREADS, DNS_UNKNOWN_FOR};
use crate::socket;

/// Finds the name of an address, however long that takes.
type Lookup = dyn Fn(IpAddr) -> Option<String> + Send + Sync;

/// What is known of names. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Names(Arc<Shared>);

struct Shared {
    lookup: Box<Lookup>,
    known: Mutex<HashMap<IpAddr, Known>>,
    /// Where the threads get what to look up; they start with the first who asks.
    queue: OnceLock<SyncSender<IpAddr>>,
}

/// What is known of an address.
#[derive(Clone)]
struct Known {
    name: Option<Arc<str>>,
    until: Instant,
    is_asked: bool,
}

impl Default for Names {
    fn default() -> Self {
        Self::new(Box::new(socket::name_of))
    }
}

impl Names {
    fn new(lookup: Box<Lookup>) -> Self {
        Self(Arc::new(Shared {
            lookup,
            known: Mutex::default(),
            queue: OnceLock::new(),
        }))
    }

    /// The name of an address as far as it is known now; has it looked up where it is not.
    pub(crate) fn name(&self, address: IpAddr) -> Option<Arc<str>> {
        let now = Instant::now();
        let mut known = self.0.known();
        let found = known.get(&address);
        let name = found.and_then(|found| found.name.clone());
        if found.is_some_and(|found| found.is_asked || now < found.until) {
            return name;
        }
        if found.is_none() && known.len() >= DNS_NAMES_MAX {
            known.retain(|_, known| known.is_asked || now < known.until);
            if known.len() >= DNS_NAMES_MAX {
                return None;
            }
        }
        // A queue that is full has the next message ask again.
        if self.queue().try_send(address).is_ok() {
            let asked = Known {
                name: name.clone(),
                until: now,
                is_asked: true,
            };
            known.insert(address, asked);
        }
        name
    }

    fn queue(&self) -> &SyncSender<IpAddr> {
        self.0.queue.get_or_init(|| {
            let (sender, receiver) = sync_channel(DNS_QUEUE_MAX);
            let receiver = Arc::new(Mutex::new(receiver));
            for _ in 0..DNS_THREADS {
                // Not one that keeps what it asks of alive: it ends with the last who asks.
                let shared = Arc::downgrade(&self.0);
                let receiver = Arc::clone(&receiver);
                let work = move || {
                    while let Some(address) = next(&receiver) {
                        match shared.upgrade() {
                            Some(shared) => shared.look_up(address),
                            None => break,
                        }
                    }
                };
                // Without threads nothing is looked up, and senders have their addresses.
                if let Err(error) = thread::Builder::new().name("dns".to_owned()).spawn(work) {
                    tracing::warn!(%error, "cannot start a thread for names of senders");
                }
            }
            sender
        })
    }
}

/// The next address to look up; `None` when nobody asks any more.
fn next(receiver: &Mutex<Receiver<IpAddr>>) -> Option<IpAddr> {
    let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    receiver.recv().ok()
}

impl Shared {
    fn look_up(&self, address: IpAddr) {
        let found = (self.lookup)(address).filter(|name| is_name(name));
        let (keep, name) = match found {
            Some(name) => (DNS_KNOWN_FOR, Some(name.to_ascii_lowercase().into())),
            None => (DNS_UNKNOWN_FOR, None),
        };
        let known = Known {
            name,
            until: Instant::now() + keep,
            is_asked: false,
        };
        self.known().insert(address, known);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<IpAddr, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever owns an address writes its name, and may write anything.
fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=HOST_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_part)
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Names").field(&self.0.known().len()).finish()
    }
}

/// The name of one sender after the other, asked for once for each run of messages.
#[derive(Debug, Default)]
pub(crate) struct LastName {
    last: Option<(IpAddr, Option<Arc<str>>, Instant)>,
}

/// How long a run's name is taken for known: a lookup that is done shows within it.
const ASK_AGAIN: Duration = Duration::from_millis(100);

impl LastName {
    /// The name of an address as far as it is known.
    pub(crate) fn name(&mut self, names: &Names, address: IpAddr) -> Option<&str> {
        let is_fresh = self
            .last
            .as_ref()
            .is_some_and(|(last, _, at)| *last == address && at.elapsed() < ASK_AGAIN);
        if !is_fresh {
            self.last = Some((address, names.name(address), Instant::now()));
        }
        self.last.as_ref().and_then(|(_, name, _)| name.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    /// Waits for what a lookup finds.
    fn found(names: &Names, address: IpAddr) -> Option<Arc<str>> {
        for _ in 0..10_000 {
            let known = names.0.known().get(&address).cloned();
            if let Some(known) = known.filter(|known| !known.is_asked) {
                return known.name;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("not looked up");
    }

    #[test]
    fn a_name_is_there_as_soon_as_it_is_known_and_is_asked_for_once() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counting = Arc::clone(&asked);
        let names = Names::new(Box::new(move |address| {
            counting.fetch_add(1, Ordering::Relaxed);
            (address == IpAddr::from([192, 0, 2, 1])).then(|| "Web.Example".to_owned())
        }));
        assert_eq!(names.name(address(1)), None, "nobody waits");
        assert_eq!(found(&names, address(1)).as_deref(), Some("web.example"));
        assert_eq!(names.name(address(1)).as_deref(), Some("web.example"));
        assert_eq!(names.name(address(2)), None);
        assert_eq!(found(&names, address(2)), None);
        for _ in 0..100 {
            names.name(address(1));
            names.name(address(2));
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2, "failures are kept too");
    }

    #[test]
    fn lookups_that_never_end_hold_nobody_up_and_fill_no_memory() {
        let (_never, blocked) = channel::<()>();
        let blocked = Mutex::new(blocked);
        let names = Names::new(Box::new(move |_| {
            _ = blocked.lock().map(|blocked| blocked.recv());
            None
        }));
        let start = Instant::now();
        for number in 0..100_000_u32 {
            assert_eq!(names.name(IpAddr::from(number.to_be_bytes())), None);
        }
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{:?}",
            start.elapsed()
        );
        assert!(names.0.known().len() <= DNS_QUEUE_MAX + DNS_THREADS);
    }

    #[test]
    fn what_is_no_name_is_not_taken_for_one() {
        for name in ["", "a b", "a\u{1b}[31m", "<script>", &"a".repeat(300)] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name("fw-1.example.com"));
    }
}
