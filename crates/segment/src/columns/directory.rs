//! Where the columns of a chunk are in its pages.
//!
//! Thousands of columns, most of which have one part, of some hundred bytes, and of which a reader of a row
//! has a dozen: the lengths of all parts are kept as they are stored, and where one is is reckoned when it
//! is asked for. So a chunk is quickly opened and takes little memory.
#![deny(clippy::indexing_slicing)]

mod write;

pub(crate) use write::DirectoryWriter;

use std::ops::Range;
use std::sync::Arc;

use super::Column;
use crate::Corrupt;
use crate::column::{Packed, Shared};
use crate::limits::{COLUMN_PARTS_MAX, COLUMN_ROWS_MAX};
use crate::page::PageEntry;
use crate::wire::Reader;

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
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    columns: u32,
    /// The columns that have no part or several, each with the end of its parts; all others have one.
    uneven: Vec<(u32, u32)>,
    /// How long each part is, in bytes.
    lens: Packed<Shared>,
    /// How many values each part has.
    rows: Packed<Shared>,
    /// The number of the first part of each page.
    firsts: Vec<u32>,
    /// How long all parts before each [`LENS_STEP`]th are together, in bytes.
    before: Vec<u64>,
}

/// Parts whose lengths are added up one by one at the most.
const LENS_STEP: usize = 64;

impl Directory {
    /// How many columns there are.
    pub(crate) fn columns(&self) -> usize {
        self.columns as usize
    }

    /// How many parts all of them have.
    pub(crate) fn parts(&self) -> usize {
        self.lens.len()
    }

    /// How many values a column has.
    pub(crate) fn rows(&self, column: usize) -> u64 {
        self.rows.sum(self.numbers_of(column))
    }

    /// The part of a column with a row: its number among all parts, and the rows of the column that
    /// it has.
    pub(crate) fn find(&self, column: usize, row: u32) -> Option<(usize, Range<u32>)> {
        let mut start = 0_u32;
        for number in self.numbers_of(column) {
            let end = start.checked_add(self.rows_of(number)?)?;
            if row < end {
                return Some((number, start..end));
            }
            start = end;
        }
        None
    }

    /// A part by its number. That it is within its page is seen where it is opened.
    pub(crate) fn part(&self, number: usize) -> Option<Part> {
        let narrow = |value: u64| u32::try_from(value).ok();
        let len = narrow(self.lens.get(number)?)?;
        let page = self
            .firsts
            .partition_point(|first| *first as usize <= number)
            .checked_sub(1)?;
        let first = *self.firsts.get(page)? as usize;
        Some(Part {
            page: page as u32,
            offset: narrow(self.bytes_of(first..number)?)?,
            len,
            rows: self.rows_of(number)?,
        })
    }

    /// How long some parts are together, in bytes.
    fn bytes_of(&self, numbers: Range<usize>) -> Option<u64> {
        if numbers.len() <= LENS_STEP {
            return Some(self.lens.sum(numbers));
        }
        let before = |number: usize| {
            let known = self.before.get(number / LENS_STEP)?;
            let start = number / LENS_STEP * LENS_STEP;
            known.checked_add(self.lens.sum(start..number))
        };
        before(numbers.end)?.checked_sub(before(numbers.start)?)
    }

    /// How many values a part has.
    pub(crate) fn rows_of(&self, number: usize) -> Option<u32> {
        u32::try_from(self.rows.get(number)?).ok()
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
        let rows = self.rows.sum(numbers.start..number);
        Some((column, u32::try_from(rows).ok()?))
    }

