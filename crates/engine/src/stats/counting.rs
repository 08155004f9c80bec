//! Counting the values of a field in some rows, by the shortest way there is.

use std::sync::Mutex;

use model::{Facility, LogspaceName, RecordRef, Severity};
use segment::Namespace;
use store::{OwnValueRows, Part};
use text_fields::FieldFinder;

use super::StatsField;
use super::tally::Tally;
use crate::chunks::{each_block, each_chunk};
use crate::evaluate::count_code;
use crate::field_reader::{MessageSink, ValueSink};
use crate::field_values::{FieldValues, RecordSink};
use crate::limits::STATS_OWN_BYTES_MAX;
use crate::memory::CountedBy;
use crate::parallel::locked;
use crate::part_values::{HeadChunks, PartChunks};
use crate::question::values::{each_different, each_different_in};
use crate::row_set::RowSet;
use crate::run::Run;
use crate::value_marks::ValueMarks;
use crate::value_table::ValueTable;

/// Counts the values of a field on one thread of several.
pub(super) struct Counting<'t> {
    by: &'t StatsField,
    /// The values of a part, or of some of its chunks, before they are added to those of all threads.
    own: ValueTable<u64>,
    marks: ValueMarks,
    /// Whether they take half of the memory that they may.
    is_crowded: bool,
    /// Whether those are all values of the part.
    is_all: bool,
    all: All<'t>,
    /// Of a named field; neither is there while it is at work.
    values: Option<FieldValues>,
    finder: Option<FieldFinder<'t>>,
}

/// Where a value is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// At this index among those of the chunk.
    Own(usize),
    /// At this one among those of all threads, since there was no room.
    All(usize),
}

impl<'t> Counting<'t> {
    /// Counts into that of all threads.
    pub(super) fn new(all: &'t Mutex<Tally>, by: &'t StatsField) -> Self {
        let name = match by {
            StatsField::Named(name) => Some(name),
            _ => None,
        };
        Self {
            by,
            own: ValueTable::new(STATS_OWN_BYTES_MAX),
            marks: ValueMarks::default(),
            is_crowded: false,
            is_all: true,
            all: All {
                tally: all,
                prefix: Vec::new(),
                key: Vec::new(),
            },
            values: name.map(|name| FieldValues::new(name)),
            finder: name.map(|name| FieldFinder::new(name.as_bytes())),
        }
    }

    /// Has the values of all rows from now on counted behind a prefix.
    pub(super) fn turn_to(&mut self, prefix: &[u8]) {
        self.all.prefix.clear();
        self.all.prefix.extend_from_slice(prefix);
    }

    /// Adds the rows of a set, of a part of a logspace. `is_whole`: which are all that match in it.
    pub(super) fn add_part(
        &mut self,
        run: &mut Run<'_>,
        (logspace, part): (&LogspaceName, &Part),
        set: &RowSet,
        is_whole: bool,
    ) {
        let segment = match part {
            Part::Segment(segment) if is_whole => Some(segment),
            _ => None,
        };
        if let Some(segment) = segment
            && let Some(counts) = run.counts_in(segment, CountedBy::Values(self.by))
        {
            let counts = counts.iter().map(|(value, count)| (&**value, *count));
            return self.all.add(counts);
        }
        self.is_all = true;
        self.add_rows(run, (logspace, part), set);
        if let Some(segment) = segment
            && self.is_all
        {
            let counts = self.own.iter().map(|(value, count)| (value, *count));
            run.remember_counts(segment, CountedBy::Values(self.by), counts);
        }
        self.hand_over();
    }

