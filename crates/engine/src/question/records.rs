//! The records that match, block by block, on several threads; and what they gather for all of them.
//!
//! Finding values in records takes long and adding them up does not: a thread finds those of some
//! records alone, and then holds the lock on what all of them have for as long as adding takes. So
//! there is one table with one bound of memory, however many threads there are.

use std::sync::Mutex;

use model::RecordNumber;
use query::{FieldName, Query};
use store::{Part, Snapshot};

use crate::chunks::each_block;
use crate::evaluate::with_fields;
use crate::limits::STATS_OWN_BYTES_MAX;
use crate::parallel::{each_part, locked};
use crate::question::groups::{Groups, Room};
use crate::resolve::resolve_within;
use crate::row_set::RowSet;
use crate::rows::RowRef;
use crate::run::Run;
use crate::scope::Scope;

/// The records that match.
pub(super) struct Records<'r, 'q, 's> {
    pub(super) run: &'r mut Run<'q>,
    pub(super) scope: &'s Scope,
    pub(super) query: &'s Query,
    /// How many match, once all were visited.
    pub(super) matched: u64,
}

impl Records<'_, '_, '_> {
    /// Hands all records that may have some fields to `add`, those of a block at a time. Each thread has an account of its own.
    pub(super) fn each<A: Send>(
        &mut self,
        needed: &[FieldName],
        start: impl Fn() -> A + Sync,
        add: impl Fn(&mut A, &[RowRef<'_>]) + Sync,
    ) {
        self.each_part(start, |run, own, (snapshot, part), set| {
            let set = with_fields(part, set, needed);
            let first = part.first_number().0;
            each_block(run, part, &set, &mut |block| {
                let rows = block.records().map(|(row, record)| RowRef {
                    logspace: &snapshot.logspace,
                    number: RecordNumber(first + u64::from(row)),
                    record,
                });
                add(own, &rows.collect::<Vec<_>>());
            });
        });
    }

    /// Hands the rows of each part to `add`.
    pub(super) fn each_part<A: Send>(
        &mut self,
        start: impl Fn() -> A + Sync,
        add: impl Fn(&mut Run<'_>, &mut A, (&Snapshot, &Part), RowSet) + Sync,
    ) {
        let parts: Vec<(&Snapshot, &Part)> = self.scope.parts().collect();
        let when = self.scope.when();
        let add_part = |run: &mut Run<'_>, own: &mut (u64, A), place: (&Snapshot, &Part)| {
            let (matched, own) = own;
            let (_, part) = place;
            let set = resolve_within(run, part, when);
            *matched += set.len(part.rows());
            add(run, own, place, set);
        };
        let start = || (0, start());
        let accounts = each_part(self.run, self.query, parts, start, add_part);
        self.matched = accounts.iter().map(|(matched, _)| matched).sum();
    }
}

/// Keys, and something that comes with each, which a thread has found.
#[derive(Debug)]
pub(super) struct Keys<T> {
    bytes: Vec<u8>,
    /// Where each key ends.
    ends: Vec<(usize, T)>,
}

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T: Copy> Keys<T> {
    /// Adds a key; when there are many, all of them to the groups.
    pub(super) fn push<A: Default>(
        &mut self,
        key: &[u8],
        with: T,
        groups: &Mutex<Groups<A>>,
        change: &impl Fn(&mut A, T, Room) -> usize,
    ) {
        self.bytes.extend_from_slice(key);
        self.ends.push((self.bytes.len(), with));
        if self.bytes.len() + self.ends.len() * size_of::<(usize, T)>() > STATS_OWN_BYTES_MAX {
            self.add_to(groups, change);
        }
    }

    /// Adds all keys to the groups.
    pub(super) fn add_to<A: Default>(
        &mut self,
        groups: &Mutex<Groups<A>>,
        change: &impl Fn(&mut A, T, Room) -> usize,
    ) {
        let mut groups = locked(groups);
        let mut start = 0;
        for (end, with) in self.ends.drain(..) {
            let key = self.bytes.get(start..end).unwrap_or_default();
            groups.change(key, |known, room| change(known, with, room));
            start = end;
        }
        self.bytes.clear();
    }
}
