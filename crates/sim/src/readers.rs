//! Readers that outlive the store: each follows a logspace, and knows what it has got, whatever becomes of the
//! store and the machine below it.

use std::collections::BTreeSet;
use std::ops::Range;

use model::{LogspaceName, RecordNumber};
use store::{FollowOptions, Follower, GapReason, Snapshot, Store, Undelivered, Until};

use crate::oracle::Oracle;
use crate::random::Random;
use crate::run::Failure;

/// A reader of a logspace.
pub(crate) struct Reader {
    logspace: LogspaceName,
    until: Until,
    undelivered: Undelivered,
    /// How far it has come.
    after: RecordNumber,
    /// The records it has got.
    got: BTreeSet<u64>,
    /// Records of which it was told that they do not come.
    told: Vec<Range<u64>>,
    follower: Option<Follower>,
}

impl Reader {
    /// One that has read nothing so far.
    pub(crate) fn new(logspace: LogspaceName, until: Until, undelivered: Undelivered) -> Self {
        Self {
            logspace,
            until,
            undelivered,
            after: RecordNumber(0),
            got: BTreeSet::new(),
            told: Vec::new(),
            follower: None,
        }
    }

    /// Goes on in a store that has just started.
    pub(crate) fn open(&mut self, store: &Store) -> Result<(), Failure> {
        let options = FollowOptions {
            name: "sim".to_owned(),
            after: self.after,
            until: self.until,
            undelivered: self.undelivered,
        };
        let follower = store.follow(&self.logspace, options);
        self.follower = Some(follower.map_err(|error| self.failure(&error.to_string()))?);
        Ok(())
    }

    /// What it reads.
    pub(crate) fn logspace(&self) -> &LogspaceName {
        &self.logspace
    }

    /// Lets go of the store.
    pub(crate) fn close(&mut self) {
        self.follower = None;
    }

    /// Reads on to the end, or to where the disk refuses; whether to the end.
    pub(crate) fn read(
        &mut self,
        oracle: &mut Oracle,
        random: &mut Random,
    ) -> Result<bool, Failure> {
        let Some(mut follower) = self.follower.take() else {
            return Ok(true);
        };
        let records = usize::try_from(random.between(1, 20)).unwrap_or(1);
        let bytes = usize::try_from(random.between(1, 4_000)).unwrap_or(1);
        let is_at_end = loop {
            let Ok(next) = follower.next(records, bytes) else {
                break false;
            };
            let Some(next) = next else { break true };
            for gap in next.gaps {
                self.miss(gap.numbers, gap.reason)?;
            }
            for (number, record) in (next.first.0..).zip(next.records.iter()) {
                if number <= self.after.0 {
                    return Err(self.failure(&format!("number {number} comes again")));
                }
                self.after = RecordNumber(number);
                self.got.insert(number);
                let is_durable = self.until == Until::Durable;
                let seen = oracle.see(&self.logspace, number, record, is_durable);
                seen.map_err(|what| self.failure(&what))?;
            }
            follower.confirm(self.after);
        };
        self.follower = Some(follower);
        Ok(is_at_end)
    }

    /// Notes records that do not come. Nobody damages anything, and what is kept for it is not deleted.
    fn miss(&mut self, numbers: Range<u64>, reason: GapReason) -> Result<(), Failure> {
        let may_be = reason == GapReason::Deleted && self.undelivered == Undelivered::Delete;
        if !may_be || numbers.start <= self.after.0 {
            let what = format!("numbers {numbers:?} do not come: {reason:?}");
            return Err(self.failure(&what));
        }
        self.after = RecordNumber(numbers.end - 1);
        self.told.push(numbers);
        Ok(())
    }

    /// Holds what it has got against what there is.
    pub(crate) fn check(&self, snapshot: &Snapshot) -> Result<(), Failure> {
        let numbers = snapshot.parts.iter().flat_map(|part| {
            let first = part.first_number().0;
            first..first + u64::from(part.rows())
        });
        for number in numbers {
            let has_come = number <= self.after.0;
            if !has_come && self.until == Until::Visible && number < snapshot.end.0 {
                return Err(self.failure(&format!("number {number} does not come")));
            }
            if has_come && !self.got.contains(&number) {
                return Err(self.failure(&format!("number {number} was passed")));
            }
        }
        match self
            .told
            .iter()
            .find(|told| self.got.range((*told).clone()).next().is_some())
        {
            Some(told) => Err(self.failure(&format!("{told:?} came, and was told to be gone"))),
            None => Ok(()),
        }
    }

    fn failure(&self, what: &str) -> Failure {
        let Self {
            logspace,
            until,
            after,
            ..
        } = self;
        Failure::new(format!(
            "a reader of {logspace} ({until:?}) behind {}: {what}",
            after.0
        ))
    }
}
