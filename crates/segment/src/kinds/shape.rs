//! The key of a kind, checked, and the records that it makes of slots.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::limits::{BATCH_BYTES_MAX, BATCH_FIELDS_MAX, BATCHES_TOGETHER_MAX, RECORD_FIELDS_MAX};
use model::words::is_word_byte;
use model::{Field, Priority, RecordHead, Span, Timestamp};

use super::column_groups::{self, ColumnGroup, Place};
use super::layout::{Layout, PARTS};
use super::stamp::{Clock, Stamp};
use super::{EDGE, END, STAMP, WHOLE};
use crate::limits::{KIND_EDGES_MAX, KIND_KEY_BYTES_MAX, TEMPLATE_SLOTS_MAX};
use crate::templates::cut::{MARKS, SLOT};
use crate::wire::Reader;
use crate::{Corrupt, Namespace};

/// Slots of the whole kind: the text, and priority and layout.
const WHOLE_SLOTS: usize = 2;

/// The places of the slots of the whole kind.
const WHOLE_PLACES: [Place; WHOLE_SLOTS] = [
    Place {
        column_group: ColumnGroup::Message,
        rank: 0,
    },
    Place {
        column_group: ColumnGroup::Message,
        rank: 1,
    },
];

/// What the records of a kind have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Nothing: their slots are their texts, and their priorities and layouts.
    Whole,
    /// What a key says.
    Pieces(Pieces),
}

/// A key, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pieces {
    pub(super) priority: Priority,
    /// The fixed bytes of all pieces.
    pub(super) text: Box<[u8]>,
    pub(super) ops: Box<[Op]>,
    /// Where each piece starts.
    pub(super) starts: Box<[Start]>,
    pub(super) slots: usize,
    /// The place of each slot.
    pub(super) places: Box<[Place]>,
    pub(super) layout: Layout,
}

/// Where a piece starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// Its first operation.
    pub(super) op: u32,
    /// How many slots are before it.
    pub(super) slot: u32,
}

/// What stands next in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// These fixed bytes.
    Fixed(Range<usize>),
    /// What is in the next slot.
    Slot,
    /// The next piece.
    Edge,
    /// The time.
    Stamp(Stamp),
}

/// Where records are written to: what a [`model::RecordBatch`] has beside heads.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// `raw` and `extra` of each record in turn.
    pub(crate) bytes: Vec<u8>,
    /// The fields of each record in turn.
    pub(crate) fields: Vec<Field>,
    /// Where the pieces of the last record start and end.
    bounds: Vec<u32>,
    clock: Clock,
}

/// What every reader of a kind asks: how many slots its records have, and whether they may have fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyCounts {
    pub(super) slots: u32,
    /// How many of them each column group has.
    pub(super) of_column_groups: [u32; ColumnGroup::COUNT],
    pub(super) has_fields: bool,
}

impl KeyCounts {
    /// Counts in a key, a fraction of what decoding all of it takes.
    pub(super) fn of_key(key: &[u8]) -> Result<Self, Corrupt> {
        let mut of_column_groups = [0; ColumnGroup::COUNT];
        if key == [WHOLE] {
            *ColumnGroup::Message.of(&mut of_column_groups) = WHOLE_SLOTS as u32;
            return Ok(Self::of(of_column_groups, true));
        }
        let mut reader = Reader::new("kind", key);
        reader.byte()?;
        let mut pieces = 1;
        // The piece of each slot.
        let mut slots: Vec<u32> = Vec::with_capacity(OPS_FIRST);
        loop {
            let fixed = reader.rest().iter().take_while(|byte| **byte >= MARKS);
            let fixed = fixed.count();
            reader.bytes(fixed)?;
            match reader.byte()? {
                SLOT => slots.push(pieces - 1),
                EDGE => pieces += 1,
                // It stands outside of all parts.
                STAMP => _ = Stamp::decode(&mut reader)?,
                END => break,
                byte => return Err(invalid("mark of a kind", u64::from(byte))),
            }
        }
        let parts = Layout::decode_parts(&mut reader, pieces as usize)?.parts;
        let has_fields = reader.varint()? > 0;
        for piece in slots {
            *column_groups::of_piece(piece, &parts).of(&mut of_column_groups) += 1;
        }
        Ok(Self::of(of_column_groups, has_fields))
    }

