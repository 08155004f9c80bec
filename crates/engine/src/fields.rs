//! What the records that match have to offer: the names of their parts and fields.

use std::sync::Mutex;

use model::RecordRef;
use query::{FieldName, Query, Target};
use store::{Part, ReadError, SegmentHandle};
use text_fields::Detector;

use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::chunks::{ChunkSink, each_chunk};
use crate::kind_names::{KindNames, Present};
use crate::limits::{STATS_BYTES_MAX, STATS_OWN_BYTES_MAX, STATS_SHARED_BYTES_MAX};
use crate::memory::{CountedBy, Counts};
use crate::parallel::{each_part, locked, unlocked};
use crate::part::Block;
use crate::resolve::resolve_within;
use crate::run::Run;
use crate::scope::Scope;
use crate::time_kind::When;
use crate::value_table::ValueTable;

/// The names of what records have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The built-in parts in a fixed order, those that no record has left out; then the fields of
    /// the records, in the order of their names.
    pub fields: Vec<FieldCount>,
    /// What it cost.
    pub cost: Cost,
    /// Whether all were counted. Not so when there are too many names (see [`STATS_BYTES_MAX`]).
    pub completeness: Completeness,
}

/// A part or field, and how many records have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldCount {
    /// `host`, or the full name of a field such as `meta.sequenceId`; `nvpair:host` for a field that
    /// is called as something else.
    pub name: String,
    /// How many records have it, and not empty.
    pub count: u64,
}

/// The built-in parts, as the query language calls them.
const BUILT_IN: [&str; 10] = [
    "host", "program", "pid", "msgid", "facility", "severity", "message", "tag", "source", "peer",
];

/// In front of what is remembered of a built-in part, which is its place in [`BUILT_IN`].
const IS_PART: u8 = 0;
/// In front of the name of a field that is remembered.
const IS_NAMED: u8 = 1;

/// Counts how many of the records that match have each part and field.
pub fn fields(scope: Scope, query: &Query, cancel: &Cancel) -> Fields {
    let mut run = Run::new(&scope.snapshots, query, cancel);
    let names = Mutex::new(Names::within(cancel, STATS_SHARED_BYTES_MAX));
    let when = scope.when();
    let parts: Vec<_> = scope.into_parts().collect();
    let start = || Gathering {
        names: &names,
        own: None,
        kinds: KindNames::default(),
        seen: Seen::default(),
    };
    each_part(&mut run, query, parts, start, |run, own, (_, part)| {
        own.add_part(run, &part, when);
    });
    let names = unlocked(names);
    if names.named.is_full() {
        run.left_out(format!(
            "more names of fields than fit into {STATS_BYTES_MAX} bytes"
        ));
    }
    // Names are listed once more beside the table.
    let fields = match cancel.take(names.named.memory()) {
        true => names.list(),
        false => Vec::new(),
    };
    let (cost, completeness) = run.finish();
    Fields {
        fields,
        cost,
        completeness,
    }
}

/// What a thread finds.
struct Gathering<'n> {
    names: &'n Mutex<Names>,
    /// What the records of the segment at hand have, which is remembered where those are all that match.
    own: Option<Names>,
    kinds: KindNames,
    seen: Seen,
}

impl Gathering<'_> {
    fn add_part(&mut self, run: &mut Run<'_>, part: &Part, when: When) {
        let segment = match part {
            Part::Segment(segment) if when.covers(part) => Some(segment),
            _ => None,
        };
        if let Some(segment) = segment {
            run.touch(part);
            if let Some(counts) = run.counts_in(segment, CountedBy::Names) {
                return locked(self.names).add_counts(&counts);
            }
            self.own = Some(Names::new(STATS_OWN_BYTES_MAX));
        }
        let set = resolve_within(run, part, when);
        each_chunk(run, part, &set, self);
        if let (Some(own), Some(segment)) = (self.own.take(), segment)
            && !own.named.is_full()
        {
            let counts = own.counts();
            let counts = counts.iter().map(|(name, count)| (&**name, *count));
            run.remember_counts(segment, CountedBy::Names, counts);
        }
    }

    fn hand_over(&mut self) {
        if let Some(own) = &mut self.own {
            own.note_seen(&self.seen);
        }
        locked(self.names).note_seen(&self.seen);
        self.seen.clear();
    }
}

