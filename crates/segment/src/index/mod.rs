//! The index of a segment while it is built: words by row or, where all rows of a group have them, by
//! group.
//!
//! A group is the rows of a kind in a chunk. Words that are fixed in the kind are in all of them, and
//! many words of slots are too: the domain of all hosts, the day in all time stamps. Only the others
//! are entered row by row, with most logs a third of all words.

mod kind_words;
mod lists;
mod tally;
mod write;

use model::words::is_wildcard_stop;
use model::{RecordBatch, RecordRef};

pub(crate) use lists::SharedLists;
pub use tally::Tally;
pub(crate) use write::groups_of;

use self::kind_words::KindWords;
use crate::Namespace;
use crate::chunk::{CutRows, Group};
use crate::footer::Counts;
use crate::kinds::{Kinds, Shape};
use crate::limits::GROUP_ROWS_MIN;
use crate::terms::Terms;

/// The namespaces that a message without a word in them can still have text in for `*?`.
const TEXT: u8 = bit(Namespace::Message) | bit(Namespace::StructuredData);

/// Stands for a term that all rows of the group have.
const COMMON: u32 = u32::MAX;

/// The index so far.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) terms: Terms,
    pub(crate) tally: Tally,
    /// Terms and the groups whose rows all have them.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// By the number of the kind.
    kinds: Vec<KindWords>,
    open: OpenChunk,
}

/// The words of the rows of a chunk. It only holds buffers.
#[derive(Debug, Default)]
struct OpenChunk {
    /// The numbers of the terms of each row in turn.
    numbers: Vec<u32>,
    /// For each row the end of its numbers.
    ends: Vec<usize>,
    /// For each term the last group that all rows of have it.
    common: Vec<u32>,
    /// Terms that all rows of a group so far have.
    candidates: Vec<u32>,
}

impl Index {
    /// Of no rows.
    pub(crate) fn new() -> Self {
        Self {
            terms: Terms::new(),
            tally: Tally::default(),
            pairs: Vec::new(),
            kinds: Vec::new(),
            open: OpenChunk::default(),
        }
    }

    /// Memory the index takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let kinds: usize = self.kinds.iter().map(KindWords::memory_bytes).sum();
        self.terms.memory_bytes()
            + self.tally.memory_bytes()
            + self.pairs.capacity() * size_of::<(u32, u32)>()
            + self.open.memory_bytes()
            + kinds
    }

    /// Enters a chunk as it was cut, whose first row has the number `first`, and counts its rows.
    pub(crate) fn add_chunk(
        &mut self,
        batch: &RecordBatch,
        (cut, groups): (&CutRows, &[Group]),
        kinds: &Kinds,
        first: u32,
        counts: &mut Counts,
    ) {
        self.add_kinds(groups, kinds, counts);
        self.find_words(batch, cut, counts);
        let base = self.tally.len();
        self.tally.push(groups.iter().map(Group::len));
        for (number, group) in (base..).zip(groups) {
            self.find_common(number, cut.rows_of(group), group.kind);
        }
        let mut start = 0;
        for (row, end) in (first..).zip(&self.open.ends) {
            let numbers = self.open.numbers.get_mut(start..*end).unwrap_or_default();
            start = *end;
            self.terms.add_row(without_common(numbers), row);
        }
    }

    /// Enters the fixed words of kinds that are met for the first time, and counts their rows.
    fn add_kinds(&mut self, groups: &[Group], kinds: &Kinds, counts: &mut Counts) {
        for group in groups {
            for number in self.kinds.len() as u32..=group.kind {
                let shape = kinds.shape(number).unwrap_or(Shape::Whole);
                self.kinds.push(KindWords::new(&shape, &mut self.terms));
            }
            if let Some(words) = self.kinds.get(group.kind as usize) {
                words.count(group.len(), counts);
            }
        }
    }

    /// Finds the terms of all rows but those that are fixed, and counts the rows.
    fn find_words(&mut self, batch: &RecordBatch, cut: &CutRows, counts: &mut Counts) {
        self.open.numbers.clear();
        self.open.ends.clear();
        for (index, record) in batch.iter().enumerate() {
            let Some(words) = self.kinds.get(cut.kind(index) as usize) else {
                continue;
            };
            let mut worded = 0;
            if words.is_whole() {
                worded = add_whole(record, &mut self.terms, counts);
            } else {
                let places = cut.places(index);
                for varying in words.varying() {
                    let text = varying.range(places);
                    let text = text.and_then(|range| batch.bytes().get(range));
                    if self.terms.add_text(varying.part, text.unwrap_or(&[])) {
                        worded |= bit(varying.part);
                    }
                }
            }
            worded |= add_loose(record, &mut self.terms, counts);
            words.count_row(record, worded, counts);
            self.terms.take_numbers(&mut self.open.numbers);
            self.open.ends.push(self.open.numbers.len());
        }
    }

    /// Finds the terms that all rows of a group have, and takes them from its rows.
    fn find_common(&mut self, group: u32, rows: &[u32], kind: u32) {
        let open = &mut self.open;
        open.candidates.clear();
        if rows.len() >= GROUP_ROWS_MIN {
            open.find_candidates(rows);
        }
        if let Some(words) = self.kinds.get(kind as usize) {
            open.candidates.extend_from_slice(words.fixed());
            open.candidates.sort_unstable();
            open.candidates.dedup();
        }
        open.common.resize(self.terms.len(), COMMON);
        for term in &open.candidates {
            if let Some(common) = open.common.get_mut(*term as usize) {
                *common = group;
            }
            self.pairs.push((*term, group));
        }
        for row in rows {
            let own = open.range(*row);
            for number in open.numbers.get_mut(own).unwrap_or_default() {
                if open.common.get(*number as usize) == Some(&group) {
                    *number = COMMON;
                }
            }
        }
    }
}