    fn of(of_column_groups: [u32; ColumnGroup::COUNT], has_fields: bool) -> Self {
        Self {
            slots: of_column_groups.iter().sum(),
            of_column_groups,
            has_fields,
        }
    }
}

/// Operations that there is room for before they are read: those of most kinds.
const OPS_FIRST: usize = 32;

impl Shape {
    /// Reads a key. What no cutter writes may be some shape too, but a sound one.
    pub(crate) fn decode(key: &[u8]) -> Result<Self, Corrupt> {
        if key.len() > KIND_KEY_BYTES_MAX {
            return Err(too_large("length of a kind", key.len(), KIND_KEY_BYTES_MAX));
        }
        if key == [WHOLE] {
            return Ok(Self::Whole);
        }
        Pieces::decode(key).map(Self::Pieces)
    }

    /// The place of each slot.
    pub(crate) fn places(&self) -> &[Place] {
        match self {
            Self::Whole => &WHOLE_PLACES,
            Self::Pieces(pieces) => &pieces.places,
        }
    }

    /// The place of a slot.
    pub(crate) fn place(&self, slot: usize) -> Option<Place> {
        self.places().get(slot).copied()
    }

    /// Whether the messages of its records are one slot each, but for signs.
    pub(crate) fn is_text(&self) -> bool {
        match self {
            Self::Whole => true,
            Self::Pieces(pieces) => pieces.is_text(),
        }
    }

    /// The priority of its records; `None` for the whole kind, whose records have any.
    pub(crate) fn priority(&self) -> Option<Priority> {
        match self {
            Self::Whole => None,
            Self::Pieces(pieces) => Some(pieces.priority),
        }
    }

    /// Appends the text and fields of a record and sets its lengths, its spans and its priority, given
    /// its time. `slot` appends what is in the slot of a number; it is asked for each once, in order.
    /// In case of an error nothing is appended, and the head is of no use.
    pub(crate) fn write(
        &self,
        time: Timestamp,
        slot: impl FnMut(usize, &mut Vec<u8>) -> Result<(), Corrupt>,
        head: &mut RecordHead,
        texts: &mut Texts,
    ) -> Result<(), Corrupt> {
        let (bytes_len, fields_len) = (texts.bytes.len(), texts.fields.len());
        head.start = bytes_len as u32;
        head.fields_start = fields_len as u32;
        let written = match self {
            Self::Whole => write_whole(slot, head, texts),
            Self::Pieces(pieces) => pieces.write(time, slot, head, texts),
        };
        if written.is_err() {
            texts.bytes.truncate(bytes_len);
            texts.fields.truncate(fields_len);
        }
        written
    }
}

