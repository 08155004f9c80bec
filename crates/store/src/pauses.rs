//! Files that are left alone for a while because the disk refused to read them.
//!
//! A read that failed may succeed later: a cable was loose, a controller was reset. To try at once
//! and for ever would only add to the trouble, so each failure doubles the pause.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::Timestamp;

use crate::limits::{MERGE_PAUSE_SECONDS, MERGE_PAUSE_SECONDS_MAX};

/// How long a file is left alone.
#[derive(Clone, Copy, Debug)]
struct Pause {
    start: Timestamp,
    seconds: i64,
}

/// Pauses, by file.
#[derive(Debug, Default)]
pub(crate) struct Pauses(BTreeMap<PathBuf, Pause>);

impl Pauses {
    /// Notes that a file could not be read.
    pub(crate) fn add(&mut self, path: &Path, now: Timestamp) {
        let before = self.0.get(path).map(|pause| pause.seconds);
        let seconds = before.map_or(MERGE_PAUSE_SECONDS, |seconds| {
            (2 * seconds).min(MERGE_PAUSE_SECONDS_MAX)
        });
        let pause = Pause {
            start: now,
            seconds,
        };
        self.0.insert(path.to_owned(), pause);
    }

    /// Whether a file need not be left alone any more. A clock that was set back ends a pause, so
    /// that none lasts longer than the longest.
    pub(crate) fn is_over(&self, path: &Path, now: Timestamp) -> bool {
        self.0.get(path).is_none_or(|pause| {
            let nanos = now.nanos().saturating_sub(pause.start.nanos());
            nanos < 0 || nanos / 1_000_000_000 >= pause.seconds
        })
    }

    /// Whether any file is known to make trouble.
    pub(crate) fn is_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Forgets a file that is gone.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.0.remove(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_grows_with_each_failure_up_to_an_hour() {
        let (path, mut pauses) = (Path::new("a"), Pauses::default());
        let second = Timestamp::from_seconds;
        assert!(pauses.is_over(path, second(0)));
        let mut now = 1_000;
        for seconds in [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600] {
            pauses.add(path, second(now));
            assert!(!pauses.is_over(path, second(now + seconds - 1)));
            assert!(pauses.is_over(path, second(now + seconds)));
            assert!(
                pauses.is_over(path, second(now - 1)),
                "the clock was set back"
            );
            now += seconds;
        }
        assert!(pauses.is_over(Path::new("b"), second(now)));
        pauses.forget(path);
        assert!(pauses.is_over(path, second(now)));
    }
}