    /// Counts the rows of a set.
    fn add_rows(
        &mut self,
        run: &mut Run<'_>,
        (logspace, part): (&LogspaceName, &Part),
        set: &RowSet,
    ) {
        let by = self.by;
        if *set == RowSet::All
            && let Some(counts) = counts_of_all(by, part)
        {
            self.is_all = false;
            let counts = counts.iter();
            return self
                .all
                .add(counts.map(|(value, rows)| (&**value, u64::from(*rows))));
        }
        let counted = match by {
            StatsField::Logspace => Some(vec![(logspace.as_str(), set.len(part.rows()))]),
            StatsField::Severity => {
                let names = Severity::all().map(|severity| (severity.number(), severity.name()));
                codes(Namespace::Severity, names, part, set)
            }
            StatsField::Facility => {
                let names = Facility::all().map(|facility| (facility.number(), facility.name()));
                codes(Namespace::Facility, names, part, set)
            }
            StatsField::Named(_) => {
                if let Some(mut values) = self.values.take() {
                    values.read(run, part, set.clone(), self);
                    self.values = Some(values);
                }
                return;
            }
            StatsField::Host => return self.add_texts(run, Namespace::Host, part, set),
            StatsField::Program => {
                return self.add_texts(run, Namespace::Program, part, set);
            }
            StatsField::Pid => return self.add_texts(run, Namespace::Pid, part, set),
            StatsField::Msgid => return self.add_texts(run, Namespace::Msgid, part, set),
            StatsField::Source | StatsField::Peer | StatsField::Tag => {
                return each_chunk(run, part, set, &mut HeadChunks { sink: self });
            }
        };
        match counted {
            Some(counted) => {
                // The index has them again as fast.
                self.is_all = false;
                let counted = counted.iter();
                self.all
                    .add(counted.map(|(name, count)| (name.as_bytes(), *count)));
            }
            None => each_block(run, part, set, &mut |block| self.records(block)),
        }
    }

    /// Counts texts of records that stand in columns.
    fn add_texts(&mut self, run: &mut Run<'_>, text: Namespace, part: &Part, set: &RowSet) {
        if let Part::Segment(segment) = part
            // Where the index cannot be read, columns say the same.
            && let Ok(Some(counted)) = self.marks.count(segment, text, set)
        {
            for (value, rows) in &counted {
                self.add(value, u64::from(*rows));
            }
            return;
        }
        each_chunk(run, part, set, &mut PartChunks::new(text, self));
    }

    fn add(&mut self, value: &[u8], rows: u64) {
        if value.is_empty() || rows == 0 {
            return;
        }
        match self.own_index(value) {
            Some(index) => {
                if let Some(known) = self.own.kept_mut(index) {
                    *known += rows;
                }
            }
            None => {
                self.is_all = false;
                self.all.add(std::iter::once((value, rows)));
            }
        }
    }

    /// The place of a value among those of the part; `None` where there is no room for it.
    fn own_index(&mut self, value: &[u8]) -> Option<usize> {
        let before = self.own.len();
        let index = self.own.index(value);
        if self.own.len() > before {
            self.is_crowded = self.own.is_half_full();
        }
        index
    }

    /// Adds what was counted to that of all threads, under one lock.
    fn hand_over(&mut self) {
        self.is_crowded = false;
        let All { tally, prefix, key } = &mut self.all;
        let mut tally = locked(tally);
        self.own
            .drain(|value, count| tally.add(keyed(prefix, value, key), count));
    }
}

/// The values of all threads, where those that are counted now have a prefix.
struct All<'t> {
    tally: &'t Mutex<Tally>,
    prefix: Vec<u8>,
    /// Memory for a value with it.
    key: Vec<u8>,
}

impl All<'_> {
    fn add<'v>(&mut self, counts: impl Iterator<Item = (&'v [u8], u64)>) {
        let mut tally = locked(self.tally);
        for (value, count) in counts.filter(|(value, _)| !value.is_empty()) {
            tally.add(keyed(&self.prefix, value, &mut self.key), count);
        }
    }

    fn index(&mut self, value: &[u8]) -> Option<usize> {
        locked(self.tally).index(keyed(&self.prefix, value, &mut self.key))
    }
}

