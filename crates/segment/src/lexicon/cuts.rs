//! Words of which a block keeps the start alone, as much of it as tells them from all others of their class.
//!
//! An identifier stands in a column as well, whole: twice is too much for what is looked up once a year, if
//! ever. What is left out are hexadecimal digits, so that a word with anything else is known to be none of
//! these. Who has to know whether a word is the one that was cut looks at a row that has it.
//!
//! ```text
//! cuts = number of words that are cut (u8); if neither none nor all are: one bit a term, set for those;
//!        of numbers, if some are: how many digits are left of each (u8)
//! ```
#![deny(clippy::indexing_slicing)]

use super::block::common_prefix_len;
use super::class::{Class, is_hexadecimal};
use crate::Corrupt;
use crate::limits::{
    LEXICON_BLOCK_TERMS, LEXICON_CUT_BYTES_MIN, LEXICON_CUT_DIGITS_MIN, LEXICON_CUT_MORE_BYTES,
};
use crate::wire::Reader;

const _: () = assert!(LEXICON_BLOCK_TERMS <= u64::BITS as usize);

/// Which words of a block are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cuts {
    /// Bit *i* for term *i*.
    marks: u64,
    /// Digits that are left of numbers; 0 where none is cut.
    digits: usize,
}

impl Cuts {
    /// Reads those of a block of so many terms.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        class: Class,
        terms: usize,
    ) -> Result<Self, Corrupt> {
        let count = usize::from(reader.byte()?);
        if count == 0 {
            return Ok(Self::default());
        }
        let mut marks = first_bits(terms);
        if count < terms {
            let stored = reader.bytes(terms.div_ceil(8))?.iter().rev();
            let stored = stored.fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
            let behind = stored & !marks;
            marks = if behind == 0 { stored } else { 0 };
        }
        if marks.count_ones() as usize != count {
            return Err(invalid("cut words of a lexicon block", count as u64));
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
        Ok(Self { marks, digits })
    }

    /// Appends those of a block of so many terms.
    pub(super) fn encode(self, terms: usize, out: &mut Vec<u8>) {
        let count = self.count();
        out.push(count as u8);
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

    /// How words of a class are cut which follow each other, between one before them and one behind them, and how
    /// many bytes are left of each. `may_cut` has a bit for each that may be cut.
    pub(super) fn of(class: Class, words: &[&[u8]], may_cut: u64) -> (Self, Vec<usize>) {
        let all = words.windows(2).map(|pair| match pair {
            [one, next] => common_prefix_len(one, next),
            _ => 0,
        });
        let shared: Vec<usize> = all.collect();
        let own = words.get(1..words.len().saturating_sub(1)).unwrap_or(&[]);
        let mut lens: Vec<usize> = own.iter().map(|word| word.len()).collect();
        let digits = match class {
            Class::Word => 0,
            Class::Decimal(len) | Class::Hexadecimal(len) => {
                let apart = shared.iter().max().map_or(1, |shared| shared + 1);
                let digits = apart.max(LEXICON_CUT_DIGITS_MIN);
                if digits > class.head_digits() || digits + LEXICON_CUT_BYTES_MIN > len {
                    return (Self::default(), lens);
                }
                digits
            }
        };
        let mut marks = 0;
        for ((at, len), shared) in lens.iter_mut().enumerate().zip(shared.windows(2)) {
            let left = match class {
                Class::Word => {
                    shared.iter().max().copied().unwrap_or(0) + 1 + LEXICON_CUT_MORE_BYTES
                }
                Class::Decimal(_) | Class::Hexadecimal(_) => digits,
            };
            let tail = own.get(at).and_then(|word| word.get(left..)).unwrap_or(&[]);
            if may_cut >> at & 1 == 1 && is_worth_it(class, tail) {
                marks |= 1 << at;
                *len = left;
            }
        }
        match marks {
            0 => (Self::default(), lens),
            marks => (Self { marks, digits }, lens),
        }
    }
}

/// Whether to leave out the end of a word. Not that of `unnamed`, which is no identifier.
fn is_worth_it(class: Class, tail: &[u8]) -> bool {
    tail.len() >= LEXICON_CUT_BYTES_MIN
        && tail.iter().all(is_hexadecimal)
        && (class != Class::Word || tail.iter().any(u8::is_ascii_digit))
}

/// So many bits, from the lowest on.
fn first_bits(count: usize) -> u64 {
    match count {
        LEXICON_BLOCK_TERMS => u64::MAX,
        count => (1 << count) - 1,
    }
}

/// Whether a word may be one of which this start is left.
pub(crate) fn may_be_cut_from(word: &[u8], start: &[u8]) -> bool {
    let tail = word.strip_prefix(start);
    tail.is_some_and(|tail| !tail.is_empty() && tail.iter().all(is_hexadecimal))
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
