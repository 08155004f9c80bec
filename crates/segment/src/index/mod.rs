//! The index of a segment while it is built: words by row or, where all rows of a group have them, by
//! group.
//!
//! A group is the rows of a kind in a chunk. Words that are fixed in the kind are in all of them, and
//! many words of slots are too: the domain of all hosts, the day in all time stamps. Only the others
//! are entered row by row, with most logs a third of all words. They are taken column by column
//! ([`OpenChunk`]), as most texts of a column were there before, and entered term by term
//! ([`Settled`]). Rows are entered by their ordinals, which number those of a chunk group by group: the
//! rows of a word are mostly of few groups, so their ordinals are close together.

mod columns;
mod kind_words;
mod lists;
mod open;
mod part_counts;
mod settle;
mod tally;
mod values;
mod write;

use model::words::is_wildcard_stop;
use model::{RecordBatch, RecordRef};

pub(crate) use kind_words::asks_slots_only;
pub(crate) use lists::SharedLists;
pub(crate) use part_counts::PartCounts;
pub use part_counts::ValueRows;
pub use tally::Tally;
pub(crate) use write::listed;

use self::columns::Columns;
use self::kind_words::KindWords;
use self::open::OpenChunk;
use self::settle::{Settled, TermOrdinals};

use crate::Namespace;
use crate::chunk::{CutRows, Group};
use crate::footer::Counts;
use crate::kinds::{Kinds, Shape};
use crate::terms::Terms;

/// The namespaces that a message without a word in them can still have text in for `*?`.
const TEXT: u8 = bit(Namespace::Message) | bit(Namespace::StructuredData);

/// Terms that are read together, so that they are in the cache one after the other.
const TERMS_AHEAD: usize = 64;

/// The index so far.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) terms: Terms,
    pub(crate) tally: Tally,
    pub(crate) counts: PartCounts,
    /// Terms and the groups whose rows all have them.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// By the number of the kind.
    kinds: Vec<KindWords>,
    /// For each row of a group the parts that it has words of its own in.
    worded: Vec<u8>,
    open: OpenChunk,
    settled: Settled,
    found: TermOrdinals,
}

impl Index {
    /// Of no rows.
    pub(crate) fn new() -> Self {
        Self {
            terms: Terms::new(),
            tally: Tally::default(),
            counts: PartCounts::default(),
            pairs: Vec::new(),
            kinds: Vec::new(),
            worded: Vec::new(),
            open: OpenChunk::default(),
            settled: Settled::default(),
            found: TermOrdinals::default(),
        }
    }

    /// Memory the index takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let kinds: usize = self.kinds.iter().map(KindWords::memory_bytes).sum();
        self.terms.memory_bytes()
            + self.tally.memory_bytes()
            + self.counts.memory_bytes()
            + self.pairs.capacity() * size_of::<(u32, u32)>()
            + self.open.memory_bytes()
            + self.settled.memory_bytes()
            + kinds
    }

    /// Starts a chunk of some groups.
    pub(crate) fn start_chunk(&mut self, groups: &[Group], kinds: &Kinds, counts: &mut Counts) {
        self.add_kinds(groups, kinds, counts);
        self.open.clear();
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

    /// Adds the next group of the chunk, and counts its rows.
    pub(crate) fn add_group(
        &mut self,
        batch: &RecordBatch,
        cut: &CutRows,
        group: &Group,
        counts: &mut Counts,
    ) {
        let Some(words) = self.kinds.get(group.kind as usize) else {
            return;
        };
        let rows = cut.rows_of(group);
        let mut columns = Columns {
            batch,
            rows,
            open: &mut self.open,
            terms: &mut self.terms,
            part_counts: &mut self.counts,
            worded: &mut self.worded,
        };
        columns.start();
        if words.is_whole() {
            columns.add_whole(counts);
        }
        columns.add_varying(cut, words);
        columns.add_sources(counts);
        columns.add_tags(counts);
        let first = rows.first().and_then(|row| batch.get(*row as usize));
        for part in part_counts::PARTS {
            if let Some(record) = first.filter(|_| !words.varies(part)) {
                self.counts.add(part, record, group.len());
            }
        }
        let record = |row: usize| batch.get(*rows.get(row)? as usize);
        words.count_rows(&self.worded, record, counts);
        self.open.add_group(group.kind, group.len());
    }

    /// Enters the groups and ordinals of all terms of the chunk, whose ordinals are counted from `first` on.
    pub(crate) fn finish_chunk(&mut self, first: u32) {
        self.open.values.finish(&mut self.terms);
        let base = self.tally.len();
        let groups = self.open.groups.iter();
        self.tally
            .push(groups.map(|group| (group.kind, group.len())));
        let (kinds, pairs) = (&self.kinds, &mut self.pairs);
        let fixed = |kind: u32| kinds.get(kind as usize).map_or(&[][..], KindWords::fixed);
        let alone = |term, group: usize| pairs.push((term, base + group as u32));
        self.settled.settle(&self.open, fixed, alone);
        for place in 0..self.settled.terms().len() {
            if place % TERMS_AHEAD == 0 {
                let ahead = self.settled.terms().get(place..).unwrap_or(&[]);
                let ahead = ahead.get(..TERMS_AHEAD).unwrap_or(ahead);
                self.terms.touch(ahead);
            }
            let found = &mut self.found;
            self.settled.ordinals_of(place, &self.open.groups, found);
            let term = self.settled.terms()[place];
            let groups = found.groups.iter();
            self.pairs.extend(groups.map(|group| (term, base + group)));
            self.terms.add_ordinals(term, first, &found.ordinals);
        }
    }
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
