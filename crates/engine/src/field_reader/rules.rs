//! Whether the values of columns keep the rules under which a field is where it was in one message.

use std::ops::Range;

use segment::{KindRows, SlotValues, ZoneMap};
use store::OpenChunk;
use text_fields::{Bytes, Rule, Summary};

use super::Unread;
use super::values::Remembered;

/// Whether the zone maps of a column say that the values of rows keep a rule, or else its summaries, which look at all
/// values around: not of more parts of the column than half of the rows, whose own values are looked at in less
/// time.
pub(crate) fn is_kept_by_all(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    slot: usize,
    rule: &Rule,
) -> Result<bool, Unread> {
    let (mut done, mut parts) = (0, 0);
    while let Some((_, rank)) = kind.ranked_below(done, u32::MAX).next() {
        let end = match chunk.zone_map(kind, slot, rank) {
            Some((ranks, zone_map)) if rule.holds_for(&Stamped(&zone_map)) => ranks.end,
            _ => {
                parts += 1;
                if parts > kind.len() / 2 {
                    return Ok(false);
                }
                let values = chunk.values(kind, slot, rank)?;
                if !rule.holds_for(&Known(&values)) {
                    return Ok(false);
                }
                values.rows().end
            }
        };
        done += kind.ranked_below(done, end).len();
    }
    Ok(true)
}

/// The ranks of rows from the first to behind the last.
pub(crate) fn ranks(kind: &KindRows<'_>) -> Range<u32> {
    let mut ranked = kind.ranked().map(|(_, rank)| rank);
    let first = ranked.next().unwrap_or(0);
    first..ranked.next_back().unwrap_or(first) + 1
}

/// What the zone map of a part of a column says of all its values.
pub(super) struct Stamped<'s>(pub(super) &'s ZoneMap);

impl Summary for Stamped<'_> {
    fn bytes(&self) -> Bytes {
        self.0.bytes()
    }

    fn first(&self) -> Bytes {
        self.0.first()
    }

    fn has_empty(&self) -> bool {
        self.0.has_empty()
    }

    fn spaces_min(&self) -> usize {
        self.0.spaces_min()
    }

    fn are_like(&self, shape: &[u8]) -> bool {
        self.0.are_like(shape)
    }
}

/// What is known of all values of a part of a column.
struct Known<'v>(&'v SlotValues);

impl Summary for Known<'_> {
    fn bytes(&self) -> Bytes {
        self.0.summary().bytes
    }

    fn first(&self) -> Bytes {
        self.0.summary().first
    }

    fn has_empty(&self) -> bool {
        self.0.summary().has_empty
    }

    fn spaces_min(&self) -> usize {
        self.0.spaces_min()
    }

    fn are_like(&self, shape: &[u8]) -> bool {
        self.0.are_like(shape)
    }
}

/// A column whose values have to be asked one by one whether they keep a rule.
pub(super) struct Checked<'r> {
    slot: usize,
    rule: &'r Rule,
    column: Remembered<bool>,
}

impl<'r> Checked<'r> {
    pub(super) fn new(slot: usize, rule: &'r Rule) -> Self {
        Self {
            slot,
            rule,
            column: Remembered::default(),
        }
    }

    pub(super) fn keeps(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        rank: u32,
        text: &mut Vec<u8>,
    ) -> Result<bool, Unread> {
        let rule = self.rule;
        self.column.ask(chunk, kind, (self.slot, rank), |values| {
            text.clear();
            values.append(rank, text);
            rule.holds(text)
        })
    }
}
