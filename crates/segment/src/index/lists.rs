//! Lists of numbers in posting pages, equal ones once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::hash::Seeds;
use crate::page::{PageEntry, PageWriter};
use crate::page_file::PageFile;
use crate::postings::PostingWriter;
use crate::term::Location;

/// Writes lists, equal ones once.
///
/// A list is known by two hashes and compared with nothing: 128 bits with random keys do not collide.
pub(crate) struct SharedLists {
    segment_rows: u32,
    writer: PostingWriter,
    seeds: [Seeds; 2],
    known: HashMap<(u64, u64), Location, BuildHasherDefault<LastNumber>>,
}

/// The hash of what ends with a hash.
#[derive(Default)]
struct LastNumber(u64);

impl Hasher for LastNumber {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl SharedLists {
    pub(crate) fn new(segment_rows: u32) -> Self {
        Self {
            segment_rows,
            writer: PostingWriter::new(segment_rows),
            seeds: [Seeds::new(), Seeds::new()],
            known: HashMap::default(),
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
        file: &mut dyn PageFile,
    ) -> Location {
        let hashes = self.seeds.map(|seeds| seeds.hash(list));
        *self
            .known
            .entry(hashes.into())
            .or_insert_with(|| self.writer.push(list, pages, file))
    }

    /// Writes the last page and returns all entries.
    pub(crate) fn finish(self, pages: &mut PageWriter, file: &mut dyn PageFile) -> Vec<PageEntry> {
        self.writer.finish(pages, file)
    }
}
