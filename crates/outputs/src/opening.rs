//! Where a destination begins to read.

use std::sync::Arc;

use model::{LogspaceName, RecordNumber, Timestamp};
use store::{FollowOptions, Snapshot, Store, Until};

use crate::error::Error;
use crate::gather::Source;
use crate::options::{Options, Start};
use crate::position::{Kept, Position};

/// Follows the logspaces of a destination from where it is, or from where it is to begin. Positions that are new
/// are kept at once, so that what comes while it is stopped is not passed over.
pub(crate) fn sources(
    store: &Arc<Store>,
    options: &Options,
    position: &Position,
) -> Result<Vec<Source>, Error> {
    let mut kept = position.kept();
    let mut sources = Vec::new();
    let mut is_new = false;
    for logspace in &options.from {
        let unknown = || store::Error::UnknownLogspace(logspace.clone());
        let snapshot = store.snapshot(logspace).ok_or_else(unknown)?;
        let after = match kept.positions.get(logspace.as_str()) {
            // A store that was put back to an older state gives numbers again.
            Some(number) => RecordNumber(*number).min(last(&snapshot)),
            None => {
                is_new = true;
                kept.begin(&snapshot, options.start)
            }
        };
        let since = kept.since.get(logspace.as_str());
        let since = since.map(|nanos| Timestamp::from_nanos(*nanos));
        sources.push((logspace.clone(), after, since));
    }
    if is_new {
        position.change(|now| {
            now.positions.clone_from(&kept.positions);
            now.since.clone_from(&kept.since);
        })?;
    }
    let follow = |(logspace, after, since)| follow(store, options, logspace, after, since);
    sources.into_iter().map(follow).collect()
}

fn follow(
    store: &Store,
    options: &Options,
    logspace: LogspaceName,
    after: RecordNumber,
    since: Option<Timestamp>,
) -> Result<Source, Error> {
    let following = FollowOptions {
        name: options.full_name(),
        after,
        until: Until::Durable,
        undelivered: options.undelivered,
    };
    let follower = store.follow(&logspace, following)?;
    Ok(Source::new(logspace, follower, since))
}

impl Kept {
    /// Sets where a logspace is read from; the number before.
    pub(crate) fn begin(&mut self, snapshot: &Snapshot, start: Start) -> RecordNumber {
        let name = snapshot.logspace.to_string();
        let after = before(snapshot, start);
        match start {
            Start::Time(time) => self.since.insert(name.clone(), time.nanos()),
            _ => self.since.remove(&name),
        };
        self.positions.insert(name, after.0);
        after
    }
}

/// The last number that was given.
pub(crate) fn last(snapshot: &Snapshot) -> RecordNumber {
    RecordNumber(snapshot.end.0.saturating_sub(1))
}

/// The number behind which a new destination begins.
fn before(snapshot: &Snapshot, start: Start) -> RecordNumber {
    match start {
        Start::Now => last(snapshot),
        Start::Beginning => RecordNumber(0),
        Start::Time(time) => {
            let parts = snapshot.parts.iter();
            let later = parts.filter(|part| part.last_received() >= time);
            let first = later.map(|part| part.first_number().0).min();
            first.map_or(last(snapshot), |first| {
                RecordNumber(first.saturating_sub(1))
            })
        }
    }
}