impl OpenChunk {
    /// Where the numbers of a row are.
    fn range(&self, row: u32) -> std::ops::Range<usize> {
        let end_of = |row: usize| self.ends.get(row).copied();
        let start = (row as usize).checked_sub(1).and_then(end_of).unwrap_or(0);
        start..end_of(row as usize).unwrap_or(start)
    }

    /// Finds the terms that all of some rows have.
    fn find_candidates(&mut self, rows: &[u32]) {
        for (at, row) in rows.iter().enumerate() {
            let own = self.range(*row);
            let own = self.numbers.get(own).unwrap_or(&[]);
            if at == 0 {
                self.candidates.extend_from_slice(own);
            } else {
                self.candidates.retain(|number| own.contains(number));
            }
            if self.candidates.is_empty() {
                return;
            }
        }
    }

    fn memory_bytes(&self) -> usize {
        self.numbers.capacity() * size_of::<u32>()
            + self.ends.capacity() * size_of::<usize>()
            + self.common.capacity() * size_of::<u32>()
    }
}

/// The numbers that are not those of common terms, moved to the front.
fn without_common(numbers: &mut [u32]) -> &[u32] {
    let mut kept = 0;
    for at in 0..numbers.len() {
        let number = numbers[at];
        numbers[kept] = number;
        kept += usize::from(number != COMMON);
    }
    &numbers[..kept]
}

/// Adds the words and the numbers of a record of the whole kind; the parts that have words.
fn add_whole(record: RecordRef<'_>, terms: &mut Terms, counts: &mut Counts) -> u8 {
    let severity = record.priority().severity().number();
    let facility = record.priority().facility().number();
    terms.add_number(Namespace::Severity, severity);
    terms.add_number(Namespace::Facility, facility);
    counts.severity[usize::from(severity)] += 1;
    counts.facility[usize::from(facility)] += 1;
    let mut worded = 0;
    for part in KindWords::PARTS {
        if terms.add_text(part, part.text(record).unwrap_or(&[])) {
            worded |= bit(part);
        }
    }
    worded
}

/// Adds the words of what no kind has: the names of tags and of the source.
fn add_loose(record: RecordRef<'_>, terms: &mut Terms, counts: &mut Counts) -> u8 {
    let mut worded = 0;
    let source = record.source();
    if terms.add_text(Namespace::Source, source.as_bytes()) {
        worded |= bit(Namespace::Source);
    }
    counts.add_present(Namespace::Source, u32::from(!source.is_empty()));
    if record.head().tags != 0 {
        let mut is_present = false;
        for name in record.tags() {
            is_present = true;
            if terms.add_text(Namespace::Tag, name.as_bytes()) {
                worded |= bit(Namespace::Tag);
            }
        }
        counts.add_present(Namespace::Tag, u32::from(is_present));
    }
    worded
}

/// Whether there is anything but white space and delimiters in the texts that terms are searched in.
fn has_text(record: RecordRef<'_>) -> bool {
    let is_text = |text: &[u8]| text.iter().any(|byte| !is_wildcard_stop(*byte));
    is_text(record.message()) || is_text(record.structured_data())
}

/// A set of namespaces with words: this one.
const fn bit(namespace: Namespace) -> u8 {
    1 << namespace.place()
}
