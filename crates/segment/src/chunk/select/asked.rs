//! Stretches of a text that are asked of one row after another. Where all that varies in them stands once in
//! the columns at hand, each of its values, or each pair and so on, is asked once.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::Arc;

use super::{Scan, TextTest};
use crate::Corrupt;
use crate::chunk::ColumnPage;
use crate::chunk::decode::{ChunkKind, Cursor};
use crate::columns::{Alike, ByteSet, insert_byte};
use crate::kinds::{Bit, Look};
use crate::limits::ZONE_MAPS_FAILED_MIN;

/// Some stretches of the text of a kind, and what is known of rows by what they have there; by default none.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// Which of the text.
    stretches: Range<usize>,
    /// Their slots, each with how many different values the part at hand has.
    slots: Vec<(usize, usize)>,
    /// The rows of the parts at hand.
    rows: Range<u32>,
    /// Whether none of them passes, by what is known of those parts.
    all_fail: bool,
    /// For each choice of values whether it passes, once that was asked; empty where they are too many.
    passing: Vec<Option<bool>>,
}

impl Asked {
    pub(super) fn of(look: &Look<'_>, stretches: Range<usize>) -> Self {
        let bits = look.text.get(stretches.clone()).unwrap_or(&[]);
        let slots = bits.iter().filter_map(|bit| match bit {
            Bit::Slot(slot) => Some((*slot, 0)),
            Bit::Fixed(_) | Bit::Stamp => None,
        });
        Self {
            slots: slots.collect(),
            stretches,
            ..Self::default()
        }
    }

    /// The rows of the parts at hand.
    pub(super) fn rows(&self) -> &Range<u32> {
        &self.rows
    }

    /// Whether none of those passes, by what is known of their parts.
    pub(super) fn all_fail(&self) -> bool {
        self.all_fail
    }

    /// Whether what each of those has is put together, as it has too many different values.
    pub(super) fn is_put_together(&self) -> bool {
        self.passing.is_empty()
    }

    /// Its stretches.
    pub(super) fn bits<'l, 't>(&self, look: &'l Look<'t>) -> &'l [Bit<'t>] {
        look.text.get(self.stretches.clone()).unwrap_or(&[])
    }

    /// The place in `passing` of what a row has.
    fn place(&self, rank: u32, alike: Alike, cursors: &[Cursor]) -> Option<usize> {
        if self.passing.is_empty() {
            return None;
        }
        self.slots.iter().try_fold(0, |place, (slot, values)| {
            Some(place * values + cursors.get(*slot)?.number(rank, alike)?)
        })
    }

    /// Notes of rows that none passes.
    fn fail(&mut self, rows: Range<u32>) {
        (self.rows, self.all_fail) = (rows, true);
    }

    /// Forgets what is known, since these rows have others.
    fn turn_to(&mut self, rows: Range<u32>) {
        self.all_fail = false;
        let values = self.slots.iter().map(|(_, values)| *values);
        let choices = values.fold(1, usize::saturating_mul);
        self.passing.clear();
        // More would be asked as often as there are rows.
        if choices <= rows.len() {
            self.passing.resize(choices, None);
        }
        self.rows = rows;
    }
}

impl<T, P, E> Scan<'_, '_, T, P>
where
    T: TextTest,
    P: FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    E: From<Corrupt>,
{
    /// Whether the text of a row passes because of some stretches of it.
    pub(super) fn ask_stretches(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        asked: &mut Asked,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<bool, E> {
        self.find_part(kind, look, asked, rank, cursors)?;
        if asked.all_fail {
            return Ok(false);
        }
        let place = asked.place(rank, self.alike, cursors);
        let known = place.and_then(|place| asked.passing.get(place).copied());
        if let Some(Some(passes)) = known {
            return Ok(passes);
        }
        let is_whole = asked.stretches.len() == look.text.len();
        if let (true, Some(integers), [(slot, _)]) = (is_whole, &self.integers, &asked.slots[..])
            && look.text.len() == 1
            && let Some(number) = cursors.get(*slot).and_then(|cursor| cursor.integer(rank))
        {
            return Ok(integers.contains(&number));
        }
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let put = self.put(kind, asked.bits(look), rank, cursors, &mut text);
        let passes = put.map(|()| match is_whole {
            true => self.test.passes(&text),
            false => self.test.passes_around(&text, look.edges(&asked.stretches)),
        });
        self.text = text;
        let passes = passes?;
        if let Some(known) = place.and_then(|place| asked.passing.get_mut(place)) {
            *known = Some(passes);
        }
        Ok(passes)
    }

    /// Turns to the parts of columns that have a row, unless they are at hand.
    pub(super) fn find_part(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        asked: &mut Asked,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<(), E> {
        if asked.rows.contains(&rank) {
            return Ok(());
        }
        match self.rows_that_fail(kind, look, asked, rank) {
            Some(rows) => {
                asked.fail(rows);
                Ok(())
            }
            None => self.turn_to(kind, asked, rank, cursors),
        }
    }

    /// Turns to the parts of columns that have a row.
    fn turn_to(
        &mut self,
        kind: &ChunkKind,
        asked: &mut Asked,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<(), E> {
        let mut rows = 0..u32::MAX;
        for (slot, values) in &mut asked.slots {
            let (cursor, _) = self.cursor(kind, *slot, rank, cursors)?;
            rows = common(&rows, &cursor.rows());
            *values = cursor.distinct(self.alike);
        }
        asked.turn_to(rows);
        Ok(())
    }

    /// The rows around one of which none passes because of some stretches, as their columns have not the
    /// bytes that it takes; `None` where that is not known. Asked once enough rows did not pass.
    fn rows_that_fail(
        &self,
        kind: &ChunkKind,
        look: &Look<'_>,
        asked: &Asked,
        rank: u32,
    ) -> Option<Range<u32>> {
        if !self.needs_bytes || self.failed < ZONE_MAPS_FAILED_MIN {
            return None;
        }
        let zone_maps = (self.zone_maps)()?;
        let (mut bytes, mut rows) = (ByteSet::default(), 0..u32::MAX);
        for bit in asked.bits(look) {
            match bit {
                Bit::Fixed(fixed) => fixed.iter().for_each(|byte| insert_byte(&mut bytes, *byte)),
                Bit::Slot(slot) => {
                    let (number, own) = self.chunk.part_of(kind, *slot, rank).ok()?;
                    let zone_map = zone_maps.get(number)?.bytes();
                    let joined = bytes.iter_mut().zip(zone_map);
                    joined.for_each(|(bytes, own)| *bytes |= own);
                    rows = common(&rows, &own);
                }
                Bit::Stamp => return None,
            }
        }
        (!self.test.may_pass_with(&bytes)).then_some(rows)
    }
}

/// The rows that are in both.
fn common(one: &Range<u32>, two: &Range<u32>) -> Range<u32> {
    one.start.max(two.start)..one.end.min(two.end)
}
