//! Windows of the text of a kind, each asked of all rows that are left before the next one is: of most windows a
//! part of a column tells all of its rows at once, and what has to be put together is asked of many rows together.
#![deny(clippy::indexing_slicing)]

use std::sync::Arc;

use super::asked::Asked;
use super::{Edges, Scan, Selected, TextTest};
use crate::Corrupt;
use crate::chunk::ColumnPage;
use crate::chunk::decode::{ChunkKind, Cursor};
use crate::kinds::Look;
use crate::limits::{TOGETHER_BYTES, TOGETHER_PASSED_OF};

/// What stands between the texts of two rows that are asked together, where no match reaches across it.
const BETWEEN: u8 = b'\n';

impl<T, P, E> Scan<'_, '_, T, P>
where
    T: TextTest,
    P: FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    E: From<Corrupt>,
{
    /// Asks rows for one window after another. Those of which none passes are left.
    pub(super) fn ask_in_turn(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        windows: &mut [Asked],
        (ordinals, selected): (&mut Vec<u32>, &mut Selected),
        cursors: &mut [Cursor],
    ) {
        self.failed = self.failed.saturating_add(ordinals.len());
        let mut left = Vec::with_capacity(ordinals.len());
        for window in windows {
            let mut turn = Turn {
                window,
                asked: 0,
                passed: 0,
            };
            let mut rest = ordinals.as_slice();
            while let Some(first) = rest.first() {
                let rank = first - kind.ordinals.start;
                if self
                    .find_part(kind, look, turn.window, rank, cursors)
                    .is_err()
                {
                    selected.open.extend_from_slice(rest);
                    break;
                }
                let end = kind.ordinals.start.saturating_add(turn.window.rows().end);
                let (own, others) =
                    rest.split_at(rest.partition_point(|ordinal| *ordinal < end).max(1));
                rest = others;
                if turn.window.all_fail() {
                    left.extend_from_slice(own);
                    continue;
                }
                self.ask_rows(kind, look, &mut turn, own, (&mut left, selected), cursors);
            }
            std::mem::swap(ordinals, &mut left);
            left.clear();
        }
    }

    /// Asks rows whose columns are at hand for a window.
    fn ask_rows(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        turn: &mut Turn<'_>,
        ordinals: &[u32],
        (left, selected): (&mut Vec<u32>, &mut Selected),
        cursors: &mut [Cursor],
    ) {
        let mut rest = ordinals;
        while !rest.is_empty() {
            let (mut may_pass, mut count) = (true, rest.len());
            if turn.is_worth_it() && self.test.is_cut(BETWEEN) {
                // Where a column cannot be read, the first row of it tells.
                let asked = self.ask_together(kind, look, turn.window, rest, cursors);
                (may_pass, count) = asked.unwrap_or((true, 1));
                turn.asked += 1;
                turn.passed += u64::from(may_pass);
            }
            let (own, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            if !may_pass {
                left.extend_from_slice(own);
                continue;
            }
            for ordinal in own {
                let rank = ordinal - kind.ordinals.start;
                match self.ask_stretches(kind, look, turn.window, rank, cursors) {
                    Ok(true) => selected.passed.push(*ordinal),
                    Ok(false) => left.push(*ordinal),
                    Err(_) => selected.open.push(*ordinal),
                }
            }
        }
    }

    /// Whether one of the first of some rows may pass because of a window, and how many of them were asked.
    fn ask_together(
        &mut self,
        kind: &ChunkKind,
        look: &Look<'_>,
        window: &Asked,
        ordinals: &[u32],
        cursors: &mut [Cursor],
    ) -> Result<(bool, usize), E> {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let (mut rows, mut put) = (0, Ok(()));
        for ordinal in ordinals {
            let rank = ordinal - kind.ordinals.start;
            put = self.put(kind, window.bits(look), rank, cursors, &mut text);
            text.push(BETWEEN);
            rows += 1;
            if put.is_err() || text.len() >= TOGETHER_BYTES {
                break;
            }
        }
        // Words at the ends of a window may go on, so that more pass than do by themselves.
        let edges = Edges {
            is_start: true,
            is_end: true,
        };
        let passes = put.map(|()| self.test.passes_around(&text, edges));
        self.text = text;
        Ok((passes?, rows))
    }
}

/// A window whose turn it is.
struct Turn<'w> {
    window: &'w mut Asked,
    /// How often rows were asked together, and how often one of them may have passed.
    asked: u64,
    passed: u64,
}

impl Turn<'_> {
    /// Whether it is worth asking rows together: each would be put together, and few pass.
    fn is_worth_it(&self) -> bool {
        self.window.is_put_together() && self.passed <= 1 + self.asked / TOGETHER_PASSED_OF
    }
}
