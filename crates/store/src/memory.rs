//! The one ceiling on memory, and who gets how much of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::{IMPORT_BYTES, MERGE_BYTES_MAX, QUESTIONS_BYTES_MIN, TAIL_OVERFLOW};
use crate::options::Options;
use crate::store::Shared;

/// What each part of a store may take of [`Options::memory_bytes`].
///
/// | part | share |
/// |---|---|
/// | decoded pages | a quarter; of that a quarter for what questions have found, a 32nd for records of answers |
/// | unsealed records of all logspaces | an eighth until the largest tail is sealed, a quarter until commits wait for that |
/// | segments while they are built of tails | about as much as the records they are built of, which are some of those |
/// | memory segments, and one while it is built | what unsealed records leave of their quarter: none is built while these take more than an eighth |
/// | the lexicon of a merged segment | a quarter; the segment has half at the most, and 160 MiB |
///
/// Beside all that, questions take half as much again, and 128 MiB at least; imports half as much again, where
/// that is enough for one batch at a time; destinations an eighth for what is under way to them.
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
    /// Batches of imports that are built at a time, one at least.
    pub imports: usize,
    /// Records under way to destinations, beside the rest, in bytes.
    pub destinations: usize,
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
            imports: usize::try_from(memory_bytes / 2 / IMPORT_BYTES)
                .map_or(usize::MAX, |most| most.max(1)),
            destinations: tails,
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
pub(crate) struct TailMemory {
    all: AtomicUsize,
    /// Of those that are being sealed.
    frozen: AtomicUsize,
}

impl TailMemory {
    /// So many bytes from the start.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            all: AtomicUsize::new(bytes),
            frozen: AtomicUsize::new(0),
        }
    }

    /// Now, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.all.load(Ordering::Relaxed)
    }

    /// Of those that are being sealed, in bytes.
    fn frozen_bytes(&self) -> usize {
        self.frozen.load(Ordering::Relaxed)
    }

    /// Of those that are not, in bytes.
    fn open_bytes(&self) -> usize {
        self.bytes().saturating_sub(self.frozen_bytes())
    }

    /// Notes that a tail has grown.
    pub(crate) fn add(&self, bytes: usize) {
        self.all.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Notes that so much is being sealed.
    pub(crate) fn freeze(&self, bytes: usize) {
        self.frozen.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Notes that so much is not being sealed any more.
    pub(crate) fn thaw(&self, bytes: usize) {
        self.frozen.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Notes that so much of what was being sealed is.
    pub(crate) fn seal(&self, bytes: usize) {
        self.all.fetch_sub(bytes, Ordering::Relaxed);
        self.thaw(bytes);
    }
}

impl Shared {
    /// Whether the unsealed records take their share of the memory.
    pub(crate) fn has_large_tails(&self) -> bool {
        self.tails.bytes() >= self.options.shares().tails
    }

    /// How many bytes of records are sealed at once: half of what those that are being sealed leave of the
    /// memory of tails, so that a builder which keeps up makes large segments, and each further one starts
    /// before commits wait; but not less than where each builder has as much.
    pub(crate) fn stretch_bytes(&self) -> usize {
        let room = self.options.shares().tails_max;
        let free = room.saturating_sub(self.tails.frozen_bytes());
        (free / 2).max(room / self.options.threads.saturating_add(1))
    }

    /// Whether there are so many that are not being sealed.
    pub(crate) fn has_stretch(&self) -> bool {
        self.tails.open_bytes() >= self.stretch_bytes()
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
            // All of the tails may be in building, and segments be merged at the same time.
            let building = tails;
            assert!(shares.page_cache + tails + building + shares.merged_lexicon <= ceiling);
        }
    }

    #[test]
    fn tails_add_up() {
        let tails = TailMemory::new(10);
        tails.add(5);
        tails.freeze(9);
        tails.freeze(4);
        assert_eq!((tails.bytes(), tails.open_bytes()), (15, 2));
        tails.seal(9);
        assert_eq!((tails.bytes(), tails.open_bytes()), (6, 2));
        tails.thaw(4);
        assert_eq!((tails.bytes(), tails.open_bytes()), (6, 6));
    }
}
