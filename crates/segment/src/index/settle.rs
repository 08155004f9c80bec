//! From the columns of a chunk to the ordinals of its terms.
//!
//! The ordinals of all terms are put in order as a whole: counted, then each put behind those that its
//! term has already. So a term is touched once for a chunk, where going from row to row would touch
//! it for every row that has it, each time far from the one before.

use std::ops::Range;

use super::open::{Column, OpenChunk, OpenGroup};
use crate::limits::GROUP_ROWS_MIN;

/// Set in the number of a group among the ordinals of a term: all its rows have the term.
const ALL_OF: u32 = 1 << 31;

/// Ordinals from which on they are put in order as a set of bits, and not compared with each other.
const BITS_ORDINALS_MIN: usize = 48;

/// The terms of a chunk and their ordinals. It only holds buffers.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// The terms of the chunk by their numbers in the segment.
    terms: Vec<u32>,
    /// For each term of the segment its place among those, if it is there.
    places: Vec<u32>,
    /// For each value the end of its terms.
    ends: Vec<u32>,
    /// The terms of each value, by their places and each once.
    of_values: Vec<u32>,
    /// For each term the last value that has it, and where its next entry goes.
    last: Vec<u32>,
    next: Vec<u32>,
    /// For each term in turn the ordinals of its rows and, in front of those of a group, [`ALL_OF`].
    entries: Vec<u32>,
    bits: Bits,
}

/// Where one term is.
#[derive(Debug, Default)]
pub(super) struct TermOrdinals {
    /// The groups whose rows all have it.
    pub(super) groups: Vec<u32>,
    /// The ordinals of the other rows that have it, ascending.
    pub(super) ordinals: Vec<u32>,
}

