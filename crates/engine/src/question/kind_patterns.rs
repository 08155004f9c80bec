//! The patterns of the messages of kinds of records, where all of a kind have the same, or what is in one slot tells
//! which.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use segment::{KindRows, Namespace, PatternOutline, Patterns, SlotValues, Tally};
use store::{OpenChunk, ReadError, SegmentHandle};

use crate::field_reader::Messages;

/// What is remembered of a segment under this name: a byte for each group. No condition of a query is like it.
const REMEMBERED_AS: &str = "patterns of kinds";

/// It has not been asked.
const UNKNOWN: u8 = 0;
/// All messages have one pattern.
const ONE: u8 = 1;
/// It takes a look at the messages.
const OPEN: u8 = 2;
/// With the place of a slot: it is told by what is in there.
const BY_SLOT: u8 = 3;

/// The kinds of the rows of a segment.
pub(crate) struct KindPatterns<'s> {
    segment: &'s SegmentHandle,
    tally: Option<Arc<Tally>>,
    /// The chunk at hand, and its number.
    chunk: Option<(usize, OpenChunk<'s>)>,
    /// By group.
    known: Vec<u8>,
    is_more_known: bool,
}

/// What is known of the patterns of messages of a kind.
#[derive(Debug)]
pub(crate) enum Told {
    /// All have this one.
    One(Vec<u8>),
    /// What is in the slot at this place tells it.
    BySlot(usize),
    /// It takes a look at them.
    Open,
}

/// Rows of a kind by the patterns of their messages.
#[derive(Debug, Default)]
pub(crate) struct Split {
    pub(crate) patterns: Vec<Vec<u8>>,
    /// Their ordinals, ascending, each with the number of its pattern.
    pub(crate) rows: Vec<(u32, u32)>,
    /// The ordinals of those that it takes a look at, ascending.
    pub(crate) open: Vec<u32>,
    numbers: HashMap<Vec<u8>, u32>,
}

impl Split {
    /// The number of a pattern.
    fn number(&mut self, pattern: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(pattern) {
            return *number;
        }
        let next = self.patterns.len() as u32;
        self.patterns.push(pattern.to_vec());
        self.numbers.insert(pattern.to_vec(), next);
        next
    }
}

impl<'s> KindPatterns<'s> {
    pub(crate) fn of(segment: &'s SegmentHandle) -> Self {
        let tally = segment.tally().ok();
        let groups = tally.as_ref().map_or(0, |tally| tally.len() as usize);
        let found = segment.found(REMEMBERED_AS);
        let known = found.map(|found| found.rows.to_vec());
        let known = known.filter(|known| known.len() == groups);
        Self {
            segment,
            tally,
            chunk: None,
            known: known.unwrap_or_else(|| vec![UNKNOWN; groups]),
            is_more_known: false,
        }
    }

    /// The ordinals of the kind in a chunk that has one of them, and what is known of it; `None` where that cannot be
    /// read.
    pub(crate) fn at(&mut self, ordinal: u32) -> Option<(Range<u32>, Told)> {
        let tally = self.tally.as_ref()?;
        let group = tally.group_number(ordinal)?;
        let ordinals = tally.ordinals(group);
        let before = self.known.get(group as usize).copied()?;
        let told = self.tell(&ordinals, before).ok()?;
        if before == UNKNOWN {
            *self.known.get_mut(group as usize)? = match told {
                Told::One(_) => ONE,
                Told::BySlot(place) => BY_SLOT.saturating_add(place as u8),
                Told::Open => OPEN,
            };
            self.is_more_known = true;
        }
        Some((ordinals, told))
    }

    /// Remembers what was found out.
    pub(crate) fn remember(self) {
        if self.is_more_known {
            self.segment.remember(REMEMBERED_AS, self.known);
        }
    }

    fn tell(&mut self, ordinals: &Range<u32>, before: u8) -> Result<Told, ReadError> {
        if before == OPEN {
            return Ok(Told::Open);
        }
        let opened = self.open(ordinals.start)?;
        let kinds = opened.kind_rows(&[ordinals.start]);
        let Some((kind, mut outline)) = kinds.first().and_then(outlined) else {
            return Ok(Told::Open);
        };
        let mut by_slot = before.checked_sub(BY_SLOT).map(usize::from);
        if before == UNKNOWN {
            let slots: Vec<usize> = outline.slots().collect();
            for (place, slot) in slots.into_iter().enumerate() {
                if holds_with_all(opened, kind, (place, slot), ordinals.len(), &mut outline)? {
                    continue;
                }
                if by_slot.is_some() || place >= usize::from(u8::MAX - BY_SLOT) {
                    return Ok(Told::Open);
                }
                by_slot = Some(place);
            }
        }
        Ok(match by_slot {
            Some(place) => Told::BySlot(place),
            None => Told::One(outline.pattern().to_vec()),
        })
    }

