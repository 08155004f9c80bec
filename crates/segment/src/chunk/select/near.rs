//! Few stretches of a text that are asked before the whole of it: where they tell that a row passes,
//! nothing else of it is read. And windows, which are the whole of it: stretches that no match leaves.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::asked::Asked;
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
    first: Option<Asked>,
    /// How many rows they told nothing of.
    misses: u32,
    hint: Option<HintKey>,
    /// What else is asked of a row, once that was asked of one; none where that is the whole text.
    windows: Option<Vec<Asked>>,
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

    /// The windows of the text, once nothing is asked of a row before them and there are some.
    pub(super) fn windows_alone(&mut self) -> Option<&mut [Asked]> {
        match (&self.first, &mut self.windows) {
            (None, Some(windows)) if !windows.is_empty() => Some(windows),
            _ => None,
        }
    }

    /// Goes on with other stretches; `None` where none is worth it.
    fn begin(&mut self, look: &Look<'_>, stretches: Option<Range<usize>>) {
        let stretches = stretches.filter(|_| look.name.is_none());
        self.first = stretches.map(|stretches| Asked::of(look, stretches));
    }

    /// Notes that they told nothing of a row; whether others are to be found, or none: when the row passes,
    /// or did not a few times.
    fn is_missed(&mut self, passes: bool) -> bool {
        self.misses += 1;
        passes || self.misses >= MISSES_MAX
    }
}

/// The stretches between those that no match goes across, with these; none where there are no such.
fn windows(look: &Look<'_>, is_cut: impl Fn(u8) -> bool) -> Vec<Asked> {
    let is_told = look.name.is_none() && !look.text.contains(&Bit::Stamp);
    let bits = look.text.iter().enumerate().filter(|_| is_told);
    let cuts = bits.filter_map(|(at, bit)| match bit {
        Bit::Fixed(bytes) if bytes.iter().any(|byte| is_cut(*byte)) => Some(at),
        _ => None,
    });
    let (mut windows, mut start) = (Vec::new(), 0);
    for cut in cuts {
        windows.push(Asked::of(look, start..cut + 1));
        start = cut;
    }
    if !windows.is_empty() {
        windows.push(Asked::of(look, start..look.text.len()));
    }
    windows
}

impl<T, P, E> Scan<'_, '_, T, P>
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
        if let Some(first) = &mut near.first
            && self.ask_stretches(kind, look, first, rank, cursors)?
        {
            return Ok(true);
        }
        let test = &*self.test;
        let windows = near
            .windows
            .get_or_insert_with(|| windows(look, |byte| test.is_cut(byte)));
        let passes = match windows.is_empty() {
            true => self.ask(kind, look, rank, cursors)?,
            false => self.ask_windows(kind, look, windows, rank, cursors)?,
        };
        if near.first.is_some() && near.is_missed(passes) {
            let found = match passes {
                true => self.fewest(kind, look, rank, cursors)?,
                false => None,
            };
            if let (true, Some(hint)) = (passes, near.hint) {
                self.hints.keep(hint, found.clone());
            }
            near.begin(look, found);
        }
        Ok(passes)
    }

    /// Whether the text of a row passes: one of its windows.
    fn ask_windows(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        windows: &mut [Asked],
        rank: u32,
        cursors: &mut [Cursor],
    ) -> Result<bool, E> {
        for window in windows {
            if self.ask_stretches(kind, look, window, rank, cursors)? {
                return Ok(true);
            }
        }
        self.failed += 1;
        Ok(false)
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
