//! Writes lexicon pages.
//!
//! Pages are gathered beside the file, as they come behind the posting pages: terms are written with
//! their rows, in one go, and nothing is kept of them.
#![deny(clippy::indexing_slicing)]

use super::bigrams::{self, BigramSet, PageBigrams};
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
    /// The pairs of bytes of the open page, and of those that are closed.
    bigrams: PageBigrams,
    sets: Vec<Option<BigramSet>>,
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
    sets: Vec<Option<BigramSet>>,
}

/// Pages that were appended.
pub(crate) struct Lexicon {
    /// Those with the terms.
    pub(crate) pages: Vec<LexiconPageEntry>,
    /// The one behind them; none where there are no terms.
    pub(crate) bigram_page: Option<PageEntry>,
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

    /// Appends the bigram page, behind the last of the others; none where there are no others.
    pub(crate) fn append_bigrams(
        &self,
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) -> Option<PageEntry> {
        bigrams::write(&self.sets, pages, file)
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
            bigrams: PageBigrams::new(),
            sets: Vec::new(),
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
        if let Some(Kin { class, .. }) = kin {
            self.bigrams.add(class, word);
        }
        self.block.push(word, entry);
        self.page_terms += 1;
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
    }

    /// Appends the pages to the file and returns their entries.
    pub(crate) fn finish(self, pages: &mut PageWriter, file: &mut dyn PageFile) -> Lexicon {
        let mut closed = self.close(pages);
        Lexicon {
            pages: std::iter::from_fn(|| closed.append_next(file)).collect(),
            bigram_page: closed.append_bigrams(pages, file),
        }
    }

    /// Closes the last page.
    pub(crate) fn close(mut self, pages: &mut PageWriter) -> LexiconPages {
        self.close_block(pages);
        self.close_page(pages);
        LexiconPages {
            stored: self.stored,
            pages: self.pages.into_iter(),
            sets: self.sets,
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
        self.sets.push(self.bigrams.take());
        self.terms += self.page_terms;
        self.page_terms = 0;
        self.before = None;
        self.raw.clear();
    }
}
