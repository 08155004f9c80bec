//! What a question is asked of.

use model::{LogspaceName, TimeRange, Timestamp};
use store::{Part, Snapshot};

use crate::time_kind::{TimeKind, When};

/// Logspaces as they were at one moment, and the time that counts.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The logspaces, each at most once.
    pub snapshots: Vec<Snapshot>,
    /// Only records within it.
    pub range: TimeRange,
    /// Which of its two times stands for a record, in the range and in the order of answers.
    pub time: TimeKind,
}

impl Scope {
    /// Everything in the logspaces.
    pub fn new(snapshots: Vec<Snapshot>) -> Self {
        Self {
            snapshots,
            range: TimeRange::ALL,
            time: TimeKind::Received,
        }
    }

    /// From the first to just behind the last record stored by [`Scope::time`], whatever
    /// [`Scope::range`] is; `None` where there is no record.
    pub fn stored_range(&self) -> Option<TimeRange> {
        let parts = self.snapshots.iter().flat_map(|snapshot| &snapshot.parts);
        let bounds: Vec<_> = parts.map(|part| self.time.bounds(part)).collect();
        Some(TimeRange {
            start: bounds.iter().map(|(first, _)| *first).min()?,
            end: bounds.iter().map(|(_, last)| *last).max()?.plus_nanos(1),
        })
    }

    /// The range with its kind of time.
    pub(crate) fn when(&self) -> When {
        When {
            kind: self.time,
            range: self.range,
        }
    }

    /// The parts that may hold records within the range, with their logspaces.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Snapshot, &Part)> {
        self.snapshots.iter().flat_map(|snapshot| {
            snapshot
                .parts
                .iter()
                .filter(|part| self.when().overlaps(part))
                .map(move |part| (snapshot, part))
        })
    }

    /// The same for a question that looks at every record, which may take long: the unsealed ones
    /// first, and each part is let go before the next. So memory is not held for records that have
    /// become segments meanwhile.
    pub(crate) fn into_parts(self) -> impl Iterator<Item = (LogspaceName, Part)> {
        let when = self.when();
        let parts = self.snapshots.into_iter().flat_map(|snapshot| {
            let Snapshot {
                logspace, parts, ..
            } = snapshot;
            let named = move |part| (logspace.clone(), part);
            parts.into_iter().map(named)
        });
        let in_range = parts.filter(move |(_, part)| when.overlaps(part));
        let (unsealed, sealed): (Vec<_>, Vec<_>) =
            in_range.partition(|(_, part)| matches!(part, Part::Tail(_)));
        unsealed.into_iter().chain(sealed)
    }
}

/// The instant behind another.
pub(crate) fn behind(time: Timestamp) -> Timestamp {
    time.plus_nanos(1)
}
