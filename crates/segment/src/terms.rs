//! The index while a segment is built: terms in a hash table, each with its rows so far.
//!
//! Text is folded and cut into words in two passes that the compiler turns into vector code and
//! eight-byte steps; a word of up to sixteen bytes is two registers from there on, and equal to a
//! term where those are. Words hold no zero byte, so zeros pad them.

use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;

use model::words::fold_into;

use crate::Namespace;
use crate::chunks::{Chain, Chunks};
use crate::lexicon::class::class_byte;
use crate::wire::Reader;

/// Zeros behind the text, so that sixteen bytes can be read from any place in it.
const PADDING: usize = 16;
/// Bytes behind the first sixteen of words start at multiples of this, so that 32 bits tell where.
const TAIL_UNIT: usize = 8;
const _: () = assert!(size_of::<Term>() == 64);

/// A word in a namespace and its rows so far. A cache line, as terms are met at random.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Term {
    /// The first sixteen bytes, little-endian.
    head: [u64; 2],
    /// Where the bytes behind the first sixteen stand, in eights of bytes.
    tail: u32,
    /// The distances of the rows behind the first, each less one, as varints.
    list: Chain,
    len: u32,
    pub(crate) rows: u32,
    pub(crate) first_row: u32,
    last_row: u32,
    namespace: u8,
}

/// All terms of a segment.
#[derive(Debug)]
pub(crate) struct Terms {
    terms: Vec<Term>,
    /// For every term its hash in the upper half and its number, from 1, in the lower; 0 is free.
    slots: Vec<u64>,
    tails: Vec<u8>,
    lists: Chunks,
    /// The words of the open row, and the texts they stand in, prepared.
    words: Vec<Word>,
    text: Vec<u8>,
    folded: Vec<u8>,
    /// Different in every process, so that nobody can send words that collide. Nothing that is
    /// written depends on it.
    seeds: [u64; 2],
}

/// A word that is looked up.
#[derive(Clone, Copy, Debug)]
struct Word {
    head: [u64; 2],
    /// Offset of the bytes behind the first sixteen in the texts of the row.
    tail: usize,
    len: u32,
    hash: u32,
    namespace: u8,
}

impl Terms {
    pub(crate) fn new() -> Self {
        let random = RandomState::new();
        Self {
            terms: Vec::new(),
            slots: vec![0; 1024],
            tails: Vec::new(),
            lists: Chunks::default(),
            words: Vec::new(),
            text: Vec::new(),
            folded: Vec::new(),
            seeds: [random.hash_one(0), random.hash_one(1)],
        }
    }

    /// Adds the words of a text to the open row, and says whether there are any.
    pub(crate) fn add_text(&mut self, namespace: Namespace, text: &[u8]) -> bool {
        if text.is_empty() {
            return false;
        }
        let start = self.text.len();
        if !prepare_into(text, &mut self.text) {
            self.folded.clear();
            fold_into(text, &mut self.folded);
            self.text.truncate(start);
            prepare_into(&self.folded, &mut self.text);
        }
        let words = self.words.len();
        self.add_words(namespace as u8, start);
        self.words.len() > words
    }

    /// Adds a number to the open row.
    pub(crate) fn add_number(&mut self, namespace: Namespace, number: u8) {
        let mut word = Word {
            head: [u64::from(number), 0],
            tail: 0,
            len: 1,
            hash: 0,
            namespace: namespace as u8,
        };
        word.hash = word.hash(&[], self.seeds);
        self.words.push(word);
    }

    /// Appends the numbers of the terms that were added, which may be some of them twice, and goes on
    /// with nothing added.
    ///
    /// Nearly all the time goes into waiting for memory, so first all slots are read, then all
    /// terms, which the processor does many at a time: 1.4 times as fast as word by word.
    pub(crate) fn take_numbers(&mut self, numbers: &mut Vec<u32>) {
        let mask = self.slots.len() - 1;
        let mut touched = 0;
        for word in &self.words {
            let entry = self.slots[word.hash as usize & mask];
            // The first term stands in for one that is not there: no branch waits for memory.
            let number = (entry & u64::from(u32::MAX)).saturating_sub(1) as usize;
            touched ^= self.terms.get(number).map_or(0, |term| term.last_row);
        }
        black_box(touched);
        let mut words = std::mem::take(&mut self.words);
        numbers.extend(words.iter().map(|word| self.number(word)));
        words.clear();
        self.words = words;
        self.text.clear();
    }

