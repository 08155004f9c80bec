//! Many logspaces opened at once: each waits for the disk several times, and together they wait
//! hardly longer than one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use model::LogspaceName;

use crate::error::Error;
use crate::limits::{LOGSPACES_TOGETHER_MIN, OPENING_THREADS};
use crate::store::locked;

/// Opens logspaces, few one after another; what was opened, in the order of the names.
///
/// # Errors
/// The first, in that order, of those that there are.
pub(crate) fn open_each<T: Send>(
    names: &[LogspaceName],
    open: impl Fn(&LogspaceName) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    if names.len() < LOGSPACES_TOGETHER_MIN {
        return names.iter().map(open).collect();
    }
    let next = AtomicUsize::new(0);
    let opened = Mutex::new(Vec::with_capacity(names.len()));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(name) = names.get(index) else { break };
            let result = open(name);
            if result.is_err() {
                next.store(names.len(), Ordering::Relaxed);
            }
            locked(&opened).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..OPENING_THREADS {
            let thread = std::thread::Builder::new().name("opening".to_owned());
            // Without it the others do its work.
            _ = thread.spawn_scoped(scope, work);
        }
        work();
    });
    let mut opened = std::mem::take(&mut *locked(&opened));
    opened.sort_unstable_by_key(|(index, _)| *index);
    opened.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<LogspaceName> {
        let names = (0..count).map(|number| format!("l{number}"));
        names
            .map(|name| LogspaceName::parse(&name).expect("a name"))
            .collect()
    }

    #[test]
    fn many_are_opened_together_in_their_order() {
        for count in [0, 3, LOGSPACES_TOGETHER_MIN, 500] {
            let names = names(count);
            let opened = open_each(&names, |name| Ok(name.clone())).expect("opened");
            assert_eq!(opened, names);
        }
        let names = names(LOGSPACES_TOGETHER_MIN.max(OPENING_THREADS));
        // Each waits for all others: one after another they would wait for ever.
        let barrier = std::sync::Barrier::new(OPENING_THREADS);
        let turns = AtomicUsize::new(0);
        let open = |_: &LogspaceName| {
            if turns.fetch_add(1, Ordering::Relaxed) < OPENING_THREADS {
                barrier.wait();
            }
            Ok(())
        };
        assert_eq!(open_each(&names, open).expect("opened").len(), names.len());
    }

    #[test]
    fn one_that_cannot_be_opened_ends_it() {
        let names = names(200);
        let broken = |name: &LogspaceName| match name.as_str() {
            "l7" => Err(Error::Closing),
            _ => Ok(()),
        };
        assert!(matches!(open_each(&names, broken), Err(Error::Closing)));
    }
}
