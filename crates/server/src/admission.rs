//! Who may work, and who waits: so many at a time of each kind of work, a bounded number behind
//! them for a bounded time, all others refused.
//!
//! Clients are told apart by their addresses. Of those that wait, one comes next whose address has
//! the fewest at work; and no address has all places, so that another one finds one.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use config::ClientLimits;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::limits::{
    IMPORT_WAIT, IMPORTS_MAX, IMPORTS_WAITING_MAX, QUESTION_WAIT, QUESTIONS_WAITING_MAX,
    UNPACKING_MAX, UPLOADS_MAX,
};
use crate::problem::Refusal;

/// One gate for each kind of work.
pub(crate) struct Admission {
    /// Whatever is answered by thinking: searches, counts, tables, explanations, checks.
    pub(crate) questions: Arc<Gate>,
    /// Exports.
    pub(crate) exports: Arc<Gate>,
    /// Tails.
    pub(crate) tails: Arc<Gate>,
    /// Bodies that are being read.
    pub(crate) uploads: Arc<Gate>,
    /// Imports, each of which gathers whole segments in memory.
    pub(crate) imports: Arc<Gate>,
    /// Bodies in zstd, each of which has a window in memory.
    pub(crate) unpacking: Arc<Gate>,
}

impl Admission {
    pub(crate) fn new(clients: &ClientLimits) -> Self {
        let gate = |kind, max, waiting_max, wait| {
            Arc::new(Gate {
                kind,
                max,
                waiting_max,
                wait,
                state: Mutex::default(),
                refused: AtomicU64::new(0),
            })
        };
        // Bodies that do not come must leave connections for those who ask.
        let uploads = UPLOADS_MAX.min(clients.connections_max / 2).max(1);
        let (soon, late) = (QUESTION_WAIT, IMPORT_WAIT);
        Self {
            questions: gate(
                "questions",
                clients.questions_max,
                QUESTIONS_WAITING_MAX,
                soon,
            ),
            exports: gate("exports", clients.exports_max, 0, soon),
            tails: gate("tails", clients.tails_max, 0, soon),
            uploads: gate("uploads", uploads, 0, soon),
            imports: gate("imports", IMPORTS_MAX, IMPORTS_WAITING_MAX, late),
            unpacking: gate("unpacking", UNPACKING_MAX, UPLOADS_MAX, soon),
        }
    }

    /// Every gate.
    pub(crate) fn gates(&self) -> [&Gate; 6] {
        [
            &self.questions,
            &self.exports,
            &self.tails,
            &self.uploads,
            &self.imports,
            &self.unpacking,
        ]
    }
}

/// A gate to one kind of work.
pub(crate) struct Gate {
    kind: &'static str,
    max: usize,
    waiting_max: usize,
    wait: Duration,
    state: Mutex<State>,
    refused: AtomicU64,
}

#[derive(Default)]
struct State {
    next: u64,
    /// Whose work is going on.
    at_work: Vec<IpAddr>,
    /// In the order in which they came.
    waiting: Vec<Waiting>,
}

struct Waiting {
    number: u64,
    peer: IpAddr,
    told: oneshot::Sender<Pass>,
}

/// The permission to work, given back when dropped.
pub(crate) struct Pass {
    gate: Arc<Gate>,
    peer: IpAddr,
}

/// Takes whoever stops waiting out of the queue.
struct Queued<'a> {
    gate: &'a Gate,
    number: u64,
}

impl Gate {
    /// Lets a client work, at once or after a while.
    ///
    /// # Errors
    /// When too many wait already, or it would take too long.
    pub(crate) async fn enter(self: &Arc<Self>, peer: IpAddr) -> Result<Pass, Refusal> {
        let (queued, turn) = {
            let mut state = self.state();
            if self.has_room(&state, peer) {
                state.at_work.push(peer);
                let gate = Arc::clone(self);
                return Ok(Pass { gate, peer });
            }
            let own = state.waiting.iter().filter(|one| one.peer == peer).count();
            let is_full = state.waiting.len() >= self.waiting_max;
            if is_full || own >= self.waiting_max.div_ceil(2) {
                drop(state);
                return Err(self.refuse());
            }
            let (told, turn) = oneshot::channel();
            let number = state.next;
            state.next += 1;
            state.waiting.push(Waiting { number, peer, told });
            let gate = &**self;
            (Queued { gate, number }, turn)
        };
        let waited = timeout(self.wait, turn).await;
        drop(queued);
        match waited {
            Ok(Ok(pass)) => Ok(pass),
            Ok(Err(_)) | Err(_) => Err(self.refuse()),
        }
    }

    /// What it is called, how much is going on, how many wait, and how many were refused.
    pub(crate) fn figures(&self) -> (&'static str, usize, usize, u64) {
        let state = self.state();
        let refused = self.refused.load(Ordering::Relaxed);
        (self.kind, state.at_work.len(), state.waiting.len(), refused)
    }

