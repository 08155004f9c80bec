//! Posting pages: the ordinals and groups of terms that have more than one and not all.
//!
//! Terms with the same numbers share a list: words that are fixed in the same kinds do.
#![deny(clippy::indexing_slicing)]

mod list;
mod marks;

use std::ops::Range;

use crate::Corrupt;
use crate::limits::{POSTING_PAGE_BYTES, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, open};
use crate::page_file::PageFile;
use crate::term::{Listed, Location};
use crate::wire::{Reader, put_varint};
pub(crate) use list::encode_list;
use list::{List, Take};
pub use marks::{count_listed, count_marked, len_within, marked};

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

    /// Numbers that are listed in this page: ordinals, or groups. The caller sees to it that they are
    /// (see [`Listed::posting_page`]).
    pub fn numbers(&self, listed: &Listed) -> Result<Vec<u32>, Corrupt> {
        let Some(list) = self.list(listed) else {
            return Ok(listed.inline(self.segment_rows));
        };
        // A number takes at least one bit, and is of one row: the allocation is bounded by the page and the segment.
        let bits = self.raw.len().saturating_mul(8);
        let count = listed.count.min(self.segment_rows);
        let mut numbers = Vec::with_capacity((count as usize).min(bits));
        list.each(&mut numbers)?;
        Ok(numbers)
    }

    /// Sets the bits of numbers that are listed in this page, one bit each from the lowest of the first
    /// byte on. There have to be as many as rows.
    ///
    /// # Errors
    /// As [`Self::numbers`]; some bits are set then.
    pub fn mark(&self, listed: &Listed, bits: &mut [u8]) -> Result<(), Corrupt> {
        let list = self.list(listed);
        list.map_or(Ok(()), |list| list.each(&mut Bits(bits)))
    }

    /// How many of the numbers that are listed in this page are in some ranges, which ascend and do not overlap.
    ///
    /// # Errors
    /// As [`Self::numbers`], of those up to the end of the last range.
    pub fn count_within(&self, listed: &Listed, ranges: &[Range<u32>]) -> Result<u64, Corrupt> {
        let Some(mut list) = self.list(listed) else {
            return Ok(0);
        };
        let mut count = 0;
        for range in ranges {
            list.pass(range.start)?;
            count += u64::from(list.pass(range.end)?);
        }
        Ok(count)
    }

    /// The list of numbers in this page; `None` where they are not.
    fn list(&self, listed: &Listed) -> Option<List<'_>> {
        let Location::List { offset, .. } = listed.location else {
            return None;
        };
        let bytes = self.raw.get(offset as usize..).unwrap_or(&[]);
        let sizes = (listed.count, self.segment_rows);
        Some(List::new(bytes, sizes))
    }

    /// Memory the page takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.raw.capacity()
    }
}

impl Take for Vec<u32> {
    #[inline]
    fn number(&mut self, number: u32) {
        self.push(number);
    }

