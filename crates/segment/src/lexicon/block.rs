//! A block of the lexicon: up to [`LEXICON_BLOCK_TERMS`] terms of one namespace and class, in order.
//!
//! ```text
//! block = number of terms (u8), its top bit set where namespace or class are not those of the block
//!         before: then namespace (u8) and class (u8); words; entries
//! words of letters  = for each term: how many bytes it shares with the one before, how many follow;
//!                     then the bytes that follow, of all terms
//! words of numbers  = the first value, less that of the block's predecessor; in packed bits the
//!                     distances; behind 16 hexadecimal digits the further ones, two in a byte
//! ```
#![deny(clippy::indexing_slicing)]

use std::cmp::Ordering;

use super::class::{Class, HEAD_DIGITS, digit_of};
use super::entries;
use crate::Corrupt;
use crate::columns::series;
use crate::limits::{LEXICON_BLOCK_TERMS, LEXICON_BLOCK_WORD_BYTES};
use crate::term::TermEntry;
use crate::wire::{Reader, put_varint};

/// Marks the first byte of a block where namespace and class follow.
const IS_OTHER: u8 = 0x80;

/// What the words of a block have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kin {
    pub(super) namespace: u8,
    pub(super) class: Class,
}

impl Kin {
    /// Replaces `key` by that of a word.
    pub(super) fn key_into(self, word: &[u8], key: &mut Vec<u8>) {
        key.clear();
        key.push(self.namespace);
        key.extend_from_slice(word);
    }
}

/// How long the words of a block are.
pub(super) struct WordLens {
    terms: usize,
    /// How many bytes each shares with the one before.
    shared: [u32; LEXICON_BLOCK_TERMS],
    /// How many of its own follow.
    own: [u32; LEXICON_BLOCK_TERMS],
}

impl WordLens {
    pub(super) fn decode(reader: &mut Reader<'_>, terms: usize) -> Result<Self, Corrupt> {
        let mut lens = Self {
            terms,
            shared: [0; LEXICON_BLOCK_TERMS],
            own: [0; LEXICON_BLOCK_TERMS],
        };
        let (shared, own) = (lens.shared.iter_mut(), lens.own.iter_mut());
        if let Some(short) = ShortLens::read(reader, terms)? {
            widen(short.shared, shared);
            widen(short.own, own);
            return Ok(lens);
        }
        for shared in shared.take(terms) {
            *shared = reader.count("shared bytes of a key", u32::MAX as usize)? as u32;
        }
        for len in own.take(terms) {
            *len = reader.count("length of a key", reader.rest().len())? as u32;
        }
        Ok(lens)
    }

    /// How many bytes each word shares with the one before, and how many of its own it has.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, usize)> {
        let each = self.shared.iter().zip(&self.own).take(self.terms);
        each.map(|(shared, own)| (*shared as usize, *own as usize))
    }

    /// How many bytes each word has of its own.
    pub(super) fn own(&self) -> &[u32] {
        self.own.get(..self.terms).unwrap_or(&self.own)
    }

    /// How many bytes they have of their own.
    pub(super) fn bytes(&self) -> usize {
        let own = self.own().iter();
        own.fold(0, |sum, own| sum.saturating_add(*own as usize))
    }

    /// Whether what a word shares with the one before ends with these bytes; `text` has all own bytes.
    pub(super) fn shares(&self, text: &[u8], word: usize, end: &[u8]) -> bool {
        let len_of = |lens: &[u32], at: usize| lens.get(at).map_or(0, |len| *len as usize);
        let (mut end, mut len) = (end, len_of(&self.shared, word));
        let mut start: usize = self.each().take(word).map(|(_, own)| own).sum();
        for before in (0..word).rev() {
            start -= len_of(&self.own, before);
            let shared = len_of(&self.shared, before);
            if len <= shared {
                continue;
            }
            // So many of its own bytes are among the shared ones.
            let own = text.get(start..start + len - shared).unwrap_or(&[]);
            let (rest, last) = end.split_at(end.len() - end.len().min(own.len()));
            if !own.ends_with(last) {
                return false;
            }
            if rest.is_empty() {
                return true;
            }
            (end, len) = (rest, shared);
        }
        false
    }

    /// Goes past lengths: those of the first word and of all words.
    fn skip(reader: &mut Reader<'_>, terms: usize) -> Result<(usize, usize), Corrupt> {
        if let Some(ShortLens { own, .. }) = ShortLens::read(reader, terms)? {
            let all: u32 = own.iter().map(|len| u32::from(*len)).sum();
            return Ok((usize::from(own.first().copied().unwrap_or(0)), all as usize));
        }
        let lens = Self::decode(reader, terms)?;
        let first = lens.each().next().map_or(0, |(_, own)| own);
        Ok((first, lens.bytes()))
    }
}

