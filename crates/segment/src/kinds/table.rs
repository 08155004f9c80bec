//! The kinds of a segment and their numbers.
#![deny(clippy::indexing_slicing)]

use std::sync::{Arc, OnceLock};

use super::keys::Keys;
use super::pool::KindPool;
use super::shapes::Shapes;
use super::{FieldPlace, Shape, WHOLE};
use crate::hash::Seeds;
use crate::limits::{KIND_KEY_BYTES_MAX, KINDS_BYTES_MAX, KINDS_MAX};
use crate::wire::{Reader, put_bytes, put_varint};
use crate::{Corrupt, Namespace, TextPart};

/// What a kind takes in memory besides its key: a place in the list, and one in what is known of it.
const KIND_OVERHEAD_BYTES: usize = 40;

/// What a key and its shape take: the key, its fixed text, and operations of 24 bytes for stretches of
/// some ten.
pub(super) const SHAPE_BYTES_FACTOR: usize = 4;

/// What a shape takes besides.
pub(super) const SHAPE_OVERHEAD_BYTES: usize = 232;

/// Places of a table of no kinds.
const SLOTS_MIN: usize = 64;

/// Kinds by number and numbers by kind. The whole kind is always there, so that there is one for
/// every record.
#[derive(Debug)]
pub struct Kinds {
    seeds: Seeds,
    /// For each kind the upper half of its hash and, in the lower half, its number from 1; 0 is
    /// free. At least half are free. Empty until a kind is looked for: readers have the number.
    slots: Vec<u64>,
    keys: Arc<Keys>,
    /// What readers have asked for.
    shapes: OnceLock<Arc<Shapes>>,
    /// What that may take where it is not shared with other segments, in bytes.
    own_bytes: usize,
}

impl Clone for Kinds {
    /// Without what readers have asked for: a copy is made to be added to.
    fn clone(&self) -> Self {
        Self {
            seeds: self.seeds,
            slots: self.slots.clone(),
            keys: Arc::clone(&self.keys),
            shapes: OnceLock::new(),
            own_bytes: 0,
        }
    }
}

impl Default for Kinds {
    fn default() -> Self {
        Self::new()
    }
}

impl Kinds {
    /// The number of the whole kind.
    pub(crate) const WHOLE: u32 = 0;

    /// The whole kind alone.
    pub fn new() -> Self {
        let mut keys = Keys::default();
        keys.push(&[WHOLE]);
        Self::of(keys)
    }

    fn of(keys: Keys) -> Self {
        Self {
            seeds: Seeds::of_process(),
            slots: Vec::new(),
            keys: Arc::new(keys),
            shapes: OnceLock::new(),
            own_bytes: 0,
        }
    }

    /// The same, where readers share what they find out with those of other segments.
    pub fn sharing(self, pool: &KindPool) -> Self {
        let (shapes, own_bytes) = Shapes::shared(Arc::clone(&self.keys), pool);
        Self {
            shapes: OnceLock::from(Arc::new(shapes)),
            own_bytes,
            ..self
        }
    }

    /// A number that all kinds with the key of this one have that share the same pool, and no others; `None`
    /// where there is no such kind.
    pub fn id(&self, number: u32) -> Option<u64> {
        self.shapes().id(number)
    }

    /// The number of a kind, added where it is new. `None` where there is no room for another.
    pub(crate) fn intern(&mut self, key: &[u8]) -> Option<u32> {
        if self.slots.is_empty() {
            self.enter_all(SLOTS_MIN.max((2 * self.keys.len()).next_power_of_two()));
        }
        let hash = self.seeds.hash(key);
        if let Some(number) = self.find(key, hash) {
            return Some(number);
        }
        let bytes = self.keys.bytes() + key.len();
        let has_room = self.keys.len() < KINDS_MAX && bytes <= KINDS_BYTES_MAX;
        has_room.then(|| self.insert(key, hash))
    }

    /// Whether there is room for all of some other kinds, so that [`Self::intern`] finds it.
    pub(crate) fn have_room_for(&self, other: &Self) -> bool {
        self.keys.len() + other.keys.len() <= KINDS_MAX
            && self.keys.bytes() + other.keys.bytes() <= KINDS_BYTES_MAX
    }

    /// The key of a kind.
    pub(crate) fn key(&self, number: u32) -> Option<&[u8]> {
        self.keys.get(number as usize)
    }

    /// What the records of a kind have in common.
    pub(crate) fn shape(&self, number: u32) -> Result<Shape, Corrupt> {
        let key = self.key(number).ok_or(Corrupt::Invalid {
            what: "number of a kind",
            value: u64::from(number),
        })?;
        Shape::decode(key)
    }

    /// What readers remember. Only for kinds that no more are added to.
    pub(crate) fn shapes(&self) -> &Arc<Shapes> {
        self.shapes
            .get_or_init(|| Arc::new(Shapes::new(Arc::clone(&self.keys))))
    }

