//! Writes lexicon pages.
//!
//! Pages are gathered beside the file, as they come behind the posting pages: terms are written with
//! their rows, in one go, and nothing is kept of them.
#![deny(clippy::indexing_slicing)]

use super::bigrams::{self, BigramSet, PageBigrams};
use super::block::{Block, Kin, common_prefix_len};
use super::class::Class;
use model::words::Alphabet;

use super::{KnownKey, LexiconCursor};
use crate::limits::LEXICON_PAGE_BYTES;
use crate::page::{PageEntry, PageWriter, open};
use crate::page_file::PageFile;
use crate::term::TermEntry;
use crate::wire::put_varint;
use crate::{Corrupt, LexiconPageEntry};

/// Writes lexicon pages; keys are pushed in order.
pub(crate) struct LexiconWriter {
    segment_rows: u32,
    /// What may be left out of words; `None` where they are written whole.
    cutting: Option<Alphabet>,
    /// How many bytes more are left out of words where that are letters as well, or would be.
    letters: u64,
    raw: Vec<u8>,
    /// The open block, of this namespace and class.
    block: Block,
    kin: Option<Kin>,
    /// For each term of the block a bit: whether its word may be cut.
    may_cut: u64,
    /// The last ordered key of the block before, of whatever page.
    key_before: Vec<u8>,
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
    letters: u64,
}

/// Pages that were appended.
pub(crate) struct Lexicon {
    /// Those with the terms.
    pub(crate) pages: Vec<LexiconPageEntry>,
    /// The one behind them; none where there are no terms.
    pub(crate) bigram_page: Option<PageEntry>,
}

impl LexiconPages {
    /// Its terms, from the first.
    pub(crate) fn terms(&self) -> Terms<'_> {
        Terms {
            lexicon: self,
            next: 0,
            cursor: LexiconCursor::default(),
        }
    }

    /// The bytes of a page as stored.
    fn stored(&self, page: &PageEntry) -> &[u8] {
        let start = page.offset as usize;
        let stored = self.stored.get(start..start + page.stored_len as usize);
        stored.unwrap_or(&[])
    }

    /// The same, compressed by another writer.
    pub(crate) fn compressed(self, pages: &mut PageWriter) -> Self {
        let mut stored = Vec::with_capacity(self.stored.len());
        let entries = self.pages.as_slice().iter().map(|own| {
            let page = &own.page;
            let before = self.stored(page);
            let raw = open("lexicon page", page, before).ok();
            let written = match raw {
                Some(raw) => pages.append(&raw, &mut stored),
                None => PageWriter::append_stored(before, page.raw_len, &mut stored),
            };
            LexiconPageEntry {
                page: PageEntry {
                    first_row: page.first_row,
                    rows: page.rows,
                    ..written
                },
                first_key: own.first_key.clone(),
            }
        });
        let entries: Vec<_> = entries.collect();
        Self {
            stored,
            pages: entries.into_iter(),
            ..self
        }
    }

    /// Bytes that the pages with the terms take.
    pub(crate) fn stored_len(&self) -> u64 {
        self.stored.len() as u64
    }

    /// How many bytes more are left out of truncated terms where that are letters as well, or would be.
    pub(crate) fn letters(&self) -> u64 {
        self.letters
    }

    /// Appends all of them and returns their entries.
    pub(crate) fn append(mut self, pages: &mut PageWriter, file: &mut dyn PageFile) -> Lexicon {
        Lexicon {
            pages: std::iter::from_fn(|| self.append_next(file)).collect(),
            bigram_page: self.append_bigrams(pages, file),
        }
    }

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

/// The terms of pages, one after the other.
pub(crate) struct Terms<'p> {
    lexicon: &'p LexiconPages,
    /// The next page.
    next: usize,
    cursor: LexiconCursor,
}

