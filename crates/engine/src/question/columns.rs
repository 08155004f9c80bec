//! The fields of rows of segments, read from columns, and how many rows have which values.

use model::LogspaceName;
use query::FieldName;
use store::{OpenChunk, Part, ReadError, SegmentHandle};

use crate::limits::{GROUPED_BY_HEADS_ROWS, GROUPED_ROWS, GROUPS_OWN_BYTES_MAX};
use crate::question::combinations::{COMBINATION_BYTES, Combinations};
use crate::question::gather::{Added, By};
use crate::question::groups::push_value;
use crate::question::value_ids::{Own, ValueIds};
use crate::row_set::RowSet;

/// What is known of the rows of a thread.
pub(super) struct Columns {
    /// Whether all that is asked for is in columns.
    are_told: bool,
    /// The fields that make a group, then the one whose numbers are added, unless that is a time.
    fields: Vec<ValueIds>,
    /// How many of them make a group.
    groups_by: usize,
    /// The values of the first two fields, of the first three and so on.
    combinations: Vec<Combinations>,
    /// How many rows have each combination of all.
    counts: Vec<u64>,
    times: Option<Times>,
    /// Rows that are read at a time at the most.
    rows_max: u32,
    /// The same, so that their values find room.
    piece: usize,
}

/// The times of rows, which are their numbers.
struct Times {
    is_received: bool,
    /// Of each row of a stretch of ordinals, by its place there.
    own: Vec<i64>,
    first: u32,
    /// The first and the last of the rows with each combination: no more is asked of times.
    found: Vec<Option<(i64, i64)>>,
}

/// The values of some rows find no room.
pub(super) struct NoRoom;

impl Columns {
    pub(super) fn of(by: By<'_>) -> Self {
        let times = match by.measured {
            Some(FieldName::Received) => Some(Times::of(true)),
            Some(FieldName::Time) => Some(Times::of(false)),
            _ => None,
        };
        let numbers = by.measured.filter(|_| times.is_none());
        let all = by.fields.iter().chain(numbers);
        let bytes_max = GROUPS_OWN_BYTES_MAX / all.clone().count().max(1);
        let fields: Option<Vec<ValueIds>> =
            all.map(|field| ValueIds::of(field, bytes_max)).collect();
        let are_told = fields.is_some();
        let fields = fields.unwrap_or_default();
        let reads_heads = times.is_some() || fields.iter().any(ValueIds::reads_heads);
        let rows_max = match reads_heads {
            true => GROUPED_BY_HEADS_ROWS,
            false => GROUPED_ROWS,
        };
        let combinations = fields.iter().skip(1).map(|_| Combinations::default());
        Self {
            are_told,
            combinations: combinations.collect(),
            fields,
            groups_by: by.fields.len(),
            counts: Vec::new(),
            times,
            rows_max,
            piece: rows_max as usize,
        }
    }

