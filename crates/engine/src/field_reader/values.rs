//! The values of a field, part by part of the columns that they vary in, each looked at as seldom as can be.

use std::collections::HashMap;
use std::ops::Range;

use segment::{KindRows, SlotValues};
use store::OpenChunk;
use text_fields::{FieldOutline, Piece};

use super::{Unread, ValueSink};

/// Most values of a part of a column that are remembered by their keys: the hosts of a kind mostly.
const RECENT_KEYS_MAX: usize = 512;

/// What was found out of the values of a part of a column: of all of them where each stands once, of the
/// last ones where they have keys.
pub(crate) struct Remembered<T> {
    values: Option<SlotValues>,
    known: Vec<Option<T>>,
    /// By the rest of the key, which goes with it.
    recent: Vec<Option<(u64, T)>>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self {
            values: None,
            known: Vec::new(),
            recent: Vec::new(),
        }
    }
}

impl<T: Copy> Remembered<T> {
    /// The values of the part of a column that has a place.
    pub(super) fn turn_to(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        (slot, rank): (usize, u32),
    ) -> Result<&SlotValues, Unread> {
        let has = |values: &SlotValues| values.rows().contains(&rank);
        if !self.values.as_ref().is_some_and(has) {
            let values = chunk.values(kind, slot, rank)?;
            self.known.clear();
            self.known.resize(values.distinct(), None);
            self.recent.clear();
            let recent = values.rows().len().min(RECENT_KEYS_MAX);
            self.recent.resize(recent, None);
            self.values = Some(values);
        }
        self.values.as_ref().ok_or(Unread)
    }

    /// Forgets what is known of values.
    pub(crate) fn forget(&mut self) {
        self.known.fill_with(|| None);
        self.recent.fill_with(|| None);
    }

    /// What is known of the value at a place, or what `find` finds.
    pub(crate) fn ask(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        (slot, rank): (usize, u32),
        find: impl FnOnce(&SlotValues) -> T,
    ) -> Result<T, Unread> {
        self.turn_to(chunk, kind, (slot, rank))?;
        let values = self.values.as_ref().ok_or(Unread)?;
        if let Some(known) = values
            .number(rank)
            .and_then(|number| self.known.get_mut(number))
        {
            return Ok(match known {
                Some(known) => *known,
                None => *known.insert(find(values)),
            });
        }
        let Some(key) = values.key(rank) else {
            return Ok(find(values));
        };
        let place = key % self.recent.len().max(1) as u64;
        let Some(recent) = self.recent.get_mut(place as usize) else {
            return Ok(find(values));
        };
        if let Some((known, found)) = recent
            && *known == key
        {
            return Ok(*found);
        }
        let found = find(values);
        *recent = Some((key, found));
        Ok(found)
    }
}

/// What is known of the values of a part of a column that are numbers.
enum Numbers {
    /// The numbers.
    Whole(Vec<i64>),
    /// What stands in front of the point.
    WholeParts(Vec<u32>),
}

impl Numbers {
    fn of(values: &SlotValues) -> Option<Self> {
        let whole = values.integers().map(Self::Whole);
        whole.or_else(|| values.whole_parts().map(Self::WholeParts))
    }

    /// What a sink makes of one of them, where that is known by it.
    fn see<S: ValueSink>(&self, place: usize, sink: &mut S) -> Option<S::Seen> {
        match self {
            Self::Whole(numbers) => sink.see_integer(*numbers.get(place)?),
            Self::WholeParts(parts) => sink.see_whole_part(*parts.get(place)?),
        }
    }
}

/// The values of a field.
pub(crate) struct Values<'p, T> {
    field: &'p FieldOutline,
    slots: &'p [usize],
    /// The slot, where the value varies in one alone.
    only: Option<usize>,
    column: Remembered<Option<T>>,
    /// What the zone map of a part of it tells of all its values, and the ranks of those.
    stamped: (Range<u32>, Option<T>),
    /// The columns of all slots, where there are several.
    columns: HashMap<usize, SlotValues>,
    /// What the value is where nothing varies.
    constant: Option<Option<T>>,
}

impl<'p, T: Copy> Values<'p, T> {
    pub(crate) fn new(field: &'p FieldOutline, slots: &'p [usize]) -> Self {
        let mut varying = field.value.iter().filter_map(|piece| match piece {
            Piece::Varying(number) => slots.get(*number).copied(),
            Piece::Bytes(_) => None,
        });
        let only = match (varying.next(), varying.next()) {
            (Some(slot), None) => Some(slot),
            _ => None,
        };
        Self {
            field,
            slots,
            only,
            column: Remembered::default(),
            stamped: (0..0, None),
            columns: HashMap::new(),
            constant: None,
        }
    }

