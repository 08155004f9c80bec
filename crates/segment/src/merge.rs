//! Segments that follow each other into one, mostly without looking at a record.
//!
//! Chunks are copied as they are, but for the numbers of their kinds; small ones are joined. Times of
//! receipt are cut anew, and the index is merged term by term: a list of the result is the lists of
//! the inputs, each behind the rows before it.
//! Every page of the inputs is checked on the way, so that damage is not carried along.

mod chunks;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use model::{RecordNumber, Timestamp};
use thiserror::Error;

use crate::builder::{finish_file, push_page, write_kinds};
use crate::envelope::Header;
use crate::footer::{Counts, Footer};
use crate::index::SharedLists;
use crate::lexicon::{LexiconCursor, LexiconWriter};
use crate::limits::{RECEIVED_PAGE_ROWS, SEGMENT_RECORD_BYTES_MAX, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, decode_received_page};
use crate::postings::encode_list;
use crate::{BuildError, Built, Corrupt, Location, PostingPage, TermEntry, received};

/// A segment to be merged: its footer, and its pages when they are asked for.
pub trait MergeInput {
    /// Why a page cannot be read.
    type Error;

    /// What the segment says of itself.
    fn footer(&self) -> &Footer;

    /// The stored bytes of one of its pages.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Self::Error>;
}

/// Why segments are not merged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MergeError<E> {
    /// A page of an input cannot be read.
    #[error("cannot read input {input}")]
    Read {
        /// Which input.
        input: usize,
        /// Why.
        source: E,
    },
    /// A page of an input is damaged.
    #[error("input {input} is damaged: {source}")]
    Damaged {
        /// Which input.
        input: usize,
        /// Where in the file, in bytes.
        offset: u64,
        /// What is wrong.
        source: Corrupt,
    },
    /// The inputs do not follow each other in number and time, or there are none.
    #[error("input {input} does not follow the one before it")]
    NotConsecutive {
        /// Which input.
        input: usize,
    },
    /// The result would be too large.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Merges segments whose record numbers follow each other without a gap and whose times of receipt
/// do not go back. To a reader the result is what [`crate::Builder`] makes of all their records.
///
/// # Errors
/// When they do not follow each other, are too large together, or cannot be read.
pub fn merge<I: MergeInput>(inputs: &[I], zstd_level: i32) -> Result<Built, MergeError<I::Error>> {
    let mut footer = joined_footer(inputs)?;
    let mut file = Vec::new();
    Header {
        first_number: footer.first_number,
    }
    .encode(&mut file);
    let mut pages = PageWriter::new(zstd_level);
    let kinds = chunks::merge(inputs, zstd_level, &mut footer, &mut file)?;
    write_received(inputs, &mut footer, &mut pages, &mut file)?;
    write_kinds(&kinds, &mut footer, &mut pages, &mut file);
    merge_index(inputs, &mut footer, &mut pages, &mut file)?;
    Ok(finish_file(file, footer)?)
}

/// The footer of the result without its pages.
fn joined_footer<I: MergeInput>(inputs: &[I]) -> Result<Footer, MergeError<I::Error>> {
    let Some(first) = inputs.first() else {
        return Err(MergeError::NotConsecutive { input: 0 });
    };
    let first = first.footer();
    let mut joined = Footer {
        first_number: first.first_number,
        first_received: first.first_received,
        last_received: first.first_received,
        first_time: first.first_time,
        last_time: first.last_time,
        ..Footer::default()
    };
    for (input, footer) in inputs.iter().map(MergeInput::footer).enumerate() {
        let next = RecordNumber(joined.first_number.0 + u64::from(joined.rows));
        if footer.first_number != next || footer.first_received < joined.last_received {
            return Err(MergeError::NotConsecutive { input });
        }
        let rows = u64::from(joined.rows) + u64::from(footer.rows);
        if rows > u64::from(SEGMENT_ROWS_MAX) {
            return Err(BuildError::TooManyRows { rows }.into());
        }
        joined.rows += footer.rows;
        joined.last_received = footer.last_received;
        joined.first_time = joined.first_time.min(footer.first_time);
        joined.last_time = joined.last_time.max(footer.last_time);
        joined.raw_bytes += footer.raw_bytes;
        add_counts(&mut joined.counts, &footer.counts);
    }
    if joined.raw_bytes > SEGMENT_RECORD_BYTES_MAX {
        let bytes = joined.raw_bytes;
        return Err(BuildError::TooManyBytes { bytes }.into());
    }
    Ok(joined)
}