/// The lengths of words, what they share and what is their own, where each takes one byte.
struct ShortLens<'a> {
    shared: &'a [u8],
    own: &'a [u8],
}

impl<'a> ShortLens<'a> {
    /// Reads those of so many words, as they are almost everywhere; `None`, and nothing is read, elsewhere.
    fn read(reader: &mut Reader<'a>, terms: usize) -> Result<Option<Self>, Corrupt> {
        let mut ahead = reader.clone();
        let lens = ahead.bytes(2 * terms)?;
        if lens.iter().fold(0, |all, len| all | len) & 0x80 != 0 {
            return Ok(None);
        }
        *reader = ahead;
        let (shared, own) = lens.split_at(terms);
        Ok(Some(Self { shared, own }))
    }
}

fn widen<'l>(lens: &[u8], out: impl Iterator<Item = &'l mut u32>) {
    for (out, len) in out.zip(lens) {
        *out = u32::from(*len);
    }
}

/// What looking for a word in a block has led to.
pub(super) enum Sought {
    /// Its entry.
    Found(TermEntry),
    /// All words of the block are before it.
    Behind,
    /// A word of the block is behind it, none is it.
    Missing,
}

/// Where a word is in a block.
enum Place {
    At(usize),
    Behind,
    Missing,
}

impl Place {
    /// Where the word is next to that of this number, which compares so with it; `None` where it may be
    /// behind.
    fn beside(at: usize, order: Ordering) -> Option<Self> {
        match order {
            Ordering::Less => None,
            Ordering::Equal => Some(Self::At(at)),
            Ordering::Greater => Some(Self::Missing),
        }
    }
}

/// Looks for a word in the next block, whose predecessor is of this kin and starts with this value, without
/// putting its words together: what has no more than that to say of a word is not read.
pub(super) fn seek(
    reader: &mut Reader<'_>,
    kin: Kin,
    before: u64,
    word: &[u8],
    segment_rows: u32,
) -> Result<Sought, Corrupt> {
    let (mut kin, mut value) = (Some(kin), before);
    let terms = Block::decode_head(reader, &mut kin, &mut value)?;
    let class = kin.map_or(Class::Word, |kin| kin.class);
    let place = match class {
        Class::Word => seek_word(reader, terms, word)?,
        Class::Decimal(_) | Class::Hexadecimal(_) => {
            seek_number(reader, terms, class, value, word)?
        }
    };
    match place {
        Place::At(at) => entries::find(reader, terms, at, segment_rows).map(Sought::Found),
        Place::Behind => Ok(Sought::Behind),
        Place::Missing => Ok(Sought::Missing),
    }
}

/// A word that shares more with the one before than that does with the wanted one is on the same side of it.
fn seek_word(reader: &mut Reader<'_>, terms: usize, word: &[u8]) -> Result<Place, Corrupt> {
    let lens = WordLens::decode(reader, terms)?;
    let mut text = reader.bytes(lens.bytes())?;
    // Bytes that the word before has in common with the wanted one, and how many it has.
    let (mut same, mut len) = (0, 0);
    for (at, (shared, own_len)) in lens.each().enumerate() {
        let (own, rest) = text.split_at_checked(own_len).unwrap_or((text, &[]));
        text = rest;
        if shared > len {
            return Err(invalid("shared bytes of a key", shared as u64));
        }
        len = shared + own_len;
        if shared > same {
            continue;
        }
        let wanted = word.get(shared..).unwrap_or(&[]);
        if let Some(place) = Place::beside(at, own.cmp(wanted)) {
            return Ok(place);
        }
        same = shared + common_prefix_len(own, wanted);
    }
    Ok(Place::Behind)
}

