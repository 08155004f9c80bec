//! The index while a segment is built: terms in a hash table, each with its rows so far.
//!
//! Text is folded and cut into words in two passes that the compiler turns into vector code and
//! eight-byte steps; a word of up to sixteen bytes is two registers from there on, and equal to a
//! term where those are. Words hold no zero byte, so zeros pad them.

use std::hash::{BuildHasher, RandomState};

use model::words::{fold_into, is_word_byte};

use crate::Namespace;
use crate::chunks::{Chain, Chunks};

/// Zeros behind the text, so that sixteen bytes can be read from any place in it.
const PADDING: usize = 16;

/// A word in a namespace and its rows so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// The first sixteen bytes, little-endian.
    head: [u64; 2],
    /// Offset of the bytes behind the first sixteen.
    tail: usize,
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
    folded: Vec<u8>,
    text: Vec<u8>,
    /// Different in every process, so that nobody can send words that collide. Nothing that is
    /// written depends on it.
    seeds: [u64; 2],
}

/// A word that is looked up.
#[derive(Clone, Copy)]
struct Word<'a> {
    head: [u64; 2],
    tail: &'a [u8],
    len: usize,
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
            folded: Vec::new(),
            text: Vec::new(),
            seeds: [random.hash_one(0), random.hash_one(1)],
        }
    }

    /// Adds the words of a text to a row, and says whether there are any. Rows do not go back.
    pub(crate) fn add_text(&mut self, namespace: Namespace, text: &[u8], row: u32) -> bool {
        if text.is_empty() {
            return false;
        }
        let mut prepared = std::mem::take(&mut self.text);
        prepared.clear();
        if text.is_ascii() {
            prepared.extend(text.iter().map(|byte| prepare(*byte)));
        } else {
            self.folded.clear();
            fold_into(text, &mut self.folded);
            prepared.extend(self.folded.iter().map(|byte| prepare(*byte)));
        }
        let len = prepared.len();
        prepared.resize(len + PADDING, 0);
        let has_words = self.add_words(namespace as u8, &prepared, row);
        self.text = prepared;
        has_words
    }

    /// Adds a number to a row.
    pub(crate) fn add_number(&mut self, namespace: Namespace, number: u8, row: u32) {
        let word = Word {
            head: [u64::from(number), 0],
            tail: &[],
            len: 1,
            namespace: namespace as u8,
        };
        self.add(word, row);
    }

    /// Numbers of the terms in the order of their keys.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<_> = (0_u32..)
            .zip(&self.terms)
            .map(|(number, term)| (term.namespace, term.head.map(u64::swap_bytes), number))
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

    /// Replaces `key` by the term's.
    pub(crate) fn key_into(&self, term: &Term, key: &mut Vec<u8>) {
        key.clear();
        key.push(term.namespace);
        for half in term.head {
            key.extend_from_slice(&half.to_le_bytes());
        }
        key.truncate(1 + term.len as usize);
        key.extend_from_slice(self.tail(term));
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
        self.tails.get(term.tail..term.tail + len).unwrap_or(&[])
    }

    /// Adds the words of a prepared text: runs without zeros. Sixteen zeros end it.
    fn add_words(&mut self, namespace: u8, text: &[u8], row: u32) -> bool {
        let mut has_words = false;
        let mut at = 0;
        while let Some(ahead) = text.get(at..).and_then(<[u8]>::first_chunk::<16>) {
            if ahead[0] == 0 {
                at += 1;
                continue;
            }
            has_words = true;
            let word = Word::at(text, at, *ahead, namespace);
            at += word.len + 1;
            self.add(word, row);
        }
        has_words
    }

    fn add(&mut self, word: Word<'_>, row: u32) {
        let hash = word.hash(self.seeds);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return self.insert(slot, hash, word, row);
            }
            if entry >> 32 == u64::from(hash) {
                let number = (entry & u64::from(u32::MAX)) as usize - 1;
                let term = &mut self.terms[number];
                if term.is(word, &self.tails) {
                    return term.add_row(row, &mut self.lists);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn insert(&mut self, slot: usize, hash: u32, word: Word<'_>, row: u32) {
        self.terms.push(Term {
            head: word.head,
            tail: self.tails.len(),
            list: Chain::default(),
            len: word.len as u32,
            rows: 1,
            first_row: row,
            last_row: row,
            namespace: word.namespace,
        });
        self.tails.extend_from_slice(word.tail);
        assert!(
            self.terms.len() < u32::MAX as usize,
            "words are bounded by bytes"
        );
        self.slots[slot] = u64::from(hash) << 32 | self.terms.len() as u64;
        if self.terms.len() * 2 > self.slots.len() {
            self.grow();
        }
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
    #[inline]
    fn is(&self, word: Word<'_>, tails: &[u8]) -> bool {
        self.head == word.head
            && self.namespace == word.namespace
            && self.len as usize == word.len
            && tails.get(self.tail..self.tail + word.tail.len()) == Some(word.tail)
    }

    #[inline]
    fn add_row(&mut self, row: u32, lists: &mut Chunks) {
        if row == self.last_row {
            return;
        }
        let mut distance = row - self.last_row - 1;
        while distance >= 0x80 {
            lists.push(&mut self.list, (distance & 0x7f) as u8 | 0x80);
            distance >>= 7;
        }
        lists.push(&mut self.list, distance as u8);
        self.last_row = row;
        self.rows += 1;
    }
}

impl<'a> Word<'a> {
    /// The word that starts at an offset of a prepared text, with the sixteen bytes from there.
    #[inline]
    fn at(text: &'a [u8], offset: usize, ahead: [u8; 16], namespace: u8) -> Self {
        let whole = u128::from_le_bytes(ahead);
        let (low, high) = (whole as u64, (whole >> 64) as u64);
        let mut word = Self {
            head: [low, high],
            tail: &[],
            len: 16,
            namespace,
        };
        if let Some(len) = bytes_to_zero(low) {
            word.head = [low & ((1 << (8 * len)) - 1), 0];
            word.len = len;
        } else if let Some(len) = bytes_to_zero(high) {
            word.head = [low, high & ((1 << (8 * len)) - 1)];
            word.len = 8 + len;
        } else {
            let rest = text.get(offset + 16..).unwrap_or(&[]);
            let len = rest.iter().take_while(|byte| **byte != 0).count();
            word.tail = rest.get(..len).unwrap_or(&[]);
            word.len = 16 + len;
        }
        word
    }

    #[inline]
    fn hash(&self, seeds: [u64; 2]) -> u32 {
        let [low, high] = self.head;
        let seed = seeds[0] ^ u64::from(self.namespace).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut hash = mix(low ^ seed, high ^ seeds[1]);
        for chunk in self.tail.chunks(8) {
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

/// A byte of a word in lower case, zero for any other.
#[inline]
const fn prepare(byte: u8) -> u8 {
    if is_word_byte(byte) {
        byte.to_ascii_lowercase()
    } else {
        0
    }
}