fn add_counts(sum: &mut Counts, counts: &Counts) {
    let all = sum.severity.iter_mut().chain(&mut sum.facility);
    let all = all.chain(&mut sum.present).chain(&mut sum.worded);
    let other = counts.severity.iter().chain(&counts.facility);
    let other = other.chain(&counts.present).chain(&counts.worded);
    for (sum, count) in all.zip(other) {
        *sum += count;
    }
    sum.with_words += counts.with_words;
    sum.with_text += counts.with_text;
}

fn write_received<I: MergeInput>(
    inputs: &[I],
    footer: &mut Footer,
    pages: &mut PageWriter,
    file: &mut Vec<u8>,
) -> Result<(), MergeError<I::Error>> {
    let page_rows = RECEIVED_PAGE_ROWS as usize;
    let mut open: Vec<Timestamp> = Vec::new();
    let mut raw = Vec::new();
    let mut write = |times: &[Timestamp], pages: &mut PageWriter, file: &mut Vec<u8>| {
        raw.clear();
        received::encode(times, &mut raw);
        let page = pages.append(&raw, file);
        push_page(&mut footer.received_pages, page, times.len() as u32);
    };
    for (number, input) in inputs.iter().enumerate() {
        for entry in &input.footer().received_pages {
            let stored = stored(input, number, entry)?;
            let times = decode_received_page(entry, &stored);
            open.extend(times.map_err(|source| damaged(number, entry, source))?);
            if open.len() >= page_rows {
                let rest = open.split_off(page_rows);
                write(&open, pages, file);
                open = rest;
            }
        }
    }
    if !open.is_empty() {
        write(&open, pages, file);
    }
    Ok(())
}

/// The terms of one input, in order, and their rows in the result.
pub(crate) struct Terms<'a, I> {
    input: &'a I,
    number: usize,
    /// Rows of the inputs before.
    base: u32,
    page: usize,
    cursor: LexiconCursor,
    entry: Option<TermEntry>,
    posting_page: Option<(u32, PostingPage)>,
}

impl<'a, I: MergeInput> Terms<'a, I> {
    pub(crate) fn new(
        input: &'a I,
        number: usize,
        base: u32,
    ) -> Result<Self, MergeError<I::Error>> {
        let mut terms = Self {
            input,
            number,
            base,
            page: 0,
            cursor: LexiconCursor::default(),
            entry: None,
            posting_page: None,
        };
        terms.advance()?;
        Ok(terms)
    }

    /// Goes to the next term.
    pub(crate) fn advance(&mut self) -> Result<(), MergeError<I::Error>> {
        loop {
            self.entry = self.cursor.advance();
            if self.entry.is_some() {
                return Ok(());
            }
            let Some(next) = self.input.footer().lexicon_pages.get(self.page) else {
                return Ok(());
            };
            self.page += 1;
            let bytes = stored(self.input, self.number, &next.page)?;
            self.cursor
                .open(&next.page, &bytes)
                .map_err(|source| damaged(self.number, &next.page, source))?;
        }
    }

    /// The key of the term at hand; `None` behind the last.
    pub(crate) fn key(&self) -> Option<&[u8]> {
        self.entry.as_ref().map(|_| self.cursor.key())
    }

    /// Where in the file the lexicon page at hand is, in bytes.
    pub(crate) fn offset(&self) -> u64 {
        let pages = &self.input.footer().lexicon_pages;
        let page = pages.get(self.page.saturating_sub(1));
        page.map_or(0, |page| page.page.offset)
    }

    /// Appends the rows of the term at hand.
    pub(crate) fn rows_into(&mut self, rows: &mut Vec<u32>) -> Result<(), MergeError<I::Error>> {
        let Some(entry) = self.entry else {
            return Ok(());
        };
        let base = self.base;
        match entry.location {
            Location::All => rows.extend(base..base + entry.rows),
            Location::Row(row) => rows.push(base + row),
            Location::List { page, .. } => {
                let listed = self.listed(page, &entry)?;
                rows.extend(listed.iter().map(|row| base + row));
            }
        }
        Ok(())
    }