impl Terms<'_> {
    /// The next entry; `None` behind the last.
    ///
    /// # Errors
    /// When a page is not what was written.
    pub(crate) fn advance(&mut self) -> Result<Option<TermEntry>, Corrupt> {
        loop {
            if let Some(entry) = self.cursor.advance() {
                return Ok(Some(entry));
            }
            let Some(next) = self.lexicon.pages.as_slice().get(self.next) else {
                return Ok(None);
            };
            self.next += 1;
            self.cursor
                .open(&next.page, self.lexicon.stored(&next.page))?;
        }
    }

    /// The ordered key of the entry last returned, as far as it is known.
    pub(crate) fn key(&self) -> KnownKey<'_> {
        KnownKey {
            bytes: self.cursor.key(),
            left_out: self.cursor.left_out(),
        }
    }
}

impl LexiconWriter {
    pub(crate) fn new(segment_rows: u32) -> Self {
        Self {
            segment_rows,
            cutting: None,
            letters: 0,
            raw: Vec::new(),
            block: Block::default(),
            kin: None,
            may_cut: 0,
            key_before: Vec::new(),
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

    /// The same with words cut where they may be, out of which this is left.
    pub(crate) fn cutting(segment_rows: u32, left_out: Alphabet) -> Self {
        Self {
            cutting: Some(left_out),
            ..Self::new(segment_rows)
        }
    }

    /// Adds the next ordered key, greater than all before.
    pub(crate) fn push(&mut self, key: &[u8], entry: TermEntry, pages: &mut PageWriter) {
        self.push_cuttable(key, entry, false, pages);
    }

    /// The same of a key whose word may be cut, if words are.
    pub(crate) fn push_cuttable(
        &mut self,
        key: &[u8],
        entry: TermEntry,
        may_cut: bool,
        pages: &mut PageWriter,
    ) {
        let [namespace, class, word @ ..] = key else {
            return;
        };
        assert!(key > self.last_key.as_slice(), "keys are in order");
        let kin = Class::from_byte(*class).ok().map(|class| Kin {
            namespace: *namespace,
            class,
        });
        if self.kin != kin || self.block.is_full() {
            self.close_block(key, pages);
        }
        if self.page_terms == 0 {
            if self.cutting.is_some() {
                put_varint(0, &mut self.raw);
            }
            put_varint(u64::from(self.segment_rows), &mut self.raw);
            let shared = common_prefix_len(&self.last_key, key);
            self.first_key = key.get(..=shared).unwrap_or(key).into();
        }
        self.kin = kin;
        self.may_cut |= u64::from(self.cutting.is_some() && may_cut) << self.block.len();
        self.block.push(word, entry);
        self.page_terms += 1;
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
    }

    /// Appends the pages to the file and returns their entries.
    pub(crate) fn finish(self, pages: &mut PageWriter, file: &mut dyn PageFile) -> Lexicon {
        self.close(pages).append(pages, file)
    }

    /// Closes the last page.
    pub(crate) fn close(mut self, pages: &mut PageWriter) -> LexiconPages {
        self.close_block(&[], pages);
        self.close_page(pages);
        LexiconPages {
            stored: self.stored,
            pages: self.pages.into_iter(),
            sets: self.sets,
            letters: self.letters,
        }
    }

    /// Closes the open block; `next` is the ordered key behind it.
    fn close_block(&mut self, next: &[u8], pages: &mut PageWriter) {
        let Some(kin) = self.kin.take() else { return };
        let may_cut = std::mem::take(&mut self.may_cut);
        if may_cut != 0 {
            let word_of = |key| kin.word_of(key).unwrap_or(&[]);
            let beside = (word_of(&self.key_before), word_of(next));
            let with_letters = self.cutting == Some(Alphabet::Letters);
            let letters = self.block.cut(kin.class, (may_cut, with_letters), beside);
            self.letters += letters as u64;
        }
        self.key_before.clone_from(&self.last_key);
        for at in 0..self.block.len() {
            let (word, left_out) = (self.block.word(at), self.block.left_out(at));
            self.bigrams.add(kin.class, word, left_out);
        }
        let (value, has_cuts) = (&mut self.value, self.cutting.is_some());
        self.block
            .encode(kin, self.before, has_cuts, value, &mut self.raw);
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
