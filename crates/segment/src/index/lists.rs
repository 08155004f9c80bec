//! Lists of numbers in posting pages, equal ones once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use crate::page::{PageEntry, PageWriter};
use crate::postings::PostingWriter;
use crate::term::Location;

/// Writes lists, equal ones once.
///
/// A list is known by its hash and length and compared with nothing: 128 bits do not collide.
pub(crate) struct SharedLists {
    segment_rows: u32,
    writer: PostingWriter,
    known: HashMap<(u64, u64), Location>,
}

impl SharedLists {
    pub(crate) fn new(segment_rows: u32) -> Self {
        Self {
            segment_rows,
            writer: PostingWriter::new(segment_rows),
            known: HashMap::new(),
        }
    }

    /// How many rows the segment has.
    pub(crate) fn segment_rows(&self) -> u32 {
        self.segment_rows
    }

    /// Where a list is.
    pub(crate) fn push(
        &mut self,
        list: &[u8],
        pages: &mut PageWriter,
        file: &mut Vec<u8>,
    ) -> Location {
        *self
            .known
            .entry(wide_hash(list))
            .or_insert_with(|| self.writer.push(list, pages, file))
    }

    /// Writes the last page and returns all entries.
    pub(crate) fn finish(self, pages: &mut PageWriter, file: &mut Vec<u8>) -> Vec<PageEntry> {
        self.writer.finish(pages, file)
    }
}

/// Two hashes of a list, without random keys, so that the same input gives the same bytes.
fn wide_hash(list: &[u8]) -> (u64, u64) {
    let mut first = DefaultHasher::new();
    first.write(list);
    let mut second = DefaultHasher::new();
    second.write_u8(1);
    second.write(list);
    (first.finish(), second.finish())
}
