//! The patterns of the messages of kinds of records, where all of a kind have the same.

use std::ops::Range;
use std::sync::Arc;

use segment::{KindRows, Namespace, PatternOutline, Tally};
use store::{OpenChunk, ReadError, SegmentHandle};

/// What is remembered of a segment under this name: for each group a byte, whether its messages have one pattern.
/// No condition of a query is like it.
const REMEMBERED_AS: &str = "one pattern";

/// It has not been asked.
const UNKNOWN: u8 = 0;
const HAS_ONE: u8 = 1;
const HAS_SEVERAL: u8 = 2;

/// The kinds of the rows of a segment.
pub(super) struct KindPatterns<'s> {
    segment: &'s SegmentHandle,
    tally: Option<Arc<Tally>>,
    /// The chunk at hand, and its number.
    chunk: Option<(usize, OpenChunk<'s>)>,
    /// By group.
    known: Vec<u8>,
    is_more_known: bool,
}

/// The rows of a kind in a chunk.
pub(super) struct OneKind {
    pub(super) seats: Range<u32>,
    /// What all their messages have as their pattern; `None` where they have several, or that cannot be told.
    pub(super) pattern: Option<Vec<u8>>,
}

impl<'s> KindPatterns<'s> {
    pub(super) fn of(segment: &'s SegmentHandle) -> Self {
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

    /// The kind that has a seat; `None` where that cannot be read.
    pub(super) fn at(&mut self, seat: u32) -> Option<OneKind> {
        let tally = self.tally.as_ref()?;
        let group = tally.group_number(seat)?;
        let seats = tally.seats(group);
        let known = self.known.get(group as usize).copied().unwrap_or(UNKNOWN);
        let pattern = match known {
            HAS_SEVERAL => None,
            _ => self.pattern(&seats, known == HAS_ONE).ok()?,
        };
        if known == UNKNOWN {
            let now = if pattern.is_some() {
                HAS_ONE
            } else {
                HAS_SEVERAL
            };
            self.known
                .get_mut(group as usize)
                .into_iter()
                .for_each(|known| *known = now);
            self.is_more_known = true;
        }
        Some(OneKind { seats, pattern })
    }

    /// Remembers what was found out.
    pub(super) fn remember(self) {
        if self.is_more_known {
            self.segment.remember(REMEMBERED_AS, self.known);
        }
    }

    fn pattern(&mut self, seats: &Range<u32>, has_one: bool) -> Result<Option<Vec<u8>>, ReadError> {
        let number = self.segment.chunk_of_row(seats.start);
        let opened = match self.chunk.take() {
            Some((open, chunk)) if open == number => chunk,
            _ => self.segment.open_chunk(number)?,
        };
        let (_, opened) = self.chunk.insert((number, opened));
        let kinds = opened.kind_rows(&[seats.start]);
        let Some(kind) = kinds.first() else {
            return Ok(None);
        };
        let outline = kind.text(Namespace::Message);
        let Some(mut outline) = outline.and_then(|text| PatternOutline::of(&text)) else {
            return Ok(None);
        };
        let slots: Vec<usize> = outline.slots().collect();
        for (place, slot) in slots.into_iter().enumerate() {
            if !has_one
                && !holds_with_all(
                    opened,
                    kind,
                    (place, slot),
                    seats.len() as u32,
                    &mut outline,
                )?
            {
                return Ok(None);
            }
        }
        Ok(Some(outline.pattern().to_vec()))
    }
}

/// Whether messages have the pattern with all values of a slot, of a kind of so many rows.
fn holds_with_all(
    opened: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (place, slot): (usize, usize),
    rows: u32,
    outline: &mut PatternOutline,
) -> Result<bool, ReadError> {
    let (mut rank, mut value) = (0, Vec::new());
    while rank < rows {
        if let Some((ranks, stamp)) = opened.stamp(kind, slot, rank)
            && outline.holds_with_all(place, &stamp)
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
