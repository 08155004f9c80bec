//! Posting pages: the seats and groups of terms that have more than one and not all.
//!
//! A list is the first number, then the distance of each to the one before less one, as varints.
//! Terms with the same numbers share a list: words that are fixed in the same kinds do.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use crate::Corrupt;
use crate::limits::{POSTING_PAGE_BYTES, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, open};
use crate::page_file::PageFile;
use crate::term::{Listed, Location};
use crate::wire::{Reader, put_varint};

/// A decoded posting page.
#[derive(Clone, Debug)]
pub struct PostingPage {
    raw: Vec<u8>,
    segment_rows: u32,
}

impl PostingPage {
    /// Decodes a page. Its lists are checked when they are read.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("posting page", entry, stored)?.into_owned();
        let mut reader = Reader::new("posting page", &raw);
        let segment_rows = reader.count("number of rows", SEGMENT_ROWS_MAX as usize)? as u32;
        Ok(Self { raw, segment_rows })
    }

    /// Numbers that are listed in this page: seats, or groups. The caller sees to it that they are
    /// (see [`Listed::posting_page`]).
    pub fn numbers(&self, listed: &Listed) -> Result<Vec<u32>, Corrupt> {
        let Location::List { offset, .. } = listed.location else {
            return Ok(listed.inline(self.segment_rows));
        };
        // A number takes at least one byte, so that the allocation is bounded by the page.
        let bytes = self.raw.len().saturating_sub(offset as usize);
        let mut numbers = Vec::with_capacity((listed.count as usize).min(bytes));
        self.each(offset, listed.count, |number| numbers.push(number))?;
        Ok(numbers)
    }

    /// Sets the bits of numbers that are listed in this page, one bit each from the lowest of the first
    /// byte on. There have to be as many as rows.
    ///
    /// # Errors
    /// As [`Self::numbers`]; some bits are set then.
    pub fn mark(&self, listed: &Listed, bits: &mut [u8]) -> Result<(), Corrupt> {
        let Location::List { offset, .. } = listed.location else {
            return Ok(());
        };
        self.each(offset, listed.count, |number| {
            if let Some(byte) = bits.get_mut((number >> 3) as usize) {
                *byte |= 1 << (number & 7);
            }
        })
    }

    /// How many of the numbers that are listed in this page (see [`Listed::posting_page`]) are in some ranges, which ascend and do not overlap.
    /// Distances of one byte that lead to neither end of a range are added up eight at a time.
    ///
    /// # Errors
    /// As [`Self::numbers`], of those up to the end of the last range.
    pub fn count_within(&self, listed: &Listed, ranges: &[Range<u32>]) -> Result<u64, Corrupt> {
        let Location::List { offset, .. } = listed.location else {
            return Ok(0);
        };
        let list = self.raw.get(offset as usize..).unwrap_or(&[]);
        let mut reader = Reader::new("posting list", list);
        let (mut next, mut passed) = (0, 0);
        let mut count_before = |end: u32| {
            while passed < listed.count {
                if listed.count - passed >= 8
                    && let Some(steps) = reader.rest().first_chunk::<8>()
                    && let Some(behind) = behind_eight(next, *steps).filter(|behind| *behind <= end)
                {
                    reader.bytes(steps.len())?;
                    (next, passed) = (behind, passed + 8);
                    continue;
                }
                let mut ahead = reader.clone();
                let number = ahead.varint()?.saturating_add(u64::from(next));
                if number >= u64::from(end) {
                    break;
                }
                self.check(number)?;
                reader = ahead;
                (next, passed) = (number as u32 + 1, passed + 1);
            }
            Ok(passed)
        };
        let mut count = 0;
        for range in ranges {
            let before = count_before(range.start)?;
            count += u64::from(count_before(range.end)? - before);
        }
        Ok(count)
    }

    /// Calls `visit` with the numbers of a list. Distances of one byte are taken eight at a time: then some
    /// numbers too large may have been visited before that is an error.
    #[inline]
    fn each(&self, offset: u32, count: u32, mut visit: impl FnMut(u32)) -> Result<(), Corrupt> {
        let list = self.raw.get(offset as usize..).unwrap_or(&[]);
        let mut reader = Reader::new("posting list", list);
        let (mut next, mut left) = (0_u32, count);
        while left > 0 {
            if left >= 8
                && let Some(steps) = reader.rest().first_chunk::<8>()
                && u64::from_le_bytes(*steps) & EIGHT_TOP_BITS == 0
            {
                reader.bytes(steps.len())?;
                for step in steps {
                    let number = next.wrapping_add(u32::from(*step));
                    visit(number);
                    next = number.wrapping_add(1);
                }
                self.check(next.wrapping_sub(1).into())?;
                left -= 8;
                continue;
            }
            let number = reader.varint()?.saturating_add(u64::from(next));
            self.check(number)?;
            visit(number as u32);
            next = number as u32 + 1;
            left -= 1;
        }
        Ok(())
    }

    /// Checks a number; groups are no more than rows.
    #[inline]
    fn check(&self, number: u64) -> Result<(), Corrupt> {
        if number < u64::from(self.segment_rows) {
            return Ok(());
        }
        Err(Corrupt::Invalid {
            what: "number in a posting list",
            value: number,
        })
    }

    /// Memory the page takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.raw.capacity()
    }
}