    fn listed(&mut self, index: u32, term: &TermEntry) -> Result<Vec<u32>, MergeError<I::Error>> {
        let what = "posting page of a term";
        let value = u64::from(index);
        let entry = self.input.footer().posting_pages.get(index as usize);
        let Some(entry) = entry else {
            return Err(MergeError::Damaged {
                input: self.number,
                offset: 0,
                source: Corrupt::Invalid { what, value },
            });
        };
        // Neighbouring terms mostly have their lists in the same page.
        let page = match self.posting_page.take() {
            Some((known, page)) if known == index => page,
            _ => PostingPage::decode(entry, &stored(self.input, self.number, entry)?)
                .map_err(|source| damaged(self.number, entry, source))?,
        };
        let rows = page
            .rows(term)
            .map_err(|source| damaged(self.number, entry, source));
        self.posting_page = Some((index, page));
        rows
    }
}

fn merge_index<I: MergeInput>(
    inputs: &[I],
    footer: &mut Footer,
    pages: &mut PageWriter,
    file: &mut Vec<u8>,
) -> Result<(), MergeError<I::Error>> {
    let merged = merge_postings(inputs, footer, pages, file)?;
    let mut lexicon = LexiconWriter::new(footer.rows);
    let mut entries = merged.into_iter();
    // The keys are read a second time instead of being kept: they are what takes memory.
    each_term(inputs, |key, _, _| {
        if let Some(entry) = entries.next() {
            lexicon.push(key, entry, pages, file);
        }
        Ok(())
    })?;
    footer.lexicon_pages = lexicon.finish(pages, file);
    Ok(())
}

/// Writes the posting pages; the entries of all terms in order.
fn merge_postings<I: MergeInput>(
    inputs: &[I],
    footer: &mut Footer,
    pages: &mut PageWriter,
    file: &mut Vec<u8>,
) -> Result<Vec<TermEntry>, MergeError<I::Error>> {
    let mut lists = SharedLists::new(footer.rows);
    let mut entries = Vec::new();
    let (mut rows, mut list) = (Vec::new(), Vec::new());
    each_term(inputs, |_, terms, holders| {
        rows.clear();
        for holder in holders {
            if let Some(terms) = terms.get_mut(*holder) {
                terms.rows_into(&mut rows)?;
            }
        }
        let count = rows.len() as u32;
        let location = match rows.first() {
            _ if count == footer.rows => Location::All,
            Some(row) if count == 1 => Location::Row(*row),
            _ => {
                encode_list(&rows, &mut list);
                lists.push(&list, pages, file)
            }
        };
        entries.push(TermEntry {
            rows: count,
            location,
        });
        Ok(())
    })?;
    footer.posting_pages = lists.finish(pages, file);
    Ok(entries)
}

/// Calls `visit` with every key of the inputs, in order, and the inputs that have it, in order.
fn each_term<I: MergeInput>(
    inputs: &[I],
    mut visit: impl FnMut(&[u8], &mut [Terms<'_, I>], &[usize]) -> Result<(), MergeError<I::Error>>,
) -> Result<(), MergeError<I::Error>> {
    let mut terms = Vec::with_capacity(inputs.len());
    let mut heap = BinaryHeap::new();
    let mut base = 0;
    for (number, input) in inputs.iter().enumerate() {
        let of_input = Terms::new(input, number, base)?;
        if of_input.entry.is_some() {
            heap.push(Reverse((of_input.cursor.key().to_vec(), number)));
        }
        terms.push(of_input);
        base += input.footer().rows;
    }
    let mut holders = Vec::new();
    let mut spare = Vec::new();
    while let Some(Reverse((key, number))) = heap.pop() {
        holders.clear();
        holders.push(number);
        while let Some(Reverse((next, _))) = heap.peek()
            && *next == key
            && let Some(Reverse((next, number))) = heap.pop()
        {
            holders.push(number);
            spare.push(next);
        }
        visit(&key, &mut terms, &holders)?;
        spare.push(key);
        for number in &holders {
            let Some(of_input) = terms.get_mut(*number) else {
                continue;
            };
            of_input.advance()?;
            if of_input.entry.is_some() {
                let mut key: Vec<u8> = spare.pop().unwrap_or_default();
                key.clear();
                key.extend_from_slice(of_input.cursor.key());
                heap.push(Reverse((key, *number)));
            }
        }
    }
    Ok(())
}

fn stored<I: MergeInput>(
    input: &I,
    number: usize,
    entry: &PageEntry,
) -> Result<Vec<u8>, MergeError<I::Error>> {
    input.stored(entry).map_err(|source| MergeError::Read {
        input: number,
        source,
    })
}

fn damaged<E>(input: usize, entry: &PageEntry, source: Corrupt) -> MergeError<E> {
    MergeError::Damaged {
        input,
        offset: entry.offset,
        source,
    }
}

#[cfg(test)]
mod tests;
