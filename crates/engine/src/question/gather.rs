//! The records that match, by the values of some fields, on several threads: in segments by kinds and columns,
//! record by record where these do not tell and in the tail.

use std::sync::Mutex;

use model::{LogspaceName, RecordNumber};
use query::{FieldName, Number};
use store::{OpenChunk, Part, ReadError, SegmentHandle};

use crate::cancel::Cancel;
use crate::chunks::{ChunkSink, each_block, each_chunk};
use crate::evaluate::with_fields;
use crate::limits::{GROUPED_ROWS, GROUPS_OWN_BYTES_MAX, GROUPS_SHARED_BYTES_MAX};
use crate::parallel::{locked, unlocked};
use crate::part::Block;
use crate::question::combinations::{COMBINATION_BYTES, Combinations};
use crate::question::groups::{Groups, Room, each_key, push_value};
use crate::question::records::{Keys, Records};
use crate::question::value_ids::{Own, ValueIds};
use crate::question::values::each_number;
use crate::row_set::RowSet;
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
}

/// Gathers the records that match. `change` adds to what is known of a group, and returns the bytes of memory that
/// this took.
pub(super) fn gather<A: Default + Send>(
    by: By<'_>,
    records: &mut Records<'_, '_, '_>,
    change: impl Fn(&mut A, Added, Room) -> usize + Sync,
) -> Groups<A> {
    let groups = Mutex::new(Groups::within(GROUPS_SHARED_BYTES_MAX));
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

/// The fields of rows that are read from columns, and how many have which values.
struct Columns {
    /// Those that make a group, then the one whose numbers are added; none where one takes a look at records.
    fields: Vec<ValueIds>,
    /// The values of the first two fields, of the first three and so on.
    combinations: Vec<Combinations>,
    /// How many rows have each combination of all.
    counts: Vec<u64>,
    /// Rows that are read at a time, so that their values find room.
    piece: usize,
}

/// The values of some rows find no room.
struct NoRoom;

impl Columns {
    fn of(by: By<'_>) -> Self {
        let all = by.fields.iter().chain(by.measured);
        let count = all.clone().count();
        let bytes_max = GROUPS_OWN_BYTES_MAX / count.max(1);
        let fields = all.map(|field| ValueIds::of(field, bytes_max));
        let fields: Vec<ValueIds> = fields.collect::<Option<_>>().unwrap_or_default();
        let combinations = fields.iter().skip(1).map(|_| Combinations::default());
        Self {
            combinations: combinations.collect(),
            fields,
            counts: Vec::new(),
            piece: GROUPED_ROWS,
        }
    }

    /// Makes ready to read rows of a part; returns those of them that may have all values, or `None` where it has no
    /// columns to read.
    fn begin(&mut self, place: (&LogspaceName, &Part), set: &RowSet) -> Option<RowSet> {
        if self.fields.is_empty() || !matches!(place.1, Part::Segment(_)) {
            return None;
        }
        let fields = self.fields.iter_mut();
        let set = fields.fold(set.clone(), |set, field| field.with_value(place.1, set));
        let mut fields = self.fields.iter_mut();
        fields
            .all(|field| field.begin(place, &set).is_ok())
            .then_some(set)
    }

    /// Counts rows of a chunk; returns the seats of those whose records have to be looked at. Rows that are not
    /// returned count, and none where their values find no room.
    fn add(
        &mut self,
        place: (&SegmentHandle, usize, &OpenChunk<'_>),
        seats: &[u32],
    ) -> Result<Vec<u32>, NoRoom> {
        for field in &mut self.fields {
            match field.read(place, seats) {
                Ok(true) => {}
                Ok(false) => return Err(NoRoom),
                // It is reported where their records are read.
                Err(_) => return Ok(seats.to_vec()),
            }
        }
        let mut open = Vec::new();
        for seat in seats {
            match self.combination(*seat) {
                Own::None => {}
                Own::Open => open.push(*seat),
                Own::Value(id) => {
                    let id = id as usize;
                    if self.counts.len() <= id {
                        self.counts.resize(id + 1, 0);
                    }
                    if let Some(count) = self.counts.get_mut(id) {
                        *count += 1;
                    }
                }
            }
        }
        Ok(open)
    }

    /// The combination of the values of a row.
    fn combination(&mut self, seat: u32) -> Own {
        let mut fields = self.fields.iter();
        let mut all = fields.next().map_or(Own::Open, |field| field.own(seat));
        for (field, combinations) in fields.zip(&mut self.combinations) {
            all = match (all, field.own(seat)) {
                (Own::None, _) | (_, Own::None) => return Own::None,
                (Own::Open, _) | (_, Own::Open) => Own::Open,
                (Own::Value(id), Own::Value(more)) => Own::Value(combinations.id(id, more)),
            };
        }
        all
    }

    /// The numbers of the values of a combination.
    fn values(&self, mut id: u32, values: &mut Vec<u32>) {
        values.clear();
        for combinations in self.combinations.iter().rev() {
            let (before, own) = combinations.pair(id).unwrap_or_default();
            values.push(own);
            id = before;
        }
        values.push(id);
        values.reverse();
    }

    fn is_half_full(&self) -> bool {
        let combinations = self.combinations.iter().map(Combinations::len);
        combinations.sum::<usize>() * COMBINATION_BYTES > GROUPS_OWN_BYTES_MAX / 2
            || self.fields.iter().any(ValueIds::is_half_full)
    }

    fn clear(&mut self) {
        self.fields.iter_mut().for_each(ValueIds::forget);
        self.combinations.iter_mut().for_each(Combinations::clear);
        self.counts.clear();
    }
}

impl<A: Default, F: Fn(&mut A, Added, Room) -> usize> Gathering<'_, A, F> {
    /// Adds what was found to the groups, under one lock.
    fn hand_over(&mut self) {
        let columns = &mut self.columns;
        let mut groups = locked(self.groups);
        let mut values = Vec::new();
        for (id, times) in (0..).zip(&columns.counts) {
            if *times == 0 {
                continue;
            }
            columns.values(id, &mut values);
            let mut number = None;
            self.key.clear();
            for (place, (value, field)) in values.iter().zip(&columns.fields).enumerate() {
                match place < self.by.fields.len() {
                    true => push_value(&mut self.key, field.value(*value)),
                    false => number = field.number(*value),
                }
            }
            // What is no number adds nothing.
            if number.is_none() && self.by.measured.is_some() {
                continue;
            }
            let added = Added {
                number,
                times: *times,
            };
            groups.change(&self.key, |known, room| (self.change)(known, added, room));
        }
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
        seats: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let opened = segment.open_chunk(chunk)?;
        let (mut open, mut left) = (Vec::new(), seats);
        while let Some(first) = left.first() {
            if self.cancel.stopped().is_some() {
                break;
            }
            // No more rows than may be read at a time, and these close to each other.
            let end = first.saturating_add(GROUPED_ROWS as u32);
            let count = left.partition_point(|seat| *seat < end);
            let (own, others) = left.split_at(count.min(self.columns.piece));
            match self.columns.add((segment, chunk, &opened), own) {
                Ok(mut own) => open.append(&mut own),
                Err(NoRoom) => {
                    self.hand_over();
                    if own.len() > 1 {
                        self.columns.piece = own.len() / 2;
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
