//! All terms of a segment, one after the other.
#![deny(clippy::indexing_slicing)]

use super::LexiconPage;
use super::block::Block;
use model::words::Alphabet;

use crate::Corrupt;
use crate::page::PageEntry;
use crate::term::TermEntry;

/// Walks over the terms of pages that are opened one after the other.
#[derive(Default)]
pub(crate) struct LexiconCursor {
    page: Option<LexiconPage>,
    /// The next block of the page.
    next: usize,
    block: Block,
    /// The next term of the block.
    term: usize,
    key: Vec<u8>,
}

impl LexiconCursor {
    /// Goes to the start of a page, which is decoded and checked.
    pub(crate) fn open(&mut self, entry: &PageEntry, stored: &[u8]) -> Result<(), Corrupt> {
        self.page = Some(LexiconPage::decode(entry, stored)?);
        self.next = 0;
        self.term = 0;
        self.block.clear();
        Ok(())
    }

    /// The next entry; `None` at the end of the page.
    pub(crate) fn advance(&mut self) -> Option<TermEntry> {
        let page = self.page.as_ref()?;
        if self.term >= self.block.len() {
            // It was checked when the page was opened.
            page.read(self.next, &mut self.block, true).ok()?;
            self.next += 1;
            self.term = 0;
        }
        let (word, entry) = (self.block.word(self.term), self.block.entry(self.term)?);
        let kin = page.blocks.get(self.next.checked_sub(1)?)?.kin;
        self.term += 1;
        self.key.clear();
        self.key
            .extend_from_slice(&[kin.namespace, kin.class.byte()]);
        self.key.extend_from_slice(word);
        Some(entry)
    }

    /// The ordered key of the entry last returned, or what is left of it.
    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }

    /// What is left out of that; `None` where it is whole.
    pub(crate) fn left_out(&self) -> Option<Alphabet> {
        self.block.left_out(self.term.checked_sub(1)?)
    }
}
