//! The footer: what a segment says of itself, and where its pages are.
#![deny(clippy::indexing_slicing)]

mod codec;

use model::{Facility, RecordNumber, Severity, Timestamp};

use crate::chunk::ChunkEntry;
use crate::envelope::Header;
use crate::lexicon::class::{may_hold, order_into, ordered_starts};
use crate::page::PageEntry;
use crate::{Namespace, Section};

/// What a segment says of itself. Everything else is found from here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Number of the first record; the others follow without a gap.
    pub first_number: RecordNumber,
    /// How many records there are.
    pub rows: u32,
    /// When the first record was received.
    pub first_received: Timestamp,
    /// When the last record was received.
    pub last_received: Timestamp,
    /// The earliest time that a sender gave.
    pub first_time: Timestamp,
    /// The latest time that a sender gave.
    pub last_time: Timestamp,
    /// Bytes of all records as they arrived.
    pub raw_bytes: u64,
    /// Counts of rows.
    pub counts: Counts,
    /// The records.
    pub chunks: Vec<ChunkEntry>,
    /// The times of receipt, [`crate::limits::RECEIVED_PAGE_ROWS`] to a page.
    pub received_pages: Vec<PageEntry>,
    /// When the first row of each of these pages was received: which page has a time is known without
    /// reading one.
    pub received_firsts: Vec<Timestamp>,
    /// The kinds; none in a segment without rows.
    pub kind_page: Option<PageEntry>,
    /// What stands in for the kinds and the footer; none in a segment without rows.
    pub spare_page: Option<PageEntry>,
    /// How many rows of each kind each chunk has; none in a segment without rows.
    pub tally_page: Option<PageEntry>,
    /// The rows of terms.
    pub posting_pages: Vec<PageEntry>,
    /// The terms.
    pub lexicon_pages: Vec<LexiconPageEntry>,
    /// Which pairs of bytes are in the words of each page of terms; none in a segment without rows.
    pub bigram_page: Option<PageEntry>,
    /// Whether the lexicon may have the starts of words alone; in no segments but compacted ones. What they are
    /// merged of has whole words.
    pub has_truncated_terms: bool,
}

/// A lexicon page in the footer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LexiconPageEntry {
    /// Where it is.
    pub page: PageEntry,
    /// The shortest start of its first ordered key that is greater than those of the pages before: a
    /// key can only be in the last page whose `first_key` is not greater.
    pub first_key: Box<[u8]>,
}

/// Counts of rows that answer common questions without reading a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub(crate) severity: [u32; 8],
    pub(crate) facility: [u32; 24],
    pub(crate) present: [u32; 8],
    pub(crate) worded: [u32; 8],
    /// Rows with at least one word in the message or the structured data.
    pub with_words: u32,
    /// Rows with at least one byte in the message or the structured data that a wildcard runs over
    /// (see [`model::words::is_wildcard_stop`]).
    pub with_text: u32,
}

impl Counts {
    /// Rows of a severity.
    pub fn severity(&self, severity: Severity) -> u32 {
        at(&self.severity, severity.number())
    }

    /// Rows of a facility.
    pub fn facility(&self, facility: Facility) -> u32 {
        at(&self.facility, facility.number())
    }

    /// Rows where the part that a namespace stands for is not empty; all rows for the severity and
    /// the facility.
    pub fn present(&self, namespace: Namespace) -> Option<u32> {
        at_namespace(&self.present, namespace)
    }

    /// Counts rows where a namespace that has words is present.
    pub(crate) fn add_present(&mut self, namespace: Namespace, rows: u32) {
        if let Some(count) = self.present.get_mut(namespace.place()) {
            *count += rows;
        }
    }

    /// Counts rows with words in a namespace that has them.
    pub(crate) fn add_worded(&mut self, namespace: Namespace, rows: u32) {
        if let Some(count) = self.worded.get_mut(namespace.place()) {
            *count += rows;
        }
    }

    /// Rows with at least one word in a namespace; `None` for the severity and the facility.
    pub fn worded(&self, namespace: Namespace) -> Option<u32> {
        at_namespace(&self.worded, namespace)
    }
}

fn at(counts: &[u32], number: u8) -> u32 {
    counts.get(usize::from(number)).copied().unwrap_or_default()
}

fn at_namespace(counts: &[u32; 8], namespace: Namespace) -> Option<u32> {
    let mut named = Namespace::WORDS.iter().zip(counts);
    named
        .find(|(name, _)| **name == namespace)
        .map(|(_, count)| *count)
}

impl Footer {
    /// The row metadata pages of all chunks.
    pub(crate) fn row_metadata_pages(&self) -> impl Iterator<Item = &PageEntry> + Clone {
        self.chunks.iter().flat_map(|chunk| &chunk.heads)
    }

    /// The zone map pages of all chunks.
    pub(crate) fn zone_map_pages(&self) -> impl Iterator<Item = &PageEntry> + Clone {
        self.chunks
            .iter()
            .filter_map(|chunk| chunk.zone_maps.as_ref())
    }

