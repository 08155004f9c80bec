//! Writes lexicon pages.
//!
//! Pages are gathered beside the file, as they come behind the posting pages: terms are written with
//! their rows, in one go, and nothing is kept of them.
#![deny(clippy::indexing_slicing)]

use super::block::{Block, Kin, common_prefix_len};
use super::class::Class;
use crate::LexiconPageEntry;
use crate::limits::LEXICON_PAGE_BYTES;
use crate::page::{PageEntry, PageWriter};
use crate::page_file::PageFile;
use crate::term::TermEntry;
use crate::wire::put_varint;

/// Writes lexicon pages; keys are pushed in order.
pub(crate) struct LexiconWriter {
    segment_rows: u32,
    raw: Vec<u8>,
    /// The open block, of this namespace and class.
    block: Block,
    kin: Option<Kin>,
    /// The block before in the page: what it is of, and its first value.
    before: Option<Kin>,
    value: u64,
    page_terms: u32,
    last_key: Vec<u8>,
    /// What the footer says of the open page.
    first_key: Box<[u8]>,
    /// The pages as they will be stored, one behind another.
    stored: Vec<u8>,
    pages: Vec<LexiconPageEntry>,
    terms: u32,
}

/// Pages that are to be appended to the file.
pub(crate) struct LexiconPages {
    stored: Vec<u8>,
    pages: std::vec::IntoIter<LexiconPageEntry>,
}

impl LexiconPages {
    /// Appends the next page and returns its entry; `None` behind the last.
    pub(crate) fn append_next(&mut self, file: &mut dyn PageFile) -> Option<LexiconPageEntry> {
        let LexiconPageEntry { page, first_key } = self.pages.next()?;
        let start = page.offset as usize;
        let stored = self.stored.get(start..start + page.stored_len as usize)?;
        let page = PageEntry {
            first_row: page.first_row,
            rows: page.rows,
            ..PageWriter::append_stored(stored, page.raw_len, file)
        };
        Some(LexiconPageEntry { page, first_key })
    }
}

impl LexiconWriter {
    pub(crate) fn new(segment_rows: u32) -> Self {
        Self {
            segment_rows,
            raw: Vec::new(),
            block: Block::default(),
            kin: None,
            before: None,
            value: 0,
            page_terms: 0,
            last_key: Vec::new(),
            first_key: Box::default(),
            stored: Vec::new(),
            pages: Vec::new(),
            terms: 0,
        }
    }

    /// Adds the next ordered key, greater than all before.
    pub(crate) fn push(&mut self, key: &[u8], entry: TermEntry, pages: &mut PageWriter) {
        let [namespace, class, word @ ..] = key else {
            return;
        };
        assert!(key > self.last_key.as_slice(), "keys are in order");
        let kin = Class::from_byte(*class).ok().map(|class| Kin {
            namespace: *namespace,
            class,
        });
        if self.kin != kin || self.block.is_full() {
            self.close_block(pages);
        }
        if self.page_terms == 0 {
            put_varint(u64::from(self.segment_rows), &mut self.raw);
            let shared = common_prefix_len(&self.last_key, key);
            self.first_key = key.get(..=shared).unwrap_or(key).into();
        }
        self.kin = kin;
        self.block.push(word, entry);
        self.page_terms += 1;
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
    }

    /// Appends the pages to the file and returns their entries.
    pub(crate) fn finish(
        self,
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) -> Vec<LexiconPageEntry> {
        let mut closed = self.close(pages);
        std::iter::from_fn(|| closed.append_next(file)).collect()
    }

    /// Closes the last page.
    pub(crate) fn close(mut self, pages: &mut PageWriter) -> LexiconPages {
        self.close_block(pages);
        self.close_page(pages);
        LexiconPages {
            stored: self.stored,
            pages: self.pages.into_iter(),
        }
    }

    fn close_block(&mut self, pages: &mut PageWriter) {
        let Some(kin) = self.kin.take() else { return };
        self.block
            .encode(kin, self.before, &mut self.value, &mut self.raw);
        self.block.clear();
        self.before = Some(kin);
        if self.raw.len() >= LEXICON_PAGE_BYTES {
            self.close_page(pages);
        }
    }

    fn close_page(&mut self, pages: &mut PageWriter) {
        if self.page_terms == 0 {
            return;
        }
        let page = PageEntry {
            first_row: self.terms,
            rows: self.page_terms,
            ..pages.append(&self.raw, &mut self.stored)
        };
        self.pages.push(LexiconPageEntry {
            page,
            first_key: std::mem::take(&mut self.first_key),
        });
        self.terms += self.page_terms;
        self.page_terms = 0;
        self.before = None;
        self.raw.clear();
    }
}
