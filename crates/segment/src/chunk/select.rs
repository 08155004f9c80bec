//! Rows of a chunk whose texts pass a test, found kind by kind and named by their ordinals.
//!
//! Records are not put together. What is fixed is asked once for a kind, what stands once in a column
//! once, and of a text that varies only the columns are read that it has slots in. Rows that this
//! way cannot tell are handed back: those of the whole kind, and those with a damaged column.
#![deny(clippy::indexing_slicing)]

mod asked;
mod by_zone_maps;
mod in_turn;
mod near;
#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests;
mod verdict;

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use model::FieldRef;

use super::Chunk;
use super::decode::{ChunkKind, Cursor};
use super::page::ColumnPage;
use crate::columns::{Alike, ByteSet, ZoneMaps};
use crate::kinds::{Bit, Look, VaryingName};
use crate::limits::ZONE_MAPS_OF;
use crate::{Corrupt, Namespace};
use asked::Asked;
use by_zone_maps::ByZoneMaps;
pub use near::Hints;
use near::Near;
use verdict::Verdict;

/// A text of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPart<'a> {
    /// The message, the host or the like, empty where it is absent. Not for tags and sources, which
    /// are no part of a record's bytes, and not for numbers.
    Part(Namespace),
    /// Each field of a name, as [`FieldRef::is_named`] has it.
    Field(&'a [u8]),
}

/// Where bytes stand in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges {
    /// The text starts with them.
    pub is_start: bool,
    /// It ends with them.
    pub is_end: bool,
}

/// A test of texts.
pub trait TextTest {
    /// Whether a text passes.
    fn passes(&mut self, text: &[u8]) -> bool;

    /// Whether every text passes that has these bytes in it, where `edges` says.
    fn passes_around(&mut self, bytes: &[u8], edges: Edges) -> bool;

    /// Whether [`Self::passes_around`] may be true of anything.
    fn is_told_around(&self) -> bool {
        true
    }

    /// Whether no match has this byte, which is ASCII, or touches a word or token across it: a text passes then
    /// just where [`Self::passes_around`] is true of one of its stretches from one such byte to the next, or
    /// to an end of the text.
    fn is_cut(&self, _byte: u8) -> bool {
        false
    }

    /// Whether a text that passes still does with other digits in place of those that stand beside each other in it,
    /// any number of them but none, and one that does not does not.
    fn ignores_digits(&self) -> bool {
        false
    }

    /// Whether a text may pass that has no others than these bytes.
    fn may_pass_with(&self, _bytes: &ByteSet) -> bool {
        true
    }

    /// Whether it is known that no text passes that starts with these bytes. Asked while texts are put
    /// together: what is behind is not read then.
    fn fails_from(&mut self, _start: &[u8]) -> bool {
        false
    }

    /// The whole numbers that pass, where it is a test of numbers: digits with or without `-` pass just
    /// where their number is one of them.
    fn integers(&self) -> Option<RangeInclusive<i64>> {
        None
    }
}

/// What is known of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    /// The ordinals of those of which a text passes, in no order.
    pub passed: Vec<u32>,
    /// The ordinals of those that have to be looked at one by one, in no order.
    pub open: Vec<u32>,
    /// How many texts were looked at.
    pub looked_at: u64,
}