impl Settled {
    /// Puts the terms of a chunk in order. `fixed` has the terms of a kind that all its rows have; of
    /// those that are nowhere else in the chunk, `alone` is told with the number of the group.
    pub(super) fn settle<'k>(
        &mut self,
        open: &OpenChunk,
        fixed: impl Fn(u32) -> &'k [u32],
        mut alone: impl FnMut(u32, usize),
    ) {
        self.number_terms(open);
        self.count(open, &fixed, &mut alone);
        let mut end = 0;
        for next in &mut self.next {
            let count = std::mem::replace(next, end);
            end += count;
        }
        self.entries.clear();
        self.entries.resize(end as usize, 0);
        self.place(open, &fixed);
    }

    /// The terms that rows of the chunk have in their columns.
    pub(super) fn terms(&self) -> &[u32] {
        &self.terms
    }

    /// Replaces `found` by where a term is.
    pub(super) fn ordinals_of(
        &mut self,
        term: usize,
        groups: &[OpenGroup],
        found: &mut TermOrdinals,
    ) {
        found.groups.clear();
        found.ordinals.clear();
        let start = term.checked_sub(1).map_or(0, |before| self.next[before]);
        let mut rest = &self.entries[start as usize..self.next[term] as usize];
        let is_marked = rest.iter().fold(0, |all, entry| all | entry) & ALL_OF != 0;
        if !is_marked && rest.len() < GROUP_ROWS_MIN {
            // As most terms are, in no group as a whole.
            found.ordinals.extend_from_slice(rest);
            rest = &[];
        }
        let mut group = 0;
        while let Some(entry) = rest.first() {
            if entry & ALL_OF != 0 {
                group = (entry ^ ALL_OF) as usize;
                let end = groups[group].end;
                let marks = rest.iter().take_while(|mark| *mark == entry).count();
                let ordinals = rest[marks..].iter().take_while(|ordinal| **ordinal < end);
                rest = &rest[marks + ordinals.count()..];
                found.groups.push(group as u32);
                continue;
            }
            group += groups[group..].partition_point(|group| group.end <= *entry);
            let own = groups[group];
            let count = rest
                .iter()
                .take_while(|ordinal| **ordinal < own.end)
                .count();
            let (ordinals, behind) = rest.split_at(count);
            rest = behind;
            if self.bits.are_all(ordinals, own.start..own.end) {
                found.groups.push(group as u32);
            } else {
                found.ordinals.extend_from_slice(ordinals);
            }
        }
        let end = groups.last().map_or(0, |last| last.end);
        self.bits.sort(&mut found.ordinals, end as usize);
    }

    /// Memory it takes, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let lists = [
            &self.terms,
            &self.places,
            &self.ends,
            &self.of_values,
            &self.last,
            &self.next,
            &self.entries,
        ];
        let numbers: usize = lists.iter().map(|list| list.capacity()).sum();
        numbers * size_of::<u32>()
    }

    /// Finds the terms that there are, and those of each value.
    fn number_terms(&mut self, open: &OpenChunk) {
        self.terms.clear();
        self.ends.clear();
        self.of_values.clear();
        self.last.clear();
        for value in 0..open.values.len() {
            for term in open.values.terms(value) {
                if *term as usize >= self.places.len() {
                    self.places.resize(*term as usize + 1, 0);
                }
                let place = match self.place_of(*term) {
                    Some(place) => place,
                    None => {
                        self.places[*term as usize] = self.terms.len() as u32;
                        self.terms.push(*term);
                        self.last.push(u32::MAX);
                        self.terms.len() - 1
                    }
                };
                if self.last[place] != value as u32 {
                    self.last[place] = value as u32;
                    self.of_values.push(place as u32);
                }
            }
            self.ends.push(self.of_values.len() as u32);
        }
    }

    /// The place of a term of the segment. What stands for others is what was there before.
    fn place_of(&self, term: u32) -> Option<usize> {
        let place = *self.places.get(term as usize)? as usize;
        (self.terms.get(place) == Some(&term)).then_some(place)
    }

    fn of_value(&self, value: u32) -> Range<usize> {
        let start = value.checked_sub(1);
        let start = start.map_or(0, |before| self.ends[before as usize]);
        start as usize..self.ends[value as usize] as usize
    }

    /// Counts the entries of each term.
    fn count<'k>(
        &mut self,
        open: &OpenChunk,
        fixed: &impl Fn(u32) -> &'k [u32],
        alone: &mut impl FnMut(u32, usize),
    ) {
        self.next.clear();
        self.next.resize(self.terms.len(), 0);
        let mut counts = vec![0_u32; open.values.len()];
        for cell in &open.cells {
            counts[*cell as usize] += 1;
        }
        let mut columns = open.columns.as_slice();
        let mut before = 0;
        for (number, group) in open.groups.iter().enumerate() {
            let (own, others) = columns.split_at(group.columns_end - before);
            (columns, before) = (others, group.columns_end);
            for term in fixed(group.kind) {
                match self.place_of(*term) {
                    Some(place) => self.next[place] += 1,
                    None => alone(*term, number),
                }
            }
            for column in own {
                if let Column::Constant(value) = column {
                    counts[*value as usize] += if group.is_small() { group.len() } else { 1 };
                }
            }
        }
        for (value, count) in (0..).zip(counts) {
            for place in &self.of_values[self.of_value(value)] {
                self.next[*place as usize] += count;
            }
        }
    }

    /// Puts all entries to their terms.
    fn place<'k>(&mut self, open: &OpenChunk, fixed: &impl Fn(u32) -> &'k [u32]) {
        let mut before = 0;
        for (number, group) in (0..).zip(&open.groups) {
            let own = &open.columns[before..group.columns_end];
            before = group.columns_end;
            for term in fixed(group.kind) {
                if let Some(place) = self.place_of(*term) {
                    self.enter(place as u32, ALL_OF | number);
                }
            }
            for column in own {
                if let Column::Constant(value) = column
                    && !group.is_small()
                {
                    self.enter_value(*value, ALL_OF | number);
                }
            }
            for column in own {
                let ordinals = group.start..group.end;
                match column {
                    Column::Cells(start) => {
                        let cells = &open.cells[*start..*start + ordinals.len()];
                        for (ordinal, value) in ordinals.zip(cells) {
                            self.enter_value(*value, ordinal);
                        }
                    }
                    Column::Constant(value) if group.is_small() => {
                        for ordinal in ordinals {
                            self.enter_value(*value, ordinal);
                        }
                    }
                    Column::Constant(_) => {}
                }
            }
        }
    }

    #[inline]
    fn enter_value(&mut self, value: u32, entry: u32) {
        for at in self.of_value(value) {
            self.enter(self.of_values[at], entry);
        }
    }

    #[inline]
    fn enter(&mut self, place: u32, entry: u32) {
        let next = &mut self.next[place as usize];
        self.entries[*next as usize] = entry;
        *next += 1;
    }
}

/// A set of small numbers, empty between calls.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    /// Whether some ordinals, of which some may be there twice, are all of a group that is not small.
    fn are_all(&mut self, ordinals: &[u32], all: Range<u32>) -> bool {
        if all.len() < GROUP_ROWS_MIN || ordinals.len() < all.len() {
            return false;
        }
        self.0.resize(self.0.len().max(all.len() / 64 + 1), 0);
        for ordinal in ordinals {
            self.set(ordinal - all.start);
        }
        let words = &mut self.0[..all.len() / 64 + 1];
        let count: u32 = words.iter().map(|word| word.count_ones()).sum();
        words.fill(0);
        count as usize == all.len()
    }

    /// Puts numbers below `end` in order, each once.
    fn sort(&mut self, numbers: &mut Vec<u32>, end: usize) {
        if numbers.is_sorted_by(|number, next| number < next) {
            return;
        }
        if numbers.len() < BITS_ORDINALS_MIN {
            numbers.sort_unstable();
            numbers.dedup();
            return;
        }
        self.0.resize(self.0.len().max(end / 64 + 1), 0);
        for number in &*numbers {
            self.set(*number);
        }
        numbers.clear();
        for (base, word) in (0..).step_by(64).zip(&mut self.0) {
            while *word != 0 {
                numbers.push(base + word.trailing_zeros());
                *word &= *word - 1;
            }
        }
    }

    #[inline]
    fn set(&mut self, number: u32) {
        self.0[number as usize / 64] |= 1 << (number % 64);
    }
}
