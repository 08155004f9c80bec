//! What is known of all values of a column without a look at each again.
#![deny(clippy::indexing_slicing)]

use std::ops::RangeInclusive;

use super::{Column, Values};

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
}

impl ColumnSummary {
    /// Adds values that start with the first of some stretches that has bytes, and have bytes of the
    /// others.
    pub(super) fn add_stretches(&mut self, stretches: &[&[u8]]) {
        for byte in stretches.iter().copied().flatten() {
            insert_byte(&mut self.bytes, *byte);
        }
        match stretches.iter().find(|stretch| !stretch.is_empty()) {
            Some(first) => first.iter().for_each(|byte| self.add_first(*byte)),
            None => self.has_empty = true,
        }
    }

    /// Adds what the bytes of values may be.
    pub(super) fn add_bytes(&mut self, bytes: impl Iterator<Item = u8>) {
        bytes.for_each(|byte| insert_byte(&mut self.bytes, byte));
    }

    /// Adds a byte that a value starts with.
    pub(super) fn add_first(&mut self, byte: u8) {
        insert_byte(&mut self.first, byte);
    }

    /// Adds the values of another column.
    fn join(&mut self, other: &Self) {
        for (own, other) in self.bytes.iter_mut().zip(other.bytes) {
            *own |= other;
        }
        for (own, other) in self.first.iter_mut().zip(other.first) {
            *own |= other;
        }
        self.has_empty |= other.has_empty;
    }
}

impl Column {
    /// What is known of all its values.
    pub(crate) fn summary(&self) -> &ColumnSummary {
        self.summary.get_or_init(|| {
            let mut summary = ColumnSummary::default();
            if self.rows > 0 {
                match &self.values {
                    Values::Constant(value) => {
                        let (first, rest) = value.split_at(value.len().min(1));
                        summary.add_stretches(&[first, rest]);
                    }
                    Values::Decimal(numbers) => numbers.summarise(&mut summary),
                    Values::Hexadecimal(digits) => digits.summarise(&mut summary),
                    Values::Dictionary(entries, _) => summary.join(entries.summary()),
                    Values::Shapes(shapes) => {
                        let shapes = shapes.shapes().iter();
                        shapes.for_each(|shape| summary.join(shape.summary()));
                    }
                    Values::Text(text) => text.summarise(&mut summary),
                }
            }
            Box::new(summary)
        })
    }

    /// How many spaces each of its values has at least. Found anew each time.
    pub(crate) fn spaces_min(&self) -> usize {
        if self.rows == 0 {
            return usize::MAX;
        }
        match &self.values {
            Values::Constant(value) => spaces(value),
            Values::Decimal(numbers) => numbers.spaces(),
            Values::Hexadecimal(digits) => digits.spaces(),
            Values::Dictionary(entries, _) => entries.spaces_min(),
            Values::Shapes(shapes) => {
                let of_shapes = shapes.shapes().iter().map(Self::spaces_min);
                of_shapes.min().unwrap_or(0)
            }
            Values::Text(text) => {
                let of_rows = (0..self.rows).map(|row| spaces(text.get(row)));
                of_rows.min().unwrap_or(0)
            }
        }
    }

    /// The least and the greatest of its values, where each is a whole number, digits with or without `-`,
    /// and known to be one. Found anew each time.
    pub(crate) fn numbers(&self) -> Option<RangeInclusive<i64>> {
        match &self.values {
            Values::Constant(value) => integer(value).map(|number| number..=number),
            Values::Dictionary(entries, _) => entries.numbers(),
            Values::Decimal(_) | Values::Shapes(_) => {
                let first = self.integer(0)?;
                let mut rows = 1..self.rows;
                rows.try_fold(first..=first, |all, row| {
                    let number = self.integer(row)?;
                    Some(number.min(*all.start())..=number.max(*all.end()))
                })
            }
            Values::Hexadecimal(_) | Values::Text(_) => None,
        }
    }

    /// What all its values are, where they are known to differ in no more than digits, with `0` for each
    /// digit; `None` of no values. Found anew each time.
    pub(crate) fn shape(&self) -> Option<Box<[u8]>> {
        if self.rows == 0 {
            return None;
        }
        match &self.values {
            Values::Constant(value) => Some(shape_of(value)),
            Values::Decimal(numbers) => numbers.shape().map(|shape| shape_of(&shape)),
            Values::Hexadecimal(_) => None,
            Values::Dictionary(entries, _) => entries.shape(),
            Values::Shapes(shapes) => {
                let mut shapes = shapes.shapes().iter().filter(|shape| shape.rows > 0);
                let shape = shapes.next()?.shape()?;
                shapes
                    .all(|other| other.shape().as_ref() == Some(&shape))
                    .then_some(shape)
            }
            Values::Text(text) => {
                let shape = shape_of(text.get(0));
                (1..self.rows)
                    .all(|row| is_like(text.get(row), &shape))
                    .then_some(shape)
            }
        }
    }
}

/// The number that a text is: digits with or without `-`.
fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// How many spaces a text has.
pub(super) fn spaces(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b' ').count()
}

fn shape_of(value: &[u8]) -> Box<[u8]> {
    value.iter().copied().map(digit_as_zero).collect()
}

fn is_like(value: &[u8], shape: &[u8]) -> bool {
    let mut pairs = value.iter().zip(shape);
    value.len() == shape.len() && pairs.all(|(byte, own)| digit_as_zero(*byte) == *own)
}

fn digit_as_zero(byte: u8) -> u8 {
    if byte.is_ascii_digit() { b'0' } else { byte }
}

/// Adds a byte to a set: bit `byte % 64` of number `byte / 64`.
#[inline]
pub fn insert_byte(bytes: &mut ByteSet, byte: u8) {
    if let Some(word) = bytes.get_mut(usize::from(byte / 64)) {
        *word |= 1 << (byte % 64);
    }
}
