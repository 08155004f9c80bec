//! Lexicon pages: the keys of the index in order, each with the place of its rows.
//!
//! Words are in blocks by what they are made of ([`class`]), so that numbers take few bits
//! ([`block`]). Where the blocks are is found out when a page is opened; a look-up reads one of them, or
//! less, and what is wrong with it is found out then: to read all words of a page takes ten times as long.
//! Who reads a page for good, and not for an answer, has all of it checked ([`LexiconPage::decode`]).
#![deny(clippy::indexing_slicing)]

mod bigrams;
mod block;
pub(crate) mod class;
mod cursor;
mod cuts;
mod entries;
#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests;
mod through;
mod writer;

use std::ops::Range;

pub(crate) use bigrams::BigramSet;
pub use bigrams::Bigrams;
use bigrams::PageBigrams;
use block::{Block, Head, Kin, Sought};
use class::Class;
pub(crate) use cursor::LexiconCursor;
use cuts::may_be_cut_from;
use model::words::Alphabet;
pub use through::LexiconThrough;
pub(crate) use writer::{LexiconPages, LexiconWriter};

use crate::Corrupt;
use crate::limits::SEGMENT_ROWS_MAX;
use crate::page::{PageEntry, open};
use crate::term::TermEntry;
use crate::wire::Reader;

/// What the lexicon has of the key of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownKey<'a> {
    /// All of it, or what is left of it where it is cut.
    pub bytes: &'a [u8],
    /// What of bytes follow, one at least, that are not in the lexicon; `None` where it is whole.
    pub left_out: Option<Alphabet>,
}

impl KnownKey<'_> {
    /// Whether a key may be this one: it is, where nothing is left out.
    pub(crate) fn may_be(self, key: &[u8]) -> bool {
        match self.left_out {
            Some(left_out) => may_be_cut_from(key, self.bytes, left_out),
            None => key == self.bytes,
        }
    }
}

/// What a look-up has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundTerm {
    /// What the lexicon says of the term.
    pub entry: TermEntry,
    /// Whether its key is cut: then it is another one, or that which was looked up, and no other is.
    pub is_cut: bool,
}

/// A decoded lexicon page.
#[derive(Clone, Debug)]
pub struct LexiconPage {
    raw: Vec<u8>,
    /// Whether words of it may be cut.
    has_cuts: bool,
    /// The blocks, in order.
    blocks: Vec<Place>,
    segment_rows: u32,
}

/// Where a block is.
#[derive(Clone, Copy, Debug)]
struct Place {
    kin: Kin,
    /// Offset of the block.
    start: usize,
    first: First,
}

/// The first word of a block.
#[derive(Clone, Copy, Debug)]
enum First {
    /// Where it stands.
    Word { start: usize, len: usize },
    /// The value of its digits that 64 bits hold, and that of the block before.
    Number { value: u64, before: u64 },
}

impl Place {
    /// The value of the block before.
    fn before(&self) -> u64 {
        match self.first {
            First::Number { before, .. } => before,
            First::Word { .. } => 0,
        }
    }
}