    /// Enters a row for terms. Rows do not go back.
    pub(crate) fn add_row(&mut self, numbers: &[u32], row: u32) {
        let mut touched = 0;
        for number in numbers {
            touched ^= self.get(*number).map_or(0, |term| term.last_row);
        }
        black_box(touched);
        for number in numbers {
            if let Some(term) = self.terms.get_mut(*number as usize) {
                term.add_row(row, &mut self.lists);
            }
        }
    }

    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Numbers of the terms in the order of their keys.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        let mut word = Vec::new();
        let mut order: Vec<_> = (0_u32..)
            .zip(&self.terms)
            .map(|(number, term)| {
                let head = term.head.map(u64::swap_bytes);
                let kin = (term.namespace, class_byte(self.word_into(term, &mut word)));
                (kin, head, number)
            })
            .collect();
        order.sort_unstable_by(|a, b| {
            let tail = |number: u32| self.get(number).map(|term| self.tail(term));
            (a.0, a.1)
                .cmp(&(b.0, b.1))
                .then_with(|| tail(a.2).cmp(&tail(b.2)))
        });
        order.into_iter().map(|(_, _, number)| number).collect()
    }

    /// A term by its number.
    pub(crate) fn get(&self, number: u32) -> Option<&Term> {
        self.terms.get(number as usize)
    }

    /// Replaces `key` by the term's, as the lexicon orders it.
    pub(crate) fn key_into(&self, term: &Term, key: &mut Vec<u8>) {
        let mut word = Vec::new();
        let word = self.word_into(term, &mut word);
        key.clear();
        key.extend_from_slice(&[term.namespace, class_byte(word)]);
        key.extend_from_slice(word);
    }

    /// Replaces `word` by the term's, and returns it.
    fn word_into<'w>(&self, term: &Term, word: &'w mut Vec<u8>) -> &'w [u8] {
        word.clear();
        for half in term.head {
            word.extend_from_slice(&half.to_le_bytes());
        }
        word.truncate(term.len as usize);
        word.extend_from_slice(self.tail(term));
        word
    }

    /// Appends the rows of a term.
    pub(crate) fn rows_into(&self, term: &Term, rows: &mut Vec<u32>) {
        if term.rows == 0 {
            return;
        }
        let mut list = Vec::new();
        self.list_into(term, &mut list);
        let mut reader = Reader::new("list of a term", &list);
        let mut row = term.first_row;
        rows.push(row);
        while let Ok(step) = reader.varint() {
            row += step as u32 + 1;
            rows.push(row);
        }
    }

    /// Appends the distances of the term's rows behind the first.
    pub(crate) fn list_into(&self, term: &Term, out: &mut Vec<u8>) {
        self.lists.copy(&term.list, out);
    }

    /// Memory the index takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.terms.capacity() * size_of::<Term>()
            + self.slots.capacity() * size_of::<u64>()
            + self.tails.capacity()
            + self.lists.memory_bytes()
    }

    fn tail(&self, term: &Term) -> &[u8] {
        let len = (term.len as usize).saturating_sub(16);
        let start = term.tail_start();
        self.tails.get(start..start + len).unwrap_or(&[])
    }

    /// Adds the words of the prepared text from an offset on: runs without zeros. Sixteen zeros
    /// end it.
    fn add_words(&mut self, namespace: u8, start: usize) {
        let mut at = start;
        while let Some(ahead) = self.text.get(at..).and_then(<[u8]>::first_chunk::<16>) {
            if ahead[0] == 0 {
                at += 1;
                continue;
            }
            let mut word = Word::at(&self.text, at, *ahead, namespace);
            word.hash = word.hash(word.tail_in(&self.text), self.seeds);
            at += word.len as usize + 1;
            self.words.push(word);
        }
    }

    /// The number of a word's term, which is new where there was none.
    #[inline]
    fn number(&mut self, word: &Word) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = word.hash as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return self.insert(slot, word);
            }
            if entry >> 32 == u64::from(word.hash) {
                let number = (entry & u64::from(u32::MAX)) as u32 - 1;
                let term = &self.terms[number as usize];
                if term.is(word, &self.tails, &self.text) {
                    return number;
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn insert(&mut self, slot: usize, word: &Word) -> u32 {
        let tail = (self.tails.len() / TAIL_UNIT) as u32;
        assert_eq!(
            tail as usize * TAIL_UNIT,
            self.tails.len(),
            "tails are below 32 GiB"
        );
        self.tails.extend_from_slice(word.tail_in(&self.text));
        self.tails
            .resize(self.tails.len().next_multiple_of(TAIL_UNIT), 0);
        let number = self.terms.len() as u32;
        self.terms.push(Term {
            head: word.head,
            tail,
            list: Chain::default(),
            len: word.len,
            rows: 0,
            first_row: 0,
            last_row: 0,
            namespace: word.namespace,
        });
        assert!(
            self.terms.len() < u32::MAX as usize,
            "words are bounded by bytes"
        );
        self.slots[slot] = u64::from(word.hash) << 32 | self.terms.len() as u64;
        if self.terms.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    /// Doubles the table. The hashes in the slots suffice for that.
    fn grow(&mut self) {
        let len = 2 * self.slots.len();
        let old = std::mem::replace(&mut self.slots, vec![0; len]);
        for entry in old.into_iter().filter(|entry| *entry != 0) {
            let mut slot = (entry >> 32) as usize & (len - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = entry;
        }
    }
}

impl Term {
    fn tail_start(&self) -> usize {
        self.tail as usize * TAIL_UNIT
    }

    #[inline]
    fn is(&self, word: &Word, tails: &[u8], text: &[u8]) -> bool {
        let is_head =
            self.head == word.head && self.namespace == word.namespace && self.len == word.len;
        // Comparing nothing is not free: `memcmp` of empty slices takes 100 ns where they are
        // dangling, as its masked load has to be emulated by the processor.
        is_head && (word.len <= 16 || word.tail_in(text) == word.tail_of(self.tail_start(), tails))
    }

    #[inline]
    fn add_row(&mut self, row: u32, lists: &mut Chunks) {
        if self.rows == 0 {
            (self.first_row, self.last_row, self.rows) = (row, row, 1);
            return;
        }
        if row == self.last_row {
            return;
        }
        lists.push_varint(&mut self.list, row - self.last_row - 1);
        self.last_row = row;
        self.rows += 1;
    }
}

impl Word {
    /// The word that starts at an offset of the prepared text, with the sixteen bytes from there.
    #[inline]
    fn at(text: &[u8], offset: usize, ahead: [u8; 16], namespace: u8) -> Self {
        let whole = u128::from_le_bytes(ahead);
        let (low, high) = (whole as u64, (whole >> 64) as u64);
        let (head, len) = if let Some(len) = bytes_to_zero(low) {
            ([low & ((1 << (8 * len)) - 1), 0], len)
        } else if let Some(len) = bytes_to_zero(high) {
            ([low, high & ((1 << (8 * len)) - 1)], 8 + len)
        } else {
            let rest = text.get(offset + 16..).unwrap_or(&[]);
            let len = rest.iter().take_while(|byte| **byte != 0).count();
            ([low, high], 16 + len)
        };
        Self {
            head,
            tail: offset + 16,
            len: len as u32,
            hash: 0,
            namespace,
        }
    }

    /// Its bytes behind the first sixteen, in the texts of the row.
    fn tail_in<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        self.tail_of(self.tail, text)
    }

    fn tail_of<'a>(&self, start: usize, bytes: &'a [u8]) -> &'a [u8] {
        let len = (self.len as usize).saturating_sub(16);
        if len == 0 {
            return &[];
        }
        &bytes[start..start + len]
    }

    #[inline]
    fn hash(&self, tail: &[u8], seeds: [u64; 2]) -> u32 {
        let [low, high] = self.head;
        let seed = seeds[0] ^ u64::from(self.namespace).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut hash = mix(low ^ seed, high ^ seeds[1]);
        for chunk in tail.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            hash = mix(hash ^ u64::from_le_bytes(bytes), seeds[1]);
        }
        (hash ^ hash >> 32) as u32
    }
}

