//! A text of rows of a kind, asked as seldom as can be: where all that varies in it stands once in the columns at
//! hand, each of its values, or each pair and so on, is asked once.

use std::ops::Range;

use segment::{KindRows, SlotValues, TextBit};
use store::OpenChunk;

use super::Unread;
use super::values::Remembered;

/// A text, and what is remembered of it.
pub(super) struct Texts<'b, T> {
    bits: &'b [TextBit<'b>],
    /// The slot, where the text varies in one alone.
    only: Option<usize>,
    column: Remembered<T>,
    /// Otherwise the parts of the columns at hand, each with how many different values it has.
    parts: Vec<(SlotValues, usize)>,
    /// The rows of all of those.
    rows: Range<u32>,
    /// For each choice of values what is remembered; empty where they are too many.
    known: Vec<Option<T>>,
}

impl<'b, T: Copy> Texts<'b, T> {
    pub(super) fn new(bits: &'b [TextBit<'b>]) -> Self {
        let mut slots = slots(bits);
        let only = match (slots.next(), slots.next()) {
            (Some(slot), None) => Some(slot),
            _ => None,
        };
        Self {
            bits,
            only,
            column: Remembered::default(),
            parts: Vec::new(),
            rows: 0..0,
            known: Vec::new(),
        }
    }

    /// Forgets what is remembered.
    pub(super) fn forget(&mut self) {
        self.column.forget();
        self.known.fill_with(|| None);
    }

    /// What is remembered of the text of a row, or what `find` makes of it.
    pub(super) fn ask(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        rank: u32,
        text: &mut Vec<u8>,
        find: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Unread> {
        let bits = self.bits;
        if let Some(slot) = self.only {
            return self.column.ask(chunk, kind, (slot, rank), |values| {
                find(put(bits, std::slice::from_ref(values), rank, text))
            });
        }
        if !self.rows.contains(&rank) {
            self.turn_to(chunk, kind, rank)?;
        }
        let place = self.place(rank);
        let known = place.and_then(|place| self.known.get_mut(place));
        if let Some(Some(known)) = known {
            return Ok(*known);
        }
        let values = self.parts.iter().map(|(values, _)| values);
        let found = find(put(bits, values, rank, text));
        if let Some(known) = known {
            *known = Some(found);
        }
        Ok(found)
    }

    /// The text of a row.
    pub(super) fn text<'t>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        rank: u32,
        text: &'t mut Vec<u8>,
    ) -> Result<&'t [u8], Unread> {
        if self.only.is_none() && !self.rows.contains(&rank) {
            self.turn_to(chunk, kind, rank)?;
        }
        Ok(match self.only {
            Some(slot) => {
                let values = self.column.turn_to(chunk, kind, (slot, rank))?;
                put(self.bits, std::slice::from_ref(values), rank, text)
            }
            None => {
                let values = self.parts.iter().map(|(values, _)| values);
                put(self.bits, values, rank, text)
            }
        })
    }

    fn turn_to(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        rank: u32,
    ) -> Result<(), Unread> {
        self.parts.clear();
        self.rows = 0..u32::MAX;
        let mut choices = 1_usize;
        for slot in slots(self.bits) {
            let values = chunk.values(kind, slot, rank)?;
            let own = values.rows();
            self.rows = self.rows.start.max(own.start)..self.rows.end.min(own.end);
            let distinct = values.distinct();
            choices = choices.saturating_mul(distinct);
            self.parts.push((values, distinct));
        }
        self.known.clear();
        // More would be asked as often as there are rows.
        if choices <= self.rows.len() {
            self.known.resize(choices, None);
        }
        Ok(())
    }

    /// The place in `known` of what a row has.
    fn place(&self, rank: u32) -> Option<usize> {
        self.parts
            .iter()
            .try_fold(0_usize, |place, (values, distinct)| {
                place
                    .checked_mul(*distinct)?
                    .checked_add(values.number(rank)?)
            })
    }
}

fn slots<'b>(bits: &'b [TextBit<'b>]) -> impl Iterator<Item = usize> + 'b {
    bits.iter().filter_map(|bit| match bit {
        TextBit::Slot(slot) => Some(*slot),
        TextBit::Fixed(_) => None,
    })
}

/// Puts the text of a row together, given the values of each slot.
fn put<'t, 'v>(
    bits: &[TextBit<'_>],
    values: impl IntoIterator<Item = &'v SlotValues>,
    rank: u32,
    text: &'t mut Vec<u8>,
) -> &'t [u8] {
    let mut values = values.into_iter();
    text.clear();
    for bit in bits {
        match bit {
            TextBit::Fixed(bytes) => text.extend_from_slice(bytes),
            TextBit::Slot(_) => {
                if let Some(values) = values.next() {
                    values.append(rank, text);
                }
            }
        }
    }
    text
}
