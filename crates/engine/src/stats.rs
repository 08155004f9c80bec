//! The most frequent values of a part of the records that match.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Mutex;

use model::{Facility, LogspaceName, RecordRef, Severity};
use query::Query;
use segment::Namespace;
use store::{OwnValueRows, Part};
use text_fields::FieldFinder;

use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::chunks::{each_block, each_chunk};
use crate::evaluate::count_code;
use crate::field_reader::{FieldReader, ValueSink};
use crate::field_values::{RecordSink, read_values};
use crate::limits::{STATS_BYTES_MAX, STATS_OWN_BYTES_MAX, STATS_SHARED_BYTES_MAX};
use crate::memory::CountedBy;
use crate::parallel::{each_part, locked, unlocked};
use crate::part_values::{HeadChunks, PartChunks};
use crate::question::values::each_different;
use crate::resolve::resolve_within;
use crate::row_set::RowSet;
use crate::run::Run;
use crate::scope::Scope;
use crate::value_marks::ValueMarks;
use crate::value_table::ValueTable;

/// What records are counted by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatsField {
    /// The host.
    Host,
    /// The program.
    Program,
    /// The process id.
    Pid,
    /// The message id.
    Msgid,
    /// The facility, by name.
    Facility,
    /// The severity, by name.
    Severity,
    /// The source.
    Source,
    /// The address of the sender; IPv4 that arrived on an IPv6 socket counts as IPv4.
    Peer,
    /// The tags; a record counts for each of its own.
    Tag,
    /// The logspace.
    Logspace,
    /// The fields of this name, as [`query::Target::Named`] has them; a record counts for each distinct
    /// value of its own.
    Named(String),
}

/// A text that names nothing to count by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidStatsField;

/// The most frequent values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// The values, the most frequent first; equally frequent ones in the order of their bytes.
    pub values: Vec<ValueCount>,
    /// How many distinct values there are.
    pub distinct: u64,
    /// How many records match, with a value or without.
    pub total: u64,
    /// What it cost.
    pub cost: Cost,
    /// Whether all were counted. Not so when there are too many distinct values (see
    /// [`STATS_BYTES_MAX`]).
    pub completeness: Completeness,
}

/// A value and how many records have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueCount {
    /// The value as it stands in the records. Bytes that are not UTF-8 are replaced.
    pub value: String,
    /// How many records have it.
    pub count: u64,
}

impl StatsField {
    /// Reads a name as the query language has it: `host`, `severity`, `priority`, or the name of
    /// a field such as `meta.sequenceId`, also as `nvpair:NAME`.
    ///
    /// # Errors
    /// When the name is empty.
    pub fn parse(name: &str) -> Result<Self, InvalidStatsField> {
        let name = name.trim();
        if let Some(field) = name
            .strip_prefix("nvpair:")
            .filter(|field| !field.is_empty())
        {
            return Ok(Self::Named(field.to_owned()));
        }
        Ok(match name.to_ascii_lowercase().as_str() {
            "" => return Err(InvalidStatsField),
            "host" => Self::Host,
            "program" => Self::Program,
            "pid" => Self::Pid,
            "msgid" => Self::Msgid,
            "facility" => Self::Facility,
            "severity" | "priority" => Self::Severity,
            "source" => Self::Source,
            "peer" | "ip" => Self::Peer,
            "tag" | "tags" => Self::Tag,
            "logspace" => Self::Logspace,
            _ => Self::Named(name.to_owned()),
        })
    }
}

/// Counts the records that match by a part of them, and lists the `limit` most frequent values.
/// Empty values do not count.
pub fn stats(scope: Scope, query: &Query, by: &StatsField, limit: usize, cancel: &Cancel) -> Stats {
    let mut run = Run::new(&scope.snapshots, query, cancel);
    let tally = Mutex::new(Tally::new(STATS_SHARED_BYTES_MAX));
    let when = scope.when();
    let parts: Vec<_> = scope.into_parts().collect();
    let start = || (0, Counting::new(&tally, by));
    let add = |run: &mut Run<'_>, own: &mut (u64, Counting<'_>), part: (LogspaceName, Part)| {
        let (total, counting) = own;
        let (logspace, part) = part;
        let set = resolve_within(run, &part, when);
        *total += set.len(part.rows());
        counting.add_part(run, (&logspace, &part), &set, when.covers(&part));
    };
    let accounts = each_part(&mut run, query, parts, start, add);
    let total = accounts.iter().map(|(total, _)| total).sum();
    drop(accounts);
    let tally = unlocked(tally);
    if tally.0.is_full() {
        run.left_out(format!(
            "more distinct values than fit into {STATS_BYTES_MAX} bytes"
        ));
    }
    let (cost, completeness) = run.finish();
    let distinct = tally.0.len() as u64;
    Stats {
        values: tally.top(limit),
        distinct,
        total,
        cost,
        completeness,
    }
}

/// Counts the values of a field on one thread of several.
struct Counting<'t> {
    by: &'t StatsField,
    /// The values of a part, or of some of its chunks, before they are added to those of all threads.
    own: ValueTable<u64>,
    marks: ValueMarks,
    /// Whether those are all values of the part.
    is_all: bool,
    all: &'t Mutex<Tally>,
    /// Of a named field; not there while it looks at a record.
    finder: Option<FieldFinder<'t>>,
}

/// Where a value is counted.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// At this index among those of the chunk.
    Own(usize),
    /// At this one among those of all threads, since there was no room.
    All(usize),
}

