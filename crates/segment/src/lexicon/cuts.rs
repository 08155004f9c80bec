//! Words of which a block keeps the start alone, as much of it as tells them from all others of their class.
//!
//! An identifier stands in a column as well, whole: twice is too much for what is looked up once a year, if
//! ever. What is left out are hexadecimal digits, so that a word with anything else is known to be none of
//! these; letters as well in a block where most are identifiers with those. Who has to know whether a word is
//! the one that was cut looks at a row that has it.
//!
//! ```text
//! cuts = number of words that are cut (u8), its top bit set where letters are left out; if neither none
//!        nor all are: one bit a term, set for those; of numbers, if some are: how many digits are left of
//!        each (u8)
//! ```
#![deny(clippy::indexing_slicing)]

use model::words::Alphabet;

use super::block::common_prefix_len;
use super::class::Class;
use crate::Corrupt;
use crate::limits::{
    LEXICON_BLOCK_TERMS, LEXICON_CUT_BYTES_MIN, LEXICON_CUT_DIGITS_MIN, LEXICON_CUT_LETTERS_MIN,
    LEXICON_CUT_MORE_BYTES, LEXICON_CUT_MORE_LETTERS,
};
use crate::wire::Reader;

const _: () = assert!(LEXICON_BLOCK_TERMS <= u64::BITS as usize);

/// Marks the number of truncated terms where letters are left out of them.
const IS_OF_LETTERS: u8 = 0x80;

/// Which words of a block are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cuts {
    /// Bit *i* for term *i*.
    marks: u64,
    /// Digits that are left of numbers; 0 where none is cut.
    digits: usize,
    /// What is left out of words.
    alphabet: Alphabet,
}

impl Cuts {
    /// Reads those of a block of so many terms.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        class: Class,
        terms: usize,
    ) -> Result<Self, Corrupt> {
        let head = reader.byte()?;
        if head == 0 {
            return Ok(Self::default());
        }
        let alphabet = match head & IS_OF_LETTERS {
            0 => Alphabet::Hexadecimal,
            _ if class == Class::Word => Alphabet::Letters,
            _ => return Err(invalid("letters of cut numbers", u64::from(head))),
        };
        let count = usize::from(head & !IS_OF_LETTERS);
        let mut marks = first_bits(terms);
        if count < terms {
            let stored = reader.bytes(terms.div_ceil(8))?.iter().rev();
            let stored = stored.fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
            let behind = stored & !marks;
            marks = if behind == 0 { stored } else { 0 };
        }
        if count == 0 || marks.count_ones() as usize != count {
            return Err(invalid("truncated terms of a lexicon block", count as u64));
        }
        let digits = match class {
            Class::Word => 0,
            Class::Decimal(len) | Class::Hexadecimal(len) => {
                let digits = usize::from(reader.byte()?);
                if digits == 0 || digits > class.head_digits() || digits >= len {
                    return Err(invalid("digits of cut numbers", digits as u64));
                }
                digits
            }
        };
        Ok(Self {
            marks,
            digits,
            alphabet,
        })
    }

    /// Appends those of a block of so many terms.
    pub(super) fn encode(self, terms: usize, out: &mut Vec<u8>) {
        let count = self.count();
        out.push(match self.alphabet {
            Alphabet::Hexadecimal => count as u8,
            Alphabet::Letters => count as u8 | IS_OF_LETTERS,
        });
        if count == 0 {
            return;
        }
        if count < terms {
            let marks = self.marks.to_le_bytes();
            out.extend(marks.iter().take(terms.div_ceil(8)));
        }
        if self.digits > 0 {
            out.push(self.digits as u8);
        }
    }

    /// Whether a word is cut.
    pub(super) fn is_cut(self, term: usize) -> bool {
        term < LEXICON_BLOCK_TERMS && self.marks >> term & 1 == 1
    }

    /// What is left out of a word; `None` where it is whole.
    pub(super) fn left_out(self, term: usize) -> Option<Alphabet> {
        self.is_cut(term).then_some(self.alphabet)
    }

    /// What is left out of the words that are cut; `None` where none is.
    pub(super) fn alphabet(self) -> Option<Alphabet> {
        (self.marks != 0).then_some(self.alphabet)
    }

    /// How many words are cut.
    pub(super) fn count(self) -> usize {
        self.marks.count_ones() as usize
    }

    /// How many digits of each number stand in front of all others, together.
    pub(super) fn head_digits(self, class: Class) -> usize {
        match self.digits {
            0 => class.head_digits(),
            digits => digits,
        }
    }
}

