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

use crate::Corrupt;
use crate::columns::CountedText;
use crate::limits::{
    COLUMN_PARTS_MAX, COLUMN_ROWS_MAX, COUNTED_BYTES_MAX, COUNTED_VALUES_MAX, PAGE_RAW_BYTES_MAX,
};
use crate::page::{PageEntry, open};
use crate::wire::Reader;

/// A decoded value page.
#[derive(Clone, Debug)]
pub struct ValuePage {
    texts: Box<[CountedText]>,
    /// For each part the end of its values among all.
    ends: Box<[u32]>,
    /// The number of the text of each value, and how many rows have it.
    values: Box<[(u32, u32)]>,
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
            texts.push(CountedText {
                text: reader.bytes(head / 2)?.into(),
                has_numbers: head % 2 == 1,
            });
        }
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
    pub fn text(&self, number: u32) -> Option<&CountedText> {
        self.texts.get(number as usize)
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
        let texts = self.texts.iter().map(|text| text.text.len());
        texts.sum::<usize>()
            + self.texts.len() * size_of::<CountedText>()
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
