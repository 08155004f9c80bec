//! The terms of a segment, one after the other.

use super::{RewriteError, RewriteInput, damaged, stored};
use crate::lexicon::{KnownKey, LexiconCursor};
use crate::{Corrupt, Listed, PostingPage, TermEntry};

/// The terms of one input, in order.
pub(crate) struct TermCursor<'a, I> {
    input: &'a I,
    number: usize,
    page: usize,
    cursor: LexiconCursor,
    entry: Option<TermEntry>,
    posting_page: Option<(u32, PostingPage)>,
}

impl<'a, I: RewriteInput> TermCursor<'a, I> {
    pub(crate) fn new(input: &'a I, number: usize) -> Result<Self, RewriteError<I::Error>> {
        let mut terms = Self {
            input,
            number,
            page: 0,
            cursor: LexiconCursor::default(),
            entry: None,
            posting_page: None,
        };
        terms.advance()?;
        Ok(terms)
    }

    /// Goes to the next term.
    pub(crate) fn advance(&mut self) -> Result<(), RewriteError<I::Error>> {
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

    /// Whether a key, as the lexicon orders it, is that of the term at hand, or may be, where that is cut.
    pub(crate) fn is_key(&self, ordered: &[u8]) -> bool {
        let left_out = self.cursor.left_out();
        let known = self.key().map(|bytes| KnownKey { bytes, left_out });
        known.is_some_and(|known| known.may_be(ordered))
    }

    /// How many rows have the term at hand, as its entry says.
    pub(crate) fn count(&self) -> u32 {
        self.entry.map_or(0, |entry| entry.rows)
    }

    /// Where in the file the lexicon page at hand is, in bytes.
    pub(crate) fn offset(&self) -> u64 {
        let pages = &self.input.footer().lexicon_pages;
        let page = pages.get(self.page.saturating_sub(1));
        page.map_or(0, |page| page.page.offset)
    }

    /// The ordinals of the rows with the term at hand in a slot, ascending.
    pub(crate) fn slot_ordinals(&mut self) -> Result<Vec<u32>, RewriteError<I::Error>> {
        let listed = self.entry.map(|entry| entry.slots).unwrap_or_default();
        self.numbers(&listed)
    }

    /// The groups whose rows all have the term at hand, ascending.
    pub(crate) fn groups(&mut self) -> Result<Vec<u32>, RewriteError<I::Error>> {
        let listed = self.entry.map(|entry| entry.groups).unwrap_or_default();
        self.numbers(&listed)
    }

    /// The error for a term whose page is not there.
    fn no_page(&self, page: u32) -> RewriteError<I::Error> {
        RewriteError::Damaged {
            input: self.number,
            offset: 0,
            source: Corrupt::Invalid {
                what: "posting page of a term",
                value: u64::from(page),
            },
        }
    }

    fn numbers(&mut self, listed: &Listed) -> Result<Vec<u32>, RewriteError<I::Error>> {
        let footer = self.input.footer();
        let Some(index) = listed.posting_page() else {
            return Ok(listed.inline(footer.rows));
        };
        let Some(entry) = footer.posting_pages.get(index as usize) else {
            return Err(self.no_page(index));
        };
        // Neighbouring terms mostly have their lists in the same page.
        let page = match self.posting_page.take() {
            Some((known, page)) if known == index => page,
            _ => PostingPage::decode(entry, &stored(self.input, self.number, entry)?)
                .map_err(|source| damaged(self.number, entry, source))?,
        };
        let numbers = page.numbers(listed);
        self.posting_page = Some((index, page));
        numbers.map_err(|source| damaged(self.number, entry, source))
    }
}
