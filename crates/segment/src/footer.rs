//! The footer: what a segment says of itself, and where its pages are.
#![deny(clippy::indexing_slicing)]

use model::limits::BATCH_RECORDS_MAX;
use model::{Facility, RecordNumber, Severity, Timestamp};

use crate::envelope::{Header, Trailer, WORDS_VERSION};
use crate::limits::{PAGE_RAW_BYTES_MAX, RECEIVED_PAGE_ROWS, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, check};
use crate::wire::Reader;
use crate::{Corrupt, Namespace};

/// Bytes of a page's entry.
const ENTRY_LEN: usize = 24;

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
    pub row_pages: Vec<PageEntry>,
    /// The times of receipt, [`RECEIVED_PAGE_ROWS`] to a page.
    pub received_pages: Vec<PageEntry>,
    /// The rows of terms.
    pub posting_pages: Vec<PageEntry>,
    /// The terms.
    pub lexicon_pages: Vec<LexiconPageEntry>,
}

/// A lexicon page in the footer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LexiconPageEntry {
    /// Where it is.
    pub page: PageEntry,
    /// The shortest start of its first key that is greater than every key of the pages before: a
    /// key can only be in the last page whose `first_key` is not greater.
    pub first_key: Box<[u8]>,
}

/// A kind of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// The records.
    Rows,
    /// Their times of receipt.
    Received,
    /// The rows of terms.
    Postings,
    /// The terms.
    Lexicon,
}

impl Section {
    /// All of them, in the order of the file.
    pub const ALL: [Self; 4] = [Self::Rows, Self::Received, Self::Postings, Self::Lexicon];

