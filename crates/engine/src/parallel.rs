//! The parts of a question, on several processors.
//!
//! Whoever asks has a thread, which always works on the question itself. Threads that help are started
//! for a question and are few in all: one question alone gets every processor, and of many at a time
//! each gets what it would have without help, so that a long one does not hold up short ones.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use query::Query;

use crate::limits::{HELPED_PARTS_MIN, HELPERS_MAX};
use crate::run::Run;

/// Threads that help just now, of all questions.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// Adds each part to an account, of which each thread starts one; returns them all. A part is let go
/// when it is added. A question that is stopped leaves parts out.
pub(crate) fn each_part<P: Send, A: Send>(
    run: &mut Run<'_>,
    query: &Query,
    parts: Vec<P>,
    start: impl Fn() -> A + Sync,
    add: impl Fn(&mut Run<'_>, &mut A, P) + Sync,
) -> Vec<A> {
    let help = Help::of(parts.len() / HELPED_PARTS_MIN);
    let left = Mutex::new(parts.into_iter());
    let work = |run: &mut Run<'_>| {
        let mut account = start();
        loop {
            let next = locked(&left).next();
            let Some(part) = next else { break };
            if run.is_stopped() {
                break;
            }
            add(run, &mut account, part);
        }
        account
    };
    if help.threads == 0 {
        return vec![work(run)];
    }
    let cancel = run.cancel();
    thread::scope(|scope| {
        let helper = || {
            let mut run = Run::new(&[], query, cancel);
            let account = work(&mut run);
            (account, run.account())
        };
        let helpers: Vec<_> = (0..help.threads).map(|_| scope.spawn(helper)).collect();
        let mut accounts = vec![work(run)];
        for helper in helpers {
            match helper.join() {
                Ok((account, cost)) => {
                    accounts.push(account);
                    run.add_account(cost);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        accounts
    })
}

/// How many threads a question may have. Found out once: it takes the reading of several files, as long as a word in
/// two segments.
pub(crate) fn threads_max() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        processors.min(HELPERS_MAX + 1)
    })
}

/// What threads share. What one that panicked has left is of no use to anybody: it ends the question.
pub(crate) fn locked<T: ?Sized>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What they shared, when all are done.
pub(crate) fn unlocked<T>(shared: Mutex<T>) -> T {
    shared.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Threads that may be started; given back at the end.
struct Help {
    threads: usize,
}

impl Help {
    /// As many as there are to be had, at most so many.
    fn of(wanted: usize) -> Self {
        let all = threads_max() - 1;
        let mut threads = 0;
        // None are taken where the update does not happen.
        _ = HELPERS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            threads = wanted.min(all.saturating_sub(used));
            (threads > 0).then_some(used + threads)
        });
        Self { threads }
    }
}

impl Drop for Help {
    fn drop(&mut self) {
        HELPERS.fetch_sub(self.threads, Ordering::Relaxed);
    }
}