    /// Rows with some ordinals, which ascend, of a kind, given its ordinals in a chunk and the place of the slot that tells
    /// their patterns; `None` where they cannot be read.
    pub(crate) fn split(
        &mut self,
        ordinals: &Range<u32>,
        place: usize,
        own: &[u32],
    ) -> Option<Split> {
        let opened = self.open(ordinals.start).ok()?;
        let kinds = opened.kind_rows(&[ordinals.start]);
        let (kind, mut outline) = kinds.first().and_then(outlined)?;
        let slot = outline.slots().nth(place)?;
        let mut split = Split::default();
        let mut value = Vec::new();
        let mut part: Option<(SlotValues, Vec<Option<Option<u32>>>)> = None;
        for ordinal in own {
            let rank = ordinal - ordinals.start;
            let (values, known) = match part.take() {
                Some(part) if part.0.rows().contains(&rank) => part,
                _ => {
                    let values = opened.values(kind, slot, rank).ok()?;
                    let known = vec![None; values.distinct_but_for_digits()];
                    (values, known)
                }
            };
            let (values, known) = part.insert((values, known));
            let mut find = || {
                value.clear();
                values.append(rank, &mut value);
                let pattern = outline.pattern_with(place, &value)?;
                Some(split.number(&pattern))
            };
            let number = values.number_but_for_digits(rank);
            let number = match number.and_then(|number| known.get_mut(number)) {
                Some(known) => *known.get_or_insert_with(find),
                None => find(),
            };
            match number {
                Some(number) => split.rows.push((*ordinal, number)),
                None => split.open.push(*ordinal),
            }
        }
        Some(split)
    }

    /// The same of rows with some ordinals by a look at their messages; `None` where these take their records.
    pub(crate) fn split_messages(
        &mut self,
        ordinals: &Range<u32>,
        own: &[u32],
        patterns: &mut Patterns,
    ) -> Option<Split> {
        let opened = self.open(ordinals.start).ok()?;
        let kinds = opened.kind_rows(&[ordinals.start]);
        let kind = kinds.first()?;
        let mut messages = Messages::of(kind)?;
        let mut split = Split::default();
        for ordinal in own {
            let message = messages.get(opened, kind, ordinal - ordinals.start, |_| false);
            let number = split.number(patterns.of(message.ok()??));
            split.rows.push((*ordinal, number));
        }
        Some(split)
    }

    /// The chunk of a row.
    fn open(&mut self, row: u32) -> Result<&OpenChunk<'s>, ReadError> {
        let number = self.segment.chunk_of_row(row);
        let opened = match self.chunk.take() {
            Some((open, chunk)) if open == number => chunk,
            _ => self.segment.open_chunk(number)?,
        };
        let (_, opened) = self.chunk.insert((number, opened));
        Ok(opened)
    }
}

/// A kind with the outline of its messages.
fn outlined<'k, 'c>(kind: &'k KindRows<'c>) -> Option<(&'k KindRows<'c>, PatternOutline)> {
    let text = kind.text(Namespace::Message)?;
    Some((kind, PatternOutline::of(&text)?))
}

/// Whether messages have the pattern with all values of a slot, of a kind of so many rows.
fn holds_with_all(
    opened: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (place, slot): (usize, usize),
    rows: usize,
    outline: &mut PatternOutline,
) -> Result<bool, ReadError> {
    let (mut rank, mut value) = (0, Vec::new());
    while (rank as usize) < rows {
        if let Some((ranks, zone_map)) = opened.zone_map(kind, slot, rank)
            && outline.holds_with_all(place, &zone_map)
        {
            rank = ranks.end.max(rank + 1);
            continue;
        }
        let values = opened.values(kind, slot, rank)?;
        let mut are_known = vec![false; values.distinct_but_for_digits()];
        for rank in values.rows() {
            if let Some(number) = values.number_but_for_digits(rank)
                && let Some(is_known) = are_known.get_mut(number)
                && std::mem::replace(is_known, true)
            {
                continue;
            }
            value.clear();
            values.append(rank, &mut value);
            if !outline.holds_with(place, &value) {
                return Ok(false);
            }
        }
        rank = values.rows().end.max(rank + 1);
    }
    Ok(true)
}
