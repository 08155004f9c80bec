//! What the store must and must not have, known from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::{Cancel, Scope};
use model::{LogspaceName, RecordBatch, RecordRef, Timestamp};
use query::naive;
use store::limits::CLOCK_BACK_NANOS_MAX;
use store::{Durability, Part, Retention, Snapshot, Store};

use crate::records;
use crate::run::Failure;

/// What became of a record that was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Nobody has said so far, or it was refused: it may be stored or not.
    Open,
    /// Acknowledged before the disk has given its word: it must be there until the power goes.
    Unsynced,
    /// Acknowledged: it must be there.
    Acknowledged,
    /// It was there and is gone, or its logspace may not keep it any more. It must not come back.
    Gone,
}

struct Sent {
    batch: Arc<RecordBatch>,
    at: usize,
    is_imported: bool,
    /// The number the store gave it, once that is known.
    number: Option<u64>,
    fate: Fate,
    /// Between which start and which end of the store it was handed over.
    life: u64,
    /// How many batches were handed over before, to whatever logspace.
    order: usize,
    /// It was seen since the last power cut.
    is_seen: bool,
}

impl Sent {
    fn received(&self) -> Timestamp {
        let record = self.batch.get(self.at);
        record.map(|record| record.received()).unwrap_or_default()
    }
}

#[derive(Default)]
struct Logspace {
    sent: Vec<Sent>,
    /// Which record had a number when somebody saw it. This is never forgotten.
    seen: BTreeMap<u64, usize>,
    /// What is kept now, and what was kept at the strictest of times.
    age_max: Option<i64>,
    is_size_bounded: bool,
}

/// Everything that was ever handed over.
#[derive(Default)]
pub(crate) struct Oracle {
    logspaces: BTreeMap<LogspaceName, Logspace>,
    life: u64,
    latest: Timestamp,
    /// Batches that were handed over.
    batches: usize,
    /// The first life of which something may be in the page cache only: it was to be acknowledged
    /// before its sync.
    early_since: Option<u64>,
    /// Lives that a power cut ended while something was in the page cache only. What of it was
    /// sealed is there, whatever of it was before in other logspaces.
    parted: BTreeSet<u64>,
}

/// Which records a batch consists of.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    logspace: LogspaceName,
    first: usize,
    count: usize,
}

impl Oracle {
    /// The index that the next record of a logspace has.
    pub(crate) fn next(&self, logspace: &LogspaceName) -> usize {
        self.logspaces.get(logspace).map_or(0, |l| l.sent.len())
    }

    /// Notes a batch before it is handed over.
    pub(crate) fn hand_over(
        &mut self,
        logspace: &LogspaceName,
        batch: &RecordBatch,
        is_imported: bool,
    ) -> Ticket {
        let first = self.next(logspace);
        let shared = Arc::new(batch.clone());
        let (life, order) = (self.life, self.batches);
        self.batches += 1;
        let sent = (0..batch.len()).map(|at| Sent {
            batch: Arc::clone(&shared),
            at,
            is_imported,
            number: None,
            fate: Fate::Open,
            life,
            order,
            is_seen: false,
        });
        let known = self.logspaces.entry(logspace.clone()).or_default();
        known.sent.extend(sent);
        Ticket {
            logspace: logspace.clone(),
            first,
            count: batch.len(),
        }
    }

    /// Notes with what promise a batch is handed over.
    pub(crate) fn ask_for(&mut self, durability: Durability) {
        if durability != Durability::Strict {
            self.early_since.get_or_insert(self.life);
        }
    }

    /// Notes that a batch is acknowledged, and with what promise; with the number of its first record
    /// where that is known.
    pub(crate) fn acknowledge(
        &mut self,
        ticket: &Ticket,
        durability: Durability,
        number: Option<u64>,
    ) {
        let fate = match durability {
            Durability::Strict => Fate::Acknowledged,
            Durability::Normal | Durability::Fast => Fate::Unsynced,
        };
        let Some(logspace) = self.logspaces.get_mut(&ticket.logspace) else {
            return;
        };
        for at in 0..ticket.count {
            if let Some(number) = number {
                // Who has sent it knows its number.
                let known = logspace.seen.entry(number + at as u64);
                known.or_insert(ticket.first + at);
            }
        }
        let sent = logspace.sent.iter_mut().skip(ticket.first);
        for (at, sent) in sent.take(ticket.count).enumerate() {
            sent.fate = fate;
            sent.number = number.map(|number| number + at as u64);
        }
    }

