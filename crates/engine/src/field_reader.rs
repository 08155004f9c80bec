//! The values of a field in the texts of messages, found by kinds and columns instead of text by text.
//!
//! All messages of a kind are the same but for their slots. So one of them is read, and with it come
//! rules for the values of all slots (`text_fields::Outline`): where they are kept, the field is where
//! it was in that one, or nowhere, in other segments too. Whether a column keeps its rule is mostly seen
//! from its zone maps, and a value that stands once in a column is looked at once. Rows of which all this
//! says nothing are handed back.

mod data_fields;
mod messages;
mod rules;
mod texts;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use segment::{KindRows, Namespace, TextBit, ZoneMap};
use store::{OpenChunk, ReadError};
use text_fields::{FieldOutline, Outline, Rule, Stretch};

use crate::limits::{PLANNED_MIN, PLANS_MAX};
pub(crate) use data_fields::read_data;
pub(crate) use messages::Messages;
use rules::Checked;
pub(crate) use rules::{is_kept_by_all, ranks};
pub(crate) use values::{Remembered, Values};

/// What becomes of the values of a field.
pub(crate) trait ValueSink {
    /// What is remembered of a value.
    type Seen: Copy;

    /// A value that was not remembered.
    fn see(&mut self, value: &[u8]) -> Self::Seen;

    /// What is remembered of each value that a zone map is of, where that is the same.
    fn see_all(&mut self, _zone_map: &ZoneMap) -> Option<Self::Seen> {
        None
    }

    /// What is remembered of the values that are a whole number, digits with or without `-`.
    fn see_integer(&mut self, _number: i64) -> Option<Self::Seen> {
        None
    }

    /// What is remembered of the values that are digits, a point and digits, by the number in front of the point,
    /// where that is the same for all.
    fn see_whole_part(&mut self, _part: u32) -> Option<Self::Seen> {
        None
    }

    /// Whether zone maps and whole numbers may tell that.
    fn asks_numbers(&self) -> bool {
        false
    }

    /// Whether there is no room to remember more. [`Self::settle`] makes some.
    fn is_full(&self) -> bool {
        false
    }

    /// What was remembered of values may be forgotten: it is not named again.
    fn settle(&mut self) {}

    /// The row with an ordinal of the segment has a value.
    fn row(&mut self, ordinal: u32, seen: Self::Seen);

    /// The rows with some ordinals all have a value.
    fn rows(&mut self, ordinals: &[u32], seen: Self::Seen) {
        ordinals.iter().for_each(|ordinal| self.row(*ordinal, seen));
    }
}

/// What becomes of values, and of messages that have to be looked at.
pub(crate) trait MessageSink: ValueSink {
    /// The message of the record with an ordinal of the segment, which has the field there or, with the value given, in
    /// its structured data, if at all.
    fn message(&mut self, ordinal: u32, in_data: Option<&[u8]>, message: &[u8]);
}

/// Reads the fields of a name in the messages of a segment.
#[derive(Clone, Debug)]
pub(crate) struct FieldReader {
    name: Box<[u8]>,
    /// What is known of each kind of the segment at hand.
    plans: HashMap<(u32, Where), Option<Arc<Plan>>>,
    /// And of kinds whose messages are the same, in other segments.
    known: HashMap<PlanKey, Arc<Plan>>,
    segment: Option<u64>,
    text: Vec<u8>,
}

/// Where a field may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Where {
    /// Anywhere in the message.
    Anywhere,
    /// At its place in an access log; the message is no event.
    InLog,
}

/// What a plan is for: where the field may be, and the text of the messages with the numbers of their slots.
type PlanKey = (Where, Box<[u8]>);

/// What is known of the messages of a kind.
#[derive(Debug)]
struct Plan {
    /// What the values of slots must be.
    rules: Vec<(usize, Rule)>,
    /// The field; `None` where there is none.
    field: Option<FieldOutline>,
    /// The slot of each stretch that varies.
    slots: Vec<usize>,
}

