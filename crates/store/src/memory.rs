//! The one ceiling on memory, and who gets how much of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::{MERGE_BYTES_MAX, QUESTIONS_BYTES_MIN, TAIL_OVERFLOW};
use crate::options::Options;

/// What each part of a store may take of [`Options::memory_bytes`].
///
/// | part | share |
/// |---|---|
/// | decoded pages | a quarter; of that a quarter for what questions have found, a 32nd for records of answers |
/// | unsealed records of all logspaces | an eighth until the largest tail is sealed, a quarter until commits wait for that |
/// | a segment while it is built of a tail | about as much as that tail once or twice more |
/// | drafts, and one while it is built | what unsealed records leave of their quarter: none is built while these take more than an eighth |
/// | the lexicon of a merged segment | a quarter; the segment has half at the most, and 160 MiB |
///
/// Beside all that, questions take half as much again, and 128 MiB at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Decoded pages and what questions have found, in bytes.
    pub page_cache: u64,
    /// Unsealed records at which the largest tail is sealed, in bytes.
    pub tails: usize,
    /// Unsealed records at which commits wait for the sealer, in bytes.
    pub tails_max: usize,
    /// A merged segment, in bytes. Only its lexicon is in memory, mostly a third of it.
    pub merged: u64,
    /// That lexicon, in bytes: it is nearly all of a segment of identifiers.
    pub merged_lexicon: u64,
    /// All questions together, beside the rest, in bytes.
    pub questions: u64,
}

impl Shares {
    /// The shares of a ceiling, in bytes.
    pub fn of(memory_bytes: u64) -> Self {
        let tails = usize::try_from(memory_bytes / 8).unwrap_or(usize::MAX);
        Self {
            page_cache: memory_bytes / 4,
            tails,
            tails_max: tails.saturating_mul(TAIL_OVERFLOW),
            merged: MERGE_BYTES_MAX.min(memory_bytes / 2),
            merged_lexicon: memory_bytes / 4,
            questions: QUESTIONS_BYTES_MIN.max(memory_bytes / 2),
        }
    }
}

impl Options {
    /// How the memory is shared out.
    pub fn shares(&self) -> Shares {
        Shares::of(self.memory_bytes)
    }
}

/// The memory of the unsealed records of all logspaces.
#[derive(Debug, Default)]
pub(crate) struct TailMemory(AtomicUsize);

impl TailMemory {
    /// So many bytes from the start.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(AtomicUsize::new(bytes))
    }

    /// Now, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Notes that a tail has changed its size.
    pub(crate) fn change(&self, before: usize, after: usize) {
        if before <= after {
            self.0.fetch_add(after - before, Ordering::Relaxed);
        } else {
            self.0.fetch_sub(before - after, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_fit_under_the_ceiling() {
        for ceiling in [1 << 20, 16 << 20, 512 << 20, 1 << 40] {
            let shares = Shares::of(ceiling);
            let tails = shares.tails_max as u64;
            // A segment is built of one tail, and another one merged, at the same time.
            let building = 2 * shares.tails as u64;
            assert!(shares.page_cache + tails + building + shares.merged_lexicon <= ceiling);
        }
    }

    #[test]
    fn tails_add_up() {
        let tails = TailMemory::new(10);
        tails.change(3, 8);
        tails.change(15, 1);
        assert_eq!(tails.bytes(), 1);
    }
}
