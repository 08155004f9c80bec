//! What readers remember of the kinds of a segment: every chunk has mostly the same ones.
#![deny(clippy::indexing_slicing)]

use std::sync::{Arc, OnceLock};

use super::Shape;
use super::column_groups::ColumnGroup;
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
}

impl Shapes {
    /// Those of kinds with these keys, by number.
    pub(super) fn new(keys: Arc<Keys>) -> Self {
        Self {
            known: keys.iter().map(|_| OnceLock::new()).collect(),
            keys,
        }
    }

    /// The same, shared with others of the same pool; and how many bytes what is not shared may take.
    pub(super) fn shared(keys: Arc<Keys>, pool: &KindPool) -> (Self, usize) {
        let (known, bytes) = pool.of_keys(&keys);
        let known = known.into_iter().map(OnceLock::from).collect();
        (Self { keys, known }, bytes)
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

    /// How many slots a kind has, all together and of each column group.
    ///
    /// # Errors
    /// When there is no such kind, or its key is not sound as far as that is seen.
    pub(crate) fn slots(&self, number: u32) -> Result<(u32, [u32; ColumnGroup::COUNT]), Corrupt> {
        let counts = self.counts(number)?;
        Ok((counts.slots, counts.of_column_groups))
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
        Some((key, known.get_or_init(|| Arc::new(KnownKind::new()))))
    }
}