    /// For each kind by its number where its records may have a field of a name.
    pub fn places_of_field(&self, name: &[u8]) -> Vec<FieldPlace> {
        let shapes = self.shapes();
        let place_of = |number| {
            if !shapes.may_have_fields(number) {
                return FieldPlace::Nowhere;
            }
            match shapes.get(number) {
                Some(shape) => shape.place_of_field(name),
                // Whoever reads its records is to report it.
                None => FieldPlace::Anywhere,
            }
        };
        (0..self.keys.len() as u32).map(place_of).collect()
    }

    /// For each kind by its number the text of a part of its records, where it is the same for all of them.
    pub fn fixed_texts(&self, part: Namespace) -> Vec<Option<Box<[u8]>>> {
        let parts = [TextPart::Part(part)];
        let fixed = |number| {
            let shape = self.shapes().get(number)?;
            let looks = shape.looks(&parts)?;
            Some(looks.first()?.fixed()?.into())
        };
        (0..self.keys.len() as u32).map(fixed).collect()
    }

    /// For each kind by its number whether the messages of its records are kept as text: a message is
    /// one slot, or one between signs.
    pub fn with_text(&self) -> Vec<bool> {
        let is_text = |key| Shape::decode(key).is_ok_and(|shape| shape.is_text());
        self.keys.iter().map(is_text).collect()
    }

    /// How many there are, at least one.
    #[expect(
        clippy::len_without_is_empty,
        reason = "the whole kind is always there"
    )]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Memory that they take, in bytes; what budgets count.
    pub fn memory_bytes(&self) -> usize {
        self.keys.memory_bytes() + self.slots.capacity() * size_of::<u64>()
    }

    /// Memory that they take with all that readers may find out of those that no other segment had brought into
    /// the pool, in bytes.
    pub fn read_memory_bytes(&self) -> usize {
        self.keys.bytes() + self.keys.len() * KIND_OVERHEAD_BYTES + self.own_bytes
    }

    /// Appends all but the whole kind, in the order of their numbers.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_varint(self.keys.len() as u64 - 1, out);
        for key in self.keys.iter().skip(1) {
            put_bytes(key, out);
        }
    }

    /// Reads what [`Self::encode`] wrote; all of `bytes` must be it. Keys are checked only when their
    /// shapes are asked for, and that none is there twice by [`Self::check`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Corrupt> {
        let mut reader = Reader::new("kinds", bytes);
        let count = reader.count("number of kinds", KINDS_MAX - 1)?;
        let mut keys = Keys::with_capacity(1 + count, 1 + bytes.len());
        keys.push(&[WHOLE]);
        for _ in 0..count {
            let len = reader.count("length of a kind", KIND_KEY_BYTES_MAX)?;
            keys.push(reader.bytes(len)?);
        }
        reader.finish()?;
        if keys.bytes() > KINDS_BYTES_MAX {
            return Err(Corrupt::TooLarge {
                what: "length of all kinds",
                value: keys.bytes() as u64,
                max: KINDS_BYTES_MAX as u64,
            });
        }
        Ok(Self::of(keys))
    }

    /// Checks that no kind is there twice. Who reads records by the numbers of their kinds does not care.
    ///
    /// # Errors
    /// When one is.
    pub fn check(&self) -> Result<(), Corrupt> {
        let mut sorted: Vec<(&[u8], u64)> = self.keys.iter().zip(0..).collect();
        sorted.sort_unstable();
        let twice = sorted
            .array_windows()
            .find(|[(one, _), (next, _)]| one == next);
        match twice {
            None => Ok(()),
            Some([_, (_, number)]) => Err(Corrupt::Invalid {
                what: "kind among others",
                value: *number,
            }),
        }
    }

    fn find(&self, key: &[u8], hash: u64) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = *self.slots.get(slot)?;
            let number = (entry as u32).checked_sub(1)?;
            if entry >> 32 == hash >> 32 && self.key(number) == Some(key) {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds a kind that is not there.
    fn insert(&mut self, key: &[u8], hash: u64) -> u32 {
        let number = self.keys.len() as u32;
        Arc::make_mut(&mut self.keys).push(key);
        self.enter(number, hash);
        if 2 * self.keys.len() > self.slots.len() {
            self.enter_all(2 * self.slots.len());
        }
        number
    }

    fn enter(&mut self, number: u32, hash: u64) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots.get(slot).is_some_and(|entry| *entry != 0) {
            slot = (slot + 1) & mask;
        }
        if let Some(entry) = self.slots.get_mut(slot) {
            *entry = hash >> 32 << 32 | (u64::from(number) + 1);
        }
    }

    /// Makes a table of so many places, a power of two.
    fn enter_all(&mut self, places: usize) {
        self.slots = vec![0; places];
        for number in 0..self.keys.len() as u32 {
            let hash = self.key(number).map(|key| self.seeds.hash(key));
            self.enter(number, hash.unwrap_or_default());
        }
    }
}