    /// Notes that a reader has got a record, and whether it is said to be durable.
    pub(crate) fn see(
        &mut self,
        logspace: &LogspaceName,
        number: u64,
        record: RecordRef<'_>,
        is_durable: bool,
    ) -> Result<(), String> {
        let known = self.logspaces.entry(logspace.clone()).or_default();
        let index = known.match_record(number, record)?;
        if let Some(sent) = known.sent.get_mut(index)
            && is_durable
            && matches!(sent.fate, Fate::Open | Fate::Unsynced)
        {
            sent.fate = Fate::Acknowledged;
        }
        Ok(())
    }

    /// Notes that the disk has given its word for everything that was acknowledged.
    pub(crate) fn sync(&mut self) {
        let sent = self.logspaces.values_mut().flat_map(|l| &mut l.sent);
        for sent in sent.filter(|sent| sent.fate == Fate::Unsynced) {
            sent.fate = Fate::Acknowledged;
        }
    }

    /// Notes that less is to be kept.
    pub(crate) fn bound(&mut self, logspace: &LogspaceName, retention: Retention) {
        let known = self.logspaces.entry(logspace.clone()).or_default();
        let age = retention
            .age_max
            .map(|age| i64::try_from(age.as_nanos()).unwrap_or(i64::MAX));
        known.age_max = match (known.age_max, age) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        known.is_size_bounded |= retention.bytes_max.is_some();
    }

    /// Notes the time, which decides what may be too old.
    pub(crate) fn pass_time(&mut self, now: Timestamp) {
        self.latest = self.latest.max(now);
    }

    /// The page cache is gone, and with it perhaps what only it had.
    pub(crate) fn forget_unsynced(&mut self) {
        let sent = self.logspaces.values_mut().flat_map(|l| &mut l.sent);
        for sent in sent.filter(|sent| sent.fate == Fate::Unsynced) {
            sent.fate = Fate::Open;
            sent.number = None;
            sent.is_seen = false;
        }
    }

    /// The store has ended; what is handed over from now on is of its next life.
    pub(crate) fn end_life(&mut self, lost_power: bool) {
        if lost_power && let Some(first) = self.early_since.take() {
            self.parted.extend(first..=self.life);
        }
        self.life += 1;
        if lost_power {
            for logspace in self.logspaces.values_mut() {
                for sent in &mut logspace.sent {
                    sent.is_seen = false;
                    if sent.fate == Fate::Open {
                        sent.number = None;
                    }
                }
            }
        }
    }

    /// Holds a store, with all its records readable, against everything that is known.
    pub(crate) fn check(&mut self, store: &Store) -> Result<(), Failure> {
        let mut snapshots = Vec::new();
        for (name, logspace) in &mut self.logspaces {
            let Some(snapshot) = store.snapshot(name) else {
                return Err(Failure::new(format!("logspace {name} is gone")));
            };
            if let Some(damage) = snapshot.damages.first() {
                return Err(Failure::new(format!("damage that nobody did: {damage}")));
            }
            let rows = read(&snapshot)?;
            logspace
                .check(&rows, self.latest)
                .map_err(|what| Failure::new(format!("logspace {name}: {what}")))?;
            snapshots.push((snapshot, rows));
        }
        self.check_order(&snapshots)?;
        check_queries(&snapshots)
    }

    /// Of one life of the store, nothing is there in one logspace behind something that is missing in
    /// another: a connection may have sent both.
    fn check_order(&self, snapshots: &[(Snapshot, Vec<Row>)]) -> Result<(), Failure> {
        let mut in_order = Vec::new();
        for (snapshot, rows) in snapshots {
            let records = rows.iter().filter_map(|row| row.batch.get(row.at));
            let present: BTreeSet<usize> = records.filter_map(records::index).collect();
            let sent = self
                .logspaces
                .get(&snapshot.logspace)
                .map(|l| l.sent.iter());
            let sent = sent.into_iter().flatten().enumerate();
            let counts = sent.filter(|(_, sent)| {
                !sent.is_imported && sent.fate != Fate::Gone && !self.parted.contains(&sent.life)
            });
            in_order.extend(counts.map(|(index, sent)| {
                (
                    sent.order,
                    sent.life,
                    &snapshot.logspace,
                    index,
                    present.contains(&index),
                )
            }));
        }
        in_order.sort_unstable();
        let mut missing = None;
        for (_, life, logspace, index, is_present) in in_order {
            if !is_present {
                missing = Some((life, logspace, index));
            } else if let Some((hole, other, at)) = missing
                && hole == life
            {
                let what = format!("record {index} of {logspace} is there, {at} of {other} is not");
                return Err(Failure::new(what));
            }
        }
        Ok(())
    }
}