impl LexiconPage {
    /// Opens a page and checks all of it.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let page = Self::open(entry, stored)?;
        let (mut block, mut last) = (Block::default(), (Vec::new(), None));
        for number in 0..page.blocks.len() {
            if let Some(kin) = page.read(number, &mut block, true)? {
                check_order(&block, kin, &mut last)?;
            }
        }
        Ok(page)
    }

    /// Opens a page: finds its blocks.
    ///
    /// # Errors
    /// When the bytes are not what was written, as far as that is seen.
    pub fn open(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("lexicon page", entry, stored)?.into_owned();
        let mut reader = Reader::new("lexicon page", &raw);
        let (has_cuts, segment_rows) = decode_start(&mut reader)?;
        let mut blocks: Vec<Place> = Vec::new();
        let (mut kin, mut value) = (None, 0);
        let mut terms = 0;
        while !reader.rest().is_empty() {
            let start = raw.len() - reader.rest().len();
            let mut before = value;
            let head = Head::decode(&mut reader, has_cuts, &mut kin, &mut value)?;
            if blocks.last().is_none_or(|last| last.kin != head.kin) {
                before = 0;
            }
            let first = match head.kin.class {
                Class::Word => {
                    let (left, len) = Block::skip_words(&mut reader, head.terms)?;
                    let start = raw.len() - left;
                    First::Word { start, len }
                }
                Class::Decimal(_) | Class::Hexadecimal(_) => {
                    Block::skip_numbers(&mut reader, &head, &mut value)?;
                    First::Number { value, before }
                }
            };
            Block::skip_entries(&mut reader, head.terms, segment_rows)?;
            terms += head.terms;
            blocks.push(Place {
                kin: head.kin,
                start,
                first,
            });
        }
        if terms != entry.rows as usize {
            return Err(invalid("terms of a lexicon page", terms as u64));
        }
        Ok(Self {
            raw,
            has_cuts,
            blocks,
            segment_rows,
        })
    }

    /// The entry of a key, or of the only cut one that may be it.
    ///
    /// # Errors
    /// When a block that is read is not what was written, as far as that is seen.
    pub fn find(&self, key: &[u8]) -> Result<Option<FoundTerm>, Corrupt> {
        let Some((namespace, word)) = key.split_first() else {
            return Ok(None);
        };
        let kin = Kin {
            namespace: *namespace,
            class: Class::of(word),
        };
        let blocks = self.blocks_of(kin);
        let first = self.first_block(&blocks, word);
        let places = self.blocks.get(first..blocks.end).unwrap_or(&[]);
        for place in places {
            let mut reader = self.reader_at(place);
            let (from, rows) = ((kin, place.before()), self.segment_rows);
            match block::seek(&mut reader, self.has_cuts, from, word, rows)? {
                Sought::Found(entry, is_cut) => return Ok(Some(FoundTerm { entry, is_cut })),
                Sought::Missing => return Ok(None),
                Sought::Behind => {}
            }
        }
        Ok(None)
    }

    /// Calls `visit` with every key of the page that starts with `prefix`, or may, where it is cut, and its entry,
    /// until it says false. Words are in order, numbers of each length in their own behind them. Returns
    /// whether it never did.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn scan(
        &self,
        prefix: &[u8],
        visit: &mut dyn FnMut(KnownKey<'_>, TermEntry) -> bool,
    ) -> Result<bool, Corrupt> {
        let (mut block, mut key) = (Block::default(), Vec::new());
        let word = prefix.get(1..).unwrap_or(&[]);
        for blocks in self.runs_with(prefix, b"") {
            for number in self.first_block(&blocks, word)..blocks.end {
                let Some(kin) = self.read(number, &mut block, true)? else {
                    continue;
                };
                for (at, known, entry) in block.terms() {
                    let left_out = block.left_out(at);
                    if !may_start_with((known, left_out), word) {
                        continue;
                    }
                    kin.key_into(known, &mut key);
                    let bytes = &key;
                    if !visit(KnownKey { bytes, left_out }, entry) {
                        return Ok(false);
                    }
                }
                if block.is_behind(word) {
                    break;
                }
            }
        }
        Ok(true)
    }

    /// The same for those of them that are wanted, whose words hold all bytes of `letters`. Of others
    /// mostly no entry is read, of numbers which cannot hold them nothing. `is_wanted` says nothing where the
    /// part of a truncated term that is not known decides; `visit` is told whether a term is wanted for sure.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn scan_wanted(
        &self,
        prefix: &[u8],
        letters: &[u8],
        mut is_wanted: impl FnMut(KnownKey<'_>) -> Option<bool>,
        visit: &mut dyn FnMut(TermEntry, bool),
    ) -> Result<(), Corrupt> {
        let (mut block, mut key, mut wanted) = (Block::default(), Vec::new(), Vec::new());
        let word = prefix.get(1..).unwrap_or(&[]);
        for blocks in self.runs_with(prefix, letters) {
            for number in self.first_block(&blocks, word)..blocks.end {
                let Some(kin) = self.read(number, &mut block, false)? else {
                    continue;
                };
                block.wanted(kin, &mut key, &mut wanted, |known| {
                    let own = known.bytes.get(1..).unwrap_or(&[]);
                    match may_start_with((own, known.left_out), word) {
                        true => is_wanted(known),
                        false => Some(false),
                    }
                });
                let is_behind = block.is_behind(word);
                if !wanted.is_empty() {
                    self.read(number, &mut block, true)?;
                    block.visit(&wanted, visit);
                }
                if is_behind {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The pairs of bytes of its words; `None` where they are numbers alone.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub(crate) fn bigrams(&self) -> Result<Option<BigramSet>, Corrupt> {
        let (mut block, mut found) = (Block::default(), PageBigrams::new());
        for number in 0..self.blocks.len() {
            if let Some(kin) = self.read(number, &mut block, false)? {
                (0..block.len())
                    .for_each(|at| found.add(kin.class, block.word(at), block.left_out(at)));
            }
        }
        Ok(found.take())
    }

    /// Memory the page takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.raw.capacity() + self.blocks.capacity() * size_of::<Place>()
    }

    /// The blocks of a namespace and class.
    fn blocks_of(&self, kin: Kin) -> Range<usize> {
        let order = |kin: Kin| (kin.namespace, kin.class.byte());
        let before = |place: &Place| order(place.kin) < order(kin);
        let start = self.blocks.partition_point(before);
        let own = self.blocks.get(start..).unwrap_or(&[]);
        start..start + own.partition_point(|place| place.kin == kin)
    }

    /// The first of some blocks that can have words which start with these bytes.
    fn first_block(&self, blocks: &Range<usize>, word: &[u8]) -> usize {
        let own = self.blocks.get(blocks.clone()).unwrap_or(&[]);
        let behind = own.partition_point(|place| match place.first {
            First::Word { start, len } => self.raw.get(start..start + len) < Some(word),
            First::Number { value, .. } => value < place.kin.class.least_with(word),
        });
        blocks.start + behind.saturating_sub(1)
    }

    /// The blocks of each namespace and class that can have keys which start with `prefix` and words
    /// which hold `letters`.
    fn runs_with(&self, prefix: &[u8], letters: &[u8]) -> Vec<Range<usize>> {
        let (namespace, word) = match prefix.split_first() {
            Some((namespace, word)) => (Some(*namespace), word),
            None => (None, prefix),
        };
        let mut found = Vec::new();
        let mut next = 0;
        while let Some(Place { kin, .. }) = self.blocks.get(next) {
            let blocks = self.blocks_of(*kin);
            next = blocks.end.max(next + 1);
            if namespace.is_none_or(|wanted| wanted == kin.namespace)
                && kin.class.may_start_with(word)
                && kin.class.may_start_with(letters)
            {
                found.push(blocks);
            }
        }
        found
    }

    /// Opens a block, or only its words.
    fn read(
        &self,
        number: usize,
        block: &mut Block,
        with_entries: bool,
    ) -> Result<Option<Kin>, Corrupt> {
        block.clear();
        let Some(place) = self.blocks.get(number) else {
            return Ok(None);
        };
        let mut reader = self.reader_at(place);
        let (mut kin, mut value) = (Some(place.kin), place.before());
        let own = block.decode_words_of(&mut reader, self.has_cuts, &mut kin, &mut value)?;
        if with_entries {
            block.decode_entries(&mut reader, self.segment_rows)?;
        }
        Ok(Some(own))
    }

    fn reader_at(&self, place: &Place) -> Reader<'_> {
        let rest = self.raw.get(place.start..).unwrap_or(&[]);
        Reader::new("lexicon page", rest)
    }
}

/// Reads what a page starts with: whether words of it may be cut, and how many rows the segment has.
fn decode_start(reader: &mut Reader<'_>) -> Result<(bool, u32), Corrupt> {
    let mut rows = || reader.count("number of rows", SEGMENT_ROWS_MAX as usize);
    // A segment without rows has no terms.
    Ok(match rows()? {
        0 => (true, rows()? as u32),
        rows => (false, rows as u32),
    })
}

/// Whether a word starts with some bytes, or may, where it is cut and this is what is left of it.
fn may_start_with((known, left_out): (&[u8], Option<Alphabet>), start: &[u8]) -> bool {
    known.starts_with(start)
        || left_out.is_some_and(|left_out| may_be_cut_from(start, known, left_out))
}

/// Checks that the words of a block are of its class and in order behind the last ordered key of the block before,
/// which may be cut, and that what is left of a cut one tells it from the next. The last key is replaced.
fn check_order(
    block: &Block,
    kin: Kin,
    last: &mut (Vec<u8>, Option<Alphabet>),
) -> Result<(), Corrupt> {
    let out_of_order = |word: &[u8]| invalid("order of a lexicon page", word.len() as u64);
    let is_behind = |word: &[u8], (before, left_out): (&[u8], Option<Alphabet>)| {
        before < word && !left_out.is_some_and(|left_out| may_be_cut_from(word, before, left_out))
    };
    let mut before: Option<(&[u8], Option<Alphabet>)> = None;
    for at in 0..block.len() {
        let (word, left_out) = (block.word(at), block.left_out(at));
        let is_of_class = match left_out {
            Some(_) => kin.class.may_start_with(word),
            None => Class::of(word) == kin.class,
        };
        if !is_of_class {
            return Err(invalid("class of a word", word.len() as u64));
        }
        if before.is_some_and(|before| !is_behind(word, before)) {
            return Err(out_of_order(word));
        }
        before = Some((word, left_out));
    }
    let key = |word: &[u8]| [&[kin.namespace, kin.class.byte()], word].concat();
    let first = key(block.word(0));
    if !last.0.is_empty() && !is_behind(&first, (&last.0, last.1)) {
        return Err(out_of_order(&first));
    }
    let (word, left_out) = before.unwrap_or_default();
    *last = (key(word), left_out);
    Ok(())
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
