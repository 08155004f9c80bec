//! Few stretches of a text that are asked before the whole of it: where they tell that a row passes,
//! nothing else of it is read.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::{Scan, TextTest};
use crate::Corrupt;
use crate::chunk::ColumnPage;
use crate::chunk::decode::{ChunkKind, Cursor};
use crate::kinds::{Bit, Look};
use crate::limits::HINTS_MAX;

/// After so many rows of a kind that its stretches told nothing of, their texts are put together at once.
const MISSES_MAX: u32 = 4;

/// Which stretches told of rows of a kind that they pass; `None` where only the whole text did. Kinds are
/// known by their keys: what was found in one chunk serves all chunks and segments of a question.
#[derive(Clone, Debug, Default)]
pub struct Hints(HashMap<HintKey, Option<Range<usize>>>);

impl Hints {
    fn keep(&mut self, hint: HintKey, stretches: Option<Range<usize>>) {
        if self.0.len() < HINTS_MAX || self.0.contains_key(&hint) {
            self.0.insert(hint, stretches);
        }
    }
}

/// The hash of the key of a kind, and which of the texts that are asked for. Where two kinds have the same
/// hash, a hint leads nowhere and no more.
type HintKey = (u64, usize);

/// The stretches of the text of a kind that are asked first; by default none.
#[derive(Default)]
pub(super) struct Near {
    stretches: Option<Range<usize>>,
    /// Where they vary in one slot alone, that slot.
    only_slot: Option<usize>,
    /// How many rows they told nothing of.
    misses: u32,
    hint: Option<HintKey>,
}

impl Near {
    /// Begins with what told of other rows of such a kind, or else with the last slot.
    pub(super) fn of(look: &Look<'_>, hint: Option<HintKey>, hints: &Hints) -> Self {
        let mut near = Self {
            hint,
            ..Self::default()
        };
        let known = hint.and_then(|hint| hints.0.get(&hint)).cloned();
        near.begin(look, known.unwrap_or_else(|| look.slots().last()));
        near
    }

    /// Goes on with other stretches; `None` where none is worth it.
    fn begin(&mut self, look: &Look<'_>, stretches: Option<Range<usize>>) {
        self.stretches = stretches.filter(|_| look.name.is_none());
        let own = self.stretches.clone().and_then(|own| look.text.get(own));
        let mut slots = own.unwrap_or(&[]).iter().filter_map(|bit| match bit {
            Bit::Slot(slot) => Some(*slot),
            Bit::Fixed(_) | Bit::Stamp => None,
        });
        self.only_slot = slots.next().filter(|_| slots.next().is_none());
    }

    /// Notes that they told nothing of a row; whether others are to be found, or none: when the row passes,
    /// or did not a few times.
    fn is_missed(&mut self, passes: bool) -> bool {
        self.misses += 1;
        passes || self.misses >= MISSES_MAX
    }
}

impl<T, P, E> Scan<'_, T, P>
where
    T: TextTest,
    P: FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    E: From<Corrupt>,
{
    /// Whether the text of a row passes, which is asked first of the stretches at hand.
    pub(super) fn ask_near(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        near: &mut Near,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<bool, E> {
        if let Some(stretches) = &near.stretches {
            let passes = match near.only_slot {
                Some(slot) => self.ask_once(kind, look, stretches, slot, rank, cursors)?,
                None => self.passes_around(kind, look, stretches, rank, cursors)?,
            };
            if passes {
                return Ok(true);
            }
        }
        let passes = self.ask(kind, look, rank, cursors)?;
        if near.stretches.is_some() && near.is_missed(passes) {
            let found = match passes {
                true => self.fewest(kind, look, rank, cursors)?,
                false => None,
            };
            if let (true, Some(hint)) = (passes, near.hint) {
                self.hints.keep(hint, found.clone());
            }
            near.begin(look, found);
            // What is known of values is known of those of another slot.
            if let Some(cursor) = near.only_slot.and_then(|slot| cursors.get_mut(slot)) {
                *cursor = Cursor::default();
            }
        }
        Ok(passes)
    }

    /// The fewest stretches that tell that a row passes; `None` where only the whole text does. More
    /// stretches tell what fewer tell, so that few are tried.
    fn fewest(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<Option<Range<usize>>, E> {
        let (mut text, mut ends) = (Vec::new(), vec![0]);
        for bit in &look.text {
            self.put(kind, std::slice::from_ref(bit), rank, cursors, &mut text)?;
            ends.push(text.len());
        }
        let mut passes = |stretches: Range<usize>| {
            let ends = ends.get(stretches.start).zip(ends.get(stretches.end));
            let bytes = ends.and_then(|(start, end)| text.get(*start..*end));
            self.test
                .passes_around(bytes.unwrap_or(&[]), look.edges(&stretches))
        };
        let places: Vec<usize> = (0..=look.text.len()).collect();
        let end = places.partition_point(|end| !passes(0..*end));
        let Some(before) = places.get(..end).filter(|_| end < places.len()) else {
            return Ok(None);
        };
        let starts = before.partition_point(|start| passes(*start..end));
        Ok(starts.checked_sub(1).map(|start| start..end))
    }

    /// Whether the text of a row passes because of some stretches of it.
    fn passes_around(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        stretches: &Range<usize>,
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<bool, E> {
        let bits = look.text.get(stretches.clone()).unwrap_or(&[]);
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let put = self.put(kind, bits, rank, cursors, &mut text);
        let passes = put.map(|()| self.test.passes_around(&text, look.edges(stretches)));
        self.text = text;
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_have_a_limit() {
        let mut hints = Hints::default();
        for kind in 0..HINTS_MAX as u64 + 9 {
            hints.keep((kind, 0), None);
        }
        hints.keep((0, 0), Some(1..2));
        assert_eq!(hints.0.len(), HINTS_MAX);
        assert_eq!(hints.0.get(&(0, 0)), Some(&Some(1..2)));
    }
}
