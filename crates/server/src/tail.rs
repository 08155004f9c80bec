//! Following the logspaces: what is new since the last look.

use std::collections::VecDeque;

use engine::{Cancel, FoundRow, Order, Scope, SearchOptions, TimeKind};
use model::{LogspaceName, RecordId, RecordNumber, TimeRange};
use query::Query;
use store::{Snapshot, Store};

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
}

impl Tail {
    /// Follows logspaces from their end, or one of them from behind a record. The `last` rows in front
    /// of the end come first.
    pub(crate) fn new(
        query: Query,
        snapshots: Vec<Snapshot>,
        after: Option<&RecordId>,
        last: usize,
    ) -> Self {
        let place = |snapshot: &Snapshot| {
            let after = after.filter(|id| id.logspace == snapshot.logspace);
            let number = after.map_or_else(|| end(snapshot), |id| id.number);
            (snapshot.logspace.clone(), number)
        };
        Self {
            query,
            places: snapshots.iter().map(place).collect(),
            last: (last > 0).then_some((snapshots, last)),
        }
    }

    /// Reads on to the end of every logspace.
    pub(crate) fn news(&mut self, store: &Store, cancel: &Cancel) -> News {
        let mut news = News {
            rows: VecDeque::new(),
            dropped: 0,
        };
        if let Some((snapshots, limit)) = self.last.take() {
            news.rows.extend(self.newest(snapshots, limit, cancel));
        }
        for (name, place) in &mut self.places {
            let Some(snapshot) = store.snapshot(name) else {
                continue;
            };
            let end = end(&snapshot);
            while *place < end && cancel.stopped().is_none() {
                let found =
                    engine::rows_after(&snapshot, *place, &self.query, TAIL_ROWS_MAX, cancel);
                *place = found.last.max(RecordNumber(place.0 + 1));
                news.rows.extend(found.rows);
                while news.rows.len() > TAIL_ROWS_MAX {
                    news.rows.pop_front();
                    news.dropped += 1;
                }
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

/// The number of the last record; 0 where there is none.
fn end(snapshot: &Snapshot) -> RecordNumber {
    snapshot.parts.last().map_or(RecordNumber(0), |part| {
        RecordNumber(part.first_number().0 + u64::from(part.rows()) - 1)
    })
}
