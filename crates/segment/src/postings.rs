//! Posting pages: the seats and groups of terms that have more than one and not all.
//!
//! A list is the first number, then the distance of each to the one before less one, as varints.
//! Terms with the same numbers share a list: words that are fixed in the same kinds do.
#![deny(clippy::indexing_slicing)]

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
