//! The most frequent patterns of the messages of the records that match.
//!
//! Of a kind of records whose messages all have one pattern no more is read than the oldest record, as an example; of
//! one whose patterns a slot tells, what is in there, and of others their messages. Records are looked at where their
//! messages are anywhere, and by the time of events.

use std::ops::Range;
use std::sync::Mutex;

use model::{LogspaceName, RecordNumber, Timestamp};
use query::{Query, Value};
use segment::Patterns;
use store::{Part, SegmentHandle, Snapshot};

use super::groups::{Groups, Room, first_of, kept_rows};
use super::kind_patterns::{KindPatterns, Split, Told};
use super::records::Keys;
use crate::chunks::each_block;
use crate::histogram::edges;
use crate::limits::{MESSAGES_READ, VALUES_READ};
use crate::parallel::{each_part, locked, unlocked};
use crate::part::row_at;
use crate::resolve::resolve_within;
use crate::row_set::RowSet;
use crate::rows::RowRef;
use crate::run::Run;
use crate::scope::Scope;
use crate::time_kind::TimeKind;

/// What is known of the messages of a pattern.
#[derive(Debug, Default)]
struct Kind {
    count: u64,
    /// The oldest of them.
    first: Option<First>,
    /// How many of them are in each bar; nothing where bars are not wanted, or had no room.
    bars: Box<[u64]>,
}

impl Kind {
    /// Counts some in each of some bars, of so many; returns the bytes of memory that this takes, or would have
    /// taken.
    fn count_in(
        &mut self,
        counts: impl IntoIterator<Item = (usize, u64)>,
        bars: usize,
        room: Room,
    ) -> usize {
        let mut taken = 0;
        if self.bars.is_empty() {
            taken = bars * size_of::<u64>();
            if taken <= room.0 {
                self.bars = vec![0; bars].into();
            }
        }
        for (bar, more) in counts {
            if let Some(count) = self.bars.get_mut(bar) {
                *count += more;
            }
        }
        taken
    }

    /// Keeps a message where it is the oldest; returns the bytes of memory that this takes, or would
    /// have taken.
    fn keep_oldest(&mut self, time: TimeKind, row: RowRef<'_>, room: Room) -> usize {
        let known = match &self.first {
            Some(first) if !first.is_behind(time, row) => return 0,
            first => first.as_ref().map_or(0, |first| first.message.len()),
        };
        // Messages of a kind may be of any length: only what one has more is new.
        let taken = row.record.message().len().saturating_sub(known);
        if taken <= room.0 {
            self.first = Some(First::of(time, row));
        }
        taken
    }
}

#[derive(Debug)]
struct First {
    at: Timestamp,
    logspace: LogspaceName,
    number: RecordNumber,
    message: Box<[u8]>,
}

impl First {
    fn of(time: TimeKind, row: RowRef<'_>) -> Self {
        Self {
            at: time.of(row.record),
            logspace: row.logspace.clone(),
            number: row.number,
            message: row.record.message().into(),
        }
    }

    fn is_behind(&self, time: TimeKind, row: RowRef<'_>) -> bool {
        let own = (self.at, &self.logspace, self.number);
        (time.of(row.record), row.logspace, row.number) < own
    }
}

/// The patterns, as rows, whether there was no room for more, and how many records match.
pub(super) fn patterns(
    run: &mut Run<'_>,
    scope: &Scope,
    query: &Query,
    (limit, bars): (usize, Option<usize>),
) -> (Vec<Vec<Value>>, bool, u64) {
    let gathering = Gathering {
        scope,
        edges: bars.map_or_else(Vec::new, |bars| edges(scope.range, bars)),
        groups: Mutex::new(Groups::new(run.cancel())),
    };
    let parts: Vec<(&Snapshot, &Part)> = scope.parts().collect();
    let add = |run: &mut Run<'_>, matched: &mut u64, part: (&Snapshot, &Part)| {
        *matched += gathering.add_part(run, part);
    };
    let matched = each_part(run, query, parts, || 0, add).iter().sum();
    let groups = unlocked(gathering.groups);
    let is_full = groups.is_full();
    let cancel = run.cancel();
    let kinds = (groups.iter(), groups.len());
    let kinds = first_of(cancel, kinds, limit, |(one, kind), (two, other)| {
        other.count.cmp(&kind.count).then_with(|| one.cmp(two))
    });
    let rows = kinds.iter().map(|(pattern, kind)| {
        let first = kind.first.as_ref();
        let mut cells = vec![
            Value::of_text(pattern),
            Value::of_count(kind.count),
            first.map_or(Value::Missing, |first| Value::Time(first.at)),
            first.map_or(Value::Missing, |first| Value::of_text(&first.message)),
        ];
        cells.extend(bars.map(|_| Value::of_counts(&kind.bars)));
        cells
    });
    (kept_rows(cancel, rows), is_full, matched)
}

