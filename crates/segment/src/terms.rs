//! The index while a segment is built: terms in a hash table, each with its ordinals so far.
//!
//! A word of up to sixteen bytes is two registers, and equal to a term where those are. Words hold no
//! zero byte, so zeros pad them. Most words of what varies are numbers of a few digits: those are
//! found in a table by their digits.

use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::ops::Range;

use model::addresses::{Address, AddressKey, AddressReader};
use model::words::{blank_boundaries, fold_into};

use crate::Namespace;
use crate::chunks::{Chain, Chunks};
use crate::first_word::{SHORT_NUMBERS, first_word, short_number};
use crate::lexicon::class::class_byte;
use crate::wire::{Reader, put_varint};

/// Bytes behind the first sixteen of words start at multiples of this, so that 32 bits tell where.
const TAIL_UNIT: usize = 8;
const _: () = assert!(size_of::<Term>() == 64);

/// A word in a namespace and its ordinals so far. A cache line, as terms are met at random.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Term {
    /// The first sixteen bytes, little-endian.
    head: [u64; 2],
    /// Where the bytes behind the first sixteen stand, in eights of bytes.
    tail: u32,
    /// The distances of the ordinals behind the first, each less one, as varints.
    list: Chain,
    len: u32,
    pub(crate) rows: u32,
    pub(crate) first_ordinal: u32,
    last_ordinal: u32,
    namespace: u8,
    /// What the word is made of, as ordered keys have it.
    class: u8,
}

/// All terms of a segment.
#[derive(Debug)]
pub(crate) struct Terms {
    terms: Vec<Term>,
    /// For every term its hash in the upper half and its number, from 1, in the lower; 0 is free.
    slots: Vec<u64>,
    tails: Vec<u8>,
    lists: Chunks,
    /// Words that are not looked up yet, and their bytes behind the first sixteen.
    words: Vec<Word>,
    open_tails: Vec<u8>,
    folded: Vec<u8>,
    /// For each namespace and each number of few digits its term, from 1.
    short: Vec<u32>,
    /// Different in every process, so that nobody can send words that collide. Nothing that is
    /// written depends on it.
    seeds: [u64; 2],
}

/// A word that is looked up.
#[derive(Clone, Copy, Debug)]
struct Word {
    head: [u64; 2],
    /// Where the bytes behind the first sixteen stand among those of all words.
    tail: usize,
    /// Where its number goes.
    place: usize,
    len: u32,
    hash: u32,
    namespace: u8,
}

impl Terms {
    /// Of no rows.
    pub(crate) fn new() -> Self {
        let random = RandomState::new();
        Self {
            terms: Vec::new(),
            slots: vec![0; 1024],
            tails: Vec::new(),
            lists: Chunks::default(),
            words: Vec::new(),
            open_tails: Vec::new(),
            folded: Vec::new(),
            short: vec![0; Namespace::WORDS.len() * SHORT_NUMBERS],
            seeds: [random.hash_one(0), random.hash_one(1)],
        }
    }

    /// Appends the number of the term of each word of a text, which is a part of `texts`, and of each
    /// address in it where it is a text with such, and says how many those are. The numbers are there only
    /// after [`Self::look_up`].
    pub(crate) fn add_text(
        &mut self,
        namespace: Namespace,
        texts: &[u8],
        text: Range<usize>,
        numbers: &mut Vec<u32>,
    ) -> usize {
        let before = numbers.len();
        if texts.get(text.clone()).is_some_and(<[u8]>::is_ascii) {
            self.add_words(namespace, texts, text, numbers);
        } else if let Some(text) = texts.get(text) {
            let mut folded = std::mem::take(&mut self.folded);
            folded.clear();
            fold_into(text, &mut folded);
            blank_boundaries(&mut folded);
            self.add_words(namespace, &folded, 0..folded.len(), numbers);
            self.folded = folded;
        }
        numbers.len() - before
    }

    /// Appends the number of the term of a number, as [`Self::add_text`] does.
    pub(crate) fn add_number(&mut self, namespace: Namespace, number: u8, numbers: &mut Vec<u32>) {
        let head = [u64::from(number), 0];
        self.add_word(namespace, head, 1, &[], numbers);
    }

