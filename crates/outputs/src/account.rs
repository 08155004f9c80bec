//! What became of the records that a destination has read.
//!
//! matched = delivered + dropped (by reason) + pending, whenever one looks: every change is made under one lock.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{RecordNumber, Timestamp};
use serde::{Deserialize, Serialize};
use store::GapReason;

/// Figures that go on over restarts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Records that the query takes, and those that were gone before they could be asked.
    pub matched: u64,
    /// Records that are where they should be.
    pub delivered: u64,
    /// Bytes that went out.
    pub bytes: u64,
    /// Records that are not delivered and never will be.
    pub dropped: Dropped,
}

/// Records that are never delivered, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dropped {
    /// The other side refused them. Where there is a logspace for that, they are there.
    pub rejected: u64,
    /// They were deleted before they were read, at the most: whether the query takes them is not known.
    pub deleted: u64,
    /// They cannot be read, at the most.
    pub damaged: u64,
    /// They are lost, at the most.
    pub lost: u64,
    /// Somebody had them passed over, at the most.
    pub skipped: u64,
}

impl Dropped {
    /// The reasons with their figures.
    pub fn by_reason(&self) -> [(&'static str, u64); 5] {
        [
            ("rejected", self.rejected),
            ("deleted", self.deleted),
            ("damaged", self.damaged),
            ("lost", self.lost),
            ("skipped", self.skipped),
        ]
    }

    /// All together.
    pub fn all(&self) -> u64 {
        self.by_reason().iter().map(|(_, records)| records).sum()
    }

    pub(crate) fn add_gap(&mut self, reason: GapReason, records: u64) {
        match reason {
            GapReason::Deleted => self.deleted += records,
            GapReason::Damaged => self.damaged += records,
            GapReason::Lost => self.lost += records,
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.rejected += other.rejected;
        self.deleted += other.deleted;
        self.damaged += other.damaged;
        self.lost += other.lost;
        self.skipped += other.skipped;
    }
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Self) {
        self.matched += other.matched;
        self.delivered += other.delivered;
        self.bytes += other.bytes;
        self.dropped.add(&other.dropped);
    }

    /// Records that are matched and neither delivered nor dropped.
    pub fn open(&self) -> u64 {
        self.matched - self.delivered - self.dropped.all()
    }
}

/// The account of a destination as it runs.
#[derive(Debug, Default)]
pub(crate) struct Account(Mutex<Live>);

/// What is known of it now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    pub(crate) totals: Totals,
    /// Records that are read, match, and are under way.
    pub(crate) pending: u64,
    /// Memory of these, in bytes.
    pub(crate) pending_bytes: u64,
    /// When the oldest of them was received.
    pub(crate) oldest: Option<Timestamp>,
    /// How far the records of each logspace are settled.
    pub(crate) settled: BTreeMap<String, RecordNumber>,
    /// How often records were tried again since the start.
    pub(crate) retries: u64,
    /// What did not work last.
    pub(crate) last_error: Option<(Timestamp, String)>,
    /// Workers that wait before they try again.
    pub(crate) failing: usize,
    /// When something was delivered last.
    pub(crate) last_delivered: Option<Timestamp>,
}

impl Account {
    pub(crate) fn new(totals: Totals) -> Self {
        Self(Mutex::new(Live {
            totals,
            ..Live::default()
        }))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Live> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything at one moment.
    pub(crate) fn now(&self) -> Live {
        self.lock().clone()
    }
}

impl Live {
    /// Records were read that match, or that are gone.
    pub(crate) fn take(&mut self, matched: u64, bytes: u64, gone: &Dropped) {
        self.totals.matched += matched + gone.all();
        self.totals.dropped.add(gone);
        self.pending += matched;
        self.pending_bytes += bytes;
    }

    /// Some of them are settled.
    pub(crate) fn settle(&mut self, delivered: u64, rejected: u64, bytes: u64) {
        self.totals.delivered += delivered;
        self.totals.dropped.rejected += rejected;
        self.totals.bytes += bytes;
        self.pending = self.pending.saturating_sub(delivered + rejected);
    }

    /// What was under way is given up and read again later: only what is settled and kept counts.
    pub(crate) fn go_back(&mut self, totals: Totals) {
        self.totals = totals;
        self.pending = 0;
        self.pending_bytes = 0;
        self.oldest = None;
        self.failing = 0;
    }
}
