//! What readers remember of the kinds of a segment: every chunk has mostly the same ones.
#![deny(clippy::indexing_slicing)]

use std::sync::{Arc, OnceLock};

use super::Shape;
use super::bands::{Band, BandOrder};
use super::keys::Keys;
use super::shape::KeyCounts;
use crate::Corrupt;
use crate::hash::Seeds;

/// The shapes of kinds by their numbers, each decoded once.
#[derive(Debug)]
pub(crate) struct Shapes {
    keys: Arc<Keys>,
    known: Box<[Known]>,
}

/// What is asked of every kind of a chunk, and a shape: a reader of a few rows or columns goes through the
/// numbers alone, and decodes the shapes of its own kinds.
#[derive(Debug, Default)]
struct Known {
    counts: OnceLock<KeyCounts>,
    /// None where the key is that of no kind.
    shape: OnceLock<Option<Box<Shape>>>,
}

impl Shapes {
    /// Those of kinds with these keys, by number.
    pub(super) fn new(keys: Arc<Keys>) -> Self {
        Self {
            known: keys.iter().map(|_| Known::default()).collect(),
            keys,
        }
    }

    /// That of a kind; `None` where there is no such kind, or its key is not sound.
    pub(crate) fn get(&self, number: u32) -> Option<&Shape> {
        let shape = &self.known.get(number as usize)?.shape;
        let decoded = || {
            let key = self.keys.get(number as usize)?;
            Shape::decode(key).ok().map(Box::new)
        };
        shape.get_or_init(decoded).as_deref()
    }

    /// The hash of the key of a kind; `None` where there is no such kind.
    pub(crate) fn key_hash(&self, number: u32) -> Option<u64> {
        let key = self.keys.get(number as usize)?;
        Some(Seeds::of_process().hash(key))
    }

    /// How many slots a kind has, all together and of each band.
    ///
    /// # Errors
    /// When there is no such kind, or its key is not sound as far as that is seen.
    pub(crate) fn slots(
        &self,
        number: u32,
        order: BandOrder,
    ) -> Result<(u32, [u32; Band::COUNT]), Corrupt> {
        let counts = self.counts(number)?;
        Ok((counts.slots, counts.of_bands(order)))
    }

    /// Whether records of a kind may have fields beside their text, as far as that is seen.
    pub(crate) fn may_have_fields(&self, number: u32) -> bool {
        self.counts(number).map_or(true, |counts| counts.has_fields)
    }

    fn counts(&self, number: u32) -> Result<&KeyCounts, Corrupt> {
        let invalid = Corrupt::Invalid {
            what: "number of a kind",
            value: u64::from(number),
        };
        let known = self.known.get(number as usize).ok_or(invalid)?;
        if let Some(counts) = known.counts.get() {
            return Ok(counts);
        }
        let key = self.keys.get(number as usize).ok_or(invalid)?;
        let counts = KeyCounts::of_key(key)?;
        Ok(known.counts.get_or_init(|| counts))
    }
}