/// Both halves of a product of 128 bits, folded together.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// How many bytes stand before the first zero byte, the lowest byte first.
#[inline]
fn bytes_to_zero(bytes: u64) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    // The top bit of every zero byte, and perhaps of bytes behind the first one.
    let zeros = bytes.wrapping_sub(ONES) & !bytes & TOPS;
    (zeros != 0).then(|| zeros.trailing_zeros() as usize / 8)
}

/// Appends a text, prepared, and the padding; says whether it is all ASCII.
#[inline]
fn prepare_into(text: &[u8], prepared: &mut Vec<u8>) -> bool {
    let start = prepared.len();
    prepared.resize(start + text.len() + PADDING, 0);
    let mut all = 0;
    for (prepared, byte) in prepared[start..].iter_mut().zip(text) {
        *prepared = prepare(*byte);
        all |= byte;
    }
    all.is_ascii()
}

/// A byte of a word in lower case, zero for any other: [`model::words::is_word_byte`] without
/// branches, which the compiler does for sixteen bytes at a time.
#[inline]
const fn prepare(byte: u8) -> u8 {
    let is_upper = byte.wrapping_sub(b'A') < 26;
    let lower = byte | (is_upper as u8) << 5;
    let is_letter = lower.wrapping_sub(b'a') < 26;
    let is_digit = byte.wrapping_sub(b'0') < 10;
    let is_word = is_letter | is_digit | (byte == b'_') | (byte >= 0x80);
    lower & (is_word as u8).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::words::is_word_byte;

    #[test]
    fn bytes_are_prepared_by_the_rule_of_words() {
        for byte in 0..=255_u8 {
            let expected = if is_word_byte(byte) {
                byte.to_ascii_lowercase()
            } else {
                0
            };
            assert_eq!(prepare(byte), expected, "{byte}");
        }
    }

    #[test]
    fn zeros_end_words() {
        assert_eq!(
            bytes_to_zero(u64::from_le_bytes(*b"abc\0\x01\x80\0\x01")),
            Some(3)
        );
        assert_eq!(
            bytes_to_zero(u64::from_le_bytes(*b"\x01\x80\xff\x7fabc\0")),
            Some(7)
        );
        assert_eq!(bytes_to_zero(u64::from_le_bytes([0x80; 8])), None);
        assert_eq!(bytes_to_zero(0), Some(0));
    }
}