impl Chunk {
    /// The rows of which one of some texts passes, of those whose ordinals are given, which ascend. `page`
    /// gives a page of the columns, as for [`Chunk::records`]. Rows that it cannot give a page for are
    /// left open. What `hints` says of earlier rows is asked first. `zone_maps` is called where those of the chunk
    /// may save reading columns.
    pub fn select<'s, E: From<Corrupt>>(
        &self,
        parts: &[TextPart<'_>],
        ordinals: &[u32],
        test: &mut impl TextTest,
        (hints, zone_maps): (&mut Hints, &dyn Fn() -> Option<&'s ZoneMaps>),
        mut page: impl FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    ) -> Selected {
        let mut selected = Selected::default();
        let integers = test.integers();
        let is_worth_it = integers.is_some() && ordinals.len() >= self.rows() / ZONE_MAPS_OF;
        let mut scan = Scan {
            chunk: self,
            integers,
            of_numbers: is_worth_it.then(zone_maps).flatten(),
            needs_bytes: !test.may_pass_with(&ByteSet::default()),
            alike: match test.ignores_digits() {
                true => Alike::ButForDigits,
                false => Alike::Whole,
            },
            failed: 0,
            test,
            page: &mut page,
            text: Vec::new(),
            name: Vec::new(),
            named: Vec::new(),
            names: Names::default(),
            hints,
            zone_maps,
            cursors: Vec::new(),
        };
        for (kind, ordinals) in self.by_kind(ordinals) {
            let verdict = match self.shape(kind) {
                Some(shape) => Verdict::of(shape, parts, scan.test),
                None => Verdict::Open,
            };
            match verdict {
                Verdict::None => {}
                Verdict::All => selected.passed.extend_from_slice(ordinals),
                Verdict::Open => selected.open.extend_from_slice(ordinals),
                Verdict::Texts(looks) => {
                    selected.looked_at += ordinals.len() as u64;
                    let mut left = ordinals.to_vec();
                    for (number, look) in looks.iter().enumerate() {
                        scan.look(kind, (number, look), &mut left, &mut selected);
                    }
                }
            }
        }
        selected
    }
}

/// Names of fields that stand once in the parts of columns at hand.
#[derive(Default)]
struct Names {
    /// The rows of these parts.
    rows: Range<u32>,
    /// The slot that they vary in, if they do.
    slot: Option<usize>,
}

/// Rows that are gone through.
struct Scan<'a, 's, T, P> {
    chunk: &'a Chunk,
    test: &'a mut T,
    /// Of the test.
    integers: Option<RangeInclusive<i64>>,
    page: &'a mut P,
    text: Vec<u8>,
    name: Vec<u8>,
    /// For each name of a field that stands once in the parts of columns at hand whether it is the one that
    /// is asked for, once that was asked.
    named: Vec<Option<bool>>,
    names: Names,
    hints: &'a mut Hints,
    zone_maps: &'a dyn Fn() -> Option<&'s ZoneMaps>,
    /// The zone maps, for a test of numbers of so many rows that it is worth reading them.
    of_numbers: Option<&'s ZoneMaps>,
    /// Whether there are bytes that the test needs.
    needs_bytes: bool,
    /// Which values the test need be asked of once.
    alike: Alike,
    /// How many texts did not pass.
    failed: usize,
    /// Of the slots of the kind at hand.
    cursors: Vec<Cursor>,
}

impl<T, P, E> Scan<'_, '_, T, P>
where
    T: TextTest,
    P: FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    E: From<Corrupt>,
{
    /// Asks for a text of each row. Those of which it does not pass are left.
    fn look(
        &mut self,
        kind: &ChunkKind,
        (number, look): (usize, &Look<'_>),
        ordinals: &mut Vec<u32>,
        selected: &mut Selected,
    ) {
        let mut cursors = std::mem::take(&mut self.cursors);
        cursors.clear();
        cursors.resize_with(kind.slots(), Cursor::default);
        self.names = Names::default();
        let all = 0..look.text.len();
        let mut whole = look.has_one_slot().then(|| Asked::of(look, all));
        let mut near = Near::default();
        if whole.is_none() && self.test.is_told_around() {
            let hint = self.chunk.key_hash(kind).map(|hash| (hash, number));
            near = Near::of(look, hint, self.hints);
        }
        let mut by_zone_maps = ByZoneMaps::of(look, self.of_numbers, self.integers.clone());
        let mut is_broken = false;
        let mut left = Vec::new();
        let mut rest = ordinals.iter();
        while let Some(ordinal) = rest.next() {
            let rank = ordinal - kind.ordinals.start;
            let asked = if let Some(passes) = by_zone_maps.passes(self.chunk, kind, rank) {
                Some(passes)
            } else if is_broken {
                None
            } else {
                let asked = match &mut whole {
                    Some(whole) => self.ask_stretches(kind, look, whole, rank, &mut cursors),
                    None => self.ask_near(kind, look, &mut near, rank, &mut cursors),
                };
                is_broken = asked.is_err();
                asked.ok()
            };
            match asked {
                Some(true) => selected.passed.push(*ordinal),
                Some(false) => left.push(*ordinal),
                None => selected.open.push(*ordinal),
            }
            if let Some(windows) = near.windows_alone().filter(|_| !is_broken) {
                let mut rest: Vec<u32> = rest.copied().collect();
                let rows = (&mut rest, &mut *selected);
                self.ask_in_turn(kind, look, windows, rows, &mut cursors);
                left.append(&mut rest);
                break;
            }
        }
        *ordinals = left;
        self.cursors = cursors;
    }

    /// Whether the text of a row passes.
    fn ask(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<bool, E> {
        if let Some(varying) = &look.name
            && !self.is_named(kind, varying, rank, cursors)?
        {
            return Ok(false);
        }
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let passes = self.passes(kind, &look.text, rank, cursors, &mut text);
        self.text = text;
        passes
    }

    /// The number that is in a slot of a row, where that is known without its text.
    fn integer(
        &mut self,
        kind: &ChunkKind,
        slot: usize,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<Option<i64>, E> {
        let (cursor, _) = self.cursor(kind, slot, rank, cursors)?;
        Ok(cursor.integer(rank))
    }

    /// The cursor of a slot, on the part of its column that has a row, and whether it was on another.
    #[inline]
    fn cursor<'c>(
        &mut self,
        kind: &ChunkKind,
        slot: usize,
        rank: u32,
        cursors: &'c mut [Cursor],
    ) -> Result<(&'c mut Cursor, bool), E> {
        let short = Corrupt::Short { what: "column" };
        let cursor = cursors.get_mut(slot).ok_or(short)?;
        let is_other = !cursor.has(rank);
        if is_other {
            *cursor = self.chunk.seek(kind, slot, rank, self.page)?;
        }
        Ok((cursor, is_other))
    }

    /// Puts a text of a row together, as far as it has to be known, and asks it.
    fn passes(
        &mut self,
        kind: &ChunkKind,
        bits: &[Bit<'_>],
        rank: u32,
        cursors: &mut [Cursor],
        text: &mut Vec<u8>,
    ) -> Result<bool, E> {
        if let (Some(integers), [Bit::Slot(slot)]) = (self.integers.clone(), bits)
            && let Some(number) = self.integer(kind, *slot, rank, cursors)?
        {
            return Ok(integers.contains(&number));
        }
        for bit in bits {
            self.put(kind, std::slice::from_ref(bit), rank, cursors, text)?;
            if self.test.fails_from(text) {
                return Ok(false);
            }
        }
        Ok(self.test.passes(text))
    }

    /// Whether the field of a row has the name that is asked for. Where it varies in one slot, what stands
    /// once in its column is asked once.
    fn is_named(
        &mut self,
        kind: &ChunkKind,
        varying: &VaryingName<'_>,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<bool, E> {
        let place = self.place_of_name(kind, varying, rank, cursors)?;
        if let Some(Some(is_named)) = place.and_then(|place| self.named.get(place)) {
            return Ok(*is_named);
        }
        let mut own = std::mem::take(&mut self.name);
        own.clear();
        let put = self.put(kind, &varying.group, rank, cursors, &mut own);
        let group_len = own.len();
        let put = put.and_then(|()| self.put(kind, &varying.name, rank, cursors, &mut own));
        let (group, name) = own.split_at_checked(group_len).unwrap_or_default();
        let value = &[];
        let is_named = FieldRef { group, name, value }.is_named(varying.wanted);
        self.name = own;
        put?;
        if let Some(known) = place.and_then(|place| self.named.get_mut(place)) {
            *known = Some(is_named);
        }
        Ok(is_named)
    }

    /// The number of the name of a field among those that the parts of columns at hand make; `None` where
    /// it has none. Where the parts are others than before, nothing is known of the names.
    fn place_of_name(
        &mut self,
        kind: &ChunkKind,
        varying: &VaryingName<'_>,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<Option<usize>, E> {
        if self.names.rows.contains(&rank) {
            return Ok(match self.names.slot {
                Some(slot) => cursors
                    .get(slot)
                    .and_then(|cursor| cursor.number(rank, Alike::Whole)),
                None => Some(0),
            });
        }
        let (mut rows, mut varying_slot, mut count) = (0..u32::MAX, None, 1);
        let (mut is_told, mut is_other) = (true, false);
        for bit in varying.group.iter().chain(&varying.name) {
            let slot = match bit {
                Bit::Fixed(_) => continue,
                Bit::Slot(slot) => *slot,
                Bit::Stamp => return Ok(None),
            };
            let (cursor, is_new) = self.cursor(kind, slot, rank, cursors)?;
            is_other |= is_new;
            let own = cursor.rows();
            rows = rows.start.max(own.start)..rows.end.min(own.end);
            match cursor.distinct(Alike::Whole) {
                1 => {}
                // Another slot has several as well.
                _ if varying_slot.is_some() => is_told = false,
                several => {
                    is_told = is_told && several > 1;
                    (varying_slot, count) = (Some(slot), several);
                }
            }
        }
        if is_other {
            self.named.clear();
            self.named.resize(count, None);
        }
        if !is_told {
            return Ok(None);
        }
        self.names = Names {
            rows,
            slot: varying_slot,
        };
        self.place_of_name(kind, varying, rank, cursors)
    }

    /// Appends a text of a row.
    fn put(
        &mut self,
        kind: &ChunkKind,
        bits: &[Bit<'_>],
        rank: u32,
        cursors: &mut [Cursor],
        out: &mut Vec<u8>,
    ) -> Result<(), E> {
        let short = Corrupt::Short { what: "column" };
        for bit in bits {
            match bit {
                Bit::Fixed(bytes) => out.extend_from_slice(bytes),
                Bit::Slot(slot) => {
                    let (cursor, _) = self.cursor(kind, *slot, rank, cursors)?;
                    cursor.append(rank, out)?;
                }
                // No part of a record has one, and no field that we have written.
                Bit::Stamp => return Err(short.into()),
            }
        }
        Ok(())
    }
}
