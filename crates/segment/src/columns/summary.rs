//! What is known of all values of a column without a look at each again.
#![deny(clippy::indexing_slicing)]

/// Bytes, one bit each: bit `byte % 64` of number `byte / 64`.
pub type ByteSet = [u64; 4];

/// What is known of all values of a column; of a dictionary, of all its values, used or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSummary {
    /// The bytes that they may have.
    pub bytes: ByteSet,
    /// The bytes that they may start with.
    pub first: ByteSet,
    /// Whether one may be empty.
    pub has_empty: bool,
    /// How many spaces each has at least.
    pub spaces_min: usize,
    /// What all of them are, where they are known to differ in no more than digits, with `0` for each
    /// digit.
    pub shape: Option<Box<[u8]>>,
    /// Whether some value was added.
    has_some: bool,
}

impl ColumnSummary {
    /// Adds a value.
    pub(super) fn add(&mut self, value: &[u8]) {
        for byte in value {
            insert(&mut self.bytes, *byte);
        }
        match value.first() {
            Some(byte) => insert(&mut self.first, *byte),
            None => self.has_empty = true,
        }
        self.join_spaces(spaces(value));
        if !self.has_some {
            self.has_some = true;
            self.shape = Some(value.iter().copied().map(digit_as_zero).collect());
        } else if self
            .shape
            .as_ref()
            .is_some_and(|shape| !is_like(value, shape))
        {
            self.shape = None;
        }
    }

    /// Adds values that start with the first of some stretches that has bytes, and have bytes of the
    /// others.
    pub(super) fn add_stretches(
        &mut self,
        stretches: &[&[u8]],
        shape: Option<Vec<u8>>,
        spaces_min: usize,
    ) {
        for byte in stretches.iter().copied().flatten() {
            insert(&mut self.bytes, *byte);
        }
        match stretches.iter().find(|stretch| !stretch.is_empty()) {
            Some(first) => first.iter().for_each(|byte| insert(&mut self.first, *byte)),
            None => self.has_empty = true,
        }
        self.join_spaces(spaces_min);
        self.join_shape(shape.map(Vec::into_boxed_slice));
    }

    /// Before [`Self::join_shape`], which makes a summary one of some values.
    fn join_spaces(&mut self, spaces: usize) {
        let known = if self.has_some {
            self.spaces_min
        } else {
            spaces
        };
        self.spaces_min = known.min(spaces);
    }

    /// Adds the values of another column.
    pub(super) fn join(&mut self, other: &Self) {
        if !other.has_some {
            return;
        }
        for (own, other) in self.bytes.iter_mut().zip(other.bytes) {
            *own |= other;
        }
        for (own, other) in self.first.iter_mut().zip(other.first) {
            *own |= other;
        }
        self.has_empty |= other.has_empty;
        self.join_spaces(other.spaces_min);
        self.join_shape(other.shape.clone());
    }

    fn join_shape(&mut self, shape: Option<Box<[u8]>>) {
        if !self.has_some {
            self.has_some = true;
            self.shape = shape;
        } else if self.shape != shape {
            self.shape = None;
        }
    }
}

/// How many spaces a text has.
pub(super) fn spaces(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b' ').count()
}

fn is_like(value: &[u8], shape: &[u8]) -> bool {
    let mut pairs = value.iter().zip(shape);
    value.len() == shape.len() && pairs.all(|(byte, own)| digit_as_zero(*byte) == *own)
}

fn digit_as_zero(byte: u8) -> u8 {
    if byte.is_ascii_digit() { b'0' } else { byte }
}

#[inline]
fn insert(bytes: &mut ByteSet, byte: u8) {
    if let Some(word) = bytes.get_mut(usize::from(byte / 64)) {
        *word |= 1 << (byte % 64);
    }
}
