//! The texts of a chunk as values, and the terms of each: a text that comes again, as most do, is
//! cut into words once.

use std::ops::Range;

use crate::Namespace;
use crate::hash::{Seeds, Short};
use crate::terms::Terms;

/// Values that are found again. A text that another one has taken the place of is cut anew.
const KNOWN: usize = 4096;

/// Words that are looked up together: many at a time, while they are in the cache.
const WORDS: usize = 512;

/// Texts of a column after which those that had been there before are counted.
const TRIED: u32 = 64;

/// So many of them are enough to go on looking for others.
const FOUND_MIN: u32 = 8;

/// The number of the value without words.
pub(super) const EMPTY: u32 = 0;

/// Values and their terms. A value has a number from 0.
#[derive(Debug)]
pub(super) struct Values {
    seeds: [Seeds; 2],
    /// For each value the end of its terms.
    ends: Vec<u32>,
    /// The numbers of the terms of each value in turn.
    numbers: Vec<u32>,
    /// By the hash of the text.
    known: Vec<Known>,
}

/// A value that is found again.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    text: Short,
    value: u32,
    /// Place of the namespace, from 1.
    part: u8,
}

/// Whether texts of a column are looked for among those before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Habit {
    tried: u32,
    found: u32,
}

impl Habit {
    fn is_worth_it(self) -> bool {
        self.tried < TRIED || self.found >= FOUND_MIN
    }
}

impl Default for Values {
    fn default() -> Self {
        Self {
            seeds: [Seeds::new(), Seeds::new()],
            ends: Vec::new(),
            numbers: Vec::new(),
            known: vec![Known::default(); KNOWN],
        }
    }
}

impl Values {
    /// The empty one alone.
    pub(super) fn clear(&mut self) {
        self.known.fill(Known::default());
        self.numbers.clear();
        self.ends.clear();
        self.ends.push(0);
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The value of a text, which is a part of those of the chunk.
    pub(super) fn of_text(
        &mut self,
        part: Namespace,
        texts: &[u8],
        text: Range<usize>,
        habit: &mut Habit,
        terms: &mut Terms,
    ) -> u32 {
        let bytes = texts.get(text.clone()).unwrap_or(&[]);
        if bytes.is_empty() {
            return EMPTY;
        }
        if !habit.is_worth_it() {
            return self.add(part, texts, text, terms);
        }
        let [seeds, _] = self.seeds;
        let short = Short::of(bytes).unwrap_or_else(|| Short::of_many(bytes, self.seeds));
        let place = short.hash(seeds) as usize % KNOWN;
        let of_part = part.place() as u8 + 1;
        let known = &self.known[place];
        habit.tried += 1;
        if known.part == of_part && known.text == short {
            habit.found += 1;
            return known.value;
        }
        let value = self.add(part, texts, text, terms);
        self.known[place] = Known {
            text: short,
            value,
            part: of_part,
        };
        value
    }

    /// A new value with the words of some texts.
    pub(super) fn of_texts<'t>(
        &mut self,
        part: Namespace,
        texts: impl IntoIterator<Item = &'t [u8]>,
        terms: &mut Terms,
    ) -> u32 {
        for text in texts {
            terms.add_text(part, text, 0..text.len(), &mut self.numbers);
        }
        self.end(terms)
    }

    /// A new value with a number.
    pub(super) fn of_number(&mut self, part: Namespace, number: u8, terms: &mut Terms) -> u32 {
        terms.add_number(part, number, &mut self.numbers);
        self.end(terms)
    }

    /// Whether a value has words.
    pub(super) fn has_words(&self, value: u32) -> bool {
        let value = value as usize;
        value > 0 && self.ends[value - 1] < self.ends[value]
    }

    /// Looks up all words.
    pub(super) fn finish(&mut self, terms: &mut Terms) {
        terms.look_up(&mut self.numbers);
    }

    /// The numbers of the terms of a value, some perhaps twice.
    pub(super) fn terms(&self, value: usize) -> &[u32] {
        let start = value.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[start as usize..self.ends[value] as usize]
    }

    /// Memory they take, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        (self.ends.capacity() + self.numbers.capacity()) * size_of::<u32>()
            + size_of_val::<[Known]>(&self.known)
    }

    fn add(&mut self, part: Namespace, texts: &[u8], text: Range<usize>, terms: &mut Terms) -> u32 {
        terms.add_text(part, texts, text, &mut self.numbers);
        self.end(terms)
    }

    /// Ends the value at hand.
    fn end(&mut self, terms: &mut Terms) -> u32 {
        let value = self.ends.len() as u32;
        self.ends.push(self.numbers.len() as u32);
        if terms.open() >= WORDS {
            self.finish(terms);
        }
        value
    }
}
