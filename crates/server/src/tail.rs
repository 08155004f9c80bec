//! Following the logspaces: what is new since the last look.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use engine::{Cancel, FoundRow, Order, Scope, SearchOptions, TimeKind};
use model::{LogspaceName, RecordId, RecordNumber, TimeRange};
use query::Query;
use store::{Part, Snapshot, Store};

use crate::limits::TAIL_ROWS_MAX;

/// A reader of live records: a query and how far it has come in each logspace.
pub(crate) struct Tail {
    query: Query,
    places: Vec<(LogspaceName, RecordNumber)>,
    /// What stands in front of those places, of which the newest rows come first; and how many.
    last: Option<(Vec<Snapshot>, usize)>,
}

/// What is new.
pub(crate) struct News {
    /// The newest rows that match, the oldest first.
    pub(crate) rows: VecDeque<FoundRow>,
    /// How many that match were skipped in front of them.
    pub(crate) dropped: u64,
    /// Whether there is nothing more to look at for now.
    pub(crate) is_at_end: bool,
}

impl Tail {
    /// Follows logspaces from their end, or one of them from behind a record. The `last` rows in front
    /// of the end come first. The end is in front of records that are seen already, where an import has
    /// taken numbers before them: they come when it is through, and not twice.
    pub(crate) fn new(
        query: Query,
        mut snapshots: Vec<Snapshot>,
        after: Option<&RecordId>,
        last: usize,
    ) -> Self {
        for Snapshot { parts, end, .. } in &mut snapshots {
            parts.retain(|part| part.first_number() < *end);
        }
        let place = |snapshot: &Snapshot| {
            let after = after.filter(|id| id.logspace == snapshot.logspace);
            let number = after.map_or_else(|| last_before(snapshot.end), |id| id.number);
            (snapshot.logspace.clone(), number)
        };
        Self {
            query,
            places: snapshots.iter().map(place).collect(),
            last: (last > 0).then_some((snapshots, last)),
        }
    }

    /// Reads on to the end of every logspace, or up to the first part behind the time for it: parts
    /// are read whole, so that each look comes further.
    pub(crate) fn news(&mut self, store: &Store, until: Instant, cancel: &Cancel) -> News {
        let mut news = News {
            rows: VecDeque::new(),
            dropped: 0,
            is_at_end: true,
        };
        if let Some((snapshots, limit)) = self.last.take() {
            news.rows.extend(self.newest(snapshots, limit, cancel));
        }
        for (name, place) in &mut self.places {
            let Some(snapshot) = store.snapshot(name) else {
                continue;
            };
            for part in new_parts(snapshot, *place) {
                if cancel.stopped().is_some() || Instant::now() >= until {
                    news.is_at_end = false;
                    return news;
                }
                read_part(&part, &self.query, place, &mut news, cancel);
            }
        }
        news
    }
}

impl Tail {
    /// The newest rows that match, the oldest of them first.
    fn newest(&self, snapshots: Vec<Snapshot>, limit: usize, cancel: &Cancel) -> Vec<FoundRow> {
        let scope = Scope {
            snapshots,
            range: TimeRange::ALL,
            time: TimeKind::Received,
        };
        let options = SearchOptions {
            limit,
            cursor: None,
            order: Order::NewestFirst,
        };
        let mut rows = engine::search(&scope, &self.query, &options, cancel).rows;
        rows.reverse();
        rows
    }
}

/// What a snapshot has behind a record, a part at a time, up to the first number that may still come.
fn new_parts(snapshot: Snapshot, place: RecordNumber) -> impl Iterator<Item = Snapshot> {
    let Snapshot {
        logspace,
        parts,
        end,
        damages,
    } = snapshot;
    let is_new = move |part: &Part| last_of(part) > place && part.first_number() < end;
    parts.into_iter().filter(is_new).map(move |part| Snapshot {
        logspace: logspace.clone(),
        parts: vec![part],
        end,
        damages: Arc::clone(&damages),
    })
}

/// Reads a part from behind a place to its end.
fn read_part(
    part: &Snapshot,
    query: &Query,
    place: &mut RecordNumber,
    news: &mut News,
    cancel: &Cancel,
) {
    let end = part.parts.last().map_or(*place, last_of);
    while *place < end && cancel.stopped().is_none() {
        let found = engine::rows_after(part, *place, query, TAIL_ROWS_MAX, cancel);
        *place = found.last.max(RecordNumber(place.0 + 1));
        news.rows.extend(found.rows);
        while news.rows.len() > TAIL_ROWS_MAX {
            news.rows.pop_front();
            news.dropped += 1;
        }
    }
}

/// The number before another one.
fn last_before(end: RecordNumber) -> RecordNumber {
    RecordNumber(end.0.saturating_sub(1))
}

fn last_of(part: &Part) -> RecordNumber {
    RecordNumber(part.first_number().0 + u64::from(part.rows()).saturating_sub(1))
}
