//! The columns of a group: what its rows have words in that is not fixed in their kind.

use std::hint::black_box;
use std::ops::Range;

use model::{RecordBatch, RecordRef};

use super::bit;
use super::kind_words::KindWords;
use super::open::OpenChunk;
use super::part_counts::{self, PartCounts};
use super::values::{EMPTY, Habit};
use crate::Namespace;
use crate::bytes::are_same;
use crate::chunk::CutRows;
use crate::footer::Counts;
use crate::terms::Terms;

/// A group whose columns are added.
pub(super) struct Columns<'a> {
    pub(super) batch: &'a RecordBatch,
    pub(super) rows: &'a [u32],
    pub(super) open: &'a mut OpenChunk,
    pub(super) terms: &'a mut Terms,
    pub(super) part_counts: &'a mut PartCounts,
    /// For each row the parts that it has words in.
    pub(super) worded: &'a mut Vec<u8>,
}

/// Rows whose texts are read together, so that they are in the cache one after the other: those of a
/// group stand anywhere in the chunk. All columns of some rows are made before those of the next, as
/// the texts of all rows are more than a cache holds.
const ROWS_AHEAD: usize = 32;

/// Reads some texts, all at once.
fn touch(texts: &[u8], ranges: &[Range<usize>]) {
    let firsts = ranges.iter().map(|range| texts.get(range.start));
    black_box(firsts.fold(0, |all, first| all ^ first.copied().unwrap_or_default()));
}

impl<'a> Columns<'a> {
    /// No row has words yet.
    pub(super) fn start(&mut self) {
        self.worded.clear();
        self.worded.resize(self.rows.len(), 0);
    }

    /// Adds the texts that vary, and counts the values of parts that do.
    pub(super) fn add_varying(&mut self, cut: &CutRows, words: &KindWords) {
        let varying = words.varying();
        let wholes: Vec<_> = varying.iter().map(|own| words.whole_part(own)).collect();
        let is_counted = |part: &Namespace| words.varies(*part) && !wholes.contains(&Some(*part));
        let counted = part_counts::PARTS.map(|part| Some(part).filter(is_counted));
        let start = self.open.cells.len();
        let rows = self.rows.len();
        self.open.cells.resize(start + varying.len() * rows, EMPTY);
        let mut habits = vec![Habit::default(); varying.len()];
        let mut ahead = Vec::with_capacity(ROWS_AHEAD);
        let mut places = Vec::with_capacity(ROWS_AHEAD);
        for first in (0..rows).step_by(ROWS_AHEAD) {
            let end = rows.min(first + ROWS_AHEAD);
            let own = self.rows.get(first..end).unwrap_or(&[]);
            places.clear();
            places.extend(own.iter().map(|row| cut.places(*row as usize)));
            let mut column = start;
            for ((varying, whole), habit) in varying.iter().zip(&wholes).zip(&mut habits) {
                ahead.clear();
                let ranges = places.iter().map(|slots| varying.range(slots));
                ahead.extend(ranges.map(|range| range.unwrap_or(0..0)));
                let texts = cut.slot_bytes();
                self.add_texts(varying.part, texts, &ahead, habit, first, column);
                if let Some(part) = whole {
                    self.count_values(*part, texts, &ahead);
                }
                column += rows;
            }
            for part in counted.into_iter().flatten() {
                let records = own.iter().filter_map(|row| self.batch.get(*row as usize));
                records.for_each(|record| self.part_counts.add(part, record, 1));
            }
        }
        self.open.add_columns(start, rows);
    }

    /// Puts the values of the texts of some rows, the first of which is given, into the cells of a
    /// column.
    fn add_texts(
        &mut self,
        part: Namespace,
        texts: &[u8],
        ranges: &[Range<usize>],
        habit: &mut Habit,
        first: usize,
        column: usize,
    ) {
        touch(texts, ranges);
        let OpenChunk { values, cells, .. } = &mut *self.open;
        let cells = cells.get_mut(column + first..).unwrap_or_default();
        let worded = self.worded.get_mut(first..).unwrap_or_default();
        let mut last: (&[u8], u32, u8) = (&[], EMPTY, 0);
        for ((range, cell), worded) in ranges.iter().zip(cells).zip(worded) {
            let text = texts.get(range.clone()).unwrap_or(&[]);
            // Many texts are those of the row before.
            if !are_same(text, last.0) {
                let value = values.of_text(part, texts, range.clone(), habit, self.terms);
                let parts = if values.has_words(value) {
                    bit(part)
                } else {
                    0
                };
                last = (text, value, parts);
            }
            *cell = last.1;
            *worded |= last.2;
        }
    }

