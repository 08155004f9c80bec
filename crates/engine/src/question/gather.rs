//! The records that match, by the values of some fields, on several threads: in segments by kinds and columns,
//! record by record where these do not tell and in the tail.

use std::sync::Mutex;

use model::{LogspaceName, RecordNumber};
use query::{FieldName, Number};
use store::{ReadError, SegmentHandle};

use crate::cancel::Cancel;
use crate::chunks::{ChunkSink, each_block, each_chunk};
use crate::evaluate::with_fields;
use crate::limits::{GROUPS_OWN_BYTES_MAX, STATS_BYTES_MAX};
use crate::parallel::{locked, threads_max, unlocked};
use crate::part::Block;
use crate::question::columns::{Columns, NoRoom};
use crate::question::groups::{Groups, Room, each_key};
use crate::question::records::{Keys, Records};
use crate::question::values::each_number;
use crate::rows::RowRef;

/// What records are gathered by.
#[derive(Clone, Copy)]
pub(super) struct By<'f> {
    /// The fields whose values make a group.
    pub(super) fields: &'f [FieldName],
    /// The field whose numbers are added, where it is not the records that are counted.
    pub(super) measured: Option<&'f FieldName>,
}

/// What is added to a group: so many records, or so many times a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Added {
    pub(super) number: Option<Number>,
    pub(super) times: u64,
}

impl Added {
    /// A record that is counted.
    pub(super) const RECORD: Self = Self {
        number: None,
        times: 1,
    };

    /// A time, once.
    pub(super) fn time(nanos: i64) -> Self {
        Self {
            number: Some(Number::Integer(nanos)),
            times: 1,
        }
    }
}

/// Gathers the records that match. `change` adds to what is known of a group, and returns the bytes of memory that
/// this took.
pub(super) fn gather<A: Default + Send>(
    by: By<'_>,
    records: &mut Records<'_, '_, '_>,
    change: impl Fn(&mut A, Added, Room) -> usize + Sync,
) -> Groups<A> {
    let own = threads_max() * GROUPS_OWN_BYTES_MAX;
    let groups = Mutex::new(Groups::within(records.run.cancel(), STATS_BYTES_MAX - own));
    let cancel = records.run.cancel();
    let start = || Gathering {
        by,
        cancel,
        columns: Columns::of(by),
        logspace: LogspaceName::main(),
        first: 0,
        keys: Keys::default(),
        key: Vec::new(),
        groups: &groups,
        change: &change,
    };
    records.each_part(start, |run, own, (snapshot, part), set| {
        own.logspace.clone_from(&snapshot.logspace);
        own.first = part.first_number().0;
        match own.columns.begin((&snapshot.logspace, part), &set) {
            Some(set) => {
                each_chunk(run, part, &set, own);
                // Within the last chunk, rows may have been left out.
                run.is_stopped();
            }
            None => {
                let needed = by.fields.iter().chain(by.measured);
                let set = with_fields(part, set, needed);
                each_block(run, part, &set, &mut |block| own.block(block));
            }
        }
        own.hand_over();
    });
    unlocked(groups)
}

/// What a thread gathers.
struct Gathering<'g, A, F> {
    by: By<'g>,
    cancel: &'g Cancel,
    columns: Columns,
    /// Of the part at hand.
    logspace: LogspaceName,
    /// The number of its first record.
    first: u64,
    keys: Keys<Added>,
    /// Memory for one.
    key: Vec<u8>,
    groups: &'g Mutex<Groups<A>>,
    change: &'g F,
}

impl<A: Default, F: Fn(&mut A, Added, Room) -> usize> Gathering<'_, A, F> {
    /// Adds what was found to the groups, under one lock.
    fn hand_over(&mut self) {
        let (columns, change) = (&mut self.columns, self.change);
        let mut groups = locked(self.groups);
        columns.each_group(&mut self.key, |key, added| {
            groups.change(key, |known, mut room| {
                let mut taken = 0;
                for added in added {
                    let own = change(known, *added, room);
                    room.0 = room.0.saturating_sub(own);
                    taken += own;
                }
                taken
            });
        });
        drop(groups);
        columns.clear();
        self.keys.add_to(self.groups, self.change);
    }

    /// Adds a record.
    fn add_row(&mut self, row: RowRef<'_>) {
        let (keys, key) = (&mut self.keys, &mut self.key);
        let (groups, change) = (self.groups, self.change);
        key.clear();
        let mut add = |number| {
            let added = Added { number, times: 1 };
            each_key(self.by.fields, row, key, &mut |key| {
                keys.push(key, added, groups, change);
            });
        };
        match self.by.measured {
            None => add(None),
            Some(field) => each_number(field, row, &mut |number| add(Some(number))),
        }
    }
}

impl<A: Default, F: Fn(&mut A, Added, Room) -> usize> ChunkSink for Gathering<'_, A, F> {
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        ordinals: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let opened = segment.open_chunk(chunk)?;
        let (mut open, mut left) = (Vec::new(), ordinals);
        while !left.is_empty() && self.cancel.stopped().is_none() {
            let (own, others) = self.columns.next(left);
            match self.columns.add((segment, chunk, &opened), own) {
                Ok(mut own) => open.append(&mut own),
                Err(NoRoom) => {
                    self.hand_over();
                    if own.len() > 1 {
                        self.columns.read_fewer(own.len());
                        continue;
                    }
                    open.extend_from_slice(own);
                }
            }
            left = others;
            if self.columns.is_half_full() {
                self.hand_over();
            }
        }
        Ok(open)
    }

    fn block(&mut self, block: &Block) {
        let (logspace, first) = (self.logspace.clone(), self.first);
        for (row, record) in block.records() {
            self.add_row(RowRef {
                logspace: &logspace,
                number: RecordNumber(first + u64::from(row)),
                record,
            });
        }
        self.keys.add_to(self.groups, self.change);
    }
}
