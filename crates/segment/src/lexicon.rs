//! Lexicon pages: the keys of the index in order, each with the place of its rows.
//!
//! A key is written as what it adds to the key before; every sixteenth is written whole and its
//! offset listed at the end of the page, for binary search. Bytes are checked when a page is
//! decoded, once, so that look-ups cannot fail.
#![deny(clippy::indexing_slicing)]

use std::cmp::Ordering;

use crate::limits::{LEXICON_PAGE_BYTES, LEXICON_RESTART_TERMS, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, open};
use crate::term::{Listed, Location, TermEntry};
use crate::wire::{Reader, put_varint};
use crate::{Corrupt, LexiconPageEntry};

/// A decoded lexicon page.
#[derive(Clone, Debug)]
pub struct LexiconPage {
    raw: Vec<u8>,
    /// Offset behind the last entry.
    end: usize,
    /// Offsets of the entries whose keys are whole.
    restarts: Vec<usize>,
    segment_rows: u32,
}

impl LexiconPage {
    /// Decodes and checks a page.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("lexicon page", entry, stored)?.into_owned();
        let mut reader = Reader::new("lexicon page", &raw);
        let segment_rows = reader.count("number of rows", SEGMENT_ROWS_MAX as usize)? as u32;
        let start = raw.len() - reader.rest().len();
        let terms = entry.rows as usize;
        let restarts_len = 4 * terms.div_ceil(LEXICON_RESTART_TERMS);
        let end = raw
            .len()
            .checked_sub(restarts_len)
            .filter(|end| *end >= start)
            .ok_or(Corrupt::Short {
                what: "lexicon page",
            })?;
        let (_, listed) = raw.split_at_checked(end).unwrap_or_default();
        let restarts = listed
            .as_chunks()
            .0
            .iter()
            .map(|offset| u32::from_le_bytes(*offset) as usize)
            .collect();
        let page = Self {
            raw,
            end,
            restarts,
            segment_rows,
        };
        page.check(start, terms)?;
        Ok(page)
    }

    /// The entry of a key.
    pub fn find(&self, key: &[u8]) -> Option<TermEntry> {
        let mut entries = self.seek(key);
        while let Some(entry) = entries.advance() {
            match entries.key.as_slice().cmp(key) {
                Ordering::Less => {}
                Ordering::Equal => return Some(entry),
                Ordering::Greater => return None,
            }
        }
        None
    }

    /// Calls `visit` with every key of the page that starts with `prefix` and its entry, in order,
    /// until it says false. Returns whether it never did.
    pub fn scan(&self, prefix: &[u8], visit: &mut dyn FnMut(&[u8], TermEntry) -> bool) -> bool {
        let mut entries = self.seek(prefix);
        while let Some(entry) = entries.advance() {
            if entries.key.starts_with(prefix) {
                if !visit(&entries.key, entry) {
                    return false;
                }
            } else if entries.key.as_slice() > prefix {
                return true;
            }
        }
        true
    }

    /// Memory the page takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.raw.capacity() + self.restarts.capacity() * size_of::<usize>()
    }

    /// Entries from the last whole key that is not greater than `key`.
    fn seek(&self, key: &[u8]) -> Entries<'_> {
        let behind = self
            .restarts
            .partition_point(|offset| self.whole_key(*offset) <= Some(key));
        let offset = self.restarts.get(behind.saturating_sub(1)).copied();
        Entries::new(self, offset.unwrap_or(self.end))
    }

    /// The key of an entry that is written whole.
    fn whole_key(&self, offset: usize) -> Option<&[u8]> {
        let mut reader = Reader::new("lexicon page", self.raw.get(offset..self.end)?);
        reader.varint().ok()?;
        let len = reader.varint().ok()?;
        reader.bytes(usize::try_from(len).ok()?).ok()
    }

    /// Checks that there are as many entries as there should be, in order, the restarts in place.
    fn check(&self, start: usize, terms: usize) -> Result<(), Corrupt> {
        let mut entries = Entries::new(self, start);
        for term in 0..terms {
            let offset = self.end - entries.reader.rest().len();
            let restart = self.restarts.get(term / LEXICON_RESTART_TERMS);
            let is_restart = term.is_multiple_of(LEXICON_RESTART_TERMS);
            let (_, shared) = entries.read()?;
            if is_restart && (restart != Some(&offset) || shared != 0) {
                return Err(invalid("restart of a lexicon page", offset as u64));
            }
        }
        entries.reader.finish()
    }
}