    /// Counts the values of a part of some rows.
    fn count_values(&mut self, part: Namespace, texts: &[u8], ranges: &[Range<usize>]) {
        if part_counts::PARTS.contains(&part) {
            for range in ranges {
                let value = texts.get(range.clone()).unwrap_or(&[]);
                self.part_counts.add_value(part, value, 1);
            }
        }
    }

    /// Adds all parts of records of the whole kind.
    pub(super) fn add_whole(&mut self, counts: &mut Counts) {
        for part in KindWords::PARTS {
            self.add_each(|record, open, terms| {
                let text = part.text(record).unwrap_or(&[]);
                let value = open.values.of_texts(part, [text], terms);
                let worded = open.values.has_words(value);
                (value, if worded { bit(part) } else { 0 })
            });
        }
        self.add_each(|record, open, terms| {
            let severity = record.priority().severity().number();
            counts.severity[usize::from(severity)] += 1;
            let value = open.values.of_number(Namespace::Severity, severity, terms);
            (value, 0)
        });
        self.add_each(|record, open, terms| {
            let facility = record.priority().facility().number();
            counts.facility[usize::from(facility)] += 1;
            let value = open.values.of_number(Namespace::Facility, facility, terms);
            (value, 0)
        });
    }

    /// Adds the names of sources.
    pub(super) fn add_sources(&mut self, counts: &mut Counts) {
        let source = |record: RecordRef<'_>| record.head().source;
        self.add_runs(source, |record, rows, open, terms| {
            let name = record.source().as_bytes();
            counts.add_present(Namespace::Source, if name.is_empty() { 0 } else { rows });
            let value = open.values.of_texts(Namespace::Source, [name], terms);
            let worded = open.values.has_words(value);
            (value, if worded { bit(Namespace::Source) } else { 0 })
        });
    }

    /// Adds the names of tags.
    pub(super) fn add_tags(&mut self, counts: &mut Counts) {
        let tags = |record: RecordRef<'_>| record.head().tags;
        self.add_runs(tags, |record, rows, open, terms| {
            if record.head().tags == 0 {
                return (EMPTY, 0);
            }
            let names = || record.tags().map(str::as_bytes);
            let value = open.values.of_texts(Namespace::Tag, names(), terms);
            let is_present = names().next().is_some();
            counts.add_present(Namespace::Tag, if is_present { rows } else { 0 });
            let worded = open.values.has_words(value);
            (value, if worded { bit(Namespace::Tag) } else { 0 })
        });
    }

    /// Adds a column whose value follows from a key that mostly is that of the record before: given the
    /// value of the first record of a run of so many, and the part that it is of, if it has words.
    fn add_runs<K: PartialEq>(
        &mut self,
        key: impl Fn(RecordRef<'_>) -> K,
        mut value: impl FnMut(RecordRef<'_>, u32, &mut OpenChunk, &mut Terms) -> (u32, u8),
    ) {
        let start = self.open.cells.len();
        let mut first = 0;
        while let Some(record) = self.record(first) {
            let own = key(record);
            let mut end = first + 1;
            while self.record(end).is_some_and(|next| key(next) == own) {
                end += 1;
            }
            let rows = end - first;
            let (value, part) = value(record, rows as u32, self.open, self.terms);
            if part != 0 {
                let worded = self.worded.iter_mut().take(end).skip(first);
                worded.for_each(|worded| *worded |= part);
            }
            self.open.cells.resize(self.open.cells.len() + rows, value);
            first = end;
        }
        self.open.add_column(start);
    }

    /// The record of a row of the group.
    fn record(&self, row: usize) -> Option<RecordRef<'a>> {
        self.batch.get(*self.rows.get(row)? as usize)
    }

    /// Adds a column given the value of each record and the part that it is of, if it has words.
    fn add_each(
        &mut self,
        mut value: impl FnMut(RecordRef<'_>, &mut OpenChunk, &mut Terms) -> (u32, u8),
    ) {
        let start = self.open.cells.len();
        for (row, worded) in self.rows.iter().zip(self.worded.iter_mut()) {
            let Some(record) = self.batch.get(*row as usize) else {
                continue;
            };
            let (value, part) = value(record, self.open, self.terms);
            *worded |= part;
            self.open.cells.push(value);
        }
        self.open.add_column(start);
    }
}