impl FieldReader {
    /// For the fields of this name.
    pub(crate) fn new(name: &[u8]) -> Self {
        Self {
            name: name.into(),
            plans: HashMap::new(),
            known: HashMap::new(),
            segment: None,
            text: Vec::new(),
        }
    }

    /// The name.
    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }

    /// Hands the values of rows of a chunk to `sink`; returns the ordinals in the segment of those whose
    /// messages have to be read.
    pub(crate) fn read<S: ValueSink>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kinds: &[KindRows<'_>],
        place: Where,
        sink: &mut S,
    ) -> Vec<u32> {
        self.turn_to(chunk);
        let mut open = Vec::new();
        for kind in kinds {
            let mut done = 0;
            let read = self.read_kind(chunk, kind, place, &mut done, sink, &mut open);
            if read != Ok(true) {
                let left = kind.ranked().skip(done);
                open.extend(left.map(|(ordinal, _)| chunk.ordinal(ordinal)));
            }
        }
        open.sort_unstable();
        open
    }

    /// Forgets the kinds of another segment: each numbers its own.
    fn turn_to(&mut self, chunk: &OpenChunk<'_>) {
        if self.segment.replace(chunk.segment()) != Some(chunk.segment()) {
            self.plans.clear();
        }
    }

    /// Goes through the rows of a kind, `done` of which are done with; `false` where they have to be read.
    fn read_kind<S: ValueSink>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        place: Where,
        done: &mut usize,
        sink: &mut S,
        open: &mut Vec<u32>,
    ) -> Result<bool, Unread> {
        if place == Where::InLog && is_never_a_log(kind) {
            return Ok(true);
        }
        let Some(plan) = self.plan(chunk, kind, place)? else {
            return Ok(false);
        };
        let mut doubtful = Vec::new();
        for (slot, rule) in &plan.rules {
            if !is_kept_by_all(chunk, kind, *slot, rule)? {
                doubtful.push(Checked::new(*slot, rule));
            }
        }
        if plan.field.is_none() && doubtful.is_empty() {
            return Ok(true);
        }
        let mut values = plan
            .field
            .as_ref()
            .map(|field| Values::new(field, &plan.slots));
        if doubtful.is_empty()
            && let Some(values) = &mut values
        {
            values.see_numbers(chunk, kind, done, &mut self.text, sink)?;
        }
        let open_before = open.len();
        for (ordinal, rank) in kind.ranked_below(*done, u32::MAX) {
            let mut is_kept = true;
            for checked in &mut doubtful {
                is_kept = is_kept && checked.keeps(chunk, kind, rank, &mut self.text)?;
            }
            if !is_kept {
                open.push(chunk.ordinal(ordinal));
            } else if let Some(values) = &mut values
                && let Some(seen) = values.see(chunk, kind, rank, &mut self.text, sink)?
            {
                sink.row(chunk.ordinal(ordinal), seen);
                if sink.is_full() {
                    values.forget();
                    sink.settle();
                }
            }
            *done += 1;
        }
        // The message that was read is like few others: the next segment has another one.
        if open.len() - open_before > kind.len() / 2
            && let Some(key) = plan_key(kind, place)
        {
            self.known.remove(&key);
        }
        Ok(true)
    }

    fn plan(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        place: Where,
    ) -> Result<Option<Arc<Plan>>, Unread> {
        let key = (kind.kind(), place);
        if let Some(plan) = self.plans.get(&key) {
            return Ok(plan.clone());
        }
        let known = plan_key(kind, place);
        let plan = match known.as_ref().and_then(|key| self.known.get(key)) {
            Some(plan) => Some(Arc::clone(plan)),
            None if kind.len() < PLANNED_MIN => return Ok(None),
            None => make_plan(&self.name, place, chunk, kind)?.map(Arc::new),
        };
        self.plans.insert(key, plan.clone());
        if let Some((known, plan)) = known.zip(plan.as_ref())
            && self.known.len() < PLANS_MAX
        {
            self.known.insert(known, Arc::clone(plan));
        }
        Ok(plan)
    }
}