impl Pieces {
    fn decode(key: &[u8]) -> Result<Self, Corrupt> {
        let mut reader = Reader::new("kind", key);
        let priority = reader.byte()?;
        let priority = Priority::from_number(priority)
            .ok_or_else(|| invalid("priority of a kind", u64::from(priority)))?;
        let mut text = Vec::with_capacity(key.len().min(KIND_KEY_BYTES_MAX));
        let mut ops = Vec::with_capacity(OPS_FIRST);
        let (mut slots, mut edges) = (0, 0);
        loop {
            ops.push(match reader.byte()? {
                SLOT => {
                    slots += 1;
                    Op::Slot
                }
                EDGE => {
                    edges += 1;
                    Op::Edge
                }
                STAMP => Op::Stamp(Stamp::decode(&mut reader)?),
                END => break,
                byte if byte < MARKS => return Err(invalid("mark of a kind", u64::from(byte))),
                byte => {
                    let start = text.len();
                    text.push(byte);
                    let rest = reader.rest().iter();
                    let more = rest.take_while(|byte| **byte >= MARKS).count();
                    text.extend_from_slice(reader.bytes(more)?);
                    Op::Fixed(start..text.len())
                }
            });
        }
        if slots > TEMPLATE_SLOTS_MAX {
            return Err(too_large("slots of a kind", slots, TEMPLATE_SLOTS_MAX));
        }
        if edges > KIND_EDGES_MAX {
            return Err(too_large("edges of a kind", edges, KIND_EDGES_MAX));
        }
        let layout = Layout::decode(&mut reader, edges + 1, RECORD_FIELDS_MAX)?;
        reader.finish()?;
        let places = column_groups::places(&ops, &layout);
        let pieces = Self {
            priority,
            text: text.into(),
            places,
            starts: starts(&ops),
            ops: ops.into(),
            slots,
            layout,
        };
        pieces.check_stamps()?;
        Ok(pieces)
    }

