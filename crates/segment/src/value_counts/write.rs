//! The value pages of a segment, made of its columns.
#![deny(clippy::indexing_slicing)]

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::MergeInput;
use crate::columns::{Column, OwnCountedText};
use crate::input::{Common, PageError, Pages};
use crate::limits::{
    COUNTED_BYTES_MAX, COUNTED_FEW_MAX, COUNTED_NUMBERS_OF, COUNTED_ROWS_MIN, COUNTED_SHORT_BYTES,
    COUNTED_VALUES_MAX, VALUE_PAGE_BYTES,
};
use crate::page::{PageEntry, PageWriter};
use crate::wire::put_varint;

/// Value pages that are written.
#[derive(Default)]
pub(crate) struct Written {
    /// The stored pages, whose offsets are places in it.
    pub(crate) bytes: Vec<u8>,
    /// Empty where no part has a value that is counted.
    pub(crate) pages: Vec<PageEntry>,
}

/// Writes the value pages of a segment.
///
/// # Errors
/// When a page of the input is damaged or cannot be read.
pub(crate) fn write<I: MergeInput>(
    input: &I,
    zstd_level: i32,
) -> Result<Written, PageError<I::Error>> {
    let common = Common::read(input)?;
    let mut writer = Writer::new(PageWriter::new(zstd_level));
    for entry in &input.footer().chunks {
        let mut pages = Pages::new(input, entry, &common)?;
        for number in 0..pages.chunk().parts() {
            let part = pages.part_rows(number, &common)?;
            pages.forget_before(number);
            writer.push(&counted(&part.column));
        }
    }
    Ok(writer.finish())
}

/// What a page says of a part: values of many rows, and all where they are few.
fn counted(column: &Column) -> Vec<(OwnCountedText, u32)> {
    let mut counted = column.counted();
    let is_few = counted.len() <= COUNTED_FEW_MAX;
    let few = (column.rows() / COUNTED_NUMBERS_OF) as u32;
    counted.retain(|(own, rows)| {
        let is_frequent = match own.has_numbers {
            true => *rows > few,
            false => is_few || own.text.len() <= COUNTED_SHORT_BYTES || *rows >= COUNTED_ROWS_MIN,
        };
        is_frequent && own.text.len() <= COUNTED_BYTES_MAX
    });
    // The most frequent ones, in an order that does not depend on how they were found.
    counted.sort_unstable_by(|(text, rows), (other, others)| {
        (Reverse(rows), text).cmp(&(Reverse(others), other))
    });
    counted.truncate(COUNTED_VALUES_MAX);
    counted
}

struct Writer {
    pages: PageWriter,
    written: Written,
    has_values: bool,
    /// The numbers of the texts of the page at hand.
    texts: HashMap<OwnCountedText, u32>,
    /// Those texts, as they are written, and the parts.
    text_bytes: Vec<u8>,
    part_bytes: Vec<u8>,
    parts: u32,
    first_part: u32,
}

impl Writer {
    fn new(pages: PageWriter) -> Self {
        Self {
            pages,
            written: Written::default(),
            has_values: false,
            texts: HashMap::new(),
            text_bytes: Vec::new(),
            part_bytes: Vec::new(),
            parts: 0,
            first_part: 0,
        }
    }

    fn push(&mut self, counted: &[(OwnCountedText, u32)]) {
        self.has_values |= !counted.is_empty();
        let numbered = counted
            .iter()
            .map(|(text, rows)| (self.number(text), *rows));
        let mut numbered: Vec<(u32, u32)> = numbered.collect();
        numbered.sort_unstable();
        // Identifiers of several lengths may be the same but for their digits.
        numbered.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += u32::from(is_same) * next.1;
            is_same
        });
        put_varint(numbered.len() as u64, &mut self.part_bytes);
        let mut next = 0;
        for (text, _) in &numbered {
            put_varint(u64::from(text - next), &mut self.part_bytes);
            next = text + 1;
        }
        for (_, rows) in &numbered {
            put_varint(u64::from(*rows), &mut self.part_bytes);
        }
        self.parts += 1;
        if self.text_bytes.len() + self.part_bytes.len() >= VALUE_PAGE_BYTES {
            self.close();
        }
    }

    fn number(&mut self, own: &OwnCountedText) -> u32 {
        if let Some(number) = self.texts.get(own) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.insert(own.clone(), number);
        let head = own.text.len() as u64 * 2 + u64::from(own.has_numbers);
        put_varint(head, &mut self.text_bytes);
        self.text_bytes.extend_from_slice(&own.text);
        number
    }

    fn close(&mut self) {
        let mut raw = Vec::new();
        put_varint(self.texts.len() as u64, &mut raw);
        raw.append(&mut self.text_bytes);
        raw.append(&mut self.part_bytes);
        self.texts.clear();
        let page = self.pages.append(&raw, &mut self.written.bytes);
        self.written.pages.push(PageEntry {
            first_row: self.first_part,
            rows: self.parts,
            ..page
        });
        self.first_part += std::mem::take(&mut self.parts);
    }

    fn finish(mut self) -> Written {
        if self.parts > 0 {
            self.close();
        }
        match self.has_values {
            true => self.written,
            false => Written::default(),
        }
    }
}