    /// How many words are to be looked up.
    pub(crate) fn open(&self) -> usize {
        self.words.len()
    }

    /// Finds the numbers of the terms of words that were added to `numbers`.
    ///
    /// Nearly all the time goes into waiting for memory, so first all slots are read, then all
    /// terms, which the processor does many at a time: 1.4 times as fast as word by word.
    pub(crate) fn look_up(&mut self, numbers: &mut [u32]) {
        let mask = self.slots.len() - 1;
        let mut touched = 0;
        for word in &self.words {
            let entry = self.slots[word.hash as usize & mask];
            // The first term stands in for one that is not there: no branch waits for memory.
            let number = (entry & u64::from(u32::MAX)).saturating_sub(1) as usize;
            touched ^= self.terms.get(number).map_or(0, |term| term.last_ordinal);
        }
        black_box(touched);
        let mut words = std::mem::take(&mut self.words);
        for word in words.drain(..) {
            if let Some(number) = numbers.get_mut(word.place) {
                *number = self.number(&word);
            }
        }
        self.words = words;
        self.open_tails.clear();
    }

    /// Reads terms that are asked for next, all at once: most are far from each other, and one by one
    /// each would be waited for.
    pub(crate) fn touch(&self, numbers: &[u32]) {
        let terms = numbers.iter().map(|number| self.get(*number));
        let touched = terms.fold(0, |all, term| all ^ term.map_or(0, |term| term.rows));
        black_box(touched);
    }