impl<'t> Counting<'t> {
    fn new(all: &'t Mutex<Tally>, by: &'t StatsField) -> Self {
        let finder = match by {
            StatsField::Named(name) => Some(FieldFinder::new(name.as_bytes())),
            _ => None,
        };
        Self {
            by,
            own: ValueTable::new(STATS_OWN_BYTES_MAX),
            marks: ValueMarks::default(),
            is_all: true,
            all,
            finder,
        }
    }

    /// Adds the rows of a set, of a part of a logspace. `is_whole`: which are all that match in it.
    fn add_part(
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
            let mut all = locked(self.all);
            let counts = counts.iter();
            return counts.for_each(|(value, count)| all.add(value, *count));
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
            let mut all = locked(self.all);
            let counts = counts.iter();
            return counts.for_each(|(value, rows)| all.add(value, u64::from(*rows)));
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
            StatsField::Named(name) => {
                let mut reader = FieldReader::new(name.as_bytes());
                let rows = set.clone();
                return read_values(run, part, rows, &mut reader, self);
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
                let mut all = locked(self.all);
                let counted = counted.iter();
                counted.for_each(|(name, count)| all.add(name.as_bytes(), *count));
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
        match self.own.entry(value) {
            Some(known) => *known += rows,
            None => {
                self.is_all = false;
                locked(self.all).add(value, rows);
            }
        }
    }

    /// Adds what was counted to that of all threads.
    fn hand_over(&mut self) {
        let mut all = locked(self.all);
        self.own.drain(|value, count| all.add(value, count));
    }
}

impl ValueSink for Counting<'_> {
    /// Where a value is counted, unless it is empty or there is no room for it.
    type Seen = Option<Place>;

    fn see(&mut self, value: &[u8]) -> Option<Place> {
        if value.is_empty() {
            return None;
        }
        match self.own.index(value) {
            Some(index) => Some(Place::Own(index)),
            None => {
                self.is_all = false;
                locked(self.all).0.index(value).map(Place::All)
            }
        }
    }

    fn row(&mut self, seat: u32, place: Option<Place>) {
        self.rows(&[seat], place);
    }

    fn rows(&mut self, seats: &[u32], place: Option<Place>) {
        let rows = seats.len() as u64;
        match place {
            None => {}
            Some(Place::Own(index)) => {
                if let Some(count) = self.own.kept_mut(index) {
                    *count += rows;
                }
            }
            Some(Place::All(index)) => {
                if let Some(count) = locked(self.all).0.kept_mut(index) {
                    *count += rows;
                }
            }
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

    fn settle(&mut self) {
        if self.own.is_half_full() {
            self.is_all = false;
            self.hand_over();
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

/// Values and how often they came, within a bound of memory.
struct Tally(ValueTable<u64>);

impl Tally {
    fn new(bytes_max: usize) -> Self {
        Self(ValueTable::new(bytes_max))
    }

    fn add(&mut self, value: &[u8], count: u64) {
        if value.is_empty() || count == 0 {
            return;
        }
        if let Some(known) = self.0.entry(value) {
            *known += count;
        }
    }

    fn top(&self, limit: usize) -> Vec<ValueCount> {
        // The least wanted of those at hand is on top.
        let mut best = BinaryHeap::new();
        for (value, count) in self.0.iter() {
            let ranked = (Reverse(*count), value);
            if best.len() < limit {
                best.push(ranked);
            } else if let Some(mut last) = best.peek_mut()
                && ranked < *last
            {
                *last = ranked;
            }
        }
        let best = best.into_sorted_vec().into_iter();
        best.map(|(Reverse(count), value)| ValueCount {
            value: String::from_utf8_lossy(value).into_owned(),
            count,
        })
        .collect()
    }
}

impl fmt::Display for InvalidStatsField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing to count by: name a field such as host, program or severity")
    }
}

impl std::error::Error for InvalidStatsField {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::VALUE_TABLE_BYTES_MIN;

    #[test]
    fn a_full_tally_goes_on_counting_what_it_knows() {
        let mut tally = Tally::new(4 * VALUE_TABLE_BYTES_MIN);
        let known = ["a", "b"];
        for value in known {
            tally.add(value.as_bytes(), 1);
        }
        let mut rare = 0_u32..;
        while !tally.0.is_full() {
            let value = format!("rare {:?}", rare.next());
            tally.add(value.as_bytes(), 1);
        }
        let distinct = tally.0.len();
        for value in ["a", "", "behind the bound, and long", "b", "b"] {
            tally.add(value.as_bytes(), 1);
        }
        assert_eq!(tally.0.len(), distinct);
        let top = tally.top(2);
        let top: Vec<_> = top.iter().map(|v| (v.value.as_str(), v.count)).collect();
        assert_eq!(top, [("b", 3), ("a", 2)]);
        assert!(tally.top(0).is_empty());
    }

    #[test]
    fn equally_frequent_values_come_in_the_order_of_their_bytes() {
        let mut tally = Tally::new(STATS_BYTES_MAX);
        for (value, count) in [("b", 1), ("C", 1), ("a", 1), ("d", 5)] {
            tally.add(value.as_bytes(), count);
        }
        let top: Vec<_> = tally.top(3).into_iter().map(|v| v.value).collect();
        assert_eq!(top, ["d", "C", "a"]);
    }

    #[test]
    fn names_are_those_of_the_query_language() {
        for (name, field) in [
            ("host", StatsField::Host),
            ("Priority", StatsField::Severity),
            (" ip ", StatsField::Peer),
            ("nvpair:host", StatsField::Named("host".to_owned())),
            ("meta.Seq", StatsField::Named("meta.Seq".to_owned())),
        ] {
            assert_eq!(StatsField::parse(name), Ok(field), "{name}");
        }
        assert_eq!(StatsField::parse(" "), Err(InvalidStatsField));
    }
}