/// A value behind a prefix.
fn keyed<'v>(prefix: &[u8], value: &'v [u8], key: &'v mut Vec<u8>) -> &'v [u8] {
    if prefix.is_empty() {
        return value;
    }
    key.clear();
    key.extend_from_slice(prefix);
    key.extend_from_slice(value);
    key
}

impl ValueSink for Counting<'_> {
    /// Where a value is counted, unless it is empty or there is no room for it.
    type Seen = Option<Place>;

    fn see(&mut self, value: &[u8]) -> Option<Place> {
        if value.is_empty() {
            return None;
        }
        match self.own_index(value) {
            Some(index) => Some(Place::Own(index)),
            None => {
                self.is_all = false;
                self.all.index(value).map(Place::All)
            }
        }
    }

    fn is_full(&self) -> bool {
        self.is_crowded
    }

    fn settle(&mut self) {
        if self.is_crowded {
            self.is_all = false;
            self.hand_over();
        }
    }

    fn row(&mut self, ordinal: u32, place: Option<Place>) {
        self.rows(&[ordinal], place);
    }

    fn rows(&mut self, ordinals: &[u32], place: Option<Place>) {
        let rows = ordinals.len() as u64;
        match place {
            None => {}
            Some(Place::Own(index)) => {
                if let Some(count) = self.own.kept_mut(index) {
                    *count += rows;
                }
            }
            Some(Place::All(index)) => locked(self.all.tally).add_at(index, rows),
        }
    }
}

impl MessageSink for Counting<'_> {
    fn message(&mut self, _: u32, in_data: Option<&[u8]>, message: &[u8]) {
        if let Some(mut finder) = self.finder.take() {
            each_different_in(&mut finder, in_data, message, &mut |value| {
                self.add(value, 1);
            });
            self.finder = Some(finder);
        }
    }
}

impl RecordSink for Counting<'_> {
    fn record(&mut self, record: RecordRef<'_>) {
        match self.by {
            StatsField::Host => self.add(record.host(), 1),
            StatsField::Program => self.add(record.program(), 1),
            StatsField::Pid => self.add(record.pid(), 1),
            StatsField::Msgid => self.add(record.msgid(), 1),
            StatsField::Facility => self.add(record.priority().facility().name().as_bytes(), 1),
            StatsField::Severity => self.add(record.priority().severity().name().as_bytes(), 1),
            StatsField::Source => self.add(record.source().as_bytes(), 1),
            StatsField::Peer => {
                if let Some(address) = record.peer() {
                    self.add(address.to_canonical().to_string().as_bytes(), 1);
                }
            }
            StatsField::Tag => record.tags().for_each(|tag| self.add(tag.as_bytes(), 1)),
            // Known without a look at the record.
            StatsField::Logspace => {}
            StatsField::Named(_) => {
                if let Some(mut finder) = self.finder.take() {
                    each_different(&mut finder, record, &mut |value| self.add(value, 1));
                    self.finder = Some(finder);
                }
            }
        }
    }
}

/// How many of all rows have each value, where a segment counts them.
fn counts_of_all(by: &StatsField, part: &Part) -> Option<OwnValueRows> {
    let Part::Segment(segment) = part else {
        return None;
    };
    let part = match by {
        StatsField::Host => Namespace::Host,
        StatsField::Program => Namespace::Program,
        _ => return None,
    };
    // Where they cannot be read, columns say the same.
    segment.value_rows(part).ok().flatten()
}

/// How many rows have each number, by the index of a segment; `None` where there is none or it cannot
/// be read.
fn codes(
    namespace: Namespace,
    names: impl Iterator<Item = (u8, &'static str)>,
    part: &Part,
    set: &RowSet,
) -> Option<Vec<(&'static str, u64)>> {
    let Part::Segment(segment) = part else {
        return None;
    };
    names
        .map(|(code, name)| Some((name, count_code(namespace, code, set, segment)?)))
        .collect()
}
