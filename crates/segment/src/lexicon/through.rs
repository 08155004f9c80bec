//! Going through all of a lexicon page once, for words that have some bytes anywhere.
//!
//! A page that is kept is decoded and checked whole, which takes longer than a look at each of its words.
//! Here a block is opened only if it may have such a word. Words are in order and start with what they
//! share with the one before, so the first of a block with these bytes at some place ends them in what is
//! its own: either all of them stand there, or the last ones are what it starts with.
#![deny(clippy::indexing_slicing)]

use memchr::memmem::Finder;
use model::words::Alphabet;

use super::block::{Block, Head, WordLens};
use super::class::Class;
use super::{KnownKey, LexiconPage, decode_start};
use crate::Corrupt;
use crate::page::{PageEntry, open};
use crate::term::TermEntry;
use crate::wire::Reader;

/// Goes through lexicon pages for words that have some bytes in them. It only holds buffers.
pub struct LexiconThrough<'n> {
    part: &'n [u8],
    finder: Finder<'n>,
    /// For each byte whether it is one of the part, but for the first.
    continues: [bool; 256],
    block: Block,
    key: Vec<u8>,
    wanted: Vec<(usize, bool)>,
}

impl<'n> LexiconThrough<'n> {
    /// For words that have these bytes in them, one behind another; all words where there are none.
    pub fn new(part: &'n [u8]) -> Self {
        let mut continues = [false; 256];
        for byte in part.iter().skip(1) {
            if let Some(continues) = continues.get_mut(usize::from(*byte)) {
                *continues = true;
            }
        }
        Self {
            part,
            finder: Finder::new(part),
            continues,
            block: Block::default(),
            key: Vec::new(),
            wanted: Vec::new(),
        }
    }

    /// Calls `visit` with the entries of the words of a namespace that have the part in them and whose
    /// keys are wanted, in order, from the stored bytes of a page. Of truncated terms as
    /// [`LexiconPage::scan_wanted`] does, but that identifiers beside each other may be asked for all at once, by a
    /// key of no word.
    ///
    /// # Errors
    /// When they are not what was written, as far as that is seen.
    pub fn stored_page(
        &mut self,
        entry: &PageEntry,
        stored: &[u8],
        namespace: u8,
        is_wanted: &mut dyn FnMut(KnownKey<'_>) -> Option<bool>,
        visit: &mut dyn FnMut(TermEntry, bool),
    ) -> Result<(), Corrupt> {
        let raw = open("lexicon page", entry, stored)?;
        self.raw_page(&raw, namespace, is_wanted, visit)
    }

    /// The same, of a page that was decoded.
    ///
    /// # Errors
    /// None, as it was checked.
    pub fn page(
        &mut self,
        page: &LexiconPage,
        namespace: u8,
        is_wanted: &mut dyn FnMut(KnownKey<'_>) -> Option<bool>,
        visit: &mut dyn FnMut(TermEntry, bool),
    ) -> Result<(), Corrupt> {
        self.raw_page(&page.raw, namespace, is_wanted, visit)
    }

    fn raw_page(
        &mut self,
        raw: &[u8],
        namespace: u8,
        is_wanted: &mut dyn FnMut(KnownKey<'_>) -> Option<bool>,
        visit: &mut dyn FnMut(TermEntry, bool),
    ) -> Result<(), Corrupt> {
        let mut reader = Reader::new("lexicon page", raw);
        let (has_cuts, segment_rows) = decode_start(&mut reader)?;
        let (mut kin, mut value) = (None, 0);
        while !reader.rest().is_empty() {
            let (mut from, mut kin_before, mut value_before) = (reader.clone(), kin, value);
            let head = Head::decode(&mut reader, has_cuts, &mut kin, &mut value)?;
            let may_hold = self.skip_words(&mut reader, &head, &mut value)?;
            if head.kin.namespace != namespace || !may_hold {
                Block::skip_entries(&mut reader, head.terms, segment_rows)?;
                continue;
            }
            let block = &mut self.block;
            if head.are_cut_numbers() {
                // Their starts decide next to nothing about bytes anywhere in them.
                let none = KnownKey {
                    bytes: &[namespace],
                    left_out: Some(Alphabet::Hexadecimal),
                };
                block.decode_entries_of(&mut reader, head.terms, segment_rows)?;
                let is_wanted = is_wanted(none);
                if is_wanted != Some(false) {
                    let entries = (0..head.terms).filter_map(|at| block.entry(at));
                    entries.for_each(|entry| visit(entry, is_wanted.is_some()));
                }
                continue;
            }
            block.decode_words_of(&mut from, has_cuts, &mut kin_before, &mut value_before)?;
            block.wanted(head.kin, &mut self.key, &mut self.wanted, &mut *is_wanted);
            if self.wanted.is_empty() {
                Block::skip_entries(&mut reader, head.terms, segment_rows)?;
                continue;
            }
            block.decode_entries(&mut reader, segment_rows)?;
            block.visit(&self.wanted, visit);
        }
        Ok(())
    }

    /// Skips the words of a block; whether one of them may have the part in it.
    fn skip_words(
        &self,
        reader: &mut Reader<'_>,
        head: &Head,
        value: &mut u64,
    ) -> Result<bool, Corrupt> {
        if head.kin.class == Class::Word {
            let lens = WordLens::decode(reader, head.terms)?;
            let text = reader.bytes(lens.bytes())?;
            // What is left out of words may have the end of the part, or all of it.
            let may_be_left_out =
                |last: &u8| head.cuts.alphabet().is_some_and(|own| own.has(*last));
            let may_end_behind = self.part.last().is_some_and(may_be_left_out);
            return Ok(may_end_behind || self.may_be_in(&lens, text));
        }
        Block::skip_numbers(reader, head, value)?;
        Ok(head.kin.class.may_start_with(self.part))
    }

    /// Whether a word may have the part in it, of those whose own bytes are these.
    fn may_be_in(&self, lens: &WordLens, text: &[u8]) -> bool {
        if self.finder.find(text).is_some() {
            return true;
        }
        let mut rest = text;
        for (at, len) in lens.own().iter().enumerate() {
            let (own, others) = rest.split_at_checked(*len as usize).unwrap_or((rest, &[]));
            rest = others;
            let first = own.first().map_or(0, |first| usize::from(*first));
            if self.continues.get(first) == Some(&true) && self.ends_in(lens, text, at, own) {
                return true;
            }
        }
        false
    }

    /// Whether the part ends in the own bytes of a word and starts in what it shares with the word before.
    fn ends_in(&self, lens: &WordLens, text: &[u8], at: usize, own: &[u8]) -> bool {
        (1..self.part.len()).any(|cut| {
            let (shared, behind) = self.part.split_at_checked(cut).unwrap_or((self.part, &[]));
            own.starts_with(behind) && lens.shares(text, at, shared)
        })
    }
}