impl ChunkSink for Gathering<'_> {
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        ordinals: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let opened = segment.open_chunk(chunk)?;
        let (mut open, mut added) = (Vec::new(), Vec::new());
        for kind in opened.kind_rows(ordinals) {
            let own = kind.ranked().map(|(ordinal, _)| opened.ordinal(ordinal));
            match self.kinds.of(&opened, &kind) {
                Some(present) => added.push((own.collect::<Vec<u32>>(), present)),
                None => open.extend(own),
            }
        }
        let mut done: Vec<u32> = added
            .iter()
            .flat_map(|(ordinals, _)| ordinals)
            .copied()
            .collect();
        done.sort_unstable();
        let done = segment.at_ordinals(chunk, &done)?.into_iter();
        let records = segment.heads(chunk, done.map(|(row, _)| row))?;
        // From here on nothing fails, so that no row counts twice.
        let mut heads = [0; BUILT_IN.len()];
        records.iter().for_each(|head| count_head(head, &mut heads));
        let mut shared = locked(self.names);
        for names in std::iter::once(&mut *shared).chain(&mut self.own) {
            for (ordinals, present) in &added {
                names.add_kind(ordinals.len() as u64, present);
            }
            names.add_built_in(&heads);
        }
        drop(shared);
        open.sort_unstable();
        Ok(open)
    }

    fn block(&mut self, block: &Block) {
        for (_, record) in block.records() {
            self.seen.add(record);
            if self.seen.names.len() > STATS_OWN_BYTES_MAX {
                self.hand_over();
            }
        }
        self.hand_over();
    }
}

/// What some records have, in order. Finding that is what takes long.
#[derive(Default)]
struct Seen {
    records: u64,
    built_in: [u64; BUILT_IN.len()],
    /// The full names of their fields, one behind another.
    names: Vec<u8>,
    /// Where each ends, and which of the records has it, counted from 1.
    ends: Vec<(usize, u64)>,
    detector: Detector,
}

/// Names and how many records have them.
pub(crate) struct Names {
    records: u64,
    built_in: [u64; BUILT_IN.len()],
    /// By full name: how many records, and which one was the last, so that a field which stands
    /// twice in a record counts once.
    named: ValueTable<(u64, u64)>,
    seen: Seen,
}

/// How a field is asked for.
fn as_asked(name: &str) -> String {
    match FieldName::parse(name) {
        Ok(FieldName::Part(Target::Named(_))) => name.to_owned(),
        _ => format!("nvpair:{name}"),
    }
}

/// Counts a field of the record of this number.
fn add_named(named: &mut ValueTable<(u64, u64)>, record: u64, name: &[u8]) {
    // Records are numbered from 1, so that a new name was last seen in none.
    if let Some((count, last)) = named.entry(name) {
        *count += u64::from(*last != record);
        *last = record;
    }
}

/// Counts what of a record does not follow from its texts.
fn count_head(record: RecordRef<'_>, built_in: &mut [u64; BUILT_IN.len()]) {
    let present = [
        record.head().tags != 0,
        !record.source().is_empty(),
        record.peer().is_some(),
    ];
    for (count, is_present) in built_in.iter_mut().skip(7).zip(present) {
        *count += u64::from(is_present);
    }
}

impl Seen {
    /// Forgets what was added.
    fn clear(&mut self) {
        self.records = 0;
        self.built_in = [0; BUILT_IN.len()];
        self.names.clear();
        self.ends.clear();
    }

