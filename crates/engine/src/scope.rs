//! What a question is asked of.

use model::{LogspaceName, TimeRange, Timestamp};
use store::{Part, Snapshot};

/// Logspaces as they were at one moment, and the time that counts.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The logspaces, each at most once.
    pub snapshots: Vec<Snapshot>,
    /// Only records received within it.
    pub range: TimeRange,
}

impl Scope {
    /// Everything in the logspaces.
    pub fn new(snapshots: Vec<Snapshot>) -> Self {
        Self {
            snapshots,
            range: TimeRange::ALL,
        }
    }

    /// From the first to just behind the last record stored, whatever [`Scope::range`] is; `None`
    /// where there is no record.
    pub fn stored_range(&self) -> Option<TimeRange> {
        let parts = || self.snapshots.iter().flat_map(|snapshot| &snapshot.parts);
        Some(TimeRange {
            start: parts().map(Part::first_received).min()?,
            end: parts().map(Part::last_received).max()?.plus_nanos(1),
        })
    }

    /// The parts that may hold records within the range, with their logspaces.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Snapshot, &Part)> {
        self.snapshots.iter().flat_map(|snapshot| {
            snapshot
                .parts
                .iter()
                .filter(|part| {
                    self.range
                        .overlaps(part.first_received(), part.last_received())
                })
                .map(move |part| (snapshot, part))
        })
    }

    /// The same for a question that looks at every record, which may take long: the unsealed ones
    /// first, and each part is let go before the next. So memory is not held for records that have
    /// become segments meanwhile.
    pub(crate) fn into_parts(self) -> impl Iterator<Item = (LogspaceName, Part)> {
        let range = self.range;
        let parts = self.snapshots.into_iter().flat_map(|snapshot| {
            let Snapshot {
                logspace, parts, ..
            } = snapshot;
            let named = move |part| (logspace.clone(), part);
            parts.into_iter().map(named)
        });
        let in_range = parts
            .filter(move |(_, part)| range.overlaps(part.first_received(), part.last_received()));
        let (unsealed, sealed): (Vec<_>, Vec<_>) =
            in_range.partition(|(_, part)| matches!(part, Part::Tail(_)));
        unsealed.into_iter().chain(sealed)
    }
}

/// The instant behind another.
pub(crate) fn behind(time: Timestamp) -> Timestamp {
    time.plus_nanos(1)
}
