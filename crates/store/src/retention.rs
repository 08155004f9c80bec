//! What is deleted: the oldest segments of a logspace, when they are too old or too large together.

use std::cmp::Reverse;
use std::time::Duration;

use model::Timestamp;

use crate::error::Error;
use crate::logspace::Logspace;
use crate::manifest::Entry;
use crate::store::{Shared, locked};

/// How much of a logspace is kept. The default keeps everything.
///
/// Whole segments go, so that records can stay a little longer than asked for, up to a day, and
/// never shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// How long after its receipt a record is kept.
    pub age_max: Option<Duration>,
    /// How many bytes the segments may take on disk; those in the archive do not count and stay.
    /// The newest one is kept whatever its size.
    pub bytes_max: Option<u64>,
}

impl Retention {
    /// The segments to delete, of `entries` in any order.
    fn expired(self, entries: &[Entry], now: Timestamp) -> Vec<Entry> {
        let oldest_first = oldest_first(entries);
        let earliest = self.age_max.map(|age| {
            let nanos = i64::try_from(age.as_nanos()).unwrap_or(i64::MAX);
            Timestamp::from_nanos(now.nanos().saturating_sub(nanos))
        });
        let here = entries.iter().filter(|entry| !entry.is_archived);
        let mut bytes: u64 = here.map(|entry| entry.file_bytes).sum();
        let mut left = entries.len();
        let mut expired = Vec::new();
        for entry in oldest_first {
            let is_old = earliest.is_some_and(|earliest| entry.last_received < earliest);
            let is_too_much = self.bytes_max.is_some_and(|max| bytes > max) && left > 1;
            if !is_old && (entry.is_archived || !is_too_much) {
                continue;
            }
            if !entry.is_archived {
                bytes -= entry.file_bytes;
            }
            left -= 1;
            expired.push(entry);
        }
        expired
    }
}

/// The entries in the order of their last records. Where the clock was set back, records of the time
/// that it was ahead go before those that came later, or new ones would go first for years.
fn oldest_first(entries: &[Entry]) -> Vec<Entry> {
    let mut newest_first = entries.to_vec();
    newest_first.sort_by_key(|entry| Reverse(entry.first));
    let mut later = Timestamp::MAX;
    let mut keyed: Vec<_> = newest_first
        .into_iter()
        .map(|entry| {
            if entry.is_imported {
                return (entry.last_received, entry);
            }
            later = later.min(entry.last_received);
            (later, entry)
        })
        .collect();
    keyed.sort_by_key(|(received, entry)| (*received, entry.first));
    keyed.into_iter().map(|(_, entry)| entry).collect()
}

/// Deletes what a logspace need not keep: first from its manifest, durably, then from the disk.
/// Those who read a deleted segment read on; its space is free when the last of them is done.
pub(crate) fn enforce(shared: &Shared, logspace: &Logspace) -> Result<(), Error> {
    let retention = logspace.retention();
    let mut manifest = locked(&logspace.manifest);
    let Some(manifest) = manifest.as_mut() else {
        return Ok(());
    };
    let mut expired = retention.expired(&manifest.contents().entries, shared.clock.now());
    // While the archive is not there its files cannot be deleted, and would be forgotten.
    expired.retain(|entry| !entry.is_archived || logspace.state().is_open(&logspace.path(entry)));
    // What a follower needs stays until it has confirmed it.
    expired.retain(|entry| !logspace.state().followers.need(&entry.numbers()));
    if expired.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = expired.iter().map(Entry::id).collect();
    manifest.change(&[], &ids)?;
    let paths: Vec<_> = expired.iter().map(|entry| logspace.path(entry)).collect();
    let records = expired.iter().map(|entry| u64::from(entry.rows)).sum();
    let mut state = logspace.state();
    state.expire(&paths, records);
    let mut missed = 0;
    for entry in &expired {
        missed += state.followers.count_deleted(&entry.numbers());
    }
    drop(state);
    if missed > 0 {
        tracing::warn!(logspace = %logspace.name, records = missed, "deleted what a follower has not confirmed");
    }
    tracing::info!(
        logspace = %logspace.name,
        segments = expired.len(),
        records,
        "deleted what need not be kept"
    );
    for path in &paths {
        shared.remove_segment(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::RecordNumber;

    fn entry(first: u64, last_received: i64, file_bytes: u64) -> Entry {
        Entry {
            first: RecordNumber(first),
            rows: 1,
            is_imported: false,
            is_archived: false,
            is_compacted: false,
            day: 0,
            file_bytes,
            first_received: Timestamp::from_seconds(last_received),
            last_received: Timestamp::from_seconds(last_received),
            raw_bytes: 0,
            generation: 0,
            fingerprint: 0,
        }
    }

    fn expired(age_max: Option<u64>, bytes_max: Option<u64>) -> Vec<u64> {
        let retention = Retention {
            age_max: age_max.map(Duration::from_secs),
            bytes_max,
        };
        // The second one was imported later than the third one and is older.
        let imported = Entry {
            is_imported: true,
            ..entry(3, 200, 10)
        };
        let entries = [entry(1, 100, 10), imported, entry(2, 300, 10)];
        let now = Timestamp::from_seconds(400);
        let expired = retention.expired(&entries, now);
        expired.iter().map(|entry| entry.first.0).collect()
    }

    #[test]
    fn the_oldest_go_first_and_only_as_many_as_must() {
        assert_eq!(expired(None, None), []);
        assert_eq!(expired(Some(300), None), []);
        assert_eq!(expired(Some(299), None), [1]);
        assert_eq!(expired(Some(150), None), [1, 3]);
        assert_eq!(expired(None, Some(30)), []);
        assert_eq!(expired(None, Some(29)), [1]);
        assert_eq!(expired(None, Some(19)), [1, 3]);
        assert_eq!(expired(Some(299), Some(15)), [1, 3]);
    }

    #[test]
    fn records_of_a_clock_that_was_ahead_go_before_later_ones() {
        let entries = [
            entry(1, 100, 10),
            entry(2, 9_000, 10),
            entry(3, 110, 10),
            entry(4, 120, 10),
        ];
        let order: Vec<_> = oldest_first(&entries)
            .iter()
            .map(|entry| entry.first.0)
            .collect();
        assert_eq!(order, [1, 2, 3, 4]);
    }

    #[test]
    fn what_is_archived_does_not_count_for_the_size_and_goes_by_age() {
        let archived = Entry {
            is_archived: true,
            ..entry(1, 100, 1_000)
        };
        let entries = [archived, entry(2, 200, 10), entry(3, 300, 10)];
        let firsts = |age: Option<u64>, bytes_max| {
            let age_max = age.map(Duration::from_secs);
            let retention = Retention { age_max, bytes_max };
            let expired = retention.expired(&entries, Timestamp::from_seconds(400));
            expired
                .iter()
                .map(|entry| entry.first.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(firsts(None, Some(20)), []);
        assert_eq!(firsts(None, Some(19)), [2]);
        assert_eq!(firsts(Some(250), Some(19)), [1, 2]);
    }

    #[test]
    fn the_newest_segment_is_kept_whatever_its_size_but_not_whatever_its_age() {
        assert_eq!(expired(None, Some(0)), [1, 3]);
        assert_eq!(expired(Some(0), None), [1, 3, 2]);
    }
}
