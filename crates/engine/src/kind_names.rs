//! The names of what the records of a kind have, and of how many, by its columns.
//!
//! What is fixed in a kind is there for all its records, and so is what a column has that is never
//! empty. Only where a value may be missing are its rows gone through. A kind of which this cannot be
//! told is left to whoever reads its records.

use std::collections::HashMap;
use std::sync::Arc;

use segment::{KindRows, Namespace, TextBit};
use store::OpenChunk;
use text_fields::Outline;

use crate::field_reader::{Unread, ValueSink, Values, is_kept_by_all, outline_of, ranks};

/// The parts of records that are texts, in the order in which their presence is told.
const PARTS: [Namespace; 5] = [
    Namespace::Host,
    Namespace::Program,
    Namespace::Pid,
    Namespace::Msgid,
    Namespace::Message,
];

/// What records of a kind have.
#[derive(Debug, Default)]
pub(crate) struct Present {
    /// Whether they have a host, a program, a process id, a message id and a message.
    pub(crate) parts: [bool; PARTS.len()],
    /// The full names of fields, each once, and how many records have it.
    pub(crate) fields: Vec<(Box<[u8]>, u64)>,
}

/// Finds the names of kinds. Holds what is known of the kinds of a segment.
#[derive(Debug, Default)]
pub(crate) struct KindNames {
    segment: Option<u64>,
    outlines: HashMap<u32, Option<Arc<Layout>>>,
}

/// The fields in the text of a kind.
#[derive(Debug)]
struct Layout {
    outline: Outline,
    slots: Vec<usize>,
}

/// Counts the rows that have a value.
struct Counted(u64);

impl ValueSink for Counted {
    type Seen = bool;

    fn see(&mut self, value: &[u8]) -> bool {
        !value.is_empty()
    }

    fn row(&mut self, _: u32, is_there: bool) {
        self.0 += u64::from(is_there);
    }
}

impl KindNames {
    /// What rows of a kind have; `None` where their records have to be read.
    pub(crate) fn of(&mut self, chunk: &OpenChunk<'_>, kind: &KindRows<'_>) -> Option<Present> {
        if self.segment.replace(chunk.segment()) != Some(chunk.segment()) {
            self.outlines.clear();
        }
        let layout = match self.outlines.get(&kind.kind()) {
            Some(known) => known.clone(),
            None => {
                let found = outline_of(chunk, kind).ok()?;
                let layout = found.map(|(slots, outline)| Arc::new(Layout { outline, slots }));
                self.outlines.insert(kind.kind(), layout.clone());
                layout
            }
        }?;
        let mut present = Present::default();
        for (is_there, part) in present.parts.iter_mut().zip(PARTS) {
            *is_there = is_present(chunk, kind, &kind.text(part)?)?;
        }
        for (name, value) in kind.fields()? {
            if is_present(chunk, kind, &value)? {
                present.fields.push((name, kind.len() as u64));
            }
        }
        for (slot, rule) in layout.slots.iter().zip(&layout.outline.rules) {
            if !is_kept_by_all(chunk, kind, *slot, rule).ok()? {
                return None;
            }
        }
        for field in &layout.outline.fields {
            let count = count(chunk, kind, &mut Values::new(field, &layout.slots)).ok()?;
            present.fields.push((field.name.clone(), count));
        }
        let mut names: Vec<&[u8]> = present.fields.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        // A record that has a field twice counts once.
        let is_once = names.is_sorted_by(|one, two| one < two);
        is_once.then_some(present)
    }
}

/// How many rows have a value that is not empty.
fn count(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    values: &mut Values<'_, bool>,
) -> Result<u64, Unread> {
    if values.are_never_empty(|slot| never_empty(chunk, kind, slot))? {
        return Ok(kind.len() as u64);
    }
    let (mut counted, mut text) = (Counted(0), Vec::new());
    for (ordinal, rank) in kind.ranked() {
        if let Some(seen) = values.see(chunk, kind, rank, &mut text, &mut counted)? {
            counted.row(ordinal, seen);
        }
    }
    Ok(counted.0)
}

/// Whether all rows have a text; `None` where only some may.
fn is_present(chunk: &OpenChunk<'_>, kind: &KindRows<'_>, bits: &[TextBit<'_>]) -> Option<bool> {
    let mut is_there = bits.is_empty();
    for bit in bits {
        is_there = is_there
            || match bit {
                TextBit::Fixed(_) => true,
                TextBit::Slot(slot) => never_empty(chunk, kind, *slot).ok()?,
            };
    }
    is_there.then_some(!bits.is_empty())
}

/// Whether no value of a column of rows is empty, as far as its zone maps or summaries tell.
fn never_empty(chunk: &OpenChunk<'_>, kind: &KindRows<'_>, slot: usize) -> Result<bool, Unread> {
    let all = ranks(kind);
    let mut rank = all.start;
    while rank < all.end {
        let (has_empty, ranks) = match chunk.zone_map(kind, slot, rank) {
            Some((ranks, zone_map)) => (zone_map.has_empty(), ranks),
            None => {
                let values = chunk.values(kind, slot, rank)?;
                (values.summary().has_empty, values.rows())
            }
        };
        if has_empty {
            return Ok(false);
        }
        rank = ranks.end;
    }
    Ok(true)
}
