//! The footer: what a segment says of itself, and where its pages are.
#![deny(clippy::indexing_slicing)]

mod codec;

use model::{Facility, RecordNumber, Severity, Timestamp};

use crate::chunk::ChunkEntry;
use crate::envelope::{
    FORMAT_VERSION, FORMAT_VERSION_ADDRESSES, FORMAT_VERSION_BIGRAMS, FORMAT_VERSION_COUNTED,
    FORMAT_VERSION_CUTS, FORMAT_VERSION_DICTIONARY, FORMAT_VERSION_HEADS, FORMAT_VERSION_MARKS,
    FORMAT_VERSION_MIN, FORMAT_VERSION_PLANES, FORMAT_VERSION_STAMPS, FORMAT_VERSION_UNIONS,
    FORMAT_VERSION_VALUES, Header,
};
use crate::lexicon::class::{may_hold, order_into, ordered_starts};
use crate::limits::HEAD_PAGE_ROWS;
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
    /// What the columns are compressed with, twice, saying the same; none but in compacted segments.
    pub dictionary_pages: Option<[PageEntry; 2]>,
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
    /// The rows of terms by what columns say; none but in compacted segments.
    pub union_pages: Vec<PageEntry>,
    /// Whether they say how many seats each part has; not in segments that were compacted before they did.
    pub counts_unions: bool,
    /// The terms.
    pub lexicon_pages: Vec<LexiconPageEntry>,
    /// Which pairs of bytes are in the words of each page of terms; none in a segment without rows, and in
    /// those that were written before there was one.
    pub bigram_page: Option<PageEntry>,
    /// Which values the parts of columns have, and how many rows each; none but in compacted segments. Together they
    /// have all parts.
    pub value_pages: Vec<PageEntry>,
    /// Whether row pages may say by planes of bits how many rows of each kind are on each head page; not in segments
    /// that were written before they did.
    pub has_page_planes: bool,
    /// Whether the terms have the addresses in texts ([`model::addresses`]); not in segments that were written
    /// before they did, and in those that were merged of such.
    pub has_addresses: bool,
    /// Whether lists may have marks; not in segments that were written before they did.
    pub has_marked_lists: bool,
    /// Whether the lexicon may have the starts of words alone; in no segments but compacted ones. What they are
    /// merged of has whole words.
    pub has_cut_words: bool,
    /// Whether letters may be left out of those, not hexadecimal digits alone.
    pub cuts_letters: bool,
    /// Whether received pages may say in which unit their times are; not in segments that were written before they
    /// did.
    pub has_received_units: bool,
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
    /// The version of the format that a file with this footer has: the oldest one that has all there is.
    pub fn version(&self) -> u16 {
        if self.has_received_units || self.cuts_letters {
            return FORMAT_VERSION;
        }
        if self.has_marked_lists {
            return FORMAT_VERSION_MARKS;
        }
        if !self.value_pages.is_empty() {
            return FORMAT_VERSION_VALUES;
        }
        if self.has_cut_words {
            return FORMAT_VERSION_CUTS;
        }
        if self.has_page_planes {
            return FORMAT_VERSION_PLANES;
        }
        if self.counts_unions {
            return FORMAT_VERSION_COUNTED;
        }
        if self.has_addresses {
            return FORMAT_VERSION_ADDRESSES;
        }
        if self.stamp_pages().next().is_some() {
            return FORMAT_VERSION_STAMPS;
        }
        if self.head_pages().next().is_some() {
            return FORMAT_VERSION_HEADS;
        }
        if self.bigram_page.is_some() {
            return FORMAT_VERSION_BIGRAMS;
        }
        if !self.union_pages.is_empty() {
            return FORMAT_VERSION_UNIONS;
        }
        match self.dictionary_pages {
            Some(_) => FORMAT_VERSION_DICTIONARY,
            None => FORMAT_VERSION_MIN,
        }
    }

    /// Whether a segment of the same records would have something in its format today that this one has not.
    pub fn is_outdated(&self) -> bool {
        let mut chunks = self.chunks.iter();
        let is_large = chunks.any(|chunk| chunk.page.rows as usize > HEAD_PAGE_ROWS);
        !self.has_addresses
            || is_large && !self.has_page_planes
            || !self.union_pages.is_empty() && !self.counts_unions
    }

    /// Puts in posting pages that are written now: their lists may have marks.
    pub(crate) fn put_lists(&mut self, posting_pages: Vec<PageEntry>) {
        self.has_marked_lists = !posting_pages.is_empty();
        self.posting_pages = posting_pages;
    }

    /// Notes whether there are head pages, once there are chunks: row pages that are written say by planes how many
    /// rows are on them.
    pub(crate) fn note_heads(&mut self) {
        self.has_page_planes = self.chunks.iter().any(|chunk| !chunk.heads.is_empty());
    }

    /// The head pages of all chunks.
    pub(crate) fn head_pages(&self) -> impl Iterator<Item = &PageEntry> + Clone {
        self.chunks.iter().flat_map(|chunk| &chunk.heads)
    }

    /// The stamp pages of all chunks.
    pub(crate) fn stamp_pages(&self) -> impl Iterator<Item = &PageEntry> + Clone {
        self.chunks.iter().filter_map(|chunk| chunk.stamps.as_ref())
    }

    /// Bytes on disk of the records themselves; the rest of the file finds them.
    pub fn data_bytes(&self) -> u64 {
        let pages = self.pages().filter(|(section, _)| {
            matches!(
                section,
                Section::Dictionaries
                    | Section::Columns
                    | Section::Directories
                    | Section::Heads
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
        let [first, second] = match &self.dictionary_pages {
            Some([first, second]) => [Some(first), Some(second)],
            None => [None, None],
        };
        let chunks = self.chunks.iter().flat_map(move |chunk| {
            let columns = chunk.columns.iter().map(of(Section::Columns));
            let directory = [(Section::Directories, &chunk.directory)];
            let stamps = chunk.stamps.iter().map(of(Section::Stamps));
            let heads = chunk.heads.iter().map(of(Section::Heads));
            columns
                .chain(directory)
                .chain(stamps)
                .chain(heads)
                .chain([(Section::Rows, &chunk.rows), (Section::Chunks, &chunk.page)])
        });
        let lexicon = self.lexicon_pages.iter().map(|page| &page.page);
        let first = first.into_iter().map(of(Section::Dictionaries));
        first
            .chain(chunks)
            .chain(self.received_pages.iter().map(of(Section::Received)))
            .chain(self.kind_page.iter().map(of(Section::Kinds)))
            .chain(second.into_iter().map(of(Section::Dictionaries)))
            .chain(self.spare_page.iter().map(of(Section::Spare)))
            .chain(self.tally_page.iter().map(of(Section::Tally)))
            .chain(self.posting_pages.iter().map(of(Section::Postings)))
            .chain(self.union_pages.iter().map(of(Section::Unions)))
            .chain(lexicon.map(of(Section::Lexicon)))
            .chain(self.bigram_page.iter().map(of(Section::Bigrams)))
            .chain(self.value_pages.iter().map(of(Section::Values)))
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
    fn the_version_is_the_oldest_that_has_all_there_is() {
        let page = PageEntry::default();
        let mut footer = Footer::default();
        assert_eq!(footer.version(), 5);
        footer.dictionary_pages = Some([page; 2]);
        assert_eq!(footer.version(), 6);
        footer.union_pages.push(page);
        assert_eq!(footer.version(), 7);
        footer.bigram_page = Some(page);
        assert_eq!(footer.version(), 8);
        footer.chunks.push(ChunkEntry {
            heads: vec![page],
            ..ChunkEntry::default()
        });
        assert_eq!(footer.version(), 9);
        footer.chunks[0].stamps = Some(page);
        assert_eq!(footer.version(), 10);
        footer.has_addresses = true;
        assert_eq!(footer.version(), 11);
        footer.counts_unions = true;
        assert_eq!(footer.version(), 12);
        footer.note_heads();
        assert_eq!(footer.version(), 13);
        footer.has_cut_words = true;
        assert_eq!(footer.version(), 14);
        footer.value_pages.push(page);
        assert_eq!(footer.version(), 15);
        footer.put_lists(vec![page]);
        assert_eq!(footer.version(), 16);
        footer.cuts_letters = true;
        assert_eq!(footer.version(), 17);
        footer.cuts_letters = false;
        footer.has_received_units = true;
        assert_eq!(footer.version(), 17);
    }

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
