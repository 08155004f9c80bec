//! Value pages: which values the parts of columns have, and how many rows each.
//!
//! ```text
//! value page = number of texts, those, for each part: number of its texts, those, how many rows each has
//! ```
//!
//! Columns of most slots have few values: methods, statuses, paths, agents, queues. How many rows have a value
//! that passes a test is known from here without reading one of them. Only compaction writes the pages
//! ([`write`]), for the columns as they stay then.
#![deny(clippy::indexing_slicing)]

pub(crate) mod check;
#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests;
pub(crate) mod write;

use std::ops::Range;

use crate::Corrupt;
use crate::limits::{
    COLUMN_PARTS_MAX, COLUMN_ROWS_MAX, COUNTED_BYTES_MAX, COUNTED_VALUES_MAX, PAGE_RAW_BYTES_MAX,
};
use crate::page::{PageEntry, open};
use crate::wire::Reader;

/// A decoded value page.
#[derive(Clone, Debug)]
pub struct ValuePage {
    /// The start of the page: all texts, as they are written.
    written: Box<[u8]>,
    texts: Box<[TextAt]>,
    /// For each part the end of its values among all.
    ends: Box<[u32]>,
    /// The number of the text of each value, and how many rows have it.
    values: Box<[(u32, u32)]>,
}

/// A text of a value page: a value of a column, or what several are but for their digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedText<'p> {
    /// The value, or what it is with one `0` for each run of digits.
    pub text: &'p [u8],
    /// Whether other digits may stand in the place of each `0`.
    pub has_numbers: bool,
}

/// Where a text stands among those that are written.
#[derive(Clone, Debug)]
struct TextAt {
    bytes: Range<u32>,
    has_numbers: bool,
}

impl ValuePage {
    /// Decodes a page.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("value page", entry, stored)?;
        let mut reader = Reader::new("value page", &raw);
        // A text takes a byte at least, and so does a value.
        let count = reader.count("number of texts", PAGE_RAW_BYTES_MAX)?;
        let mut texts = Vec::with_capacity(count.min(reader.rest().len()));
        for _ in 0..count {
            let head = reader.count("length of a text", 2 * COUNTED_BYTES_MAX + 1)?;
            let len = reader.bytes(head / 2)?.len();
            let end = raw.len() - reader.rest().len();
            texts.push(TextAt {
                bytes: (end - len) as u32..end as u32,
                has_numbers: head % 2 == 1,
            });
        }
        let (written, _) = raw.split_at(raw.len() - reader.rest().len());
        let parts = entry.rows as usize;
        if parts > COLUMN_PARTS_MAX {
            return Err(Corrupt::TooLarge {
                what: "number of parts",
                value: entry.rows.into(),
                max: COLUMN_PARTS_MAX as u64,
            });
        }
        let mut ends = Vec::with_capacity(parts.min(reader.rest().len()));
        let mut values = Vec::with_capacity(reader.rest().len() / 2);
        for _ in 0..parts {
            decode_part(&mut reader, texts.len(), &mut values)?;
            ends.push(values.len() as u32);
        }
        reader.finish()?;
        Ok(Self {
            written: written.into(),
            texts: texts.into(),
            ends: ends.into(),
            values: values.into(),
        })
    }

    /// How many texts there are.
    pub fn texts(&self) -> usize {
        self.texts.len()
    }

    /// A text, by its number.
    pub fn text(&self, number: u32) -> Option<CountedText<'_>> {
        let at = self.texts.get(number as usize)?;
        let bytes = at.bytes.start as usize..at.bytes.end as usize;
        Some(CountedText {
            text: self.written.get(bytes)?,
            has_numbers: at.has_numbers,
        })
    }

    /// The values of a part, by its number among those of the page: for each the number of its text, and how many rows
    /// have it. Rows of the part that have none of them have another value.
    pub fn part(&self, number: usize) -> &[(u32, u32)] {
        let before = number
            .checked_sub(1)
            .map_or(Some(&0), |before| self.ends.get(before));
        let range = before.zip(self.ends.get(number));
        let values = range.and_then(|(start, end)| self.values.get(*start as usize..*end as usize));
        values.unwrap_or(&[])
    }

    /// Memory the page takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.written.len()
            + self.texts.len() * size_of::<TextAt>()
            + self.ends.len() * size_of::<u32>()
            + self.values.len() * size_of::<(u32, u32)>()
    }
}

/// Reads the values of a part.
fn decode_part(
    reader: &mut Reader<'_>,
    texts: usize,
    values: &mut Vec<(u32, u32)>,
) -> Result<(), Corrupt> {
    let count = reader.count("values of a part", COUNTED_VALUES_MAX)?;
    let first = values.len();
    let mut next = 0;
    for _ in 0..count {
        let text = reader.varint()?.saturating_add(next);
        if text >= texts as u64 {
            return Err(invalid("text of a value", text));
        }
        values.push((text as u32, 0));
        next = text + 1;
    }
    let mut rows = 0_u64;
    for (_, count) in values.iter_mut().skip(first) {
        *count = reader.count("rows of a value", COLUMN_ROWS_MAX)? as u32;
        rows += u64::from(*count);
    }
    match rows > COLUMN_ROWS_MAX as u64 {
        true => Err(invalid("rows of a part", rows)),
        false => Ok(()),
    }
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