    /// Memory the directory takes beside the value itself, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.uneven.capacity() * size_of::<(u32, u32)>()
            + self.firsts.capacity() * size_of::<u32>()
            + self.before.capacity() * size_of::<u64>()
            + self.lens.memory_bytes()
            + self.rows.memory_bytes()
    }

    /// Reads what [`DirectoryWriter::encode`] wrote, for columns in these pages, from a page whose end the
    /// reader is at.
    pub(crate) fn decode(
        reader: &mut Reader<'_>,
        pages: &[PageEntry],
        page: &Arc<Vec<u8>>,
    ) -> Result<Self, Corrupt> {
        let columns = reader.count("number of columns", COLUMN_PARTS_MAX)?;
        let (mut uneven, mut column, mut parts) = (Vec::new(), 0, 0_u64);
        Packed::view(reader, columns)?.each(|count| {
            parts = parts.saturating_add(count);
            if count != 1 {
                uneven.push((column, parts as u32));
            }
            column += 1;
        });
        uneven.shrink_to_fit();
        let max = COLUMN_PARTS_MAX as u64;
        let in_pages: u64 = pages.iter().map(|page| u64::from(page.rows)).sum();
        if parts > max || parts != in_pages {
            return Err(invalid("number of parts", parts));
        }
        check_steps(&Packed::view(reader, parts as usize)?, pages)?;
        let lens = Packed::share(reader, parts as usize, page)?;
        let mut bytes = 0_u64;
        let steps = (0..=parts as usize / LENS_STEP).map(|step| {
            let start = step * LENS_STEP;
            let before = bytes;
            bytes = bytes.saturating_add(lens.sum(start..start + LENS_STEP));
            before
        });
        let before = steps.collect();
        Ok(Self {
            columns: columns as u32,
            uneven,
            lens,
            before,
            rows: Packed::share(reader, parts as usize, page)?,
            firsts: pages.iter().map(|page| page.first_row).collect(),
        })
    }

    /// Checks that the parts fill their pages, and that each has as many values as one may have: for who does
    /// not look at all of them, that is seen of each where it is opened.
    pub(crate) fn check(&self, pages: &[PageEntry]) -> Result<(), Corrupt> {
        let mut number = 0;
        for page in pages {
            let end = number + page.rows as usize;
            let bytes = self.lens.sum(number..end);
            if bytes != u64::from(page.raw_len) {
                return Err(invalid("length of columns", bytes));
            }
            number = end;
        }
        if let Some(wrong) = self.lens.values().find(|len| *len == 0) {
            return Err(invalid("length of columns", wrong));
        }
        let is_wrong = |rows: &u64| *rows == 0 || *rows > COLUMN_ROWS_MAX as u64;
        match self.rows.values().find(is_wrong) {
            None => Ok(()),
            Some(wrong) => Err(invalid("number of values", wrong)),
        }
    }
}

/// Checks that each page begins with the part that it is said to begin with, given for each part how far its
/// page is from that of the part before.
fn check_steps(steps: &Packed<&[u8]>, pages: &[PageEntry]) -> Result<(), Corrupt> {
    let (mut number, mut wrong) = (0, None);
    for (index, page) in pages.iter().enumerate() {
        let is_next = u64::from(index > 0);
        if page.first_row != number || page.rows == 0 || steps.get(number as usize) != Some(is_next)
        {
            wrong = wrong.or(Some(page.first_row));
        }
        number = number.saturating_add(page.rows);
    }
    let all = steps.sum(0..steps.len());
    if wrong.is_none() && all == pages.len().saturating_sub(1) as u64 {
        return Ok(());
    }
    Err(invalid(
        "first part of a page",
        wrong.map_or(all, u64::from),
    ))
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// For each column the lengths and rows of its parts, and whether a page ends behind each.
    type Columns = Vec<Vec<(usize, usize, bool)>>;

    fn columns() -> impl Strategy<Value = Columns> {
        // Some pages have more parts than are added up one by one.
        let columns = |count: usize, closed: f64| {
            let part = (1..40_usize, 1..5_usize, prop::bool::weighted(closed));
            let parts = prop_oneof![
                3 => prop::collection::vec(part.clone(), 1),
                1 => prop::collection::vec(part, 0..4),
            ];
            prop::collection::vec(parts, 0..count)
        };
        prop_oneof![columns(30, 0.2), columns(300, 0.004)]
    }

    /// The directory of some columns, and their pages.
    fn directory_of(columns: &Columns) -> (DirectoryWriter, Vec<PageEntry>) {
        let (mut directory, mut pages, mut open) = (DirectoryWriter::default(), Vec::new(), 0);
        let mut first_row = 0;
        let mut close = |directory: &mut DirectoryWriter, open: &mut usize| {
            directory.close_page();
            let parts = directory.parts() as u32;
            pages.push(PageEntry {
                raw_len: std::mem::take(open) as u32,
                first_row,
                rows: parts - first_row,
                ..PageEntry::default()
            });
            first_row = parts;
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

    fn decode(bytes: Vec<u8>, pages: &[PageEntry]) -> Result<Directory, Corrupt> {
        let page = Arc::new(bytes);
        let mut reader = Reader::new("test", &page);
        let directory = Directory::decode(&mut reader, pages, &page)?;
        reader.finish()?;
        Ok(directory)
    }

    proptest! {
        #[test]
        fn parts_are_where_they_were_put(columns in columns()) {
            let (written, pages) = directory_of(&columns);
            let mut bytes = Vec::new();
            written.encode(&mut bytes);
            let directory = decode(bytes, &pages).expect("valid");
            prop_assert_eq!(directory.check(&pages), Ok(()));

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
            let directory = decode(bytes.clone(), &pages).expect("read");
            prop_assert!(directory.check(&pages).is_err());
            pages[shorter].rows -= 1;
            prop_assert!(decode(bytes, &pages).is_err());
        }
    }
}
