//! The index of a segment while it is built: words of slots by row, fixed words by kind.
//!
//! A word that is fixed in a kind is entered once for the kind; which rows are of the kind is known
//! anyway. So only what varies is entered row by row: with most logs a fifth of all words.

mod kind_words;
mod lists;
mod tally;
mod write;

use model::words::is_wildcard_stop;
use model::{RecordBatch, RecordRef};

pub(crate) use kind_words::KindWords;
pub(crate) use lists::SharedLists;
pub use tally::Tally;
pub(crate) use write::{entry, kinds_of};

use crate::chunk::{CutRows, Group};
use crate::footer::Counts;
use crate::kinds::Kinds;
use crate::terms::Terms;
use crate::{Corrupt, Namespace};

/// The namespaces that a message without a word in them can still have text in for `*?`.
const TEXT: u8 = bit(Namespace::Message) | bit(Namespace::StructuredData);

/// The index so far.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) terms: Terms,
    /// By the number of the kind.
    kinds: Vec<KindWords>,
}

impl Index {
    /// Of no rows.
    pub(crate) fn new() -> Self {
        Self {
            terms: Terms::new(),
            kinds: Vec::new(),
        }
    }

    /// Memory the index takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let kinds: usize = self.kinds.iter().map(KindWords::memory_bytes).sum();
        self.terms.memory_bytes() + kinds
    }

    /// Enters that a chunk has rows of a kind.
    ///
    /// # Errors
    /// When the kind is none of the table, or malformed.
    pub(crate) fn add_kind(
        &mut self,
        kind: u32,
        kinds: &Kinds,
        chunk: u32,
        rows: u32,
    ) -> Result<(), Corrupt> {
        for number in self.kinds.len() as u32..=kind {
            let words = KindWords::new(&kinds.shape(number)?, &mut self.terms);
            self.kinds.push(words);
        }
        if let Some(words) = self.kinds.get_mut(kind as usize) {
            words.add_rows(chunk, rows);
        }
        Ok(())
    }

    /// Enters a chunk as it was cut, whose first row has the number `first`, and counts its rows.
    pub(crate) fn add_chunk(
        &mut self,
        batch: &RecordBatch,
        (cut, groups): (&CutRows, &[Group]),
        kinds: &Kinds,
        (chunk, first): (u32, u32),
        counts: &mut Counts,
    ) {
        for group in groups {
            let rows = group.rows.len() as u32;
            let added = self.add_kind(group.kind, kinds, chunk, rows);
            debug_assert!(added.is_ok(), "a cutter writes sound kinds");
            if let Some(words) = self.kinds.get(group.kind as usize) {
                words.count(rows, counts);
            }
        }
        for (index, record) in batch.iter().enumerate() {
            let row = first + index as u32;
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
            self.terms.close_row(row, words.fixed());
            words.count_row(record, worded, counts);
        }
    }
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
    *counts.present_of(Namespace::Source) += u32::from(!source.is_empty());
    if record.head().tags != 0 {
        let mut is_present = false;
        for name in record.tags() {
            is_present = true;
            if terms.add_text(Namespace::Tag, name.as_bytes()) {
                worded |= bit(Namespace::Tag);
            }
        }
        *counts.present_of(Namespace::Tag) += u32::from(is_present);
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
