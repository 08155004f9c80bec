//! The values of a field in the texts of messages, found by kinds and columns instead of text by text.
//!
//! All messages of a kind are the same but for their slots. So one of them is read, and with it come
//! rules for the values of all slots (`text_fields::Outline`): where they are kept, the field is where
//! it was in that one, or nowhere, in other segments too. Whether a column keeps its rule is mostly seen
//! from its summary, and a value that stands once in a column is looked at once. Rows of which all this
//! says nothing are handed back.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use segment::{KindRows, Namespace, SlotValues, Stamp, TextBit};
use store::{OpenChunk, ReadError};
use text_fields::{Bytes, FieldOutline, Outline, Piece, Rule, Stretch, Summary};

use crate::limits::{PLANNED_MIN, PLANS_MAX};

/// Most values of a part of a column that are remembered by their keys: the hosts of a kind mostly.
const RECENT_KEYS_MAX: usize = 512;

/// What becomes of the values of a field.
pub(crate) trait ValueSink {
    /// What is remembered of a value.
    type Seen: Copy;

    /// A value that was not remembered.
    fn see(&mut self, value: &[u8]) -> Self::Seen;

    /// What is remembered of each value that a stamp is of, where that is the same.
    fn see_all(&mut self, _stamp: &Stamp) -> Option<Self::Seen> {
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

    /// Whether stamps and whole numbers may tell that.
    fn asks_numbers(&self) -> bool {
        false
    }

    /// The row with a seat of the segment has a value.
    fn row(&mut self, seat: u32, seen: Self::Seen);

    /// The rows with some seats all have a value.
    fn rows(&mut self, seats: &[u32], seen: Self::Seen) {
        seats.iter().for_each(|seat| self.row(*seat, seen));
    }
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

    /// Hands the values of rows of a chunk to `sink`; returns the seats in the segment of those whose
    /// messages have to be read.
    pub(crate) fn read<S: ValueSink>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kinds: &[KindRows<'_>],
        place: Where,
        sink: &mut S,
    ) -> Vec<u32> {
        // Each segment numbers its own kinds.
        if self.segment.replace(chunk.segment()) != Some(chunk.segment()) {
            self.plans.clear();
        }
        let mut open = Vec::new();
        for kind in kinds {
            let mut done = 0;
            let read = self.read_kind(chunk, kind, place, &mut done, sink, &mut open);
            if read != Ok(true) {
                let left = kind.ranked().skip(done);
                open.extend(left.map(|(seat, _)| chunk.seat(seat)));
            }
        }
        open.sort_unstable();
        open
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
        for (seat, rank) in kind.ranked_below(*done, u32::MAX) {
            let mut is_kept = true;
            for checked in &mut doubtful {
                is_kept = is_kept && checked.keeps(chunk, kind, rank, &mut self.text)?;
            }
            if !is_kept {
                open.push(chunk.seat(seat));
            } else if let Some(values) = &mut values
                && let Some(seen) = values.see(chunk, kind, rank, &mut self.text, sink)?
            {
                sink.row(chunk.seat(seat), seen);
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

/// Whether the stamps of a column say that the values of rows keep a rule, or else its summaries, which look at all
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
        let end = match chunk.stamp(kind, slot, rank) {
            Some((ranks, stamp)) if rule.holds_for(&Stamped(&stamp)) => ranks.end,
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

/// What the stamp of a part of a column says of all its values.
struct Stamped<'s>(&'s Stamp);

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
struct Checked<'r> {
    slot: usize,
    rule: &'r Rule,
    column: Remembered<bool>,
}

impl<'r> Checked<'r> {
    fn new(slot: usize, rule: &'r Rule) -> Self {
        Self {
            slot,
            rule,
            column: Remembered::default(),
        }
    }

    fn keeps(
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

/// What was found out of the values of a part of a column: of all of them where each stands once, of the
/// last ones where they have keys.
pub(crate) struct Remembered<T> {
    values: Option<SlotValues>,
    known: Vec<Option<T>>,
    /// By the rest of the key, which goes with it.
    recent: Vec<Option<(u64, T)>>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self {
            values: None,
            known: Vec::new(),
            recent: Vec::new(),
        }
    }
}

impl<T: Copy> Remembered<T> {
    /// The values of the part of a column that has a place.
    fn turn_to(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        (slot, rank): (usize, u32),
    ) -> Result<&SlotValues, Unread> {
        let has = |values: &SlotValues| values.rows().contains(&rank);
        if !self.values.as_ref().is_some_and(has) {
            let values = chunk.values(kind, slot, rank)?;
            self.known.clear();
            self.known.resize(values.distinct(), None);
            self.recent.clear();
            let recent = values.rows().len().min(RECENT_KEYS_MAX);
            self.recent.resize(recent, None);
            self.values = Some(values);
        }
        self.values.as_ref().ok_or(Unread)
    }

    /// What is known of the value at a place, or what `find` finds.
    pub(crate) fn ask(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        (slot, rank): (usize, u32),
        find: impl FnOnce(&SlotValues) -> T,
    ) -> Result<T, Unread> {
        self.turn_to(chunk, kind, (slot, rank))?;
        let values = self.values.as_ref().ok_or(Unread)?;
        if let Some(known) = values
            .number(rank)
            .and_then(|number| self.known.get_mut(number))
        {
            return Ok(match known {
                Some(known) => *known,
                None => *known.insert(find(values)),
            });
        }
        let Some(key) = values.key(rank) else {
            return Ok(find(values));
        };
        let place = key % self.recent.len().max(1) as u64;
        let Some(recent) = self.recent.get_mut(place as usize) else {
            return Ok(find(values));
        };
        if let Some((known, found)) = recent
            && *known == key
        {
            return Ok(*found);
        }
        let found = find(values);
        *recent = Some((key, found));
        Ok(found)
    }
}

/// What is known of the values of a part of a column that are numbers.
enum Numbers {
    /// The numbers.
    Whole(Vec<i64>),
    /// What stands in front of the point.
    WholeParts(Vec<u32>),
}

impl Numbers {
    fn of(values: &SlotValues) -> Option<Self> {
        let whole = values.integers().map(Self::Whole);
        whole.or_else(|| values.whole_parts().map(Self::WholeParts))
    }

    /// What a sink makes of one of them, where that is known by it.
    fn see<S: ValueSink>(&self, place: usize, sink: &mut S) -> Option<S::Seen> {
        match self {
            Self::Whole(numbers) => sink.see_integer(*numbers.get(place)?),
            Self::WholeParts(parts) => sink.see_whole_part(*parts.get(place)?),
        }
    }
}

/// The values of a field.
pub(crate) struct Values<'p, T> {
    field: &'p FieldOutline,
    slots: &'p [usize],
    /// The slot, where the value varies in one alone.
    only: Option<usize>,
    column: Remembered<Option<T>>,
    /// What the stamp of a part of it tells of all its values, and the ranks of those.
    stamped: (Range<u32>, Option<T>),
    /// The columns of all slots, where there are several.
    columns: HashMap<usize, SlotValues>,
    /// What the value is where nothing varies.
    constant: Option<Option<T>>,
}

impl<'p, T: Copy> Values<'p, T> {
    pub(crate) fn new(field: &'p FieldOutline, slots: &'p [usize]) -> Self {
        let mut varying = field.value.iter().filter_map(|piece| match piece {
            Piece::Varying(number) => slots.get(*number).copied(),
            Piece::Bytes(_) => None,
        });
        let only = match (varying.next(), varying.next()) {
            (Some(slot), None) => Some(slot),
            _ => None,
        };
        Self {
            field,
            slots,
            only,
            column: Remembered::default(),
            stamped: (0..0, None),
            columns: HashMap::new(),
            constant: None,
        }
    }

    /// Whether all rows have a value that is not empty, where `is_full` says of a slot whether none of its
    /// values is.
    pub(crate) fn are_never_empty(
        &self,
        mut is_full: impl FnMut(usize) -> Result<bool, Unread>,
    ) -> Result<bool, Unread> {
        if !self.field.is_always_there() {
            return Ok(false);
        }
        for piece in &self.field.value {
            let is_there = match piece {
                Piece::Bytes(_) => true,
                Piece::Varying(number) => is_full(*self.slots.get(*number).ok_or(Unread)?)?,
            };
            if is_there {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the sink makes of all values around a place, which is in the part of a column with a stamp.
    fn see_all<S: ValueSink<Seen = T>>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        (slot, rank): (usize, u32),
        sink: &mut S,
    ) -> Option<T> {
        if !self.stamped.0.contains(&rank) {
            let (ranks, stamp) = chunk.stamp(kind, slot, rank)?;
            self.stamped = (ranks, sink.see_all(&stamp));
        }
        self.stamped.1
    }

    /// Goes through the rows of a kind behind those that are done with, a part of the column after the other,
    /// as long as its values are numbers.
    fn see_numbers<S: ValueSink<Seen = T>>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        done: &mut usize,
        text: &mut Vec<u8>,
        sink: &mut S,
    ) -> Result<(), Unread> {
        let Some(slot) = self.only else { return Ok(()) };
        if !sink.asks_numbers() || !self.field.is_all_that_varies() {
            return Ok(());
        }
        while let Some((_, rank)) = kind.ranked_below(*done, u32::MAX).next() {
            if let Some((ranks, stamp)) = chunk.stamp(kind, slot, rank)
                && let Some(seen) = sink.see_all(&stamp)
            {
                let rows = kind.ranked_below(*done, ranks.end);
                *done += rows.len();
                let seats: Vec<u32> = rows.map(|(seat, _)| chunk.seat(seat)).collect();
                sink.rows(&seats, seen);
                continue;
            }
            let values = chunk.values(kind, slot, rank)?;
            let Some(numbers) = Numbers::of(&values) else {
                return Ok(());
            };
            let ranks = values.rows();
            for (seat, rank) in kind.ranked_below(*done, ranks.end) {
                let seen = match numbers.see((rank - ranks.start) as usize, sink) {
                    None => self.see(chunk, kind, rank, text, sink)?,
                    seen => seen,
                };
                if let Some(seen) = seen {
                    sink.row(chunk.seat(seat), seen);
                }
                *done += 1;
            }
        }
        Ok(())
    }

    /// What the sink makes of the value at a place; `None` where there is none.
    pub(crate) fn see<S: ValueSink<Seen = T>>(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        rank: u32,
        text: &mut Vec<u8>,
        sink: &mut S,
    ) -> Result<Option<T>, Unread> {
        let field = self.field;
        if let Some(slot) = self.only {
            if sink.asks_numbers() && field.is_all_that_varies() {
                if let Some(seen) = self.see_all(chunk, kind, (slot, rank), sink) {
                    return Ok(Some(seen));
                }
                let values = self.column.turn_to(chunk, kind, (slot, rank))?;
                let number = values.integer(rank);
                if let Some(seen) = number.and_then(|number| sink.see_integer(number)) {
                    return Ok(Some(seen));
                }
            }
            return self.column.ask(chunk, kind, (slot, rank), |values| {
                text.clear();
                for piece in &field.value {
                    match piece {
                        Piece::Bytes(bytes) => text.extend_from_slice(bytes),
                        Piece::Varying(_) => values.append(rank, text),
                    }
                }
                field.of(text).map(|value| sink.see(value))
            });
        }
        if let Some(constant) = self.constant {
            return Ok(constant);
        }
        text.clear();
        let mut varies = false;
        for piece in &field.value {
            match piece {
                Piece::Bytes(bytes) => text.extend_from_slice(bytes),
                Piece::Varying(number) => {
                    varies = true;
                    let slot = self.slots.get(*number).copied().ok_or(Unread)?;
                    let known = self.columns.get(&slot);
                    if known.is_none_or(|values| !values.rows().contains(&rank)) {
                        self.columns.insert(slot, chunk.values(kind, slot, rank)?);
                    }
                    if let Some(values) = self.columns.get(&slot) {
                        values.append(rank, text);
                    }
                }
            }
        }
        let seen = field.of(text).map(|value| sink.see(value));
        if !varies {
            self.constant = Some(seen);
        }
        Ok(seen)
    }
}
