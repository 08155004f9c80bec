//! How many messages of a kind have a field that passes, by the counts of its values.

use std::ops::Range;
use std::sync::Arc;

use segment::{KindRows, insert_byte};
use store::{OpenChunk, PartValues};
use text_fields::{Bytes, FieldOutline, Piece, Rule, Summary};

use super::rules::Stamped;
use super::{CountSink, FieldReader, Plan, Unread, Where, is_never_a_log};
use crate::count_by_values::each_value;
use crate::limits::{COUNTED_KIND_ROWS_MIN, PLANNED_MIN};

impl FieldReader {
    /// Whether no row of the kind with some seats of the segment has the field, given where they may have it.
    pub(crate) fn has_none(
        &mut self,
        chunk: &OpenChunk<'_>,
        seats: &Range<u32>,
        place: Where,
    ) -> Result<bool, Unread> {
        self.turn_to(chunk);
        let kinds = first_rows(chunk, seats);
        let kind = kinds.first().ok_or(Unread)?;
        let found = self.by_plan(chunk, (kind, seats), place)?;
        Ok(matches!(found, ByPlan::Nowhere))
    }

    /// Hands the values of all rows of the kind with some seats of the segment to a sink, given where they may have the
    /// field: those that are counted, or else, where `reads` says so, those of the columns. The seats that are left,
    /// ascending; `None` where all are.
    pub(crate) fn count<S: CountSink>(
        &mut self,
        chunk: &OpenChunk<'_>,
        seats: &Range<u32>,
        (place, reads): (Where, bool),
        sink: &mut S,
    ) -> Result<Option<Vec<u32>>, Unread> {
        self.turn_to(chunk);
        let kinds = first_rows(chunk, seats);
        let kind = kinds.first().ok_or(Unread)?;
        match self.by_plan(chunk, (kind, seats), place)? {
            ByPlan::Nowhere => return Ok(Some(Vec::new())),
            ByPlan::Unplanned => return Ok(None),
            ByPlan::Kept(plan) => {
                if let Some(field) = &plan.field
                    && let Some(values) = counted_values(chunk, kind, field, &plan, seats.len())?
                {
                    for (value, rows) in &values {
                        let seen = sink.see(value);
                        sink.count(*rows, seen);
                        if sink.is_full() {
                            sink.settle();
                        }
                    }
                    return Ok(Some(Vec::new()));
                }
            }
            ByPlan::Planned => {}
        }
        if !reads {
            return Ok(None);
        }
        let seats: Vec<u32> = seats.clone().collect();
        let kinds = chunk.kind_rows(&seats);
        Ok(Some(self.read(chunk, &kinds, place, sink)))
    }