    /// Parts some ordinals, which ascend, into those that are read next, which are close to each other, and others.
    pub(super) fn next<'s>(&self, ordinals: &'s [u32]) -> (&'s [u32], &'s [u32]) {
        let first = ordinals.first().copied().unwrap_or_default();
        let end = first.saturating_add(self.rows_max);
        let count = ordinals.partition_point(|ordinal| *ordinal < end);
        ordinals.split_at(count.min(self.piece))
    }

    /// Reads fewer at a time from now on, of so many that found no room.
    pub(super) fn read_fewer(&mut self, than: usize) {
        self.piece = (than / 2).max(1);
    }

    /// Makes ready to read rows of a part; returns those of them that may have all values, or `None` where it has no
    /// columns to read.
    pub(super) fn begin(&mut self, place: (&LogspaceName, &Part), set: &RowSet) -> Option<RowSet> {
        self.piece = self.rows_max as usize;
        if !self.are_told || !matches!(place.1, Part::Segment(_)) {
            return None;
        }
        let fields = self.fields.iter_mut();
        let set = fields.fold(set.clone(), |set, field| field.with_value(place.1, set));
        let mut fields = self.fields.iter_mut();
        fields
            .all(|field| field.begin(place, &set).is_ok())
            .then_some(set)
    }

    /// Counts rows of a chunk; returns the ordinals of those whose records have to be looked at. Rows that are not
    /// returned count, and none where their values find no room.
    pub(super) fn add(
        &mut self,
        place: (&SegmentHandle, usize, &OpenChunk<'_>),
        ordinals: &[u32],
    ) -> Result<Vec<u32>, NoRoom> {
        // What cannot be read is reported where records are.
        for field in &mut self.fields {
            match field.read(place, ordinals) {
                Ok(true) => {}
                Ok(false) => return Err(NoRoom),
                Err(_) => return Ok(ordinals.to_vec()),
            }
        }
        if let Some(times) = &mut self.times
            && times.read((place.0, place.1), ordinals).is_err()
        {
            return Ok(ordinals.to_vec());
        }
        let mut open = Vec::new();
        for ordinal in ordinals {
            match self.combination(*ordinal) {
                Own::None => {}
                Own::Open => open.push(*ordinal),
                Own::Value(id) => self.count(*ordinal, id),
            }
        }
        Ok(open)
    }

    /// Counts a row with a combination.
    fn count(&mut self, ordinal: u32, id: u32) {
        if let Some(times) = &mut self.times {
            return times.note(ordinal, id);
        }
        let id = id as usize;
        if self.counts.len() <= id {
            self.counts.resize(id + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(id) {
            *count += 1;
        }
    }

    /// The combination of the values of a row; the same for all where there are no fields.
    fn combination(&mut self, ordinal: u32) -> Own {
        let mut fields = self.fields.iter();
        let mut all = fields
            .next()
            .map_or(Own::Value(0), |field| field.own(ordinal));
        for (field, combinations) in fields.zip(&mut self.combinations) {
            all = match (all, field.own(ordinal)) {
                (Own::None, _) | (_, Own::None) => return Own::None,
                (Own::Open, _) | (_, Own::Open) => Own::Open,
                (Own::Value(id), Own::Value(more)) => Own::Value(combinations.id(id, more)),
            };
        }
        all
    }

    /// Calls `visit` with the key of each group and what has to be added to it; a group may come several times. `key`
    /// is memory for one.
    pub(super) fn each_group(&mut self, key: &mut Vec<u8>, mut visit: impl FnMut(&[u8], &[Added])) {
        let mut values = Vec::new();
        let found = self.times.as_ref().map(|times| times.found.as_slice());
        for (id, found) in (0..).zip(found.unwrap_or(&[])) {
            if let Some((first, last)) = found {
                self.key_of(id, &mut values, key);
                visit(key, &[*first, *last].map(Added::time));
            }
        }
        for (id, times) in (0..).zip(&self.counts) {
            if *times == 0 {
                continue;
            }
            self.key_of(id, &mut values, key);
            let number = self.fields.get(self.groups_by).zip(values.last());
            let is_measured = number.is_some();
            let number = number.and_then(|(field, value)| field.number(*value));
            // What is no number adds nothing.
            if number.is_some() || !is_measured {
                let times = *times;
                visit(key, &[Added { number, times }]);
            }
        }
    }

    /// Puts the key of the group of a combination together, and the numbers of its values.
    fn key_of(&self, mut id: u32, values: &mut Vec<u32>, key: &mut Vec<u8>) {
        values.clear();
        for combinations in self.combinations.iter().rev() {
            let (before, own) = combinations.pair(id).unwrap_or_default();
            values.push(own);
            id = before;
        }
        values.push(id);
        values.reverse();
        key.clear();
        let fields = self.fields.iter().take(self.groups_by);
        for (field, value) in fields.zip(values) {
            push_value(key, field.value(*value));
        }
    }

    pub(super) fn is_half_full(&self) -> bool {
        let combinations = self.combinations.iter().map(Combinations::len);
        let bytes = combinations.sum::<usize>() * COMBINATION_BYTES;
        bytes > GROUPS_OWN_BYTES_MAX / 2 || self.fields.iter().any(ValueIds::is_half_full)
    }

    pub(super) fn clear(&mut self) {
        self.fields.iter_mut().for_each(ValueIds::forget);
        self.combinations.iter_mut().for_each(Combinations::clear);
        self.counts.clear();
        if let Some(times) = &mut self.times {
            times.found.clear();
        }
    }
}

impl Times {
    /// Those of receipt, or those that senders gave.
    fn of(is_received: bool) -> Self {
        Self {
            is_received,
            own: Vec::new(),
            first: 0,
            found: Vec::new(),
        }
    }

    /// Reads the times of rows of a chunk with some ordinals, which ascend.
    fn read(
        &mut self,
        (segment, chunk): (&SegmentHandle, usize),
        ordinals: &[u32],
    ) -> Result<(), ReadError> {
        self.first = ordinals.first().copied().unwrap_or_default();
        let behind = ordinals.last().map_or(self.first, |last| last + 1);
        self.own.clear();
        self.own.resize((behind - self.first) as usize, 0);
        let rows = segment.at_ordinals(chunk, ordinals)?;
        let heads = segment.heads(chunk, rows.iter().map(|(row, _)| *row))?;
        for ((_, ordinal), head) in rows.iter().zip(heads.iter()) {
            let place = ordinal.wrapping_sub(self.first) as usize;
            if let Some(own) = self.own.get_mut(place) {
                *own = match self.is_received {
                    true => head.received().nanos(),
                    false => head.time().nanos(),
                };
            }
        }
        Ok(())
    }

    fn note(&mut self, ordinal: u32, id: u32) {
        let (place, id) = (ordinal.wrapping_sub(self.first) as usize, id as usize);
        if self.found.len() <= id {
            self.found.resize(id + 1, None);
        }
        if let (Some(nanos), Some(found)) = (self.own.get(place), self.found.get_mut(id)) {
            let (first, last) = found.unwrap_or((*nanos, *nanos));
            *found = Some((first.min(*nanos), last.max(*nanos)));
        }
    }
}
