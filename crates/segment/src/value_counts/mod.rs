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
use crate::limits::{
    COLUMN_PARTS_MAX, COLUMN_ROWS_MAX, COUNTED_BYTES_MAX, COUNTED_VALUES_MAX, PAGE_RAW_BYTES_MAX,
};
use crate::page::{PageEntry, open};
use crate::wire::Reader;

/// A value page. Its texts and parts stay as they are written, a third of what they take one by one, and are found by
/// where they start: who asks of one kind of messages after another has the pages of many segments in memory.
#[derive(Clone, Debug)]
pub struct ValuePage {
    raw: Box<[u8]>,
    /// For each text where it starts, its length included.
    texts: Box<[u32]>,
    /// For each part where it starts.
    parts: Box<[u32]>,
}

/// A text of a value page: a value of a column, or what several are but for their digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedText<'p> {
    /// The value, or what it is with one `0` for each run of digits.
    pub text: &'p [u8],
    /// Whether other digits may stand in the place of each `0`.
    pub has_numbers: bool,
}

impl ValuePage {
    /// Decodes a page.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("value page", entry, stored)?.into_owned();
        let mut reader = reader_at(&raw, 0);
        let at = |reader: &Reader<'_>| (raw.len() - reader.rest().len()) as u32;
        // A text takes a byte at least, and so does a part.
        let count = reader.count("number of texts", PAGE_RAW_BYTES_MAX)?;
        let mut texts = Vec::with_capacity(count.min(reader.rest().len()));
        for _ in 0..count {
            texts.push(at(&reader));
            read_text(&mut reader)?;
        }
        let count = entry.rows as usize;
        if count > COLUMN_PARTS_MAX {
            return Err(Corrupt::TooLarge {
                what: "number of parts",
                value: entry.rows.into(),
                max: COLUMN_PARTS_MAX as u64,
            });
        }
        let mut parts = Vec::with_capacity(count.min(reader.rest().len()));
        for _ in 0..count {
            parts.push(at(&reader));
            check_part(&mut reader, texts.len())?;
        }
        reader.finish()?;
        Ok(Self {
            texts: texts.into(),
            parts: parts.into(),
            raw: raw.into(),
        })
    }

    /// How many texts there are.
    pub fn texts(&self) -> usize {
        self.texts.len()
    }

    /// A text, by its number.
    pub fn text(&self, number: u32) -> Option<CountedText<'_>> {
        let start = self.texts.get(number as usize)?;
        read_text(&mut reader_at(&self.raw, *start as usize)).ok()
    }

    /// The values of a part, by its number among those of the page: for each the number of its text, and how many rows
    /// have it. Rows of the part that have none of them have another value.
    pub fn part(&self, number: usize) -> impl Iterator<Item = (u32, u32)> {
        let start = self.parts.get(number);
        let start = start.map_or(self.raw.len(), |start| *start as usize);
        let mut texts = reader_at(&self.raw, start);
        let count = texts.varint().unwrap_or(0);
        let mut rows = texts.clone();
        // Checked when the page was read.
        (0..count).for_each(|_| _ = rows.varint());
        let mut next = 0;
        (0..count).map_while(move |_| {
            let text = next + texts.varint().ok()? as u32;
            next = text + 1;
            Some((text, rows.varint().ok()? as u32))
        })
    }

    /// Memory the page takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.raw.len() + (self.texts.len() + self.parts.len()) * size_of::<u32>()
    }
}

fn reader_at(raw: &[u8], start: usize) -> Reader<'_> {
    Reader::new("value page", raw.get(start..).unwrap_or(&[]))
}

fn read_text<'p>(reader: &mut Reader<'p>) -> Result<CountedText<'p>, Corrupt> {
    let head = reader.count("length of a text", 2 * COUNTED_BYTES_MAX + 1)?;
    Ok(CountedText {
        text: reader.bytes(head / 2)?,
        has_numbers: head % 2 == 1,
    })
}

/// Reads the values of a part, and checks them.
fn check_part(reader: &mut Reader<'_>, texts: usize) -> Result<(), Corrupt> {
    let count = reader.count("values of a part", COUNTED_VALUES_MAX)?;
    let mut next = 0;
    for _ in 0..count {
        let text = reader.varint()?.saturating_add(next);
        if text >= texts as u64 {
            return Err(invalid("text of a value", text));
        }
        next = text + 1;
    }
    let mut rows = 0_u64;
    for _ in 0..count {
        rows += reader.count("rows of a value", COLUMN_ROWS_MAX)? as u64;
    }
    match rows > COLUMN_ROWS_MAX as u64 {
        true => Err(invalid("rows of a part", rows)),
        false => Ok(()),
    }
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
