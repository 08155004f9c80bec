//! A segment written anew with stronger compression, page by page.
//!
//! The pages say what they said before, so that a reader does not notice. No more than one page is
//! in memory at a time, and the input is asked for each of them, so that it can wait or give up
//! between any two.
#![deny(clippy::indexing_slicing)]

use std::borrow::Cow;

use crate::builder::encode_end;
use crate::envelope::Header;
use crate::footer::Footer;
use crate::merge::{MergeError, MergeInput, damaged, stored};
use crate::page::{PageEntry, PageWriter, open};
use crate::{Corrupt, spare};

/// Takes the next part of a file; the error is that of the input.
type Sink<'a, E> = dyn FnMut(&[u8]) -> Result<(), E> + 'a;

/// Writes a segment anew, in order and in pieces; its footer.
///
/// # Errors
/// When a page of the input is damaged or cannot be read, and when `sink` fails.
pub fn compact<I: MergeInput>(
    input: &I,
    zstd_level: i32,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Footer, MergeError<I::Error>> {
    let mut footer = input.footer().clone();
    let mut output = Output {
        input,
        pages: PageWriter::new(zstd_level),
        page: Vec::new(),
        offset: 0,
        sink,
    };
    let mut header = Vec::new();
    Header {
        first_number: footer.first_number,
    }
    .encode(&mut header);
    output.write(&header)?;
    for chunk in &mut footer.chunks {
        for page in &mut chunk.columns {
            output.page(page)?;
        }
        output.page(&mut chunk.directory)?;
        output.page(&mut chunk.rows)?;
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
    for page in footer
        .tally_page
        .iter_mut()
        .chain(&mut footer.posting_pages)
    {
        output.page(page)?;
    }
    for page in &mut footer.lexicon_pages {
        output.page(&mut page.page)?;
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
        let what = "page";
        let raw = open(what, entry, &before).map_err(|source| damaged(0, entry, source))?;
        self.page.clear();
        self.pages.append(&raw, &mut self.page);
        if self.page.len() >= before.len() {
            self.page.clone_from(&before);
        }
        let placed = PageEntry::placed(self.offset, &self.page, entry);
        // The original is deleted: a fault of memory or of zstd must not be all that is left.
        if open(what, &placed, &self.page) != Ok(Cow::Borrowed(&raw)) {
            let raw_len = entry.raw_len;
            let offset = entry.offset;
            let source = Corrupt::Compression {
                what,
                offset,
                raw_len,
            };
            return Err(damaged(0, entry, source));
        }
        let raw = raw.into_owned();
        self.write_page()?;
        *entry = placed;
        Ok(raw)
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
mod tests;
