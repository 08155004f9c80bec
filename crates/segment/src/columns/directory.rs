//! Where the columns of a chunk are in its pages.
//!
//! Thousands of columns, most of which have one part, of some hundred bytes: what is kept of each is what
//! tells it from the one before, so that a chunk is quickly opened and takes little memory.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use super::Column;
use crate::Corrupt;
use crate::column::{self, Packed};
use crate::limits::{COLUMN_PARTS_MAX, COLUMN_ROWS_MAX, PAGE_RAW_BYTES_MAX};
use crate::page::PageEntry;
use crate::wire::{Reader, put_varint};

/// Some rows of a column: where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Index of the page.
    pub(crate) page: u32,
    /// Where the part starts in the page, in bytes.
    pub(crate) offset: u32,
    /// How long it is, in bytes.
    pub(crate) len: u32,
    /// How many values it has.
    pub(crate) rows: u32,
}

impl Part {
    /// The values of the part. `page` is its page, decompressed.
    pub(crate) fn open(&self, page: &[u8]) -> Result<Column, Corrupt> {
        let mut reader = Reader::new("column", page);
        reader.bytes(self.offset as usize)?;
        let mut reader = Reader::new("column", reader.bytes(self.len as usize)?);
        let column = Column::decode(&mut reader, self.rows as usize)?;
        reader.finish()?;
        Ok(column)
    }
}

/// Where the columns of a chunk are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directory {
    columns: u32,
    /// The columns that have no part or several, each with the end of its parts; all others have one.
    uneven: Vec<(u32, u32)>,
    /// Where each part ends, counted through all pages, which have nothing else in them.
    ends: Vec<u32>,
    /// How many values each part has.
    rows: Vec<u16>,
    /// Where each page ends, counted in the same way.
    page_ends: Vec<u32>,
}

impl Directory {
    /// How many columns there are.
    pub(crate) fn columns(&self) -> usize {
        self.columns as usize
    }

    /// How many parts all of them have.
    pub(crate) fn parts(&self) -> usize {
        self.ends.len()
    }

    /// How many values a column has.
    pub(crate) fn rows(&self, column: usize) -> u64 {
        let rows = self.rows.get(self.numbers_of(column)).unwrap_or(&[]);
        rows.iter().copied().map(u64::from).sum()
    }

    /// The part of a column with a row: its number among all parts, and the rows of the column that
    /// it has.
    pub(crate) fn find(&self, column: usize, row: u32) -> Option<(usize, Range<u32>)> {
        let numbers = self.numbers_of(column);
        let rows = self.rows.get(numbers.clone())?;
        let mut start = 0;
        for (number, rows) in numbers.zip(rows) {
            let end = start + u32::from(*rows);
            if row < end {
                return Some((number, start..end));
            }
            start = end;
        }
        None
    }

    /// A part by its number.
    pub(crate) fn part(&self, number: usize) -> Option<Part> {
        let end = *self.ends.get(number)?;
        let end_before = |ends: &[u32], at: usize| {
            let before = at.checked_sub(1).and_then(|before| ends.get(before));
            before.copied().unwrap_or(0)
        };
        let start = end_before(&self.ends, number);
        let page = self.page_ends.partition_point(|end| *end <= start);
        Some(Part {
            page: page as u32,
            offset: start.checked_sub(end_before(&self.page_ends, page))?,
            len: end.checked_sub(start)?,
            rows: u32::from(*self.rows.get(number)?),
        })
    }

    /// The numbers of the parts of a column among all parts; none behind the last column.
    pub(crate) fn numbers_of(&self, column: usize) -> Range<usize> {
        if column >= self.columns() {
            return 0..0;
        }
        let start = column
            .checked_sub(1)
            .map_or(0, |before| self.end_of(before));
        start..self.end_of(column)
    }

    /// The end of the parts of a column.
    fn end_of(&self, column: usize) -> usize {
        let before = self
            .uneven
            .partition_point(|(own, _)| *own as usize <= column);
        let last = before.checked_sub(1).and_then(|last| self.uneven.get(last));
        last.map_or(column + 1, |(own, end)| {
            *end as usize + (column - *own as usize)
        })
    }

    /// The column that the part of a number is of, and how many values that has before it.
    pub(crate) fn column_of_part(&self, number: usize) -> Option<(usize, u32)> {
        // Those before it that are uneven tell how far the column is from the number.
        let before = self
            .uneven
            .partition_point(|(_, end)| *end as usize <= number);
        let last = before.checked_sub(1).and_then(|last| self.uneven.get(last));
        let (next, end) = last.map_or((0, 0), |(own, end)| (*own as usize + 1, *end as usize));
        let further = self
            .uneven
            .get(before)
            .map_or(usize::MAX, |(own, _)| *own as usize);
        let column = next.saturating_add(number - end).min(further);
        let numbers = self.numbers_of(column);
        if !numbers.contains(&number) {
            return None;
        }
        let rows = self.rows.get(numbers.start..number)?.iter();
        let rows: u64 = rows.copied().map(u64::from).sum();
        Some((column, u32::try_from(rows).ok()?))
    }

