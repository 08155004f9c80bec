//! A block of the lexicon: up to [`LEXICON_BLOCK_TERMS`] terms of one namespace and class, in order.
//!
//! ```text
//! block = number of terms (u8), its top bit set where namespace or class are not those of the block
//!         before: then namespace (u8) and class (u8); in pages with truncated terms, which are (cuts.rs);
//!         words; entries
//! words of letters  = for each term: how many bytes it shares with the one before, how many follow;
//!                     then the bytes that follow, of all terms
//! words of numbers  = the first value, less that of the block's predecessor; in packed bits the
//!                     distances; behind 16 hexadecimal digits, or as many as are left of cut numbers,
//!                     the further ones of whole words, two in a byte
//! ```
#![deny(clippy::indexing_slicing)]

use std::cmp::Ordering;

use model::words::Alphabet;

use super::KnownKey;
use super::class::{Class, digit_of};
use super::cuts::{Cuts, Cuttable, may_be_cut_from};
use super::entries;
use crate::Corrupt;
use crate::columns::series;
use crate::limits::{LEXICON_BLOCK_TERMS, LEXICON_BLOCK_WORD_BYTES, LEXICON_TRUNCATED_TERMS_MIN};
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
    /// The word of an ordered key of it; `None` of other keys.
    pub(super) fn word_of(self, ordered: &[u8]) -> Option<&[u8]> {
        ordered.strip_prefix(&[self.namespace, self.class.byte()])
    }

    /// Replaces `key` by that of a word.
    pub(super) fn key_into(self, word: &[u8], key: &mut Vec<u8>) {
        key.clear();
        key.push(self.namespace);
        key.extend_from_slice(word);
    }
}

/// What a block starts with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) kin: Kin,
    pub(super) terms: usize,
    pub(super) cuts: Cuts,
}

impl Head {
    /// Reads that of the next block of a page, where words may be cut or none is. `kin` and `value` are what
    /// the block before is of and its first value; they become its own where it is of something else.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        has_cuts: bool,
        kin: &mut Option<Kin>,
        value: &mut u64,
    ) -> Result<Self, Corrupt> {
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
        let Some(kin) = *kin else {
            return Err(invalid("first lexicon block", terms as u64));
        };
        let cuts = match has_cuts {
            true => Cuts::decode(reader, kin.class, terms)?,
            false => Cuts::default(),
        };
        Ok(Self { kin, terms, cuts })
    }

    /// Whether they are numbers, and all of them are cut.
    pub(super) fn are_cut_numbers(&self) -> bool {
        self.kin.class != Class::Word && self.cuts.count() == self.terms
    }

    /// How its words are written, if they are numbers.
    fn numbers(&self) -> Numbers {
        let Self { kin, terms, cuts } = *self;
        let digits = cuts.head_digits(kin.class);
        let len = match kin.class {
            Class::Word => 0,
            Class::Decimal(len) | Class::Hexadecimal(len) => len,
        };
        Numbers {
            digits,
            unit: kin.class.unit(digits),
            further: len.saturating_sub(digits),
            whole: terms - cuts.count(),
        }
    }
}

/// How the words of a block of numbers are written.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    /// How many digits of each stand together.
    digits: usize,
    /// What the last of them counts.
    unit: u64,
    /// How many more digits a whole word has.
    further: usize,
    /// How many words are whole.
    whole: usize,
}

impl Numbers {
    /// Bytes of the further digits of a whole word.
    fn rest_len(&self) -> usize {
        self.further.div_ceil(2)
    }