    fn marks(&mut self, first: u32, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        let rest = rest
            .iter()
            .rev()
            .fold(0, |all, byte| all << 8 | u64::from(*byte));
        let words = words.chain([rest]).zip((first * 8..).step_by(64));
        for (mut left, base) in words {
            while left != 0 {
                self.push(base + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

/// Bits, one for each row.
struct Bits<'b>(&'b mut [u8]);

impl Take for Bits<'_> {
    #[inline]
    fn number(&mut self, number: u32) {
        if let Some(byte) = self.0.get_mut((number >> 3) as usize) {
            *byte |= 1 << (number & 7);
        }
    }

    fn marks(&mut self, first: u32, bytes: &[u8]) {
        let own = self.0.get_mut(first as usize..).unwrap_or_default();
        for (byte, marks) in own.iter_mut().zip(bytes) {
            *byte |= marks;
        }
    }
}

/// Writes posting pages, or pages of the same shape.
pub(crate) struct PostingWriter {
    /// What each page starts with.
    start: Vec<u8>,
    raw: Vec<u8>,
    page_lists: u32,
    lists: u32,
    pages: Vec<PageEntry>,
}

impl PostingWriter {
    /// Writes pages of a segment of so many rows.
    pub(crate) fn new(segment_rows: u32) -> Self {
        let mut start = Vec::new();
        put_varint(u64::from(segment_rows), &mut start);
        Self {
            start,
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
            self.raw.extend_from_slice(&self.start);
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

    /// Numbers in stretches of different density.
    fn numbers() -> impl Strategy<Value = Vec<u32>> {
        let dense = prop::collection::vec(1..4_u32, 0..400);
        let sparse = prop::collection::vec(prop_oneof![3 => 9..90_u32, 1 => 100..300_u32], 0..200);
        let apart = (1_000..5_000_u32).prop_map(|step| vec![step]);
        let stretch = prop_oneof![4 => dense, 3 => sparse, 1 => apart];
        prop::collection::vec(stretch, 1..6).prop_map(|stretches| {
            let steps = stretches.into_iter().flatten();
            let mut next = 0;
            let numbers = steps.map(|step| {
                next += step;
                next - 1
            });
            numbers.take_while(|number| *number < ROWS).collect()
        })
    }

    proptest! {
        #[test]
        fn numbers_are_listed_marked_and_counted(
            numbers in numbers(),
            ends in prop::collection::btree_set(0..ROWS, 0..60),
        ) {
            let (page, listed) = page(&numbers);
            prop_assert_eq!(page.numbers(&listed), Ok(numbers.clone()));
            let mut bits = vec![0; ROWS.div_ceil(8) as usize];
            page.mark(&listed, &mut bits).expect("valid");
            prop_assert_eq!(&marked(&bits), &numbers);
            // Ends that are numbers of the list, or beside them, as well.
            let near = numbers.iter().step_by(37).map(|number| number + 1);
            let mut ends: Vec<u32> = ends.into_iter().chain(near).collect();
            ends.sort_unstable();
            ends.dedup();
            let mut ranges: Vec<Range<u32>> = ends.chunks_exact(2).map(|own| own[0]..own[1]).collect();
            ranges.push(ROWS..ROWS);
            let is_within = |number: &&u32| ranges.iter().any(|range| range.contains(number));
            let expected = numbers.iter().filter(is_within).count() as u64;
            prop_assert_eq!(page.count_within(&listed, &ranges), Ok(expected));
            let all = page.count_within(&listed, from_ref(&(0..ROWS)));
            prop_assert_eq!(all, Ok(numbers.len() as u64));
        }

        #[test]
        fn any_list_is_survived(
            list in prop::collection::vec(prop_oneof![0..6_u8, any::<u8>()], 0..80),
            count in prop_oneof![0..9_u32, 60..200_u32, any::<u32>()],
            ends in prop::collection::btree_set(0..2_000_u32, 0..9),
        ) {
            let (mut file, mut pages) = (Vec::new(), PageWriter::new(1));
            let mut writer = PostingWriter::new(1_000);
            let location = writer.push(&list, &mut pages, &mut file);
            let entry = writer.finish(&mut pages, &mut file)[0];
            let page = PostingPage::decode(&entry, &file).expect("valid");
            let listed = Listed { count, location };
            let mut bits = vec![0; 125];
            let is_marked = page.mark(&listed, &mut bits);
            let ends: Vec<u32> = ends.into_iter().collect();
            let ranges: Vec<Range<u32>> = ends.chunks_exact(2).map(|own| own[0]..own[1]).collect();
            let counted = page.count_within(&listed, &ranges);
            match page.numbers(&listed) {
                Ok(numbers) => {
                    prop_assert_eq!(numbers.len(), count as usize);
                    prop_assert!(numbers.is_sorted_by(|one, next| one < next));
                    prop_assert_eq!(is_marked, Ok(()));
                    prop_assert_eq!(&marked(&bits), &numbers);
                    let is_within = |number: &&u32| ranges.iter().any(|range| range.contains(number));
                    prop_assert_eq!(counted, Ok(numbers.iter().filter(is_within).count() as u64));
                }
                Err(error) => prop_assert_eq!(is_marked, Err(error)),
            }
        }
    }

    #[test]
    fn rows_that_stand_close_take_a_bit_each() {
        let numbers: Vec<u32> = (8_000..24_000).filter(|row| row % 3 > 0).collect();
        let mut list = Vec::new();
        encode_list(&numbers, &mut list);
        assert_eq!(list.len(), 2 + 2 + 2_000, "two lengths and the bits");
        let every_ninth: Vec<u32> = (0..9_000).step_by(9).collect();
        encode_list(&every_ninth, &mut list);
        assert_eq!(list.len(), 2 + 1_000, "a length and the distances");
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
