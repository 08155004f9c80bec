//! Which of its two times stands for a record.
//!
//! Receipt is the usual one: records are stored in its order, and no sender can lie about it. The
//! time that the sender gives says when something happened, as far as its clock is right.

use model::{RecordRef, TimeRange, Timestamp};
use store::Part;

/// Which of its two times stands for a record, in ranges, orders, bars and cursors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeKind {
    /// When it was received.
    #[default]
    Received,
    /// When it happened, as its sender says; receipt, where that says nothing.
    Event,
}

/// A range of times of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct When {
    pub(crate) kind: TimeKind,
    pub(crate) range: TimeRange,
}

impl TimeKind {
    /// The time of a record.
    pub(crate) fn of(self, record: RecordRef<'_>) -> Timestamp {
        match self {
            Self::Received => record.received(),
            Self::Event => record.time(),
        }
    }

    /// The first and the last time of the records of a part.
    pub(crate) fn bounds(self, part: &Part) -> (Timestamp, Timestamp) {
        match (self, part) {
            (Self::Received, _) => (part.first_received(), part.last_received()),
            (Self::Event, Part::Segment(segment)) => {
                (segment.footer().first_time, segment.footer().last_time)
            }
            (Self::Event, Part::Tail(chunk)) => {
                let times = || chunk.batch.heads().iter().map(|head| head.time);
                let first = times().min().unwrap_or_default();
                (first, times().max().unwrap_or_default())
            }
        }
    }
}

impl When {
    /// Whether a part may hold records within.
    pub(crate) fn overlaps(&self, part: &Part) -> bool {
        let (first, last) = self.kind.bounds(part);
        self.range.overlaps(first, last)
    }

    /// Whether all records of a part are within.
    pub(crate) fn covers(&self, part: &Part) -> bool {
        let (first, last) = self.kind.bounds(part);
        self.range.covers(first, last)
    }
}