    /// The digits that stand together of the first word, given the first value of the block before, which is
    /// replaced by that of this one.
    fn first(&self, reader: &mut Reader<'_>, value: &mut u64) -> Result<u64, Corrupt> {
        let head = checked_sum(*value / self.unit, reader.varint()?)?;
        let first = head.checked_mul(self.unit);
        *value = first.ok_or(invalid("number of a lexicon block", head))?;
        Ok(head)
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
    /// Its entry, and whether that is of a word that is cut, which may be another.
    Found(TermEntry, bool),
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
    has_cuts: bool,
    (kin, before): (Kin, u64),
    word: &[u8],
    segment_rows: u32,
) -> Result<Sought, Corrupt> {
    let (mut kin, mut value) = (Some(kin), before);
    let head = Head::decode(reader, has_cuts, &mut kin, &mut value)?;
    let place = match head.kin.class {
        Class::Word => seek_word(reader, &head, word)?,
        Class::Decimal(_) | Class::Hexadecimal(_) => seek_number(reader, &head, value, word)?,
    };
    match place {
        Place::At(at) => {
            let entry = entries::find(reader, head.terms, at, segment_rows)?;
            Ok(Sought::Found(entry, head.cuts.is_cut(at)))
        }
        Place::Behind => Ok(Sought::Behind),
        Place::Missing => Ok(Sought::Missing),
    }
}

/// A word that shares more with the one before than that does with the wanted one is on the same side of it.
fn seek_word(reader: &mut Reader<'_>, head: &Head, word: &[u8]) -> Result<Place, Corrupt> {
    let lens = WordLens::decode(reader, head.terms)?;
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
        let left_out = head.cuts.left_out(at);
        if left_out.is_some_and(|left_out| may_be_cut_from(wanted, own, left_out)) {
            return Ok(Place::At(at));
        }
        if let Some(place) = Place::beside(at, own.cmp(wanted)) {
            return Ok(place);
        }
        same = shared + common_prefix_len(own, wanted);
    }
    Ok(Place::Behind)
}

fn seek_number(
    reader: &mut Reader<'_>,
    head: &Head,
    mut before: u64,
    word: &[u8],
) -> Result<Place, Corrupt> {
    let numbers = head.numbers();
    let mut value = numbers.first(reader, &mut before)?;
    let steps = match head.terms {
        1 => None,
        terms => Some(series::Bits::read(reader, terms - 1)?),
    };
    let rest_len = numbers.rest_len();
    let mut rests = reader.bytes(numbers.whole * rest_len)?;
    let wanted = head.kin.class.least_with(word) / numbers.unit;
    let mut wanted_rest = Vec::new();
    if rest_len > 0 {
        put_rest(word, numbers.digits, &mut wanted_rest);
    }
    for at in 0..head.terms {
        if let (Some(steps), Some(before)) = (&steps, at.checked_sub(1)) {
            value = checked_sum(value, steps.get(before))?;
        }
        let mut order = value.cmp(&wanted);
        if !head.cuts.is_cut(at) {
            let (rest, others) = rests.split_at_checked(rest_len).unwrap_or((rests, &[]));
            rests = others;
            order = order.then_with(|| rest.cmp(&wanted_rest));
        }
        if let Some(place) = Place::beside(at, order) {
            return Ok(place);
        }
    }
    Ok(Place::Behind)
}

/// Appends the digits of a word behind the first ones, two in a byte.
fn put_rest(word: &[u8], first: usize, out: &mut Vec<u8>) {
    let rest = word.get(first..).unwrap_or(&[]);
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
    /// Which words are cut: their starts are here.
    cuts: Cuts,
    entries: Vec<TermEntry>,
}

impl Block {
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.cuts = Cuts::default();
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

    /// What is left out of a word; `None` where it is whole.
    pub(super) fn left_out(&self, at: usize) -> Option<Alphabet> {
        self.cuts.left_out(at)
    }

