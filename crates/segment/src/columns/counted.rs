//! How many rows of a column have each of its values, where those are few.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;
use std::hash::Hash;

use super::{Column, Values};
use crate::limits::{COUNTED_NUMBERS_MAX, COUNTED_VALUES_MAX};

/// A value of a column, or what several are but for their digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OwnCountedText {
    /// The value, or what it is with one `0` for each run of digits.
    pub(crate) text: Box<[u8]>,
    /// Whether other digits may stand in the place of each `0`.
    pub(crate) has_numbers: bool,
}

impl OwnCountedText {
    /// What values that differ in digits alone are, of which this is one.
    pub(crate) fn but_for_digits(value: &[u8]) -> Self {
        let runs = value.chunk_by(|one, next| one.is_ascii_digit() && next.is_ascii_digit());
        let text = runs.map(|run| match run {
            [digit, ..] if digit.is_ascii_digit() => b"0",
            other => other,
        });
        Self {
            text: text.collect::<Vec<_>>().concat().into(),
            has_numbers: true,
        }
    }

    fn whole(text: Vec<u8>) -> Self {
        Self {
            text: text.into(),
            has_numbers: false,
        }
    }
}

impl Column {
    /// Values with how many rows have each, and no row counted twice; in no order. What values are but for their digits
    /// may be there more than once. Of values that are too many all are left out, and identifiers.
    pub(crate) fn counted(&self) -> Vec<(OwnCountedText, u32)> {
        let rows = 0..self.rows;
        match &self.values {
            Values::Constant(value) if self.rows > 0 => {
                vec![(OwnCountedText::whole(value.to_vec()), self.rows as u32)]
            }
            Values::Dictionary(entries, numbers) => {
                let mut counts = vec![0_u32; entries.rows];
                for row in rows {
                    if let Some(count) = counts.get_mut(numbers.get(row) as usize) {
                        *count += 1;
                    }
                }
                let counts = counts.into_iter().enumerate();
                let counts = counts.filter(|(_, count)| *count > 0);
                counts
                    .map(|(entry, count)| (entries.counted_text(entry), count))
                    .collect()
            }
            Values::Decimal(numbers) => match count(rows, COUNTED_NUMBERS_MAX, |row| self.key(row))
            {
                Some(counts) => self.counted_texts(counts),
                None if numbers.have_signs() => Vec::new(),
                None => {
                    let first = self.counted_text(0);
                    let text = OwnCountedText::but_for_digits(&first.text);
                    vec![(text, self.rows as u32)]
                }
            },
            Values::Shapes(shapes) => shapes.shapes().iter().flat_map(Self::counted).collect(),
            Values::Text(text) => {
                let counts = count(rows, COUNTED_VALUES_MAX, |row| Some(text.get(row)));
                counts.map_or_else(Vec::new, |counts| self.counted_texts(counts))
            }
            Values::Constant(_) | Values::Hexadecimal(_) => Vec::new(),
        }
    }

    fn counted_text(&self, row: usize) -> OwnCountedText {
        let mut text = Vec::new();
        self.append(row, &mut text);
        OwnCountedText::whole(text)
    }

    fn counted_texts(&self, counts: Vec<(usize, u32)>) -> Vec<(OwnCountedText, u32)> {
        let counts = counts.into_iter();
        counts
            .map(|(row, count)| (self.counted_text(row), count))
            .collect()
    }
}

/// The first row with each key, and how many have it; `None` where there are too many keys, or a row has none.
fn count<K: Eq + Hash>(
    rows: std::ops::Range<usize>,
    keys_max: usize,
    key: impl Fn(usize) -> Option<K>,
) -> Option<Vec<(usize, u32)>> {
    let mut counts: HashMap<K, (usize, u32)> = HashMap::new();
    for row in rows {
        counts.entry(key(row)?).or_insert((row, 0)).1 += 1;
        if counts.len() > keys_max {
            return None;
        }
    }
    Some(counts.into_values().collect())
}