fn seek_number(
    reader: &mut Reader<'_>,
    terms: usize,
    class: Class,
    before: u64,
    word: &[u8],
) -> Result<Place, Corrupt> {
    let mut head = checked_sum(before, reader.varint()?)?;
    let steps = match terms {
        1 => None,
        _ => Some(series::Bits::read(reader, terms - 1)?),
    };
    let rest_len = match class {
        Class::Hexadecimal(len) => len.saturating_sub(HEAD_DIGITS).div_ceil(2),
        _ => 0,
    };
    let mut rests = reader.bytes(terms * rest_len)?;
    let wanted = class.least_with(word);
    let mut wanted_rest = Vec::new();
    if rest_len > 0 {
        put_rest(word, &mut wanted_rest);
    }
    for at in 0..terms {
        if let (Some(steps), Some(before)) = (&steps, at.checked_sub(1)) {
            head = checked_sum(head, steps.get(before))?;
        }
        let (rest, others) = rests.split_at_checked(rest_len).unwrap_or((rests, &[]));
        rests = others;
        let order = head.cmp(&wanted).then_with(|| rest.cmp(&wanted_rest));
        if let Some(place) = Place::beside(at, order) {
            return Ok(place);
        }
    }
    Ok(Place::Behind)
}

/// Appends the hexadecimal digits of a word behind those that 64 bits hold, two in a byte.
fn put_rest(word: &[u8], out: &mut Vec<u8>) {
    let rest = word.get(HEAD_DIGITS..).unwrap_or(&[]);
    for pair in rest.chunks(2) {
        let digit = |at: usize| pair.get(at).map_or(0, |byte| digit_of(*byte) as u8);
        out.push(digit(0) << 4 | digit(1));
    }
}

/// Terms, opened or to be written. It only holds buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// The words, one behind another.
    words: Vec<u8>,
    /// For each word its end.
    ends: Vec<usize>,
    entries: Vec<TermEntry>,
}

impl Block {
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.entries.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn push(&mut self, word: &[u8], entry: TermEntry) {
        self.push_word(&[word]);
        self.entries.push(entry);
    }

    /// Whether no further term belongs to it.
    pub(super) fn is_full(&self) -> bool {
        self.len() == LEXICON_BLOCK_TERMS || self.words.len() >= LEXICON_BLOCK_WORD_BYTES
    }

    /// A word by its place; empty behind the last.
    pub(super) fn word(&self, at: usize) -> &[u8] {
        let end_of = |at: usize| self.ends.get(at).copied();
        let start = at.checked_sub(1).and_then(end_of).unwrap_or(0);
        let end = end_of(at).unwrap_or(start);
        self.words.get(start..end).unwrap_or(&[])
    }

    /// A word and its entry by their place.
    pub(super) fn term(&self, at: usize) -> Option<(&[u8], TermEntry)> {
        Some((self.word(at), *self.entries.get(at)?))
    }