/// Reads entries in order.
struct Entries<'a> {
    reader: Reader<'a>,
    segment_rows: u32,
    /// The key of the entry last read.
    key: Vec<u8>,
}

impl<'a> Entries<'a> {
    fn new(page: &'a LexiconPage, offset: usize) -> Self {
        Self {
            reader: Reader::new(
                "lexicon page",
                page.raw.get(offset..page.end).unwrap_or(&[]),
            ),
            segment_rows: page.segment_rows,
            key: Vec::new(),
        }
    }

    /// The next entry; `None` at the end.
    fn advance(&mut self) -> Option<TermEntry> {
        self.read().ok().map(|(entry, _)| entry)
    }

    /// The next entry and how many bytes its key shares with the one before.
    fn read(&mut self) -> Result<(TermEntry, usize), Corrupt> {
        let shared = self.reader.count("shared bytes of a key", self.key.len())?;
        let len = self
            .reader
            .count("length of a key", self.reader.rest().len())?;
        let suffix = self.reader.bytes(len)?;
        // Compared without what is shared, so that long keys take no longer than they are written.
        if self.key.get(shared..) >= Some(suffix) {
            return Err(invalid("order of a lexicon page", suffix.len() as u64));
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(suffix);
        Ok((self.entry()?, shared))
    }

    fn entry(&mut self) -> Result<TermEntry, Corrupt> {
        let head = self.reader.varint()?;
        let rows = u32::try_from(head >> 1).unwrap_or(u32::MAX);
        if rows == 0 || rows > self.segment_rows {
            return Err(invalid("rows of a term", u64::from(rows)));
        }
        let mut groups = Listed::default();
        let mut others = rows;
        if head & 1 == 1 {
            let count = self.narrow("groups of a term")?;
            // A group has a row at least.
            groups = self.listed(count, u32::MAX, self.segment_rows)?;
            others = self.narrow("other rows of a term")?;
            if groups.count == 0 || others >= rows {
                return Err(invalid("rows of the groups of a term", u64::from(others)));
            }
        }
        let slots = self.listed(others, self.segment_rows, self.segment_rows)?;
        Ok(TermEntry {
            rows,
            groups,
            slots,
        })
    }

    /// So many numbers below `end`; `all` stands for all that there are.
    fn listed(&mut self, count: u32, all: u32, end: u32) -> Result<Listed, Corrupt> {
        let location = match count {
            0 => Location::Nowhere,
            count if count == all => Location::All,
            1 => Location::One(self.narrow("number of a term")?),
            _ => Location::List {
                page: self.narrow("posting page")?,
                offset: self.narrow("offset of a list")?,
            },
        };
        match location {
            Location::One(number) if number >= end => {
                Err(invalid("number of a term", u64::from(number)))
            }
            _ => Ok(Listed { count, location }),
        }
    }

    fn narrow(&mut self, what: &'static str) -> Result<u32, Corrupt> {
        Ok(self.reader.count(what, u32::MAX as usize)? as u32)
    }
}

/// Walks over the entries of pages that are opened one after the other.
#[derive(Default)]
pub(crate) struct LexiconCursor {
    page: Option<LexiconPage>,
    /// Offset of the next entry in the page.
    offset: usize,
    key: Vec<u8>,
}

impl LexiconCursor {
    /// Goes to the start of a page, which is decoded and checked.
    pub(crate) fn open(&mut self, entry: &PageEntry, stored: &[u8]) -> Result<(), Corrupt> {
        let page = LexiconPage::decode(entry, stored)?;
        self.offset = page.restarts.first().copied().unwrap_or(page.end);
        self.page = Some(page);
        self.key.clear();
        Ok(())
    }

    /// The next entry; `None` at the end of the page.
    pub(crate) fn advance(&mut self) -> Option<TermEntry> {
        let page = self.page.as_ref()?;
        let mut entries = Entries::new(page, self.offset);
        entries.key = std::mem::take(&mut self.key);
        let entry = entries.advance();
        self.offset = page.end - entries.reader.rest().len();
        self.key = entries.key;
        entry
    }