    /// Forgets what the sink made of values.
    pub(super) fn forget(&mut self) {
        self.column.forget();
        self.stamped = (0..0, None);
        self.constant = None;
    }

    /// Whether all rows have a value that is not empty, where `is_full` says of a slot whether none of its
    /// values is.
    pub(crate) fn are_never_empty(
        &self,
        mut is_full: impl FnMut(usize) -> Result<bool, Unread>,
    ) -> Result<bool, Unread> {
        if !self.field.is_always_there() {
            return Ok(false);
        }
        for piece in &self.field.value {
            let is_there = match piece {
                Piece::Bytes(_) => true,
                Piece::Varying(number) => is_full(*self.slots.get(*number).ok_or(Unread)?)?,
            };
            if is_there {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the sink makes of all values around a place, which is in the part of a column with a zone map.
    fn see_all<S: ValueSink<Seen = T>>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        (slot, rank): (usize, u32),
        sink: &mut S,
    ) -> Option<T> {
        if !self.stamped.0.contains(&rank) {
            let (ranks, zone_map) = chunk.zone_map(kind, slot, rank)?;
            self.stamped = (ranks, sink.see_all(&zone_map));
        }
        self.stamped.1
    }

    /// Goes through the rows of a kind behind those that are done with, a part of the column after the other,
    /// as long as its values are numbers.
    pub(super) fn see_numbers<S: ValueSink<Seen = T>>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        done: &mut usize,
        text: &mut Vec<u8>,
        sink: &mut S,
    ) -> Result<(), Unread> {
        let Some(slot) = self.only else { return Ok(()) };
        if !sink.asks_numbers() || !self.field.is_all_that_varies() {
            return Ok(());
        }
        while let Some((_, rank)) = kind.ranked_below(*done, u32::MAX).next() {
            if let Some(seen) = self.see_all(chunk, kind, (slot, rank), sink) {
                let rows = kind.ranked_below(*done, self.stamped.0.end);
                *done += rows.len();
                let ordinals: Vec<u32> = rows.map(|(ordinal, _)| chunk.ordinal(ordinal)).collect();
                sink.rows(&ordinals, seen);
                continue;
            }
            let values = chunk.values(kind, slot, rank)?;
            let Some(numbers) = Numbers::of(&values) else {
                return Ok(());
            };
            let ranks = values.rows();
            for (ordinal, rank) in kind.ranked_below(*done, ranks.end) {
                let seen = match numbers.see((rank - ranks.start) as usize, sink) {
                    None => self.see(chunk, kind, rank, text, sink)?,
                    seen => seen,
                };
                if let Some(seen) = seen {
                    sink.row(chunk.ordinal(ordinal), seen);
                }
                *done += 1;
            }
        }
        Ok(())
    }

    /// What the sink makes of the value at a place; `None` where there is none.
    pub(crate) fn see<S: ValueSink<Seen = T>>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        rank: u32,
        text: &mut Vec<u8>,
        sink: &mut S,
    ) -> Result<Option<T>, Unread> {
        let field = self.field;
        if let Some(slot) = self.only {
            if sink.asks_numbers() && field.is_all_that_varies() {
                if let Some(seen) = self.see_all(chunk, kind, (slot, rank), sink) {
                    return Ok(Some(seen));
                }
                let values = self.column.turn_to(chunk, kind, (slot, rank))?;
                let number = values.integer(rank);
                if let Some(seen) = number.and_then(|number| sink.see_integer(number)) {
                    return Ok(Some(seen));
                }
            }
            return self.column.ask(chunk, kind, (slot, rank), |values| {
                text.clear();
                for piece in &field.value {
                    match piece {
                        Piece::Bytes(bytes) => text.extend_from_slice(bytes),
                        Piece::Varying(_) => values.append(rank, text),
                    }
                }
                field.of(text).map(|value| sink.see(value))
            });
        }
        if let Some(constant) = self.constant {
            return Ok(constant);
        }
        text.clear();
        let mut varies = false;
        for piece in &field.value {
            match piece {
                Piece::Bytes(bytes) => text.extend_from_slice(bytes),
                Piece::Varying(number) => {
                    varies = true;
                    let slot = self.slots.get(*number).copied().ok_or(Unread)?;
                    let known = self.columns.get(&slot);
                    if known.is_none_or(|values| !values.rows().contains(&rank)) {
                        self.columns.insert(slot, chunk.values(kind, slot, rank)?);
                    }
                    if let Some(values) = self.columns.get(&slot) {
                        values.append(rank, text);
                    }
                }
            }
        }
        let seen = field.of(text).map(|value| sink.see(value));
        if !varies {
            self.constant = Some(seen);
        }
        Ok(seen)
    }
}