/// Patterns that are being counted, on several threads.
struct Gathering<'s> {
    scope: &'s Scope,
    /// The starts of the bars and the end of the last; none where there are no bars.
    edges: Vec<Timestamp>,
    groups: Mutex<Groups<Kind>>,
}

/// Rows of the kinds of a segment that are being added.
struct Adding<'g> {
    gathering: &'g Gathering<'g>,
    part: &'g Part,
    /// The rows that match before each edge.
    before: &'g [RowSet],
    /// Ordinals of rows that may be the oldest of their patterns.
    examples: Vec<u32>,
}

impl Adding<'_> {
    /// Adds rows with a pattern.
    fn add(&mut self, pattern: &[u8], own: &Found) {
        if self.gathering.add_found(self.part, pattern, own) {
            self.examples.push(own.first);
        }
    }

    fn add_split(&mut self, split: &Split, ordinals: &Range<u32>) {
        for (pattern, own) in Found::each(split, ordinals, self.before) {
            self.add(pattern, &own);
        }
    }
}

/// What was found of a pattern in a kind of a segment.
struct Found {
    count: u64,
    /// The ordinal of the oldest.
    first: u32,
    /// How many are in each bar.
    bars: Vec<u64>,
}

impl Found {
    /// All rows of a set that are of a kind, given the first, its ordinals, and the rows of the set before each edge.
    fn all(first: u32, ordinals: &Range<u32>, set: &RowSet, before: &[RowSet]) -> Self {
        let bars = before.array_windows().map(|[start, end]| {
            let [start, end] = [start, end].map(|rows| rows.len_within(ordinals));
            end.saturating_sub(start)
        });
        Self {
            count: set.len_within(ordinals),
            first,
            bars: bars.collect(),
        }
    }

    /// Those of each pattern. Ordinals of a kind ascend as its rows do.
    fn each<'p>(
        split: &'p Split,
        ordinals: &Range<u32>,
        before: &[RowSet],
    ) -> impl Iterator<Item = (&'p [u8], Self)> {
        let bars = before.len().saturating_sub(1);
        let last: Vec<Option<u32>> = before
            .iter()
            .map(|rows| rows.last_within(ordinals))
            .collect();
        let none = |_: &Vec<u8>| Self {
            count: 0,
            first: u32::MAX,
            bars: vec![0; bars],
        };
        let mut found: Vec<Self> = split.patterns.iter().map(none).collect();
        for (ordinal, number) in &split.rows {
            let Some(own) = found.get_mut(*number as usize) else {
                continue;
            };
            own.count += 1;
            own.first = own.first.min(*ordinal);
            let edges = last.partition_point(|last| last.is_none_or(|last| last < *ordinal));
            let bar = edges.checked_sub(1).and_then(|bar| own.bars.get_mut(bar));
            bar.into_iter().for_each(|count| *count += 1);
        }
        let patterns = split.patterns.iter().map(Vec::as_slice);
        patterns.zip(found)
    }
}

