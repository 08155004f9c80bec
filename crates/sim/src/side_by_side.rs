//! Many cases at the same time.

use std::sync::atomic::{AtomicU64, Ordering};

/// More than there are cores, since runs also wait.
const WORKERS: u64 = 6;

/// Runs cases 0 to `count` side by side, until the first that fails.
///
/// # Errors
/// What the first case that failed said.
pub fn side_by_side(
    count: u64,
    run: impl Fn(u64) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let case = next.fetch_add(1, Ordering::Relaxed);
                if case >= count {
                    return Ok(());
                }
                if let Err(what) = run(case) {
                    next.store(count, Ordering::Relaxed);
                    return Err(format!("case {case}: {what}"));
                }
            }
        };
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let results = workers.into_iter().map(|worker| {
            let panicked = |_| Err("a worker panicked".to_owned());
            worker.join().unwrap_or_else(panicked)
        });
        results.collect::<Vec<_>>().into_iter().collect()
    })
}