    /// Enters ordinals for a term, ascending and behind those it has, each counted from `first` on.
    pub(crate) fn add_ordinals(&mut self, number: u32, first: u32, ordinals: &[u32]) {
        let Some(term) = self.terms.get_mut(number as usize) else {
            return;
        };
        for ordinal in ordinals {
            term.add_ordinal(first + ordinal, &mut self.lists);
        }
    }

    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Numbers of the terms in the order of their keys.
    ///
    /// Eight bytes are one number to compare, and in the first eight most keys differ.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        let numbered = (0_u32..).zip(&self.terms);
        let mut order: Vec<_> = numbered
            .map(|(number, term)| (term.first_eight(), number))
            .collect();
        order.sort_unstable_by_key(|(eight, _)| *eight);
        for same in order.chunk_by_mut(|one, next| one.0 == next.0) {
            if same.len() > 1 {
                self.sort_behind(same);
            }
        }
        order.into_iter().map(|(_, number)| number).collect()
    }

    /// Puts terms in order whose keys start with the same eight bytes.
    fn sort_behind(&self, order: &mut [(u64, u32)]) {
        for (eight, number) in &mut *order {
            let term = self.terms.get(*number as usize);
            let [first, second] = term.map_or([0; 2], |term| term.head.map(u64::swap_bytes));
            *eight = first << 48 | second >> 16;
        }
        order.sort_unstable_by(|one, other| {
            let last = |number: u32| {
                let term = self.terms.get(number as usize)?;
                Some((term.head[1].swap_bytes() as u16, self.tail(term)))
            };
            one.0
                .cmp(&other.0)
                .then_with(|| last(one.1).cmp(&last(other.1)))
        });
    }

    /// A term by its number.
    pub(crate) fn get(&self, number: u32) -> Option<&Term> {
        self.terms.get(number as usize)
    }

    /// Replaces `key` by the term's, as the lexicon orders it.
    pub(crate) fn key_into(&self, term: &Term, key: &mut Vec<u8>) {
        key.clear();
        key.extend_from_slice(&[term.namespace, term.class]);
        key.extend_from_slice(&head_bytes(term.head));
        key.truncate(2 + term.len as usize);
        key.extend_from_slice(self.tail(term));
    }

    /// Appends the ordinals of a term; `list` is a buffer.
    pub(crate) fn ordinals_into(&self, term: &Term, list: &mut Vec<u8>, ordinals: &mut Vec<u32>) {
        if term.rows <= 1 {
            ordinals.extend((term.rows == 1).then_some(term.first_ordinal));
            return;
        }
        list.clear();
        self.list_into(term, list);
        let mut reader = Reader::new("list of a term", list);
        let mut next = 0;
        while let Ok(step) = reader.varint() {
            let ordinal = next + step as u32;
            ordinals.push(ordinal);
            next = ordinal + 1;
        }
    }

    /// Appends the list of the ordinals of a term that has some, as posting pages have short ones.
    pub(crate) fn list_into(&self, term: &Term, out: &mut Vec<u8>) {
        put_varint(u64::from(term.first_ordinal), out);
        self.lists.copy(&term.list, out);
    }

    /// Memory the index takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.terms.capacity() * size_of::<Term>()
            + self.slots.capacity() * size_of::<u64>()
            + self.tails.capacity()
            + self.short.capacity() * size_of::<u32>()
            + self.lists.memory_bytes()
    }

    fn tail(&self, term: &Term) -> &[u8] {
        let len = (term.len as usize).saturating_sub(16);
        let start = term.tail_start();
        self.tails.get(start..start + len).unwrap_or(&[])
    }

    /// Adds the words of a text that is ASCII or folded, and its addresses.
    fn add_words(
        &mut self,
        namespace: Namespace,
        texts: &[u8],
        text: Range<usize>,
        numbers: &mut Vec<u32>,
    ) {
        let of_addresses = namespace.addresses();
        let (mut addresses, whole) = (AddressReader::default(), &texts[..text.end]);
        let mut at = text.start;
        while at < text.end {
            let rest = &texts[at..text.end];
            let word = first_word(rest);
            if let Some(short) = short_number(word) {
                numbers.push(self.short_number(namespace, short, word));
            } else if !word.is_empty() {
                let head = word_head(&texts[at..], word.len());
                let tail = word.get(16..).unwrap_or(&[]);
                self.add_word(namespace, head, word.len(), tail, numbers);
            }
            if let Some(own) = of_addresses
                && !word.is_empty()
                && let Some(address) = addresses.word(whole, at..at + word.len())
            {
                self.add_address(own, address, numbers);
            }
            at += word.len() + 1;
        }
        if let Some(own) = of_addresses
            && let Some(address) = addresses.finish(whole)
        {
            self.add_address(own, address, numbers);
        }
    }

    fn add_address(&mut self, namespace: Namespace, address: Address, numbers: &mut Vec<u32>) {
        let key = AddressKey::from(address);
        let head = word_head(key.digits(), key.digits().len());
        self.add_word(namespace, head, key.digits().len(), &[], numbers);
    }

    #[inline]
    fn add_word(
        &mut self,
        namespace: Namespace,
        head: [u64; 2],
        len: usize,
        tail: &[u8],
        numbers: &mut Vec<u32>,
    ) {
        let start = self.open_tails.len();
        self.open_tails
            .extend(tail.iter().map(u8::to_ascii_lowercase));
        let mut word = Word {
            head,
            tail: start,
            place: numbers.len(),
            len: len as u32,
            hash: 0,
            namespace: namespace as u8,
        };
        word.hash = word.hash(&self.open_tails[start..], self.seeds);
        self.words.push(word);
        numbers.push(0);
    }

    /// The number of the term of a number of few digits.
    #[inline]
    fn short_number(&mut self, namespace: Namespace, short: usize, digits: &[u8]) -> u32 {
        let place = namespace.place() * SHORT_NUMBERS + short;
        if self.short[place] == 0 {
            self.short[place] = self.number_of_digits(namespace, digits) + 1;
        }
        self.short[place] - 1
    }

    #[cold]
    fn number_of_digits(&mut self, namespace: Namespace, digits: &[u8]) -> u32 {
        let mut word = Word {
            head: word_head(digits, digits.len()),
            tail: 0,
            place: 0,
            len: digits.len() as u32,
            hash: 0,
            namespace: namespace as u8,
        };
        word.hash = word.hash(&[], self.seeds);
        self.number(&word)
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
                if term.is(word, &self.tails, &self.open_tails) {
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
        self.tails
            .extend_from_slice(word.tail_of(word.tail, &self.open_tails));
        self.tails
            .resize(self.tails.len().next_multiple_of(TAIL_UNIT), 0);
        let number = self.terms.len() as u32;
        let class = word.class(word.tail_of(word.tail, &self.open_tails));
        self.terms.push(Term {
            head: word.head,
            tail,
            list: Chain::default(),
            len: word.len,
            rows: 0,
            first_ordinal: 0,
            last_ordinal: 0,
            namespace: word.namespace,
            class,
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

    /// The first eight bytes of its ordered key: namespace, class, six of the word.
    fn first_eight(&self) -> u64 {
        u64::from(self.namespace) << 56
            | u64::from(self.class) << 48
            | self.head[0].swap_bytes() >> 16
    }

    #[inline]
    fn is(&self, word: &Word, tails: &[u8], open_tails: &[u8]) -> bool {
        let is_head =
            self.head == word.head && self.namespace == word.namespace && self.len == word.len;
        // Comparing nothing is not free: `memcmp` of empty slices takes 100 ns where they are
        // dangling, as its masked load has to be emulated by the processor.
        is_head
            && (word.len <= 16
                || word.tail_of(word.tail, open_tails) == word.tail_of(self.tail_start(), tails))
    }

    #[inline]
    fn add_ordinal(&mut self, ordinal: u32, lists: &mut Chunks) {
        if self.rows == 0 {
            (self.first_ordinal, self.last_ordinal, self.rows) = (ordinal, ordinal, 1);
            return;
        }
        lists.push_varint(&mut self.list, ordinal - self.last_ordinal - 1);
        self.last_ordinal = ordinal;
        self.rows += 1;
    }
}

impl Word {
    /// Its bytes behind the first sixteen, from a place on.
    fn tail_of<'a>(&self, start: usize, bytes: &'a [u8]) -> &'a [u8] {
        let len = (self.len as usize).saturating_sub(16);
        if len == 0 {
            return &[];
        }
        &bytes[start..start + len]
    }

    /// What it is made of, given its bytes behind the first sixteen.
    fn class(&self, tail: &[u8]) -> u8 {
        let mut word = [0; 32];
        let (head, rest) = word.split_at_mut(16);
        head.copy_from_slice(&head_bytes(self.head));
        // Longer words are of no class that is known by its bytes.
        if let Some(rest) = rest.get_mut(..tail.len()) {
            rest.copy_from_slice(tail);
        }
        word.get(..self.len as usize).map_or(0, class_byte)
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

/// The first sixteen bytes of the word of some length that a text starts with, in lower case, and
/// zeros behind it. Bytes that are not ASCII stay.
#[inline]
fn word_head(text: &[u8], len: usize) -> [u64; 2] {
    let ahead = text.first_chunk().copied().unwrap_or_else(|| {
        let mut ahead = [0; 16];
        ahead[..text.len()].copy_from_slice(text);
        ahead
    });
    let whole = u128::from_le_bytes(ahead);
    let kept = u128::MAX >> (128 - 8 * len.min(16));
    let (low, high) = (whole & kept, (whole & kept) >> 64);
    [low as u64, high as u64].map(to_lower)
}

/// The bytes of the first sixteen of a word.
#[inline]
fn head_bytes([low, high]: [u64; 2]) -> [u8; 16] {
    (u128::from(low) | u128::from(high) << 64).to_le_bytes()
}

/// Eight bytes in lower case, those that are ASCII.
#[inline]
const fn to_lower(bytes: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let sevens = bytes & (ONES * 0x7f);
    let from_a = sevens + ONES * (0x80 - b'A' as u64);
    let behind_z = sevens + ONES * (0x7f - b'Z' as u64);
    let is_upper = (from_a ^ behind_z) & !bytes & (ONES * 0x80);
    bytes | is_upper >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_words_in_lower_case() {
        for byte in 1..=255_u8 {
            for len in 1..=20 {
                let text = vec![byte; len];
                let mut expected = [0; 16];
                expected[..len.min(16)].fill(byte.to_ascii_lowercase());
                let whole = u128::from_le_bytes(expected);
                let expected = [whole as u64, (whole >> 64) as u64];
                assert_eq!(word_head(&text, len), expected, "{byte} {len}");
                let longer = [text, b" and what stands behind it".to_vec()].concat();
                assert_eq!(word_head(&longer, len), expected, "{byte} {len}");
            }
        }
    }
}