/// A record as the store has it.
struct Row {
    number: u64,
    batch: Arc<RecordBatch>,
    at: usize,
}

fn read(snapshot: &Snapshot) -> Result<Vec<Row>, Failure> {
    let mut rows: Vec<Row> = Vec::new();
    for part in &snapshot.parts {
        let batches = match part {
            Part::Tail(chunk) => vec![Arc::new(chunk.batch.clone())],
            Part::Segment(segment) => {
                let chunks = 0..segment.chunks();
                chunks
                    .map(|index| segment.chunk_records(index).map(Arc::new))
                    .collect::<Result<_, _>>()
                    .map_err(|error| Failure::new(error.to_string()))?
            }
        };
        let mut number = part.first_number().0;
        for batch in batches {
            for at in 0..batch.len() {
                if rows.last().is_some_and(|last| last.number >= number) {
                    return Err(Failure::new(format!("number {number} is there twice")));
                }
                let batch = Arc::clone(&batch);
                rows.push(Row { number, batch, at });
                number += 1;
            }
        }
    }
    Ok(rows)
}

impl Logspace {
    fn check(&mut self, rows: &[Row], latest: Timestamp) -> Result<(), String> {
        let present = self.match_rows(rows)?;
        self.check_numbers()?;
        self.check_missing(&present, latest)?;
        self.check_prefix(&present)
    }

    /// A record that somebody sees is one that was handed over, whole, and no other one had its number
    /// before; which it is.
    fn match_record(&mut self, number: u64, record: RecordRef<'_>) -> Result<usize, String> {
        let known = records::index(record).and_then(|i| Some((i, self.sent.get(i)?)));
        let Some((index, sent)) = known else {
            return Err(format!("number {number} was never handed over"));
        };
        let same = sent.batch.get(sent.at);
        if !same.is_some_and(|same| records::is_same(same, record)) {
            return Err(format!("number {number} is not as it was handed over"));
        }
        let seen = *self.seen.entry(number).or_insert(index);
        if seen != index {
            return Err(format!(
                "number {number} is of record {index}, and was seen as that of {seen}"
            ));
        }
        Ok(index)
    }

    /// Every stored record is one that was handed over, whole, once, and where it belongs.
    fn match_rows(&mut self, rows: &[Row]) -> Result<BTreeSet<usize>, String> {
        let mut present = BTreeSet::new();
        let mut last_live: Option<(usize, Timestamp)> = None;
        for row in rows {
            let Some(record) = row.batch.get(row.at) else {
                return Err("a record that its batch does not have".to_owned());
            };
            let number = row.number;
            let index = self.match_record(number, record)?;
            let Some(sent) = self.sent.get_mut(index) else {
                continue;
            };
            if !present.insert(index) {
                return Err(format!("record {index} is there twice"));
            }
            if sent.fate == Fate::Gone {
                return Err(format!("record {index} was gone and is there again"));
            }
            if sent.number.is_some_and(|given| given != number) {
                return Err(format!(
                    "record {index} has number {number}, not {:?}",
                    sent.number
                ));
            }
            sent.number = Some(number);
            sent.is_seen = true;
            let received = record.received();
            if sent.is_imported && received != sent.received() {
                return Err(format!("record {index} was imported with another time"));
            }
            if sent.is_imported {
                continue;
            }
            // The clock may have been set back, by this record or by one in between that is gone;
            // behind that, small steps back are smoothed as everywhere.
            let smoothed = received.nanos() - sent.received().nanos();
            let is_later = |(last, at): (usize, Timestamp)| {
                let is_back = at.nanos() - received.nanos() > CLOCK_BACK_NANOS_MAX;
                let may_be_back = is_back || last + 1 < index;
                last < index && (at <= received || may_be_back && smoothed <= CLOCK_BACK_NANOS_MAX)
            };
            if received < sent.received() || !last_live.is_none_or(is_later) {
                return Err(format!("record {index} is out of order"));
            }
            last_live = Some((index, received));
        }
        Ok(present)
    }

