//! What is told of a destination.

use model::{LogspaceName, RecordNumber, Timestamp};
use query::Matcher;
use store::Snapshot;

use crate::account::Totals;
use crate::options::Options;
use crate::sink::{Item, Preview};

/// A destination as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its name with its kind in front: `file.archive`.
    pub name: String,
    /// Whether it delivers.
    pub state: State,
    /// Matched records that are read and not settled: matched = delivered + dropped + these.
    pub pending: u64,
    /// Records of its logspaces that it has not asked yet whether they match.
    pub unread: u64,
    /// Memory of pending ones, in bytes.
    pub pending_bytes: u64,
    /// When the oldest record behind its position was received.
    pub oldest: Option<Timestamp>,
    /// What became of records, over restarts.
    pub totals: Totals,
    /// How often records were tried again since the start.
    pub retries: u64,
    /// What did not work last, and when.
    pub last_error: Option<(Timestamp, String)>,
    /// When something was delivered last.
    pub last_delivered: Option<Timestamp>,
    /// How far it is in each logspace.
    pub sources: Vec<StatusSource>,
}

/// Whether a destination delivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It does, or would.
    Working,
    /// The other side does not take records; it is tried again.
    Failing,
    /// Somebody has it rest.
    Paused,
    /// It could not be started; why.
    Broken(String),
}

impl State {
    /// Its name: `working`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Failing => "failing",
            Self::Paused => "paused",
            Self::Broken(_) => "broken",
        }
    }
}

/// How far a destination is in a logspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusSource {
    /// The logspace.
    pub logspace: LogspaceName,
    /// The last record that is settled.
    pub settled: RecordNumber,
    /// Records behind that one.
    pub behind: u64,
    /// When the oldest of those was received, or one shortly before.
    pub oldest: Option<Timestamp>,
}

impl StatusSource {
    pub(crate) fn of(snapshot: &Snapshot, settled: RecordNumber) -> Self {
        let parts = snapshot.parts.iter();
        let behind = parts.filter_map(|part| {
            let first = part.first_number().0;
            let end = (first + u64::from(part.rows())).min(snapshot.end.0);
            let left = end.saturating_sub(first.max(settled.0 + 1));
            (left > 0).then_some((left, part))
        });
        let behind: Vec<_> = behind.collect();
        let oldest = behind.first().map(|(_, part)| match part {
            store::Part::Tail(chunk) => {
                let skipped = (settled.0 + 1).saturating_sub(chunk.first.0);
                let record = chunk.batch.get(usize::try_from(skipped).unwrap_or(0));
                record.map_or(part.first_received(), |record| record.received())
            }
            store::Part::Segment(_) => part.first_received(),
        });
        Self {
            logspace: snapshot.logspace.clone(),
            settled,
            behind: behind.iter().map(|(left, _)| left).sum(),
            oldest,
        }
    }
}

/// What a destination would do with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Its name with its kind in front.
    pub name: String,
    /// Whether it would take it.
    pub verdict: Verdict,
    /// What it would send, where it would.
    pub preview: Option<Preview>,
}

/// Whether a destination would take a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It would.
    Takes,
    /// It takes records of other logspaces.
    OtherLogspace,
    /// Its query does not match.
    NoMatch,
}

impl Explained {
    /// What one with such options would do.
    pub fn of(options: &Options, item: Item<'_>) -> Self {
        let matches = |query| Matcher::new(query).matches(item.record);
        let verdict = if !options.from.contains(item.logspace) {
            Verdict::OtherLogspace
        } else if !options.matching.as_ref().is_none_or(matches) {
            Verdict::NoMatch
        } else {
            Verdict::Takes
        };
        let takes = verdict == Verdict::Takes;
        Self {
            name: options.full_name(),
            verdict,
            preview: takes.then(|| options.kind.preview(item)),
        }
    }
}