/// Words of a class which follow each other, and how they differ from their neighbours.
pub(super) struct Cuttable<'w> {
    class: Class,
    words: &'w [&'w [u8]],
    /// How many bytes the first shares with the word before it, and each with the one behind it.
    shared: Vec<usize>,
    may_cut: u64,
    /// Digits that would be left of numbers; 0 of other words, and where no number is cut.
    digits: usize,
}

impl<'w> Cuttable<'w> {
    /// Words between one before them and one behind them. `may_cut` has a bit for each that may be cut.
    pub(super) fn new(class: Class, words: &'w [&'w [u8]], may_cut: u64) -> Self {
        let pairs = words.windows(2).map(|pair| match pair {
            [one, next] => common_prefix_len(one, next),
            _ => 0,
        });
        let shared: Vec<usize> = pairs.collect();
        let digits = match class {
            Class::Word => 0,
            Class::Decimal(len) | Class::Hexadecimal(len) => {
                let apart = shared.iter().max().map_or(1, |shared| shared + 1);
                let digits = apart.max(LEXICON_CUT_DIGITS_MIN);
                let is_left =
                    digits <= class.head_digits() && digits + LEXICON_CUT_BYTES_MIN <= len;
                if is_left { digits } else { 0 }
            }
        };
        Self {
            class,
            words: words.get(1..words.len().saturating_sub(1)).unwrap_or(&[]),
            shared,
            may_cut,
            digits,
        }
    }

    /// How they are cut if what is left out is of an alphabet.
    pub(super) fn cuts(&self, alphabet: Alphabet) -> Cuts {
        match self.marks(alphabet) {
            0 => Cuts::default(),
            marks => Cuts {
                marks,
                digits: self.digits,
                alphabet,
            },
        }
    }

    /// What is left of a word that is cut so.
    pub(super) fn start(&self, at: usize, cuts: Cuts) -> &'w [u8] {
        let word = self.words.get(at).copied().unwrap_or(&[]);
        let left = cuts.left_out(at).map(|alphabet| self.left(at, alphabet));
        left.and_then(|left| word.get(..left)).unwrap_or(word)
    }

    /// How many bytes are left out of all words.
    pub(super) fn left_out(&self, cuts: Cuts) -> usize {
        let words = self.words.iter().enumerate();
        words
            .map(|(at, word)| word.len() - self.start(at, cuts).len())
            .sum()
    }

    /// A bit for each word that is worth it to be cut, if what is left out is of an alphabet.
    fn marks(&self, alphabet: Alphabet) -> u64 {
        let is_marked = |at: usize| self.may_cut >> at & 1 == 1 && self.is_worth_it(at, alphabet);
        let marked = (0..self.words.len()).filter(|at| is_marked(*at));
        marked.fold(0, |marks, at| marks | 1 << at)
    }

    /// How many bytes would be left of a word.
    fn left(&self, at: usize, alphabet: Alphabet) -> usize {
        if self.class != Class::Word {
            return self.digits;
        }
        let shared = self.shared.get(at..at + 2).unwrap_or(&[]);
        let apart = shared.iter().max().map_or(1, |shared| shared + 1);
        match alphabet {
            Alphabet::Hexadecimal => apart + LEXICON_CUT_MORE_BYTES,
            Alphabet::Letters => apart + LEXICON_CUT_MORE_LETTERS,
        }
    }

    /// Whether to cut a word. Not `unnamed`, which ends in hexadecimal digits and is no identifier.
    fn is_worth_it(&self, at: usize, alphabet: Alphabet) -> bool {
        let word = self.words.get(at).copied().unwrap_or(&[]);
        let tail = word.get(self.left(at, alphabet)..).unwrap_or(&[]);
        let has_digit = |bytes: &[u8]| bytes.iter().any(u8::is_ascii_digit);
        alphabet.has_all(tail)
            && match (self.class, alphabet) {
                (Class::Word, Alphabet::Hexadecimal) => {
                    tail.len() >= LEXICON_CUT_BYTES_MIN && has_digit(tail)
                }
                (Class::Word, Alphabet::Letters) => {
                    tail.len() >= LEXICON_CUT_LETTERS_MIN && has_digit(word)
                }
                (_, Alphabet::Hexadecimal) => self.digits > 0,
                (_, Alphabet::Letters) => false,
            }
    }
}

/// So many bits, from the lowest on.
fn first_bits(count: usize) -> u64 {
    match count {
        LEXICON_BLOCK_TERMS => u64::MAX,
        count => (1 << count) - 1,
    }
}

/// Whether a word may be one of which this start is left.
pub(crate) fn may_be_cut_from(word: &[u8], start: &[u8], left_out: Alphabet) -> bool {
    let tail = word.strip_prefix(start);
    tail.is_some_and(|tail| !tail.is_empty() && left_out.has_all(tail))
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