    /// Memory the directory takes beside the value itself, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.uneven.capacity() * size_of::<(u32, u32)>()
            + (self.ends.capacity() + self.page_ends.capacity()) * size_of::<u32>()
            + self.rows.capacity() * size_of::<u16>()
    }

    /// Adds a part of so many bytes and values to the last page.
    pub(crate) fn push_part(&mut self, len: usize, rows: usize) {
        let start = self.ends.last().copied().unwrap_or(0);
        self.ends.push(start + len as u32);
        self.rows.push(rows as u16);
    }

    /// Closes the last page.
    pub(crate) fn close_page(&mut self) {
        self.page_ends.push(self.ends.last().copied().unwrap_or(0));
    }

    /// Closes the next column, which has the last so many parts.
    pub(crate) fn close_column(&mut self, parts: usize) {
        if parts != 1 {
            self.uneven.push((self.columns, self.ends.len() as u32));
        }
        self.columns += 1;
    }

    /// Appends the directory. Offsets follow from lengths, as pages have no gaps.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        assert!(self.columns() <= COLUMN_PARTS_MAX && self.parts() <= COLUMN_PARTS_MAX);
        let counts = (0..self.columns()).map(|column| self.numbers_of(column).len() as u64);
        let parts = (0..self.parts()).filter_map(|number| self.part(number));
        let (mut steps, mut lens, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let mut page = 0;
        for part in parts {
            steps.push(u64::from(
                part.page - std::mem::replace(&mut page, part.page),
            ));
            lens.push(u64::from(part.len));
            rows.push(u64::from(part.rows));
        }
        put_varint(u64::from(self.columns), out);
        for values in [counts.collect(), steps, lens, rows] {
            column::encode(&values, out);
        }
    }

    /// Reads what [`Directory::encode`] wrote, for columns in these pages.
    pub(crate) fn decode(reader: &mut Reader<'_>, pages: &[PageEntry]) -> Result<Self, Corrupt> {
        let columns = reader.count("number of columns", COLUMN_PARTS_MAX)?;
        let mut directory = Self {
            columns: columns as u32,
            ..Self::default()
        };
        let (mut column, mut parts) = (0, 0_u64);
        Packed::view(reader, columns)?.each(|count| {
            parts = parts.saturating_add(count);
            if count != 1 {
                directory.uneven.push((column, parts as u32));
            }
            column += 1;
        });
        directory.uneven.shrink_to_fit();
        let parts = within("number of parts", parts, COLUMN_PARTS_MAX)? as usize;
        let steps = Packed::view(reader, parts)?;
        directory.set_ends(&Packed::view(reader, parts)?, pages)?;
        directory.check_steps(&steps)?;
        directory.set_rows(&Packed::view(reader, parts)?)?;
        Ok(directory)
    }

    /// Notes where parts and pages end, given how long they are.
    fn set_ends(&mut self, lens: &Packed<&[u8]>, pages: &[PageEntry]) -> Result<(), Corrupt> {
        let mut end = 0_u64;
        for page in pages {
            let len = page.raw_len.min(PAGE_RAW_BYTES_MAX as u32);
            end = within(
                "length of all columns",
                end + u64::from(len),
                u32::MAX as usize,
            )?;
            self.page_ends.push(end as u32);
        }
        let (all, mut end, mut is_one_empty) = (end, 0_u64, false);
        self.ends.reserve_exact(lens.len());
        lens.each(|len| {
            end = end.saturating_add(len);
            is_one_empty |= len == 0;
            self.ends.push(end as u32);
        });
        // No end is more than the last one.
        if is_one_empty || end > all {
            return Err(Corrupt::Invalid {
                what: "length of columns",
                value: end,
            });
        }
        Ok(())
    }

    /// Checks that each part begins on the page on which the one before it ends, or on the next one where
    /// that is full, and ends there.
    fn check_steps(&self, steps: &Packed<&[u8]>) -> Result<(), Corrupt> {
        let mut page_ends = self.page_ends.iter().copied();
        let mut page_end = page_ends.next().unwrap_or(0);
        let (mut ends, mut start, mut wrong) = (self.ends.iter(), 0, None);
        steps.each(|step| {
            let next = match step {
                0 => Some(page_end),
                1 if start == page_end => page_ends.next(),
                _ => None,
            };
            page_end = next.unwrap_or(0);
            start = ends.next().copied().unwrap_or(0);
            if start > page_end {
                wrong = wrong.or(Some(step));
            }
        });
        match wrong {
            None => Ok(()),
            Some(value) => Err(Corrupt::Invalid {
                what: "index of a page",
                value,
            }),
        }
    }

    /// Notes how many values each part has.
    fn set_rows(&mut self, rows: &Packed<&[u8]>) -> Result<(), Corrupt> {
        self.rows.reserve_exact(rows.len());
        let mut wrong = None;
        rows.each(|rows| {
            if rows == 0 || rows > COLUMN_ROWS_MAX as u64 {
                wrong = Some(rows);
            }
            self.rows.push(rows as u16);
        });
        match wrong {
            None => Ok(()),
            Some(value) => Err(Corrupt::Invalid {
                what: "number of values",
                value,
            }),
        }
    }
}

