//! The most frequent values of a part of the records that match.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::ops::Range;

use model::{Facility, LogspaceName, RecordRef, Severity};
use query::Query;
use segment::Namespace;
use store::Part;
use text_fields::FieldFinder;

use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::evaluate::count_code;
use crate::field_reader::{FieldReader, ValueSink};
use crate::field_values::{RecordSink, read_values};
use crate::limits::STATS_BYTES_MAX;
use crate::question::values::each_different;
use crate::resolve::{resolve_within, visit_rows};
use crate::row_set::RowSet;
use crate::run::Run;
use crate::scope::Scope;
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
    let mut tally = Tally::new(STATS_BYTES_MAX);
    let mut total = 0;
    let when = scope.when();
    for (logspace, part) in scope.into_parts() {
        if run.is_stopped() {
            break;
        }
        let (set, range) = resolve_within(&mut run, &part, when);
        total += set.len_within(&range);
        add_part(&mut run, &mut tally, by, &logspace, &part, &set, &range);
    }
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

fn add_part(
    run: &mut Run<'_>,
    tally: &mut Tally,
    by: &StatsField,
    logspace: &LogspaceName,
    part: &Part,
    set: &RowSet,
    range: &Range<u32>,
) {
    match by {
        StatsField::Logspace => {
            return tally.add(logspace.as_str().as_bytes(), set.len_within(range));
        }
        StatsField::Severity => {
            let names = Severity::all().map(|severity| (severity.number(), severity.name()));
            if add_codes(tally, Namespace::Severity, names, part, set, range).is_some() {
                return;
            }
        }
        StatsField::Facility => {
            let names = Facility::all().map(|facility| (facility.number(), facility.name()));
            if add_codes(tally, Namespace::Facility, names, part, set, range).is_some() {
                return;
            }
        }
        _ => {}
    }
    if let StatsField::Named(name) = by {
        let mut reader = FieldReader::new(name.as_bytes());
        let mut counting = Counting {
            tally,
            finder: FieldFinder::new(name.as_bytes()),
        };
        let rows = (set.clone(), range);
        return read_values(run, part, rows, &mut reader, &mut counting);
    }
    visit_rows(run, part, set, range, &mut |record| {
        add_record(tally, by, record);
    });
}

/// Counts numbers by the index of a segment; `None` where there is none or it cannot be read.
fn add_codes(
    tally: &mut Tally,
    namespace: Namespace,
    names: impl Iterator<Item = (u8, &'static str)>,
    part: &Part,
    set: &RowSet,
    range: &Range<u32>,
) -> Option<()> {
    let Part::Segment(segment) = part else {
        return None;
    };
    let counts = names
        .map(|(code, name)| Some((name, count_code(namespace, code, set, range, segment)?)))
        .collect::<Option<Vec<_>>>()?;
    for (name, count) in counts {
        tally.add(name.as_bytes(), count);
    }
    Some(())
}

fn add_record(tally: &mut Tally, by: &StatsField, record: RecordRef<'_>) {
    match by {
        StatsField::Host => tally.add(record.host(), 1),
        StatsField::Program => tally.add(record.program(), 1),
        StatsField::Pid => tally.add(record.pid(), 1),
        StatsField::Msgid => tally.add(record.msgid(), 1),
        StatsField::Facility => tally.add(record.priority().facility().name().as_bytes(), 1),
        StatsField::Severity => tally.add(record.priority().severity().name().as_bytes(), 1),
        StatsField::Source => tally.add(record.source().as_bytes(), 1),
        StatsField::Peer => {
            if let Some(address) = record.peer() {
                tally.add(address.to_canonical().to_string().as_bytes(), 1);
            }
        }
        StatsField::Tag => {
            for tag in record.tags() {
                tally.add(tag.as_bytes(), 1);
            }
        }
        // Known without a look at the record, or found in another way.
        StatsField::Logspace | StatsField::Named(_) => {}
    }
}

/// Counts the values of a field.
struct Counting<'t, 'n> {
    tally: &'t mut Tally,
    finder: FieldFinder<'n>,
}

impl ValueSink for Counting<'_, '_> {
    /// The index of a value, unless it is empty or there is no room for it.
    type Seen = Option<usize>;

    fn see(&mut self, value: &[u8]) -> Option<usize> {
        if value.is_empty() {
            return None;
        }
        self.tally.0.index(value)
    }

    fn row(&mut self, _: u32, index: Option<usize>) {
        if let Some(count) = index.and_then(|index| self.tally.0.kept_mut(index)) {
            *count += 1;
        }
    }
}

impl RecordSink for Counting<'_, '_> {
    fn record(&mut self, record: RecordRef<'_>) {
        let Self { tally, finder } = self;
        each_different(finder, record, &mut |value| tally.add(value, 1));
    }
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