    /// Stamps stand outside of all parts: nobody looks for their words.
    fn check_stamps(&self) -> Result<(), Corrupt> {
        let stamps = self.ops.iter().filter(|op| matches!(op, Op::Stamp(_)));
        if stamps.count() == 0 {
            return Ok(());
        }
        for (_, pieces) in self.parts() {
            let mut piece = 0;
            for op in &self.ops {
                match op {
                    Op::Edge => piece += 1,
                    Op::Stamp(_) if pieces.contains(&piece) => {
                        return Err(invalid("piece of a time stamp", piece as u64));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn is_text(&self) -> bool {
        let message = self.parts().find(|(part, _)| *part == Namespace::Message);
        let Some((_, pieces)) = message else {
            return false;
        };
        let (mut piece, mut slots) = (0, 0);
        for op in &self.ops {
            match op {
                Op::Edge => piece += 1,
                Op::Slot if pieces.contains(&piece) => slots += 1,
                Op::Fixed(range) if pieces.contains(&piece) => {
                    let fixed = self.text.get(range.clone()).unwrap_or(&[]);
                    if fixed.iter().any(|byte| is_word_byte(*byte)) {
                        return false;
                    }
                }
                Op::Slot | Op::Fixed(_) | Op::Stamp(_) => {}
            }
        }
        slots == 1
    }

    /// The parts it has, and their pieces.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Namespace, Range<usize>)> {
        let parts = PARTS.into_iter().zip(self.layout.parts);
        parts
            .filter(|(_, span)| !span.is_empty())
            .map(|(part, span)| (part, span.start as usize..(span.start + span.len) as usize))
    }

    fn write(
        &self,
        time: Timestamp,
        mut slot: impl FnMut(usize, &mut Vec<u8>) -> Result<(), Corrupt>,
        head: &mut RecordHead,
        texts: &mut Texts,
    ) -> Result<(), Corrupt> {
        let (bytes, bounds) = (&mut texts.bytes, &mut texts.bounds);
        let start = bytes.len();
        let mut slots = 0;
        bounds.clear();
        bounds.push(0);
        for op in &self.ops {
            match op {
                Op::Fixed(range) => {
                    bytes.extend_from_slice(self.text.get(range.clone()).unwrap_or(&[]));
                }
                Op::Slot => {
                    slot(slots, bytes)?;
                    slots += 1;
                    // The rest of a kind is bounded by the length of its key.
                    check_bytes(bytes.len())?;
                }
                Op::Edge => bounds.push((bytes.len() - start) as u32),
                Op::Stamp(stamp) => stamp.write(time, &mut texts.clock, bytes)?,
            }
        }
        check_bytes(bytes.len())?;
        bounds.push((bytes.len() - start) as u32);
        check_fields(texts.fields.len() + self.layout.fields.len())?;
        head.priority = self.priority;
        head.raw_len = bound(&texts.bounds, self.layout.raw_len);
        head.extra_len = (texts.bytes.len() - start) as u32 - head.raw_len;
        set_spans(
            head,
            self.layout.parts.map(|span| in_bytes(span, &texts.bounds)),
        );
        head.fields_len = self.layout.fields.len() as u32;
        let fields = self.layout.fields.iter().map(|field| Field {
            group: in_bytes(field.group, &texts.bounds),
            name: in_bytes(field.name, &texts.bounds),
            value: in_bytes(field.value, &texts.bounds),
        });
        texts.fields.extend(fields);
        Ok(())
    }
}

/// Where each piece starts.
fn starts(ops: &[Op]) -> Box<[Start]> {
    let mut next = Start { op: 0, slot: 0 };
    let mut starts = vec![next];
    for op in ops {
        next.op += 1;
        match op {
            Op::Slot => next.slot += 1,
            Op::Edge => starts.push(next),
            Op::Fixed(_) | Op::Stamp(_) => {}
        }
    }
    starts.into()
}

/// Writes a record of the whole kind.
fn write_whole(
    mut slot: impl FnMut(usize, &mut Vec<u8>) -> Result<(), Corrupt>,
    head: &mut RecordHead,
    texts: &mut Texts,
) -> Result<(), Corrupt> {
    let start = texts.bytes.len();
    slot(0, &mut texts.bytes)?;
    let end = texts.bytes.len();
    check_bytes(end)?;
    // The layout stands behind the text for a moment: there is no other buffer.
    slot(1, &mut texts.bytes)?;
    let mut reader = Reader::new("layout of a record", texts.bytes.get(end..).unwrap_or(&[]));
    let priority = reader.byte()?;
    head.priority = Priority::from_number(priority)
        .ok_or_else(|| invalid("priority of a record", u64::from(priority)))?;
    let layout = Layout::decode(&mut reader, end - start, BATCH_FIELDS_MAX)?;
    reader.finish()?;
    check_fields(texts.fields.len() + layout.fields.len())?;
    texts.bytes.truncate(end);
    head.raw_len = layout.raw_len;
    head.extra_len = (end - start) as u32 - layout.raw_len;
    set_spans(head, layout.parts);
    head.fields_len = layout.fields.len() as u32;
    texts.fields.extend(layout.fields);
    Ok(())
}

/// Sets the spans of [`PARTS`].
fn set_spans(head: &mut RecordHead, parts: [Span; PARTS.len()]) {
    [
        head.host,
        head.program,
        head.pid,
        head.msgid,
        head.structured_data,
        head.message,
    ] = parts;
}

/// Where a piece starts, or the last one ends.
fn bound(bounds: &[u32], index: u32) -> u32 {
    bounds.get(index as usize).copied().unwrap_or_default()
}

/// A span of pieces in bytes; 0, 0 where nothing is in its slots.
fn in_bytes(span: Span, bounds: &[u32]) -> Span {
    let start = bound(bounds, span.start);
    let len = bound(bounds, span.start + span.len) - start;
    if len == 0 {
        return Span::default();
    }
    Span { start, len }
}

fn check_bytes(len: usize) -> Result<(), Corrupt> {
    within("length of all records", len, BATCH_BYTES_MAX)
}

fn check_fields(count: usize) -> Result<(), Corrupt> {
    within("number of fields", count, BATCH_FIELDS_MAX)
}

/// Checks what the records of a chunk may have, given what those of a batch may.
fn within(what: &'static str, value: usize, of_batch: usize) -> Result<(), Corrupt> {
    let max = BATCHES_TOGETHER_MAX * of_batch;
    if value <= max {
        return Ok(());
    }
    Err(too_large(what, value, max))
}

fn too_large(what: &'static str, value: usize, max: usize) -> Corrupt {
    Corrupt::TooLarge {
        what,
        value: value as u64,
        max: max as u64,
    }
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