impl Gathering<'_> {
    /// Adds the records of a part that match; how many they are.
    fn add_part(&self, run: &mut Run<'_>, (snapshot, part): (&Snapshot, &Part)) -> u64 {
        let set = resolve_within(run, part, self.scope.when());
        let matched = set.len(part.rows());
        let left = match part {
            Part::Segment(segment) if self.scope.time == TimeKind::Received => {
                self.add_kinds(run, (snapshot, part, segment), &set)
            }
            _ => set,
        };
        let first = part.first_number().0;
        let (mut keys, mut patterns) = (Keys::default(), Patterns::default());
        each_block(run, part, &left, &mut |block| {
            let rows = block.records().map(|(row, record)| RowRef {
                logspace: &snapshot.logspace,
                number: RecordNumber(first + u64::from(row)),
                record,
            });
            self.add_rows(&rows.collect::<Vec<_>>(), &mut keys, &mut patterns);
        });
        matched
    }

    /// Adds records by a look at each.
    fn add_rows(&self, rows: &[RowRef<'_>], keys: &mut Keys<usize>, patterns: &mut Patterns) {
        let time = self.scope.time;
        let add = |kind: &mut Kind, place: usize, room: Room| {
            let Some(row) = rows.get(place) else {
                return 0;
            };
            let at = time.of(row.record);
            let bar = self.edges.partition_point(|edge| *edge <= at);
            kind.count += 1;
            let taken = kind.count_in([(bar.saturating_sub(1), 1)], self.bars(), room);
            let room = Room(room.0.saturating_sub(taken));
            taken + kind.keep_oldest(time, *row, room)
        };
        for (place, row) in rows.iter().enumerate() {
            keys.push(patterns.of(row.record.message()), place, &self.groups, &add);
        }
        keys.add_to(&self.groups, &add);
    }

    fn bars(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// Adds the rows of those kinds of a segment that tell the patterns of their messages; the others.
    fn add_kinds(
        &self,
        run: &mut Run<'_>,
        (snapshot, part, segment): (&Snapshot, &Part, &SegmentHandle),
        set: &RowSet,
    ) -> RowSet {
        let mut kinds = KindPatterns::of(segment);
        let Some(before) = self.before_edges(run, part, set) else {
            return set.clone();
        };
        let (mut done, mut open) = (Vec::new(), Vec::new());
        let mut adding = Adding {
            gathering: self,
            part,
            before: &before,
            examples: Vec::new(),
        };
        let mut patterns = Patterns::default();
        let mut left = 0..part.rows();
        while let Some(ordinal) = set.first_within(&left) {
            if run.is_stopped() {
                break;
            }
            // Whoever reads the records finds out what is wrong.
            let Some((ordinals, told)) = kinds.at(ordinal) else {
                break;
            };
            left.start = ordinals.end;
            let mut unread = Vec::new();
            match told {
                Told::One(pattern) => {
                    adding.add(&pattern, &Found::all(ordinal, &ordinals, set, &before));
                }
                Told::BySlot(place) => {
                    for own in set.first_rows(&ordinals, usize::MAX).chunks(VALUES_READ) {
                        if run.is_stopped() {
                            break;
                        }
                        match kinds.split(&ordinals, place, own) {
                            Some(mut split) => {
                                unread.append(&mut split.open);
                                adding.add_split(&split, &ordinals);
                            }
                            None => unread.extend_from_slice(own),
                        }
                    }
                }
                Told::Open => unread = set.first_rows(&ordinals, usize::MAX),
            }
            done.push(ordinals.clone());
            for own in unread.chunks(MESSAGES_READ) {
                if run.is_stopped() {
                    break;
                }
                match kinds.split_messages(&ordinals, own, &mut patterns) {
                    Some(split) => adding.add_split(&split, &ordinals),
                    None => open.extend_from_slice(own),
                }
            }
        }
        kinds.remember();
        let mut examples = adding.examples;
        examples.sort_unstable();
        self.add_examples(run, (snapshot, part), &examples);
        let left = set.minus(&RowSet::of_ranges(done), part.rows());
        left.or(RowSet::from_sorted(&open))
    }

    /// Adds rows with a pattern; whether the oldest of them may be the oldest of all.
    fn add_found(&self, part: &Part, pattern: &[u8], own: &Found) -> bool {
        let mut is_older = false;
        locked(&self.groups).change(pattern, |kind, room| {
            kind.count += own.count;
            let known = kind.first.as_ref();
            is_older = known.is_none_or(|first| part.first_received() <= first.at);
            kind.count_in(own.bars.iter().copied().enumerate(), self.bars(), room)
        });
        is_older
    }

    /// The rows of a set before each edge; `None` where they cannot be told.
    fn before_edges(&self, run: &mut Run<'_>, part: &Part, set: &RowSet) -> Option<Vec<RowSet>> {
        let rows = self.edges.iter().map(|edge| row_at(part, *edge).ok());
        let rows: Option<Vec<u32>> = rows.collect();
        let before = rows?.into_iter().map(|row| match row {
            0 => RowSet::empty(),
            row if row >= part.rows() => set.clone(),
            row => RowSet::of_ranges(run.ordinals_before(part, row)).and(set.clone()),
        });
        Some(before.collect())
    }

    /// Keeps the messages of some rows, each the oldest of its pattern in a segment, where they are the oldest of all.
    fn add_examples(
        &self,
        run: &mut Run<'_>,
        (snapshot, part): (&Snapshot, &Part),
        ordinals: &[u32],
    ) {
        let mut patterns = Patterns::default();
        let first = part.first_number().0;
        each_block(run, part, &RowSet::from_sorted(ordinals), &mut |block| {
            for (row, record) in block.records() {
                let row = RowRef {
                    logspace: &snapshot.logspace,
                    number: RecordNumber(first + u64::from(row)),
                    record,
                };
                let pattern = patterns.of(record.message());
                let keep = |kind: &mut Kind, room| kind.keep_oldest(self.scope.time, row, room);
                locked(&self.groups).change(pattern, keep);
            }
        });
    }
}