    /// No number was given twice, not even to a record that is gone.
    fn check_numbers(&self) -> Result<(), String> {
        let mut given = BTreeMap::new();
        for (index, sent) in self.sent.iter().enumerate() {
            if let Some(number) = sent.number
                && let Some(other) = given.insert(number, index)
            {
                return Err(format!("number {number} was given to {other} and {index}"));
            }
        }
        Ok(())
    }

    /// What is missing was never acknowledged, or need not be kept.
    fn check_missing(
        &mut self,
        present: &BTreeSet<usize>,
        latest: Timestamp,
    ) -> Result<(), String> {
        let mut bounds = Bounds {
            earliest: self.age_max.map(|age| latest.nanos().saturating_sub(age)),
            first_present: present.first().copied().filter(|_| self.is_size_bounded),
            newest_before: i64::MIN,
        };
        for (index, sent) in self.sent.iter_mut().enumerate() {
            bounds.newest_before = bounds.newest_before.max(sent.received().nanos());
            if present.contains(&index) || sent.fate == Fate::Gone {
                continue;
            }
            let must_be_there =
                matches!(sent.fate, Fate::Acknowledged | Fate::Unsynced) || sent.is_seen;
            if !must_be_there && !bounds.allow(index, sent) {
                continue;
            }
            if !bounds.allow(index, sent) {
                return Err(format!(
                    "record {index} (number {:?}) was {:?} and is missing",
                    sent.number, sent.fate
                ));
            }
            if must_be_there {
                sent.fate = Fate::Gone;
            } else {
                sent.life = u64::MAX;
            }
        }
        Ok(())
    }

    /// Of one life of the store, nothing is there behind something that is not. What is not there
    /// when the life is over is gone for good, but for imports, which may have become whole late.
    fn check_prefix(&mut self, present: &BTreeSet<usize>) -> Result<(), String> {
        let mut missing: Option<(usize, u64)> = None;
        for (index, sent) in self.sent.iter().enumerate() {
            if sent.is_imported || sent.fate == Fate::Gone {
                continue;
            }
            if !present.contains(&index) {
                missing = Some((index, sent.life));
            } else if let Some((hole, life)) = missing
                && life == sent.life
            {
                return Err(format!("record {index} is there, {hole} before it is not"));
            }
        }
        Ok(())
    }
}

/// What a logspace need not keep.
struct Bounds {
    earliest: Option<i64>,
    /// Only logspaces without imports are bounded by size: there the oldest go first.
    first_present: Option<usize>,
    /// When the newest of the records so far was received. The clock may have been set back since: what came
    /// behind that is older, and goes before it.
    newest_before: i64,
}

impl Bounds {
    fn allow(&self, index: usize, sent: &Sent) -> bool {
        let received = sent.received().nanos();
        let is_old = |earliest: i64| received < earliest;
        let is_behind_a_step = received < self.newest_before;
        let may_go = |first: usize| index < first || is_behind_a_step;
        self.earliest.is_some_and(is_old) || self.first_present.is_some_and(may_go)
    }
}

/// The engine finds what the definition of each query says.
fn check_queries(snapshots: &[(Snapshot, Vec<Row>)]) -> Result<(), Failure> {
    let scope = Scope::new(
        snapshots
            .iter()
            .map(|(snapshot, _)| snapshot.clone())
            .collect(),
    );
    for text in records::QUERIES {
        let parsed = query::parse(text).into_result();
        let query = parsed.map_err(|error| Failure::new(format!("{text}: {error}")))?;
        let expected = naive_count(snapshots, &query);
        let found = engine::count(&scope, &query, &Cancel::new());
        if !found.completeness.is_complete() || found.count != expected {
            return Err(Failure::new(format!(
                "`{text}` finds {} records, not {expected} ({:?})",
                found.count,
                found.completeness.reason()
            )));
        }
    }
    Ok(())
}

fn naive_count(snapshots: &[(Snapshot, Vec<Row>)], query: &query::Query) -> u64 {
    let rows = snapshots.iter().flat_map(|(_, rows)| rows);
    let records = rows.filter_map(|row| row.batch.get(row.at));
    records
        .filter(|record| naive::matches(&query.root, *record))
        .count() as u64
}