    /// The words and their entries.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&[u8], TermEntry)> {
        let entries = self.entries.iter().copied().enumerate();
        entries.map(|(at, entry)| (self.word(at), entry))
    }

    fn push_word(&mut self, pieces: &[&[u8]]) {
        for piece in pieces {
            self.words.extend_from_slice(piece);
        }
        self.ends.push(self.words.len());
    }

    /// Appends the block; `before` is what the block before is of, `value` its first value, and is
    /// replaced by that of this block.
    pub(super) fn encode(&self, kin: Kin, before: Option<Kin>, value: &mut u64, out: &mut Vec<u8>) {
        if before == Some(kin) {
            out.push(self.len() as u8);
        } else {
            out.extend_from_slice(&[self.len() as u8 | IS_OTHER, kin.namespace, kin.class.byte()]);
            *value = 0;
        }
        match kin.class {
            Class::Word => self.encode_words(out),
            Class::Decimal(_) | Class::Hexadecimal(_) => {
                self.encode_numbers(kin.class, value, out);
            }
        }
        entries::encode(&self.entries, out);
    }

    fn encode_words(&self, out: &mut Vec<u8>) {
        let words = || (0..self.len()).map(|at| self.word(at));
        let mut last: &[u8] = &[];
        let mut shared = Vec::with_capacity(self.len());
        for word in words() {
            shared.push(common_prefix_len(last, word));
            put_varint(shared.last().map_or(0, |len| *len as u64), out);
            last = word;
        }
        for (word, shared) in words().zip(&shared) {
            put_varint((word.len() - shared) as u64, out);
        }
        for (word, shared) in words().zip(&shared) {
            out.extend_from_slice(word.get(*shared..).unwrap_or(&[]));
        }
    }

    fn encode_numbers(&self, class: Class, value: &mut u64, out: &mut Vec<u8>) {
        let mut last = std::mem::replace(value, class.least_with(self.word(0)));
        let mut steps = Vec::with_capacity(self.len());
        for at in 0..self.len() {
            let head = class.least_with(self.word(at));
            steps.push(head - last);
            last = head;
        }
        if let Some((first, steps)) = steps.split_first() {
            put_varint(*first, out);
            if !steps.is_empty() {
                series::encode_bits(steps, out);
            }
        }
        if let Class::Hexadecimal(_) = class {
            (0..self.len()).for_each(|at| put_rest(self.word(at), out));
        }
    }

    /// Whether its last word is behind all that start with these bytes.
    pub(super) fn is_behind(&self, start: &[u8]) -> bool {
        let last = self.word(self.len().saturating_sub(1));
        last > start && !last.starts_with(start)
    }

    /// Replaces the words by those of the next block; `kin` and `value` are those of the block before
    /// and become its own. Words are not checked to be in order, nor to be of their class.
    pub(super) fn decode_words_of(
        &mut self,
        reader: &mut Reader<'_>,
        kin: &mut Option<Kin>,
        value: &mut u64,
    ) -> Result<(), Corrupt> {
        self.clear();
        let terms = Self::decode_head(reader, kin, value)?;
        let Some(Kin { class, .. }) = *kin else {
            return Err(invalid("first lexicon block", terms as u64));
        };
        match class {
            Class::Word => self.decode_words(reader, terms),
            Class::Decimal(len) => self.decode_numbers::<10>(reader, terms, len, value),
            Class::Hexadecimal(len) => self.decode_numbers::<16>(reader, terms, len, value),
        }
    }

    /// Reads what a block starts with: how many terms it has. `kin` and `value` become its own where they
    /// are not those of the block before.
    pub(super) fn decode_head(
        reader: &mut Reader<'_>,
        kin: &mut Option<Kin>,
        value: &mut u64,
    ) -> Result<usize, Corrupt> {
        let head = reader.byte()?;
        let terms = usize::from(head & !IS_OTHER);
        if terms == 0 || terms > LEXICON_BLOCK_TERMS {
            return Err(invalid("terms of a lexicon block", u64::from(head)));
        }
        if head & IS_OTHER != 0 {
            let namespace = reader.byte()?;
            let class = Class::from_byte(reader.byte()?)?;
            *kin = Some(Kin { namespace, class });
            *value = 0;
        }
        Ok(terms)
    }

    /// Skips the words of a block of letters: how many bytes of the page are left from the first one on,
    /// which is written whole, and how many it has.
    pub(super) fn skip_words(
        reader: &mut Reader<'_>,
        terms: usize,
    ) -> Result<(usize, usize), Corrupt> {
        let (first, all) = WordLens::skip(reader, terms)?;
        let left = reader.rest().len();
        reader.bytes(all)?;
        Ok((left, first))
    }

    /// Skips the words of a block of numbers; `value` is the first one of the block before and becomes its
    /// own.
    pub(super) fn skip_numbers(
        reader: &mut Reader<'_>,
        class: Class,
        terms: usize,
        value: &mut u64,
    ) -> Result<(), Corrupt> {
        *value = checked_sum(*value, reader.varint()?)?;
        if terms > 1 {
            series::skip_bits(reader, terms - 1)?;
        }
        if let Class::Hexadecimal(len) = class {
            let rest_len = len.saturating_sub(HEAD_DIGITS).div_ceil(2);
            reader.bytes(terms * rest_len)?;
        }
        Ok(())
    }

    /// Skips the entries of so many words.
    pub(super) fn skip_entries(
        reader: &mut Reader<'_>,
        terms: usize,
        segment_rows: u32,
    ) -> Result<(), Corrupt> {
        entries::skip(reader, terms, segment_rows)
    }

    /// Reads the entries of the words that were read before.
    pub(super) fn decode_entries(
        &mut self,
        reader: &mut Reader<'_>,
        segment_rows: u32,
    ) -> Result<(), Corrupt> {
        entries::decode(reader, self.len(), segment_rows, &mut self.entries)
    }

    fn decode_words(&mut self, reader: &mut Reader<'_>, terms: usize) -> Result<(), Corrupt> {
        let lens = WordLens::decode(reader, terms)?;
        let mut start = 0;
        for (shared, len) in lens.each() {
            let last = start..self.words.len();
            // Words that share much would take more memory than the page by far.
            if last.end >= LEXICON_BLOCK_WORD_BYTES {
                return Err(invalid("bytes of a lexicon block", last.end as u64));
            }
            let Some(end) = start.checked_add(shared).filter(|end| *end <= last.end) else {
                return Err(invalid("shared bytes of a key", shared as u64));
            };
            start = last.end;
            let rest = reader.bytes(len)?;
            self.words.extend_from_within(last.start..end);
            self.push_word(&[rest]);
        }
        Ok(())
    }

    fn decode_numbers<const RADIX: u64>(
        &mut self,
        reader: &mut Reader<'_>,
        terms: usize,
        len: usize,
        value: &mut u64,
    ) -> Result<(), Corrupt> {
        let mut head = checked_sum(*value, reader.varint()?)?;
        *value = head;
        let steps = match terms {
            1 => None,
            _ => Some(series::Bits::read(reader, terms - 1)?),
        };
        let head_len = if RADIX == 16 {
            len.min(HEAD_DIGITS)
        } else {
            len
        };
        let rest_len = (len - head_len).div_ceil(2);
        let rests = reader.bytes(terms * rest_len)?;
        let mut rests = rests.chunks_exact(rest_len.max(1));
        for at in 0..terms {
            if let (Some(steps), Some(before)) = (&steps, at.checked_sub(1)) {
                head = checked_sum(head, steps.get(before))?;
            }
            let start = self.words.len();
            self.words.resize(start + head_len, b'0');
            let digits = self.words.get_mut(start..).unwrap_or_default();
            let left = write_digits::<RADIX>(head, digits);
            if left != 0 {
                return Err(invalid("number of a lexicon block", head));
            }
            for byte in rests.next().unwrap_or(&[]) {
                self.words.push(digit_byte(byte >> 4));
                self.words.push(digit_byte(byte & 15));
            }
            if (len - head_len) % 2 == 1 && self.words.pop() != Some(b'0') {
                return Err(invalid("last digit of a lexicon block", head));
            }
            self.ends.push(self.words.len());
        }
        Ok(())
    }
}

/// A digit of either kind.
fn digit_byte(value: u8) -> u8 {
    match value {
        0..=9 => b'0' + value,
        _ => b'a' - 10 + value,
    }
}

/// Writes a number from its last digit on over zeros; what did not fit.
fn write_digits<const RADIX: u64>(mut value: u64, digits: &mut [u8]) -> u64 {
    for digit in digits.iter_mut().rev() {
        if value == 0 {
            break;
        }
        *digit = digit_byte((value % RADIX) as u8);
        value /= RADIX;
    }
    value
}

fn checked_sum(value: u64, step: u64) -> Result<u64, Corrupt> {
    let sum = value.checked_add(step);
    sum.ok_or(invalid("number of a lexicon block", step))
}

pub(super) fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    let (eights, _) = a.as_chunks::<8>();
    let others = b.as_chunks::<8>().0;
    for (at, (one, other)) in eights.iter().zip(others).enumerate() {
        let differ = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differ != 0 {
            return 8 * at + differ.trailing_zeros() as usize / 8;
        }
    }
    let same = 8 * eights.len().min(others.len());
    let rest = a.iter().zip(b).skip(same);
    same + rest.take_while(|(a, b)| a == b).count()
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
