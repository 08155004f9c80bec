//! A segment written anew with stronger compression, page by page.
//!
//! The pages say what they said before, so that a reader does not notice. Of identifiers
//! that stand in a column the lexicon keeps the start: such a segment is compacted for good, and not merged any more. No more than one page is in memory at a time beside the index
//! that is made anew, and the input is asked for each of them, so that it can wait or give up between any two.
#![deny(clippy::indexing_slicing)]

mod check;
pub(crate) mod index;

use std::borrow::Cow;

use crate::builder::encode_end;
use crate::envelope::Header;
use crate::footer::Footer;
use crate::merge::{MergeError, MergeInput, damaged, stored};
use crate::page::{PageEntry, PageWriter, open};
use crate::page_file::Sink;
use crate::{Corrupt, spare};
use index::{IndexChoice, Rewritten, choose_index};

/// Writes a segment anew, in order and in pieces; its footer.
///
/// # Errors
/// When a page of the input is damaged or cannot be read, and when `sink` fails.
pub fn compact<I: MergeInput>(
    input: &I,
    zstd_level: i32,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Footer, MergeError<I::Error>> {
    compact_with(input, zstd_level, IndexChoice::PAYING, sink)
}

/// The same with truncated terms where they are wanted.
pub(crate) fn compact_with<I: MergeInput>(
    input: &I,
    zstd_level: i32,
    choice: IndexChoice,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Footer, MergeError<I::Error>> {
    let mut footer = input.footer().clone();
    let rewritten = choose_index(input, choice)?;
    let mut output = Output {
        input,
        pages: PageWriter::new(zstd_level),
        page: Vec::new(),
        offset: 0,
        sink,
    };
    let header = Header::of(&footer);
    let mut start = Vec::new();
    header.encode(&mut start);
    output.write(&start)?;
    for chunk in &mut footer.chunks {
        for page in &mut chunk.columns {
            output.page(page)?;
        }
        output.looked_into(&mut chunk.directory)?;
        for page in chunk.zone_maps.iter_mut().chain(&mut chunk.heads) {
            output.page(page)?;
        }
        output.looked_into(&mut chunk.rows)?;
        output.page(&mut chunk.page)?;
    }
    for page in &mut footer.received_pages {
        output.page(page)?;
    }
    if let Some(mut kinds) = footer.kind_page {
        let table = output.page(&mut kinds)?;
        footer.kind_page = Some(kinds);
        output.spare(&table, &mut footer)?;
    }
    if let Some(page) = &mut footer.tally_page {
        output.page(page)?;
    }
    match &rewritten {
        Some(rewritten) => output.rewritten(rewritten, &mut footer)?,
        None => output.index(&mut footer)?,
    }
    let end = encode_end(&footer, output.offset)?;
    output.write(&end)?;
    Ok(footer)
}

/// What is written so far.
struct Output<'a, I: MergeInput> {
    input: &'a I,
    pages: PageWriter,
    /// The page at hand.
    page: Vec<u8>,
    offset: u64,
    sink: &'a mut Sink<'a, I::Error>,
}

impl<I: MergeInput> Output<'_, I> {
    /// Writes a page anew, or as it is where it does not get smaller; what it says. The entry then
    /// tells where it is now.
    fn page(&mut self, entry: &mut PageEntry) -> Result<Vec<u8>, MergeError<I::Error>> {
        let before = stored(self.input, 0, entry)?;
        let raw = open("page", entry, &before).map_err(|source| damaged(0, entry, source))?;
        self.page.clear();
        self.pages.append(&raw, &mut self.page);
        if self.page.len() >= before.len() {
            self.page.clone_from(&before);
        }
        self.place(entry, &raw)?;
        Ok(raw.into_owned())
    }

    /// The same of a page that is looked into as it is stored.
    fn looked_into(&mut self, entry: &mut PageEntry) -> Result<(), MergeError<I::Error>> {
        let before = stored(self.input, 0, entry)?;
        let raw = open("page", entry, &before).map_err(|source| damaged(0, entry, source))?;
        self.page.clear();
        PageWriter::append_plain(&raw, &mut self.page);
        self.place(entry, &raw)
    }

    /// Writes the page at hand, which says `raw`, and tells where it is now.
    fn place(&mut self, entry: &mut PageEntry, raw: &[u8]) -> Result<(), MergeError<I::Error>> {
        let what = "page";
        let placed = PageEntry::placed(self.offset, &self.page, entry);
        // The original is deleted: a fault of memory or of zstd must not be all that is left.
        if open(what, &placed, &self.page) != Ok(Cow::Borrowed(raw)) {
            let source = Corrupt::Compression {
                what,
                offset: entry.offset,
                raw_len: entry.raw_len,
            };
            return Err(damaged(0, entry, source));
        }
        self.write_page()?;
        *entry = placed;
        Ok(())
    }

    /// Writes the pages behind the tally page anew.
    fn index(&mut self, footer: &mut Footer) -> Result<(), MergeError<I::Error>> {
        for page in &mut footer.posting_pages {
            self.page(page)?;
        }
        for page in &mut footer.lexicon_pages {
            self.page(&mut page.page)?;
        }
        if let Some(page) = &mut footer.bigram_page {
            self.page(page)?;
        }
        Ok(())
    }

    /// Writes what of the index was made anew, and the rest as it is.
    fn rewritten(
        &mut self,
        rewritten: &Rewritten,
        footer: &mut Footer,
    ) -> Result<(), MergeError<I::Error>> {
        for page in &mut footer.posting_pages {
            self.page(page)?;
        }
        for entry in rewritten.put_into(footer) {
            self.made(entry, rewritten.page(entry))?;
        }
        Ok(())
    }

    /// Writes a page that was made and is stored as on trial.
    fn made(&mut self, entry: &mut PageEntry, page: &[u8]) -> Result<(), MergeError<I::Error>> {
        let raw = open("page", &PageEntry::placed(0, page, entry), page);
        let raw = raw.map_err(|source| damaged(0, entry, source))?;
        self.page.clear();
        self.pages.append(&raw, &mut self.page);
        self.place(entry, &raw)
    }

    /// Writes the spare page of what is written.
    fn spare(&mut self, table: &[u8], footer: &mut Footer) -> Result<(), MergeError<I::Error>> {
        let Some(before) = footer.spare_page else {
            return Ok(());
        };
        let records = Footer {
            kind_page: None,
            spare_page: None,
            tally_page: None,
            posting_pages: Vec::new(),
            lexicon_pages: Vec::new(),
            bigram_page: None,
            has_truncated_terms: false,
            ..footer.clone()
        };
        let raw = spare::encode(table, &records, &mut self.pages, self.offset);
        self.page.clear();
        let page = PageWriter::append_plain(&raw, &mut self.page);
        footer.spare_page = Some(PageEntry {
            raw_len: page.raw_len,
            ..PageEntry::placed(self.offset, &self.page, &before)
        });
        self.write_page()
    }

    fn write_page(&mut self) -> Result<(), MergeError<I::Error>> {
        let page = std::mem::take(&mut self.page);
        let result = self.write(&page);
        self.page = page;
        result
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), MergeError<I::Error>> {
        (self.sink)(bytes).map_err(|source| MergeError::Read { input: 0, source })?;
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod cut_tests;
#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests;