    /// Bytes on disk of the records themselves; the rest of the file finds them.
    pub fn data_bytes(&self) -> u64 {
        let pages = self.pages().filter(|(section, _)| {
            matches!(
                section,
                Section::Columns
                    | Section::Directories
                    | Section::RowMetadata
                    | Section::Rows
                    | Section::Chunks
                    | Section::Received
                    | Section::Kinds
            )
        });
        pages.map(|(_, page)| u64::from(page.stored_len)).sum()
    }

    /// All pages with their kinds, in the order of the file.
    pub fn pages(&self) -> impl Iterator<Item = (Section, &PageEntry)> {
        let of = |section| move |page| (section, page);
        let chunks = self.chunks.iter().flat_map(move |chunk| {
            let columns = chunk.columns.iter().map(of(Section::Columns));
            let directory = [(Section::Directories, &chunk.directory)];
            let zone_maps = chunk.zone_maps.iter().map(of(Section::ZoneMaps));
            let heads = chunk.heads.iter().map(of(Section::RowMetadata));
            columns
                .chain(directory)
                .chain(zone_maps)
                .chain(heads)
                .chain([(Section::Rows, &chunk.rows), (Section::Chunks, &chunk.page)])
        });
        let lexicon = self.lexicon_pages.iter().map(|page| &page.page);
        chunks
            .chain(self.received_pages.iter().map(of(Section::Received)))
            .chain(self.kind_page.iter().map(of(Section::Kinds)))
            .chain(self.spare_page.iter().map(of(Section::Spare)))
            .chain(self.tally_page.iter().map(of(Section::Tally)))
            .chain(self.posting_pages.iter().map(of(Section::Postings)))
            .chain(lexicon.map(of(Section::Lexicon)))
            .chain(self.bigram_page.iter().map(of(Section::Bigrams)))
    }

    /// The index of the lexicon page that has a key, where any has.
    pub fn lexicon_page_of(&self, key: &[u8]) -> Option<usize> {
        let mut ordered = Vec::new();
        order_into(key, &mut ordered);
        self.pages_up_to(&ordered).checked_sub(1)
    }

    /// The indexes of the lexicon pages that can have keys which start with `prefix`, ascending.
    pub fn lexicon_pages_with(&self, prefix: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        for start in ordered_starts(prefix) {
            let first = self.pages_up_to(&start).saturating_sub(1);
            let behind = self.lexicon_pages.partition_point(|page| {
                *page.first_key <= *start || page.first_key.starts_with(&start)
            });
            let first = found
                .last()
                .map_or(first, |last: &usize| first.max(last + 1));
            found.extend(first..behind);
        }
        found
    }

    /// Those of them that can have words which hold `letters`: not those that have nothing but numbers
    /// of digits that are not among them.
    pub fn lexicon_pages_wanted(&self, prefix: &[u8], letters: &[u8]) -> Vec<usize> {
        let mut found = self.lexicon_pages_with(prefix);
        found.retain(|index| {
            let first_key = |index: usize| {
                let page = self.lexicon_pages.get(index)?;
                page.first_key.first_chunk::<2>()
            };
            // All between two keys of a class are of that class.
            let class = match (first_key(*index), first_key(index + 1)) {
                (Some([_, class]), Some(next)) if first_key(*index) == Some(next) => *class,
                _ => return true,
            };
            may_hold(class, letters)
        });
        found
    }

    /// How many lexicon pages start at or before an ordered key.
    fn pages_up_to(&self, ordered: &[u8]) -> usize {
        self.lexicon_pages
            .partition_point(|page| *page.first_key <= *ordered)
    }

    /// The index of the chunk that holds a row.
    pub fn chunk_of_row(&self, row: u32) -> usize {
        self.chunks
            .partition_point(|chunk| chunk.page.first_row <= row)
            .saturating_sub(1)
    }

    /// The first place before `end`, where the footer starts, at which no page starts where the
    /// page before it ended. `None` where pages cover everything once.
    pub fn first_gap(&self, end: u64) -> Option<u64> {
        let mut next = Header::LEN as u64;
        for (_, page) in self.pages() {
            if page.offset != next {
                return Some(next);
            }
            next += u64::from(page.stored_len);
        }
        (next != end).then_some(next)
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn the_chunk_of_a_row_is_the_last_that_does_not_start_behind_it() {
        let chunk = |first_row, rows| ChunkEntry {
            page: PageEntry {
                first_row,
                rows,
                ..PageEntry::default()
            },
            ..ChunkEntry::default()
        };
        let footer = Footer {
            chunks: vec![chunk(0, 3), chunk(3, 1), chunk(4, 9)],
            ..Footer::default()
        };
        let found: Vec<_> = [0, 2, 3, 4, 12].map(|row| footer.chunk_of_row(row)).into();
        assert_eq!(found, [0, 0, 1, 2, 2]);
        assert_eq!(footer.chunks[2].page.first_row, 4);
    }
}