/// What follows the last of the eight numbers with these distances, of which the first is counted from `next`; `None`
/// where one of them takes more than a byte.
#[inline]
fn behind_eight(next: u32, steps: [u8; 8]) -> Option<u32> {
    let steps = u64::from_le_bytes(steps);
    if steps & EIGHT_TOP_BITS != 0 {
        return None;
    }
    let pairs = (steps & LOW_BYTES_OF_PAIRS) + (steps >> 8 & LOW_BYTES_OF_PAIRS);
    // The sum of all four pairs ends up in the topmost of them.
    let sum = pairs.wrapping_mul(ONE_OF_PAIRS) >> 48;
    next.checked_add(sum as u32 + 8)
}

/// The lower byte of each pair of eight bytes.
const LOW_BYTES_OF_PAIRS: u64 = 0x00ff_00ff_00ff_00ff;

/// A one in each pair of eight bytes.
const ONE_OF_PAIRS: u64 = 0x0001_0001_0001_0001;

/// The top bits of eight bytes: set in those that more bytes of a varint follow.
const EIGHT_TOP_BITS: u64 = 0x8080_8080_8080_8080;

/// Replaces `list` by the list of numbers, which ascend.
pub(crate) fn encode_list(numbers: &[u32], list: &mut Vec<u8>) {
    list.clear();
    let mut next = 0;
    for number in numbers {
        put_varint(u64::from(number - next), list);
        next = number + 1;
    }
}

/// Writes posting pages.
pub(crate) struct PostingWriter {
    segment_rows: u32,
    raw: Vec<u8>,
    page_lists: u32,
    lists: u32,
    pages: Vec<PageEntry>,
}

impl PostingWriter {
    pub(crate) fn new(segment_rows: u32) -> Self {
        Self {
            segment_rows,
            raw: Vec::new(),
            page_lists: 0,
            lists: 0,
            pages: Vec::new(),
        }
    }

    /// Adds a list that is encoded already and says where it is.
    pub(crate) fn push(
        &mut self,
        list: &[u8],
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) -> Location {
        if self.page_lists > 0 && self.raw.len() + list.len() > POSTING_PAGE_BYTES {
            self.close_page(pages, file);
        }
        if self.page_lists == 0 {
            put_varint(u64::from(self.segment_rows), &mut self.raw);
        }
        let location = Location::List {
            page: self.pages.len() as u32,
            offset: self.raw.len() as u32,
        };
        self.raw.extend_from_slice(list);
        self.page_lists += 1;
        location
    }

    /// Writes the last page and returns all entries.
    pub(crate) fn finish(
        mut self,
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) -> Vec<PageEntry> {
        if self.page_lists > 0 {
            self.close_page(pages, file);
        }
        self.pages
    }

    fn close_page(&mut self, pages: &mut PageWriter, file: &mut dyn PageFile) {
        self.pages.push(PageEntry {
            first_row: self.lists,
            rows: self.page_lists,
            ..pages.append(&self.raw, file)
        });
        self.lists += self.page_lists;
        self.page_lists = 0;
        self.raw.clear();
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use std::slice::from_ref;

    use super::*;

    use proptest::prelude::*;

    const ROWS: u32 = 40_000;

    /// A page with a list of numbers behind another one, and where it is.
    fn page(numbers: &[u32]) -> (PostingPage, Listed) {
        let mut file = Vec::new();
        let mut pages = PageWriter::new(1);
        let mut writer = PostingWriter::new(ROWS);
        let mut list = vec![3, 200, 1];
        writer.push(&list, &mut pages, &mut file);
        encode_list(numbers, &mut list);
        let location = writer.push(&list, &mut pages, &mut file);
        let entry = writer.finish(&mut pages, &mut file)[0];
        let count = numbers.len() as u32;
        let page = PostingPage::decode(&entry, &file).expect("valid");
        (page, Listed { count, location })
    }

    proptest! {
        #[test]
        fn numbers_in_ranges_are_counted(
            steps in prop::collection::vec(prop_oneof![9 => 1..9_u32, 1 => 100..300_u32], 0..120),
            ends in prop::collection::btree_set(0..1_200_u32, 0..12),
        ) {
            let mut last = 0;
            let numbers: Vec<u32> = steps.iter().map(|step| { last += step; last }).collect();
            let ends: Vec<u32> = ends.into_iter().collect();
            let mut ranges: Vec<Range<u32>> = ends.chunks_exact(2).map(|own| own[0]..own[1]).collect();
            ranges.push(1_200..1_200);
            ranges.push(1_200..ROWS);
            let (page, listed) = page(&numbers);
            let is_within = |number: &&u32| ranges.iter().any(|range| range.contains(number));
            let expected = numbers.iter().filter(is_within).count() as u64;
            prop_assert_eq!(page.count_within(&listed, &ranges), Ok(expected));
            prop_assert_eq!(page.numbers(&listed), Ok(numbers));
        }
    }

    #[test]
    fn a_list_that_ends_too_early_or_leads_beyond_all_rows_is_not_counted() {
        let (page, listed) = page(&[5, 9, 39_998, 39_999]);
        let more = Listed { count: 5, ..listed };
        assert_eq!(
            page.count_within(&more, from_ref(&(0..10))),
            Ok(2),
            "nothing behind it is read"
        );
        let short = Err(Corrupt::Short {
            what: "posting list",
        });
        assert_eq!(page.count_within(&more, from_ref(&(0..ROWS))), short);
        let (page, listed) = self::page(&[5, 9, ROWS]);
        assert!(
            page.count_within(&listed, from_ref(&(0..ROWS + 9)))
                .is_err()
        );
    }
}