    fn add(&mut self, record: RecordRef<'_>) {
        self.records += 1;
        let present = [
            !record.host().is_empty(),
            !record.program().is_empty(),
            !record.pid().is_empty(),
            !record.msgid().is_empty(),
            true,
            true,
            !record.message().is_empty(),
            record.head().tags != 0,
            !record.source().is_empty(),
            record.peer().is_some(),
        ];
        for (count, is_present) in self.built_in.iter_mut().zip(present) {
            *count += u64::from(is_present);
        }
        let (names, ends, records) = (&mut self.names, &mut self.ends, self.records);
        for field in record.fields().filter(|field| !field.value.is_empty()) {
            if !field.group.is_empty() {
                names.extend_from_slice(field.group);
                names.push(b'.');
            }
            names.extend_from_slice(field.name);
            ends.push((names.len(), records));
        }
        self.detector.each(record.message(), &mut |name, value| {
            if !value.is_empty() {
                names.extend_from_slice(name);
                ends.push((names.len(), records));
            }
        });
    }
}

impl Names {
    /// Of names that take no more than so many bytes, and than all questions may have together.
    pub(crate) fn within(cancel: &Cancel, bytes_max: usize) -> Self {
        Self {
            named: ValueTable::within(cancel, bytes_max),
            ..Self::new(bytes_max)
        }
    }

    /// Of names that take no more than so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            records: 0,
            built_in: [0; BUILT_IN.len()],
            named: ValueTable::new(bytes_max),
            seen: Seen::default(),
        }
    }

    pub(crate) fn add(&mut self, record: RecordRef<'_>) {
        let mut seen = std::mem::take(&mut self.seen);
        seen.add(record);
        self.note_seen(&seen);
        seen.clear();
        self.seen = seen;
    }

    /// Adds what some records have.
    fn note_seen(&mut self, seen: &Seen) {
        let mut start = 0;
        for (end, record) in &seen.ends {
            let name = seen.names.get(start..*end).unwrap_or_default();
            add_named(&mut self.named, self.records + record, name);
            start = *end;
        }
        self.add_built_in(&seen.built_in);
        self.records += seen.records;
    }

    fn add_built_in(&mut self, built_in: &[u64; BUILT_IN.len()]) {
        for (count, more) in self.built_in.iter_mut().zip(built_in) {
            *count += more;
        }
    }

    /// What [`Self::add_counts`] adds: a part by its place, a field by its name.
    fn counts(&self) -> Counts {
        let parts = (0..).zip(self.built_in);
        let parts = parts.map(|(place, count)| ([IS_PART, place].into(), count));
        let named = self.named.iter();
        let named = named.map(|(name, (count, _))| ([&[IS_NAMED], name].concat().into(), *count));
        parts.chain(named).collect()
    }

    fn add_counts(&mut self, counts: &Counts) {
        for (key, count) in counts {
            match key.split_first() {
                Some((&IS_NAMED, name)) => {
                    if let Some((known, _)) = self.named.entry(name) {
                        *known += count;
                    }
                }
                Some((_, [place])) => {
                    if let Some(known) = self.built_in.get_mut(usize::from(*place)) {
                        *known += count;
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds so many records of a kind, but for what does not follow from their texts.
    fn add_kind(&mut self, records: u64, present: &Present) {
        self.records += records;
        let [host, program, pid, msgid, message] = present.parts;
        let present_parts = [host, program, pid, msgid, true, true, message];
        for (count, is_present) in self.built_in.iter_mut().zip(present_parts) {
            *count += if is_present { records } else { 0 };
        }
        for (name, count) in present.fields.iter().filter(|(_, count)| *count > 0) {
            if let Some((known, _)) = self.named.entry(name) {
                *known += count;
            }
        }
    }

    pub(crate) fn list(&self) -> Vec<FieldCount> {
        let mut named: Vec<(&[u8], &(u64, u64))> = self.named.iter().collect();
        named.sort_unstable();
        let built_in = BUILT_IN.iter().zip(self.built_in);
        let built_in = built_in.filter(|(_, count)| *count > 0);
        let built_in = built_in.map(|(name, count)| ((*name).to_owned(), count));
        let named = named
            .into_iter()
            .map(|(name, (count, _))| (as_asked(&String::from_utf8_lossy(name)), *count));
        built_in
            .chain(named)
            .map(|(name, count)| FieldCount { name, count })
            .collect()
    }
}
