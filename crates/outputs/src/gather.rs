//! The records of one logspace that a destination wants, read on and put together into batches.

use std::sync::Arc;
use std::time::Instant;

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};
use query::Matcher;
use store::{Followed, Follower, ReadError};

use crate::account::Dropped;
use crate::limits::{READ_BYTES, READ_RECORDS};
use crate::sink::{Batch, Row};

/// How many records go together at the most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) records: usize,
    pub(crate) bytes: usize,
}

/// A logspace that is followed, and what was read of it and not handed out yet.
pub(crate) struct Source {
    pub(crate) logspace: LogspaceName,
    pub(crate) follower: Follower,
    /// Records from before are passed over.
    since: Option<Timestamp>,
    open: Open,
    /// Batches that are full.
    ready: std::collections::VecDeque<Piece>,
}

/// What is being put together.
#[derive(Default)]
struct Open {
    records: RecordBatch,
    rows: Vec<Row>,
    gone: Dropped,
    /// The last number that was looked at.
    last: Option<RecordNumber>,
    /// When the first of it was read.
    begun: Option<Instant>,
}

/// Records that are settled together, with everything that was passed on the way.
pub(crate) struct Piece {
    /// Those that match.
    pub(crate) batch: Batch,
    /// Records that nobody can deliver.
    pub(crate) gone: Dropped,
    /// Where reading goes on once this is settled.
    pub(crate) last: RecordNumber,
}

impl Source {
    pub(crate) fn new(
        logspace: LogspaceName,
        follower: Follower,
        since: Option<Timestamp>,
    ) -> Self {
        Self {
            logspace,
            follower,
            since,
            open: Open::default(),
            ready: std::collections::VecDeque::new(),
        }
    }

    /// Reads on; whether there was something.
    pub(crate) fn read(
        &mut self,
        matcher: Option<&mut Matcher>,
        bounds: Bounds,
        now: Instant,
    ) -> Result<bool, ReadError> {
        // Where every record is wanted, no more is read than fits.
        let wanted = match matcher {
            Some(_) => READ_RECORDS,
            None => bounds.records.saturating_sub(self.open.rows.len()),
        };
        let bytes = READ_BYTES.min(bounds.bytes);
        let followed = self.follower.next(wanted.clamp(1, READ_RECORDS), bytes)?;
        let Some(followed) = followed else {
            return Ok(false);
        };
        self.open.begun.get_or_insert(now);
        for gap in &followed.gaps {
            self.open.gone.add_gap(gap.reason, gap.records);
        }
        match matcher {
            None if self.since.is_none() && self.open.rows.is_empty() => self.adopt(followed),
            matcher => self.choose(&followed, matcher, bounds),
        }
        self.open.last = Some(self.follower.position());
        if self.open.is_full(bounds) {
            self.finish();
        }
        Ok(true)
    }

    /// Takes everything as it is.
    fn adopt(&mut self, followed: Followed) {
        let first = followed.first.0;
        let rows = (0..).zip(first..).take(followed.records.len());
        self.open.rows.extend(rows.map(|(index, number)| Row {
            index,
            number: RecordNumber(number),
        }));
        self.open.records = followed.records;
    }

    /// Copies what is wanted.
    fn choose(&mut self, followed: &Followed, mut matcher: Option<&mut Matcher>, bounds: Bounds) {
        let since = self.since;
        for (number, record) in (followed.first.0..).zip(followed.records.iter()) {
            let is_old = since.is_some_and(|since| record.received() < since);
            // Records stand in the order of their receipt, but for imported ones.
            if is_old
                || !matcher
                    .as_mut()
                    .is_none_or(|matcher| matcher.matches(record))
            {
                continue;
            }
            if self.open.is_full(bounds) || self.open.records.push_record(record).is_err() {
                self.open.last = Some(RecordNumber(number - 1));
                self.finish();
                // An empty batch takes every record that a batch can have.
                _ = self.open.records.push_record(record);
            }
            let index = u32::try_from(self.open.records.len() - 1).unwrap_or(u32::MAX);
            self.open.rows.push(Row {
                index,
                number: RecordNumber(number),
            });
        }
    }

    /// Hands out what there is, however little.
    pub(crate) fn finish(&mut self) {
        let open = std::mem::take(&mut self.open);
        let Some(last) = open.last else {
            return;
        };
        let batch = Batch {
            logspace: self.logspace.clone(),
            records: Arc::new(open.records),
            rows: open.rows,
        };
        self.ready.push_back(Piece {
            batch,
            gone: open.gone,
            last,
        });
    }

    /// The next that is ready.
    pub(crate) fn next(&mut self) -> Option<Piece> {
        self.ready.pop_front()
    }

    /// Whether something is ready.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// When the first of what is being put together was read.
    pub(crate) fn begun(&self) -> Option<Instant> {
        self.open.begun
    }

    /// Whether nothing of what was read is wanted: it needs no waiting for more.
    pub(crate) fn is_only_passing(&self) -> bool {
        self.open.rows.is_empty()
    }
}

impl Open {
    fn is_full(&self, bounds: Bounds) -> bool {
        self.rows.len() >= bounds.records || self.records.memory_bytes() >= bounds.bytes
    }
}