    fn refuse(&self) -> Refusal {
        self.refused.fetch_add(1, Ordering::Relaxed);
        let Self { kind, max, .. } = self;
        let detail = format!("{max} {kind} at a time are possible, and others came first");
        let key = match *kind {
            "questions" | "exports" | "tails" => format!("http.{kind}_max"),
            _ => "http.connections_max".to_owned(),
        };
        Refusal::busy(detail, &key)
    }

    /// Whether a client may work now.
    fn has_room(&self, state: &State, peer: IpAddr) -> bool {
        // One address may have all but a quarter of the places.
        let own_max = self.max - self.max / 4;
        state.at_work.len() < self.max && own(state, peer) < own_max
    }

    /// Lets those work that may, until nobody may or all places are taken.
    fn admit_waiting(self: &Arc<Self>) {
        loop {
            let next = {
                let mut state = self.state();
                let may = |one: &&Waiting| self.has_room(&state, one.peer);
                let waiting = state.waiting.iter().filter(may);
                let Some(next) = waiting.min_by_key(|one| (own(&state, one.peer), one.number))
                else {
                    return;
                };
                let number = next.number;
                let index = state.waiting.iter().position(|one| one.number == number);
                let next = state.waiting.remove(index.unwrap_or_default());
                state.at_work.push(next.peer);
                next
            };
            let gate = Arc::clone(self);
            let peer = next.peer;
            // Whoever does not wait any more drops it, which lets the next one in.
            _ = next.told.send(Pass { gate, peer });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much of an address is going on.
fn own(state: &State, peer: IpAddr) -> usize {
    state.at_work.iter().filter(|one| **one == peer).count()
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut state = self.gate.state();
        if let Some(index) = state.at_work.iter().position(|one| *one == self.peer) {
            state.at_work.swap_remove(index);
        }
        drop(state);
        self.gate.admit_waiting();
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.state();
        state.waiting.retain(|one| one.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, last).into()
    }

    fn gate(max: usize, waiting_max: usize) -> Arc<Gate> {
        Arc::new(Gate {
            kind: "questions",
            max,
            waiting_max,
            wait: Duration::from_secs(10),
            state: Mutex::default(),
            refused: AtomicU64::new(0),
        })
    }

    async fn queued(gate: &Gate, count: usize) {
        while gate.figures().2 < count {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_too_long_is_refused_and_leaves_nothing_behind() {
        let gate = gate(1, 2);
        let first = gate.enter(address(1)).await.expect("room");
        let problem = gate.enter(address(2)).await.err().expect("too long");
        assert_eq!(problem.into_problem().code, "busy");
        assert_eq!(gate.figures(), ("questions", 1, 0, 1));
        drop(first);
        assert!(gate.enter(address(2)).await.is_ok());
    }

    #[tokio::test]
    async fn beyond_the_queue_all_are_refused_at_once() {
        let gate = gate(1, 2);
        let _first = gate.enter(address(1)).await.expect("room");
        let waiting: Vec<_> = (1..3)
            .map(|last| {
                let gate = Arc::clone(&gate);
                tokio::spawn(async move { gate.enter(address(last)).await })
            })
            .collect();
        queued(&gate, 2).await;
        assert!(gate.enter(address(3)).await.is_err());
        for one in &waiting {
            one.abort();
        }
        queued(&gate, 0).await;
    }

    #[tokio::test]
    async fn an_address_with_less_at_work_comes_first_and_none_has_all() {
        let gate = gate(4, 8);
        let mut own = Vec::new();
        for _ in 0..3 {
            own.push(gate.enter(address(1)).await.expect("room"));
        }
        let of_first = Arc::clone(&gate);
        let fourth = tokio::spawn(async move { of_first.enter(address(1)).await });
        queued(&gate, 1).await;
        let other = gate.enter(address(2)).await.expect("the place kept free");
        let of_other = Arc::clone(&gate);
        let second = tokio::spawn(async move { of_other.enter(address(2)).await });
        queued(&gate, 2).await;
        own.pop();
        let second = second.await.expect("no panic");
        assert!(second.is_ok(), "it came later and has less at work");
        assert!(!fourth.is_finished());
        drop((own, other, second));
        assert!(fourth.await.expect("no panic").is_ok());
        assert_eq!(gate.figures(), ("questions", 0, 0, 0));
    }

    #[tokio::test]
    async fn a_place_that_comes_to_nobody_goes_to_the_next() {
        let gate = gate(1, 4);
        let first = gate.enter(address(1)).await.expect("room");
        let (of_gone, of_next) = (Arc::clone(&gate), Arc::clone(&gate));
        let gone = tokio::spawn(async move { of_gone.enter(address(2)).await });
        queued(&gate, 1).await;
        let next = tokio::spawn(async move { of_next.enter(address(3)).await });
        queued(&gate, 2).await;
        gone.abort();
        drop(first);
        assert!(next.await.expect("no panic").is_ok());
    }
}