    /// Replaces `wanted` by the places of the terms that are wanted, and whether they are for sure; `is_wanted`
    /// says nothing where a truncated term does not decide. `key` is a buffer.
    pub(super) fn wanted(
        &self,
        kin: Kin,
        key: &mut Vec<u8>,
        wanted: &mut Vec<(usize, bool)>,
        mut is_wanted: impl FnMut(KnownKey<'_>) -> Option<bool>,
    ) {
        wanted.clear();
        wanted.extend((0..self.len()).filter_map(|at| {
            kin.key_into(self.word(at), key);
            let (bytes, left_out) = (&*key, self.left_out(at));
            match is_wanted(KnownKey { bytes, left_out }) {
                Some(is_wanted) => is_wanted.then_some((at, true)),
                None => Some((at, false)),
            }
        }));
    }

    /// Calls `visit` with the entries of terms that are wanted.
    pub(super) fn visit(&self, wanted: &[(usize, bool)], visit: &mut dyn FnMut(TermEntry, bool)) {
        for (at, is_sure) in wanted {
            if let Some(entry) = self.entry(*at) {
                visit(entry, *is_sure);
            }
        }
    }

    /// The words, or what is left of them, with their places and entries.
    pub(super) fn terms(&self) -> impl Iterator<Item = (usize, &[u8], TermEntry)> {
        let entries = self.entries.iter().copied().enumerate();
        entries.map(|(at, entry)| (at, self.word(at), entry))
    }

    /// An entry by its place.
    pub(super) fn entry(&self, at: usize) -> Option<TermEntry> {
        self.entries.get(at).copied()
    }

    /// Cuts words, of those that may be cut by `may_cut`, a bit for each, with letters or without. `before` and
    /// `behind` are the words between which they stand among all of their kin. Returns how many bytes more letters
    /// leave out, or would, where most words have such.
    pub(super) fn cut(
        &mut self,
        class: Class,
        (may_cut, with_letters): (u64, bool),
        (before, behind): (&[u8], &[u8]),
    ) -> usize {
        let own = (0..self.len()).map(|at| self.word(at));
        let words: Vec<&[u8]> = std::iter::once(before)
            .chain(own)
            .chain(std::iter::once(behind))
            .collect();
        let cuttable = Cuttable::new(class, &words, may_cut);
        let [mut cuts, of_letters] =
            [Alphabet::Hexadecimal, Alphabet::Letters].map(|alphabet| cuttable.cuts(alphabet));
        let mut more = 0;
        if of_letters.count() >= cuts.count() + LEXICON_TRUNCATED_TERMS_MIN {
            let [own, all] = [cuts, of_letters].map(|cuts| cuttable.left_out(cuts));
            more = all.saturating_sub(own);
            if with_letters {
                cuts = of_letters;
            }
        }
        if cuts.count() == 0 {
            return more;
        }
        let (mut text, mut ends) = (Vec::with_capacity(self.words.len()), Vec::new());
        for at in 0..self.len() {
            text.extend_from_slice(cuttable.start(at, cuts));
            ends.push(text.len());
        }
        (self.words, self.ends, self.cuts) = (text, ends, cuts);
        more
    }

    fn push_word(&mut self, pieces: &[&[u8]]) {
        for piece in pieces {
            self.words.extend_from_slice(piece);
        }
        self.ends.push(self.words.len());
    }

    /// Appends the block of a page where words may be cut or none is; `before` is what the block before is of,
    /// `value` its first value, and is replaced by that of this block.
    pub(super) fn encode(
        &self,
        kin: Kin,
        before: Option<Kin>,
        has_cuts: bool,
        value: &mut u64,
        out: &mut Vec<u8>,
    ) {
        if before == Some(kin) {
            out.push(self.len() as u8);
        } else {
            out.extend_from_slice(&[self.len() as u8 | IS_OTHER, kin.namespace, kin.class.byte()]);
            *value = 0;
        }
        if has_cuts {
            self.cuts.encode(self.len(), out);
        }
        match kin.class {
            Class::Word => self.encode_words(out),
            Class::Decimal(_) | Class::Hexadecimal(_) => self.encode_numbers(kin, value, out),
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

    fn encode_numbers(&self, kin: Kin, value: &mut u64, out: &mut Vec<u8>) {
        let head = Head {
            kin,
            terms: self.len(),
            cuts: self.cuts,
        };
        let numbers = head.numbers();
        let mut last = *value / numbers.unit;
        *value = kin.class.least_with(self.word(0)) / numbers.unit * numbers.unit;
        let mut steps = Vec::with_capacity(self.len());
        for at in 0..self.len() {
            let number = kin.class.least_with(self.word(at)) / numbers.unit;
            steps.push(number - last);
            last = number;
        }
        if let Some((first, steps)) = steps.split_first() {
            put_varint(*first, out);
            if !steps.is_empty() {
                series::encode_bits(steps, out);
            }
        }
        let whole = (0..self.len()).filter(|at| !self.cuts.is_cut(*at));
        whole.for_each(|at| put_rest(self.word(at), numbers.digits, out));
    }

    /// Whether its last word is behind all that start with these bytes.
    pub(super) fn is_behind(&self, start: &[u8]) -> bool {
        let last = self.word(self.len().saturating_sub(1));
        last > start && !last.starts_with(start)
    }

    /// Replaces the words by those of the next block of a page where words may be cut or none is; `kin` and
    /// `value` are those of the block before and become its own. Words are not checked to be in order, nor to
    /// be of their class.
    pub(super) fn decode_words_of(
        &mut self,
        reader: &mut Reader<'_>,
        has_cuts: bool,
        kin: &mut Option<Kin>,
        value: &mut u64,
    ) -> Result<Kin, Corrupt> {
        self.clear();
        let head = Head::decode(reader, has_cuts, kin, value)?;
        self.cuts = head.cuts;
        match head.kin.class {
            Class::Word => self.decode_words(reader, head.terms)?,
            Class::Decimal(_) => self.decode_numbers::<10>(reader, &head, value)?,
            Class::Hexadecimal(_) => self.decode_numbers::<16>(reader, &head, value)?,
        }
        Ok(head.kin)
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
        head: &Head,
        value: &mut u64,
    ) -> Result<(), Corrupt> {
        let numbers = head.numbers();
        numbers.first(reader, value)?;
        if head.terms > 1 {
            series::skip_bits(reader, head.terms - 1)?;
        }
        reader.bytes(numbers.whole * numbers.rest_len())?;
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

    /// Reads the entries of so many words that were skipped.
    pub(super) fn decode_entries_of(
        &mut self,
        reader: &mut Reader<'_>,
        terms: usize,
        segment_rows: u32,
    ) -> Result<(), Corrupt> {
        self.clear();
        entries::decode(reader, terms, segment_rows, &mut self.entries)
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
        head: &Head,
        value: &mut u64,
    ) -> Result<(), Corrupt> {
        let numbers = head.numbers();
        let mut number = numbers.first(reader, value)?;
        let steps = match head.terms {
            1 => None,
            terms => Some(series::Bits::read(reader, terms - 1)?),
        };
        let rest_len = numbers.rest_len();
        let rests = reader.bytes(numbers.whole * rest_len)?;
        let mut rests = rests.chunks_exact(rest_len.max(1));
        for at in 0..head.terms {
            if let (Some(steps), Some(before)) = (&steps, at.checked_sub(1)) {
                number = checked_sum(number, steps.get(before))?;
            }
            let start = self.words.len();
            self.words.resize(start + numbers.digits, b'0');
            let digits = self.words.get_mut(start..).unwrap_or_default();
            let left = write_digits::<RADIX>(number, digits);
            if left != 0 {
                return Err(invalid("number of a lexicon block", number));
            }
            if !head.cuts.is_cut(at) {
                for byte in rests.next().unwrap_or(&[]) {
                    self.words.push(digit_byte(byte >> 4));
                    self.words.push(digit_byte(byte & 15));
                }
                if numbers.further % 2 == 1 && self.words.pop() != Some(b'0') {
                    return Err(invalid("last digit of a lexicon block", number));
                }
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