    /// What one of its pages is called.
    pub fn page_name(self) -> &'static str {
        match self {
            Self::Rows => "row page",
            Self::Received => "received page",
            Self::Postings => "posting page",
            Self::Lexicon => "lexicon page",
        }
    }

    /// Whether it can be made anew from the rows.
    pub fn is_index(self) -> bool {
        matches!(self, Self::Postings | Self::Lexicon)
    }
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
    /// Bytes on disk of the records themselves; the rest of the file finds them.
    pub fn data_bytes(&self) -> u64 {
        let pages = self.row_pages.iter().chain(&self.received_pages);
        pages.map(|page| u64::from(page.stored_len)).sum()
    }

    /// All pages with their kinds, in the order of the file.
    pub fn pages(&self) -> impl Iterator<Item = (Section, &PageEntry)> {
        let of = |section| move |page| (section, page);
        let rows = self.row_pages.iter().map(of(Section::Rows));
        let received = self.received_pages.iter().map(of(Section::Received));
        let postings = self.posting_pages.iter().map(of(Section::Postings));
        let lexicon = self.lexicon_pages.iter().map(|page| &page.page);
        rows.chain(received)
            .chain(postings)
            .chain(lexicon.map(of(Section::Lexicon)))
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

    /// Appends the footer.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first_number.0.to_le_bytes());
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&WORDS_VERSION.to_le_bytes());
        out.extend_from_slice(&[0; 2]);
        for time in [
            self.first_received,
            self.last_received,
            self.first_time,
            self.last_time,
        ] {
            out.extend_from_slice(&time.nanos().to_le_bytes());
        }
        out.extend_from_slice(&self.raw_bytes.to_le_bytes());
        let counts = &self.counts;
        let all = counts.severity.iter().chain(&counts.facility);
        let all = all.chain(&counts.present).chain(&counts.worded);
        for count in all.chain(&[counts.with_words, counts.with_text]) {
            out.extend_from_slice(&count.to_le_bytes());
        }
        for pages in [&self.row_pages, &self.received_pages, &self.posting_pages] {
            out.extend_from_slice(&(pages.len() as u32).to_le_bytes());
        }
        out.extend_from_slice(&(self.lexicon_pages.len() as u32).to_le_bytes());
        let pages = self
            .row_pages
            .iter()
            .chain(&self.received_pages)
            .chain(&self.posting_pages);
        for page in pages.chain(self.lexicon_pages.iter().map(|page| &page.page)) {
            out.extend_from_slice(&page.offset.to_le_bytes());
            for number in [page.stored_len, page.raw_len, page.crc, page.rows] {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        for page in &self.lexicon_pages {
            out.extend_from_slice(&(page.first_key.len() as u32).to_le_bytes());
            out.extend_from_slice(&page.first_key);
        }
    }

    /// Decodes and checks the bytes that the trailer names.
    pub fn decode(bytes: &[u8], trailer: &Trailer) -> Result<Self, Corrupt> {
        if bytes.len() != trailer.footer_len as usize {
            return Err(Corrupt::Short { what: "footer" });
        }
        check("footer", trailer.footer_offset, bytes, trailer.footer_crc)?;
        let mut reader = Reader::new("footer", bytes);
        let mut footer = Self::decode_fixed(&mut reader)?;
        let mut page_counts = [0; 4];
        for count in &mut page_counts {
            *count = reader.u32()? as usize;
        }
        let [row_pages, received_pages, posting_pages, lexicon_pages] = page_counts;
        let end = trailer.footer_offset;
        footer.row_pages = decode_pages(&mut reader, row_pages, end)?;
        footer.received_pages = decode_pages(&mut reader, received_pages, end)?;
        footer.posting_pages = decode_pages(&mut reader, posting_pages, end)?;
        for page in decode_pages(&mut reader, lexicon_pages, end)? {
            footer.lexicon_pages.push(LexiconPageEntry {
                page,
                first_key: Box::default(),
            });
        }
        for page in &mut footer.lexicon_pages {
            let len = reader.u32()? as usize;
            page.first_key = reader.bytes(len)?.into();
        }
        reader.finish()?;
        footer.check()?;
        Ok(footer)
    }

    fn decode_fixed(reader: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let first_number = RecordNumber(reader.u64()?);
        let rows = reader.u32()?;
        let words_version = u16::from_le_bytes(reader.array()?);
        if words_version != WORDS_VERSION {
            return Err(invalid("version of words", u64::from(words_version)));
        }
        let reserved = u16::from_le_bytes(reader.array()?);
        if reserved != 0 {
            return Err(invalid("footer", u64::from(reserved)));
        }
        let mut time = || Ok(Timestamp::from_nanos(i64::from_le_bytes(reader.array()?)));
        let mut footer = Self {
            first_number,
            rows,
            first_received: time()?,
            last_received: time()?,
            first_time: time()?,
            last_time: time()?,
            raw_bytes: reader.u64()?,
            ..Self::default()
        };
        let counts = &mut footer.counts;
        let all = counts.severity.iter_mut().chain(&mut counts.facility);
        let all = all.chain(&mut counts.present).chain(&mut counts.worded);
        for count in all.chain([&mut counts.with_words, &mut counts.with_text]) {
            *count = reader.u32()?;
            if *count > rows {
                return Err(invalid("count of rows", u64::from(*count)));
            }
        }
        Ok(footer)
    }

    /// What a writer of ours keeps to.
    fn check(&self) -> Result<(), Corrupt> {
        if self.rows > SEGMENT_ROWS_MAX {
            return Err(Corrupt::TooLarge {
                what: "number of rows",
                value: u64::from(self.rows),
                max: u64::from(SEGMENT_ROWS_MAX),
            });
        }
        for pages in [&self.row_pages, &self.received_pages] {
            let rows = pages.last().map_or(0, |page| page.first_row + page.rows);
            if rows != self.rows {
                return Err(invalid("sum of the rows of pages", u64::from(rows)));
            }
        }
        for page in &self.row_pages {
            if page.rows == 0 || page.rows as usize > BATCH_RECORDS_MAX {
                return Err(invalid("rows of a row page", u64::from(page.rows)));
            }
        }
        let received_rows = |first: u32| RECEIVED_PAGE_ROWS.min(self.rows - first);
        for page in &self.received_pages {
            if page.rows == 0 || page.rows != received_rows(page.first_row) {
                return Err(invalid("rows of a received page", u64::from(page.rows)));
            }
        }
        if self.first_received > self.last_received || self.first_time > self.last_time {
            return Err(invalid("range of times", u64::from(self.rows)));
        }
        let keys = self.lexicon_pages.windows(2);
        for pages in keys {
            if let [page, next] = pages
                && page.first_key >= next.first_key
            {
                return Err(invalid("order of lexicon pages", next.page.offset));
            }
        }
        Ok(())
    }
}

fn decode_pages(
    reader: &mut Reader<'_>,
    count: usize,
    end: u64,
) -> Result<Vec<PageEntry>, Corrupt> {
    let max = reader.rest().len() / ENTRY_LEN;
    if count > max {
        return Err(Corrupt::TooLarge {
            what: "number of pages",
            value: count as u64,
            max: max as u64,
        });
    }
    let mut pages = Vec::with_capacity(count);
    let mut first_row = 0_u32;
    for _ in 0..count {
        let page = PageEntry {
            offset: reader.u64()?,
            stored_len: reader.u32()?,
            raw_len: reader.u32()?,
            crc: reader.u32()?,
            first_row,
            rows: reader.u32()?,
        };
        let page_end = page.offset.checked_add(u64::from(page.stored_len));
        if page.offset < Header::LEN as u64 || page_end.is_none_or(|page_end| page_end > end) {
            return Err(invalid("offset of a page", page.offset));
        }
        if page.raw_len as usize > PAGE_RAW_BYTES_MAX {
            return Err(Corrupt::TooLarge {
                what: "length of a page",
                value: u64::from(page.raw_len),
                max: PAGE_RAW_BYTES_MAX as u64,
            });
        }
        first_row = first_row
            .checked_add(page.rows)
            .ok_or_else(|| invalid("sum of the rows of pages", u64::from(page.rows)))?;
        pages.push(page);
    }
    Ok(pages)
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
