//! What readers remember of the kinds of a segment: every chunk has mostly the same ones.
#![deny(clippy::indexing_slicing)]

use std::sync::{Arc, OnceLock};

use super::Shape;
use super::bands::{Band, BandOrder};
use super::keys::Keys;
use super::pool::{KindPool, KnownKind};
use super::shape::KeyCounts;
use crate::Corrupt;
use crate::hash::Seeds;

/// What is known of kinds by their numbers, each found out once.
#[derive(Debug)]
pub(crate) struct Shapes {
    keys: Arc<Keys>,
    known: Box<[OnceLock<Arc<KnownKind>>]>,
    pool: Option<Arc<KindPool>>,
}

impl Shapes {
    /// Those of kinds with these keys, by number; shared with others that have the same pool.
    pub(super) fn new(keys: Arc<Keys>, pool: Option<Arc<KindPool>>) -> Self {
        Self {
            known: keys.iter().map(|_| OnceLock::new()).collect(),
            keys,
            pool,
        }
    }

    /// The shape of a kind; `None` where there is no such kind, or its key is not sound.
    pub(crate) fn get(&self, number: u32) -> Option<&Shape> {
        let (key, known) = self.known(number)?;
        known.shape(key)
    }

    /// The hash of the key of a kind; `None` where there is no such kind.
    pub(crate) fn key_hash(&self, number: u32) -> Option<u64> {
        let key = self.keys.get(number as usize)?;
        Some(Seeds::of_process().hash(key))
    }

    /// A number that all kinds with the same key have that are known by the same pool, and no others; `None`
    /// where there is no such kind.
    pub(super) fn id(&self, number: u32) -> Option<u64> {
        let (_, known) = self.known(number)?;
        Some(known.id)
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
        let (key, known) = self.known(number).ok_or(Corrupt::Invalid {
            what: "number of a kind",
            value: u64::from(number),
        })?;
        known.counts(key)
    }

    fn known(&self, number: u32) -> Option<(&[u8], &KnownKind)> {
        let known = self.known.get(number as usize)?;
        let key = self.keys.get(number as usize)?;
        let known = known.get_or_init(|| match &self.pool {
            Some(pool) => pool.of_key(key),
            None => Arc::new(KnownKind::new()),
        });
        Some((key, known))
    }
}
