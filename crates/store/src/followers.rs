//! Who follows a logspace, and what must stay for them.
//!
//! A follower confirms up to where its records need not be kept for it. What is behind that stays although
//! retention would delete it, unless the follower was told that it may go; then it is counted.

use std::collections::BTreeMap;
use std::ops::Range;

use model::RecordNumber;

use crate::logspace::LogspaceState;
use crate::snapshot::Damage;

/// How a logspace is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowOptions {
    /// Whose position it is, for whoever looks at the status.
    pub name: String,
    /// The last record that need not come; number 0 for all that there are.
    pub after: RecordNumber,
    /// How far it reads.
    pub until: Until,
    /// What becomes of records that are to be deleted before it has confirmed them.
    pub undelivered: Undelivered,
}

/// How far a follower reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// To the records that are durable: those survive a power cut.
    #[default]
    Durable,
    /// To the newest that are seen, as searches show them. A power cut may take those that were acknowledged
    /// before their sync; no other record gets their numbers.
    Visible,
}

/// What becomes of records that are to be deleted before a follower has confirmed them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undelivered {
    /// They stay.
    #[default]
    Keep,
    /// They go, and are counted.
    Delete,
}

/// A follower as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowerStatus {
    /// Its name.
    pub name: String,
    /// The last record that it has confirmed.
    pub confirmed: RecordNumber,
    /// Records behind that one.
    pub pending_records: u64,
    /// What becomes of those that are to be deleted.
    pub undelivered: Undelivered,
    /// Records that were deleted before they were confirmed, since it follows.
    pub missed_records: u64,
}

/// Records that a follower does not get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Between which numbers they were; some of those may never have been given.
    pub numbers: Range<u64>,
    /// How many they were; where only some of what is known of is among these numbers, at most.
    pub records: u64,
    /// What became of them.
    pub reason: GapReason,
    /// Where, for what cannot be read.
    pub damage: Option<Damage>,
}

/// Why a follower does not get records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// They were deleted because they need not be kept.
    Deleted,
    /// They cannot be read.
    Damaged,
    /// They are lost: the files that held them are gone.
    Lost,
}

/// The followers of a logspace.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    next_id: u64,
    known: BTreeMap<u64, Registered>,
}

#[derive(Debug)]
struct Registered {
    name: String,
    confirmed: RecordNumber,
    undelivered: Undelivered,
    missed_records: u64,
}

impl Followers {
    /// Adds one.
    pub(crate) fn add(&mut self, options: FollowOptions) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let registered = Registered {
            name: options.name,
            confirmed: options.after,
            undelivered: options.undelivered,
            missed_records: 0,
        };
        self.known.insert(id, registered);
        id
    }

    /// Forgets one.
    pub(crate) fn remove(&mut self, id: u64) {
        self.known.remove(&id);
    }

    /// Notes up to which record one needs nothing more. It does not go back.
    pub(crate) fn confirm(&mut self, id: u64, number: RecordNumber) {
        if let Some(known) = self.known.get_mut(&id) {
            known.confirmed = known.confirmed.max(number);
        }
    }

    /// Records that one has missed.
    pub(crate) fn missed(&self, id: u64) -> u64 {
        self.known.get(&id).map_or(0, |known| known.missed_records)
    }

    /// Whether some records must stay.
    pub(crate) fn need(&self, numbers: &Range<u64>) -> bool {
        self.known.values().any(|known| {
            known.undelivered == Undelivered::Keep && numbers.end > known.confirmed.0 + 1
        })
    }

    /// Counts records that are deleted; how many of them some follower has not confirmed.
    pub(crate) fn count_deleted(&mut self, numbers: &Range<u64>) -> u64 {
        let mut most = 0;
        for known in self.known.values_mut() {
            let start = numbers.start.max(known.confirmed.0 + 1);
            let missed = numbers.end.saturating_sub(start);
            known.missed_records += missed;
            most = most.max(missed);
        }
        most
    }
}

impl LogspaceState {
    /// Records behind a number, up to another one.
    pub(crate) fn records_between(&self, after: RecordNumber, end: u64) -> u64 {
        let start = after.0.saturating_add(1);
        let sealed = self.segments.iter().map(|segment| segment.record_numbers());
        let tail = self.tail_chunks().iter();
        let parts = sealed.chain(tail.map(|chunk| chunk.first.0..chunk.end()));
        parts
            .map(|numbers| {
                numbers
                    .end
                    .min(end)
                    .saturating_sub(numbers.start.max(start))
            })
            .sum()
    }

    /// What the status says of followers.
    pub(crate) fn follower_status(&self) -> Vec<FollowerStatus> {
        let end = self.visible_end();
        let followers = self.followers.known.values();
        let status = followers.map(|known| FollowerStatus {
            name: known.name.clone(),
            confirmed: known.confirmed,
            pending_records: self.records_between(known.confirmed, end),
            undelivered: known.undelivered,
            missed_records: known.missed_records,
        });
        status.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_that_keeps_decides_and_the_others_count() {
        let mut followers = Followers::default();
        let mut add = |after, undelivered| {
            followers.add(FollowOptions {
                name: "one".to_owned(),
                after: RecordNumber(after),
                until: Until::Durable,
                undelivered,
            })
        };
        let keeps = add(10, Undelivered::Keep);
        let lets = add(4, Undelivered::Delete);
        assert!(followers.need(&(5..12)));
        assert!(!followers.need(&(1..11)));
        assert_eq!(followers.count_deleted(&(1..11)), 6);
        assert_eq!((followers.missed(keeps), followers.missed(lets)), (0, 6));
        followers.confirm(keeps, RecordNumber(20));
        followers.confirm(keeps, RecordNumber(15));
        assert!(!followers.need(&(5..21)) && followers.need(&(5..22)));
        followers.remove(keeps);
        assert!(!followers.need(&(1..100)));
    }
}