    /// What is known of the rows of a kind by their plan. Rows of a small kind are not read for one.
    fn by_plan(
        &mut self,
        chunk: &OpenChunk<'_>,
        (kind, seats): (&KindRows<'_>, &Range<u32>),
        place: Where,
    ) -> Result<ByPlan, Unread> {
        if place == Where::InLog && is_never_a_log(kind) {
            return Ok(ByPlan::Nowhere);
        }
        let plan = match (seats.len() as u32) < COUNTED_KIND_ROWS_MIN {
            true => self.known_plan(kind, place),
            false => self.plan(chunk, kind, place)?,
        };
        let Some(plan) = plan else {
            return Ok(ByPlan::Unplanned);
        };
        for (slot, rule) in &plan.rules {
            if !is_kept(chunk, kind, *slot, rule)? {
                return Ok(ByPlan::Planned);
            }
        }
        Ok(match plan.field {
            None => ByPlan::Nowhere,
            Some(_) => ByPlan::Kept(plan),
        })
    }
}

/// What is known of a field in the rows of a kind.
enum ByPlan {
    /// None has it.
    Nowhere,
    /// All have it where this says, as stamps and counted values show.
    Kept(Arc<Plan>),
    /// There is a plan, which some may not keep.
    Planned,
    /// There is no plan.
    Unplanned,
}

/// The kind with some seats of the segment, by its first rows.
fn first_rows<'c>(chunk: &'c OpenChunk<'_>, seats: &Range<u32>) -> Vec<KindRows<'c>> {
    let first: Vec<u32> = seats.clone().take(PLANNED_MIN).collect();
    chunk.kind_rows(&first)
}

/// Whether stamps, or else the values that are counted, say that all rows of a kind keep the rule of a slot.
fn is_kept(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    slot: usize,
    rule: &Rule,
) -> Result<bool, Unread> {
    let (mut rank, mut counts) = (0, None);
    let parts = kind.parts_of(slot).map_err(|_| Unread)?;
    for (number, (_, rows)) in parts.into_iter().enumerate() {
        let stamp = chunk.stamp(kind, slot, rank);
        let is_told = stamp.is_some_and(|(_, stamp)| rule.holds_for(&Stamped(&stamp)));
        rank += rows;
        if is_told {
            continue;
        }
        if counts.is_none() {
            counts = chunk.value_counts(kind, slot)?;
        }
        let values = counts
            .as_ref()
            .and_then(|parts| CountedValues::of(parts.get(number)?));
        if !values.is_some_and(|values| rule.holds_for(&values)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All values of a part of a column.
struct CountedValues<'p>(Vec<&'p [u8]>);

impl<'p> CountedValues<'p> {
    /// Where all of them are counted, each as it is.
    fn of(part: &'p PartValues) -> Option<Self> {
        let rows = part.values().map(|(_, rows)| rows).sum::<u32>();
        let texts = part.values().map(|(number, _)| {
            let own = part.text(number).filter(|own| !own.has_numbers)?;
            Some(own.text)
        });
        let texts = texts.collect::<Option<_>>()?;
        (rows == part.rows()).then_some(Self(texts))
    }
}

impl Summary for CountedValues<'_> {
    fn bytes(&self) -> Bytes {
        bytes_of(self.0.iter().copied().flatten())
    }

    fn first(&self) -> Bytes {
        bytes_of(self.0.iter().filter_map(|text| text.first()))
    }

    fn has_empty(&self) -> bool {
        self.0.iter().any(|text| text.is_empty())
    }

    fn spaces_min(&self) -> usize {
        let spaces = |text: &&[u8]| text.iter().filter(|byte| **byte == b' ').count();
        self.0.iter().map(spaces).min().unwrap_or(0)
    }

    fn are_like(&self, shape: &[u8]) -> bool {
        self.0.iter().all(|text| {
            let digits = text.iter().map(|byte| match byte {
                b'0'..=b'9' => b'0',
                other => *other,
            });
            digits.eq(shape.iter().copied())
        })
    }
}

/// Values, each with how many rows have it.
type ValueRows = Vec<(Box<[u8]>, u64)>;

/// The values of a field of all rows of a kind, so many, each with how many have it; `None` where it varies in several
/// slots, or not all of its values are counted.
fn counted_values(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    field: &FieldOutline,
    plan: &Plan,
    rows: usize,
) -> Result<Option<ValueRows>, Unread> {
    let mut varying = field.value.iter().filter_map(|piece| match piece {
        Piece::Varying(number) => plan.slots.get(*number).copied(),
        Piece::Bytes(_) => None,
    });
    let value_of = |own: &[u8]| {
        let pieces = field.value.iter().map(|piece| match piece {
            Piece::Bytes(bytes) => bytes,
            Piece::Varying(_) => own,
        });
        let value = pieces.collect::<Vec<_>>().concat();
        field.of(&value).map(Box::from)
    };
    let slot = match (varying.next(), varying.next()) {
        (Some(slot), None) => slot,
        (None, _) => {
            let value = value_of(&[]).map(|value| (value, rows as u64));
            return Ok(Some(value.into_iter().collect()));
        }
        (Some(_), Some(_)) => return Ok(None),
    };
    let Some(parts) = chunk.value_counts(kind, slot)? else {
        return Ok(None);
    };
    Ok(each_value(&parts, |text| {
        let value: Option<Box<[u8]>> = value_of(text.text);
        // A value without a `0` has none that stands for other digits.
        let is_told = !text.has_numbers
            || value
                .as_deref()
                .is_some_and(|value: &[u8]| !value.contains(&b'0'));
        is_told.then_some(value)
    }))
}

fn bytes_of<'b>(bytes: impl Iterator<Item = &'b u8>) -> Bytes {
    let mut set = Bytes::default();
    bytes.for_each(|byte| insert_byte(&mut set, *byte));
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_values_are_known_as_columns_are() {
        let set = |bytes: &[u8]| bytes_of(bytes.iter());
        let zones = CountedValues(vec![b"+0100", b"+0230"]);
        assert_eq!(zones.bytes(), set(b"+0123"));
        assert_eq!(zones.first(), set(b"+"));
        assert!(zones.are_like(b"+0000") && !zones.are_like(b"+000") && !zones.are_like(b"-0000"));
        assert!(!zones.has_empty());
        let texts = CountedValues(vec![b"a b c", b"", b"d e"]);
        assert_eq!((texts.has_empty(), texts.spaces_min()), (true, 0));
        assert_eq!(texts.first(), set(b"ad"));
        assert_eq!(CountedValues(vec![b"a b c", b"d e"]).spaces_min(), 1);
    }
}