fn within(what: &'static str, value: u64, max: usize) -> Result<u64, Corrupt> {
    let max = max as u64;
    if value > max {
        return Err(Corrupt::TooLarge { what, value, max });
    }
    Ok(value)
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// For each column the lengths and rows of its parts, and whether a page ends behind each.
    type Columns = Vec<Vec<(usize, usize, bool)>>;

    fn columns() -> impl Strategy<Value = Columns> {
        let part = (1..40_usize, 1..5_usize, prop::bool::weighted(0.2));
        let parts = prop_oneof![
            3 => prop::collection::vec(part.clone(), 1),
            1 => prop::collection::vec(part, 0..4),
        ];
        prop::collection::vec(parts, 0..30)
    }

    /// The directory of some columns, and their pages.
    fn directory_of(columns: &Columns) -> (Directory, Vec<PageEntry>) {
        let (mut directory, mut pages, mut open) = (Directory::default(), Vec::new(), 0);
        let mut close = |directory: &mut Directory, open: &mut usize| {
            directory.close_page();
            pages.push(PageEntry {
                raw_len: std::mem::take(open) as u32,
                ..PageEntry::default()
            });
        };
        for parts in columns {
            for (len, rows, is_last) in parts {
                directory.push_part(*len, *rows);
                open += len;
                if *is_last {
                    close(&mut directory, &mut open);
                }
            }
            directory.close_column(parts.len());
        }
        if open > 0 {
            close(&mut directory, &mut open);
        }
        (directory, pages)
    }

    proptest! {
        #[test]
        fn parts_are_where_they_were_put(columns in columns()) {
            let (written, pages) = directory_of(&columns);
            let mut bytes = Vec::new();
            written.encode(&mut bytes);
            let mut reader = Reader::new("test", &bytes);
            let directory = Directory::decode(&mut reader, &pages).expect("valid");
            prop_assert_eq!(reader.finish(), Ok(()));
            prop_assert_eq!(&directory, &written);

            prop_assert_eq!(directory.columns(), columns.len());
            let (mut number, mut page, mut offset) = (0, 0, 0);
            for (column, parts) in columns.iter().enumerate() {
                prop_assert_eq!(directory.numbers_of(column), number..number + parts.len());
                let mut before = 0;
                for (len, rows, is_last) in parts {
                    let expected = Part {
                        page,
                        offset,
                        len: *len as u32,
                        rows: *rows as u32,
                    };
                    prop_assert_eq!(directory.part(number), Some(expected));
                    prop_assert_eq!(directory.column_of_part(number), Some((column, before)));
                    let end = before + *rows as u32;
                    for row in before..end {
                        prop_assert_eq!(directory.find(column, row), Some((number, before..end)));
                    }
                    before = end;
                    number += 1;
                    (page, offset) = if *is_last { (page + 1, 0) } else { (page, offset + *len as u32) };
                }
                prop_assert_eq!(directory.find(column, before), None);
                prop_assert_eq!(directory.rows(column), u64::from(before));
            }
            prop_assert_eq!(directory.part(number), None);
            prop_assert_eq!(directory.column_of_part(number), None);
            prop_assert_eq!(directory.numbers_of(columns.len()), 0..0);
        }

        #[test]
        fn pages_that_are_shorter_are_refused(columns in columns(), at in any::<prop::sample::Index>()) {
            let (directory, mut pages) = directory_of(&columns);
            prop_assume!(!pages.is_empty());
            let mut bytes = Vec::new();
            directory.encode(&mut bytes);
            let shorter = at.index(pages.len());
            pages[shorter].raw_len -= 1;
            prop_assert!(Directory::decode(&mut Reader::new("test", &bytes), &pages).is_err());
        }
    }
}