    /// The key of the entry last returned.
    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}

/// Writes lexicon pages; keys are pushed in order.
pub(crate) struct LexiconWriter {
    segment_rows: u32,
    raw: Vec<u8>,
    restarts: Vec<u32>,
    page_terms: u32,
    last_key: Vec<u8>,
    /// What the footer says of the open page.
    first_key: Box<[u8]>,
    pages: Vec<LexiconPageEntry>,
    terms: u32,
}

impl LexiconWriter {
    pub(crate) fn new(segment_rows: u32) -> Self {
        Self {
            segment_rows,
            raw: Vec::new(),
            restarts: Vec::new(),
            page_terms: 0,
            last_key: Vec::new(),
            first_key: Box::default(),
            pages: Vec::new(),
            terms: 0,
        }
    }

    /// Adds the next key, greater than all before.
    pub(crate) fn push(
        &mut self,
        key: &[u8],
        entry: TermEntry,
        pages: &mut PageWriter,
        file: &mut Vec<u8>,
    ) {
        assert!(self.terms == 0 && self.page_terms == 0 || key > self.last_key.as_slice());
        let mut shared = common_prefix_len(&self.last_key, key);
        if self.page_terms == 0 {
            put_varint(u64::from(self.segment_rows), &mut self.raw);
            self.first_key = key.get(..=shared).unwrap_or(key).into();
        }
        if (self.page_terms as usize).is_multiple_of(LEXICON_RESTART_TERMS) {
            shared = 0;
            self.restarts.push(self.raw.len() as u32);
        }
        let suffix = key.get(shared..).unwrap_or(&[]);
        put_varint(shared as u64, &mut self.raw);
        put_varint(suffix.len() as u64, &mut self.raw);
        self.raw.extend_from_slice(suffix);
        let has_groups = entry.groups.count > 0;
        put_varint(
            u64::from(entry.rows) << 1 | u64::from(has_groups),
            &mut self.raw,
        );
        if has_groups {
            put_varint(u64::from(entry.groups.count), &mut self.raw);
            put_location(entry.groups.location, &mut self.raw);
            put_varint(u64::from(entry.slots.count), &mut self.raw);
        }
        put_location(entry.slots.location, &mut self.raw);
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(suffix);
        self.page_terms += 1;
        if self.raw.len() >= LEXICON_PAGE_BYTES {
            self.close_page(pages, file);
        }
    }

    /// Writes the last page and returns all entries.
    pub(crate) fn finish(
        mut self,
        pages: &mut PageWriter,
        file: &mut Vec<u8>,
    ) -> Vec<LexiconPageEntry> {
        self.close_page(pages, file);
        self.pages
    }

    fn close_page(&mut self, pages: &mut PageWriter, file: &mut Vec<u8>) {
        if self.page_terms == 0 {
            return;
        }
        for offset in self.restarts.drain(..) {
            self.raw.extend_from_slice(&offset.to_le_bytes());
        }
        let page = PageEntry {
            first_row: self.terms,
            rows: self.page_terms,
            ..pages.append(&self.raw, file)
        };
        self.pages.push(LexiconPageEntry {
            page,
            first_key: std::mem::take(&mut self.first_key),
        });
        self.terms += self.page_terms;
        self.page_terms = 0;
        self.raw.clear();
    }
}

fn put_location(location: Location, out: &mut Vec<u8>) {
    match location {
        Location::Nowhere | Location::All => {}
        Location::One(number) => put_varint(u64::from(number), out),
        Location::List { page, offset } => {
            put_varint(u64::from(page), out);
            put_varint(u64::from(offset), out);
        }
    }
}

fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    let (eights, _) = a.as_chunks::<8>();
    let others = b.as_chunks::<8>().0;
    for (at, (one, other)) in eights.iter().zip(others).enumerate() {
        let differ = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differ != 0 {
            return 8 * at + differ.trailing_zeros() as usize / 8;
        }
    }
    let same = 8 * eights.len().min(others.len());
    let rest = a.iter().zip(b).skip(same);
    same + rest.take_while(|(a, b)| a == b).count()
}