/// The key of the plan of a kind; `None` where its messages have no text in common.
fn plan_key(kind: &KindRows<'_>, place: Where) -> Option<PlanKey> {
    let mut key = Vec::new();
    for bit in kind.text(Namespace::Message)? {
        match bit {
            TextBit::Fixed(bytes) => {
                key.extend_from_slice(&bytes.len().to_le_bytes());
                key.extend_from_slice(bytes);
            }
            // No text is as long.
            TextBit::Slot(slot) => key.extend_from_slice(&(usize::MAX - slot).to_le_bytes()),
        }
    }
    Some((place, key.into()))
}

/// A column cannot be read. Whoever reads the records is to report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unread;

impl From<ReadError> for Unread {
    fn from(_: ReadError) -> Self {
        Self
    }
}

/// What is known of a kind; `None` where a field may be anywhere.
fn make_plan(
    name: &[u8],
    place: Where,
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
) -> Result<Option<Plan>, Unread> {
    let outline = |stretches: &[Stretch<'_>]| match place {
        Where::Anywhere => Outline::of(stretches),
        Where::InLog => Outline::of_log_field(name, stretches),
    };
    let Some((slots, outline)) = of_example(chunk, kind, outline)? else {
        return Ok(None);
    };
    let fields = outline.fields.into_iter();
    let mut own = fields.filter(|field| field.name.eq_ignore_ascii_case(name));
    let (field, another) = (own.next(), own.next());
    if another.is_some() {
        // Which of their values are the same is for whoever has them side by side.
        return Ok(None);
    }
    Ok(Some(Plan {
        rules: slots.iter().copied().zip(outline.rules).collect(),
        field,
        slots,
    }))
}

/// Whether the messages of a kind cannot be access logs, whatever is in their slots.
fn is_never_a_log(kind: &KindRows<'_>) -> bool {
    let bits = kind.text(Namespace::Message);
    bits.is_some_and(|bits| {
        let stretches = bits.iter().map(|bit| match bit {
            TextBit::Fixed(bytes) => Stretch::Fixed(bytes),
            TextBit::Slot(_) => Stretch::Varying(&[]),
        });
        Outline::is_never_a_log(&stretches.collect::<Vec<_>>())
    })
}

/// The outline of the messages of a kind, by the first of some rows, and the slot of each stretch that
/// varies; `None` where there is none.
pub(crate) fn outline_of(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
) -> Result<Option<(Vec<usize>, Outline)>, Unread> {
    of_example(chunk, kind, Outline::of)
}

/// What is made of the message of the first of some rows, and the slot of each stretch that varies.
fn of_example(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    outline: impl FnOnce(&[Stretch<'_>]) -> Option<Outline>,
) -> Result<Option<(Vec<usize>, Outline)>, Unread> {
    let (Some(bits), Some((_, rank))) = (kind.text(Namespace::Message), kind.ranked().next())
    else {
        return Ok(None);
    };
    let (mut slots, mut examples) = (Vec::new(), Vec::new());
    for bit in &bits {
        if let TextBit::Slot(slot) = bit {
            let mut example = Vec::new();
            chunk.values(kind, *slot, rank)?.append(rank, &mut example);
            slots.push(*slot);
            examples.push(example);
        }
    }
    let mut examples = examples.iter();
    let mut stretches = Vec::with_capacity(bits.len());
    for bit in &bits {
        stretches.push(match bit {
            TextBit::Fixed(bytes) => Stretch::Fixed(bytes),
            TextBit::Slot(_) => Stretch::Varying(examples.next().map_or(&[], |example| example)),
        });
    }
    Ok(outline(&stretches).map(|outline| (slots, outline)))
}
