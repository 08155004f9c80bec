//! Records into the keys of their kinds and what is in their slots.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::limits::RECORD_FIELDS_MAX;
use model::{Priority, RecordBatch, RecordHead, Timestamp};

use super::layout::Layout;
use super::stamp::{self, Clock};
use super::{EDGE, END, STAMP, WHOLE};
use crate::limits::{KIND_EDGES_MAX, KIND_KEY_BYTES_MAX, TEMPLATE_SLOTS_MAX};
use crate::templates::cut::{MARKS, SLOT, cut_behind};

/// Longest piece without letters and digits that the coarse kind has as it is: ` - - - ` of RFC 5424
/// and `]: ` of RFC 3164. Such pieces would be columns of nothing but the same.
const JOINT_BYTES_MAX: usize = 8;

/// Most fields of records whose edges are put in order one by one, which is little work where spans
/// come in order, as they nearly always do, and grows with the square of their count where not.
const SORTED_FIELDS_MAX: usize = 64;

/// How much of a record its kind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// All that does not vary.
    Fine,
    /// What joins the pieces: each piece is one slot.
    Coarse,
    /// Nothing: there is one kind, and text and layout are its slots.
    Whole,
}

/// Cuts records. It only holds buffers: the same record is cut the same whatever was cut before.
#[derive(Debug, Default)]
pub(crate) struct Cutter {
    layout: Layout,
    /// The layout of the record before, in pieces, and its bytes: few records differ from those.
    last_layout: Layout,
    last_encoded: Vec<u8>,
    /// Where pieces start, and where the last one ends.
    bounds: Vec<u32>,
    classes: Vec<Class>,
    ops: Ops,
    /// The second slot of the whole kind.
    whole: Vec<u8>,
}

/// A record that was cut.
#[derive(Debug)]
pub(crate) struct Cut<'a> {
    /// How it was: as asked for, or with less in the kind where there is a limit.
    pub(crate) how: How,
    /// The key of its kind.
    pub(crate) key: &'a [u8],
    /// `raw` and `extra`.
    #[cfg(test)]
    pub(crate) text: &'a [u8],
    /// Where its slots are in the text, but for the last one of the whole kind.
    pub(crate) slots: &'a [Range<usize>],
    /// The last slot of the whole kind.
    pub(crate) whole: Option<&'a [u8]>,
}

/// What a piece of a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Outside of all spans.
    Frame,
    /// Within a span.
    Inside,
    /// The host or the value of a field.
    Value,
}

/// The key so far, and the slots.
#[derive(Debug, Default)]
pub(super) struct Ops {
    is_fine: bool,
    pub(super) key: Vec<u8>,
    pub(super) slots: Vec<Range<usize>>,
    /// The time of the record, until its stamp is found.
    pub(super) time: Option<Timestamp>,
    /// For trying stamps.
    pub(super) clock: Clock,
    pub(super) stamp: Vec<u8>,
}

#[cfg(test)]
impl<'a> Cut<'a> {
    /// What is in the slots.
    pub(crate) fn values(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let text = self.text;
        let slots = self.slots.iter();
        slots
            .map(move |slot| text.get(slot.clone()).unwrap_or(&[]))
            .chain(self.whole)
    }
}

impl Cutter {
    /// Cuts a record of a batch, as asked for or, where that passes a limit, with less in the kind.
    pub(crate) fn cut<'a>(
        &'a mut self,
        batch: &'a RecordBatch,
        head: &RecordHead,
        how: How,
    ) -> Cut<'a> {
        let text = text_of(batch, head);
        let found = match how {
            How::Fine if self.cut_pieces(batch, head, text, true) => How::Fine,
            How::Fine | How::Coarse if self.cut_pieces(batch, head, text, false) => How::Coarse,
            _ => {
                self.cut_whole(batch, head, text);
                How::Whole
            }
        };
        Cut {
            how: found,
            key: &self.ops.key,
            #[cfg(test)]
            text,
            slots: &self.ops.slots,
            whole: (found == How::Whole).then_some(self.whole.as_slice()),
        }
    }

    /// Whether key and slots are within their limits.
    fn cut_pieces(
        &mut self,
        batch: &RecordBatch,
        head: &RecordHead,
        text: &[u8],
        is_fine: bool,
    ) -> bool {
        self.layout.read(batch, head);
        self.find_bounds(text.len());
        if self.layout.fields.len() > RECORD_FIELDS_MAX || self.bounds.len() > KIND_EDGES_MAX + 2 {
            return false;
        }
        self.layout.count_pieces(&self.bounds);
        classify(&self.layout, self.bounds.len() - 1, &mut self.classes);
        self.ops.start(head, is_fine);
        let ends = self.bounds.iter().skip(1);
        for ((start, end), class) in self.bounds.iter().zip(ends).zip(&self.classes) {
            if *start > 0 {
                self.ops.key.push(EDGE);
            }
            let piece = *start as usize..*end as usize;
            let fits = match class {
                Class::Value => self.ops.slot(piece),
                Class::Inside => self.ops.piece(text, piece),
                Class::Frame => self.ops.frame(text, piece, head.priority),
            };
            if !fits || self.ops.key.len() > KIND_KEY_BYTES_MAX {
                return false;
            }
        }
        self.ops.key.push(END);
        if self.last_encoded.is_empty() || self.layout != self.last_layout {
            self.last_layout.clone_from(&self.layout);
            self.last_encoded.clear();
            self.layout.encode(&mut self.last_encoded);
        }
        self.ops.key.extend_from_slice(&self.last_encoded);
        self.ops.key.len() <= KIND_KEY_BYTES_MAX
    }

    fn cut_whole(&mut self, batch: &RecordBatch, head: &RecordHead, text: &[u8]) {
        self.layout.read(batch, head);
        self.whole.clear();
        self.whole.push(head.priority.number());
        self.layout.encode(&mut self.whole);
        self.ops.key.clear();
        self.ops.key.push(WHOLE);
        self.ops.slots.clear();
        self.ops.slots.push(0..text.len());
    }

    /// Where the pieces of a record start and the last one ends, each place once.
    fn find_bounds(&mut self, text_len: usize) {
        let bounds = &mut self.bounds;
        bounds.clear();
        bounds.push(0);
        if self.layout.fields.len() > SORTED_FIELDS_MAX {
            self.layout.spans().for_each(|span| {
                bounds.extend([span.start, span.start + span.len]);
            });
            bounds.extend([self.layout.raw_len, text_len as u32]);
            bounds.sort_unstable();
            bounds.dedup();
            return;
        }
        self.layout.spans().for_each(|span| {
            if !span.is_empty() {
                insert(span.start, bounds);
                insert(span.start + span.len, bounds);
            }
        });
        insert(self.layout.raw_len, bounds);
        insert(text_len as u32, bounds);
    }
}

impl Ops {
    pub(super) fn start(&mut self, head: &RecordHead, is_fine: bool) {
        self.is_fine = is_fine;
        self.time = Some(head.time);
        self.slots.clear();
        self.key.clear();
        // One text without slots makes it as long as a message can be.
        self.key.shrink_to(2 * KIND_KEY_BYTES_MAX);
        self.key.push(head.priority.number());
    }

    /// Whether there was room for a slot.
    fn slot(&mut self, piece: Range<usize>) -> bool {
        self.key.push(SLOT);
        self.slots.push(piece);
        self.slots.len() <= TEMPLATE_SLOTS_MAX
    }

    /// A piece that is nothing special, or a part of one. Whether there was room for its slots.
    pub(super) fn piece(&mut self, text: &[u8], piece: Range<usize>) -> bool {
        let bytes = text.get(piece.clone()).unwrap_or(&[]);
        if self.is_fine {
            return cut_behind(bytes, piece.start, &mut self.key, &mut self.slots);
        }
        if is_joint(bytes) {
            self.key.extend_from_slice(bytes);
            return true;
        }
        self.slot(piece)
    }

    /// A piece outside of all spans: the priority and the version are fixed at the very start, and a
    /// stamp of the record's time is a mark. Whether there was room for its slots.
    pub(super) fn frame(&mut self, text: &[u8], piece: Range<usize>, priority: Priority) -> bool {
        let mut start = piece.start;
        if start == 0 {
            let bytes = text.get(piece.clone()).unwrap_or(&[]);
            start = header_len(bytes, priority);
            self.key
                .extend_from_slice(bytes.get(..start).unwrap_or(&[]));
        }
        let rest = text.get(start..piece.end).unwrap_or(&[]);
        let found = self
            .time
            .and_then(|time| stamp::find(rest, time, &mut self.clock, &mut self.stamp));
        let Some(found) = found else {
            return self.piece(text, start..piece.end);
        };
        self.time = None;
        let before = start..start + found.start;
        let behind = before.end + found.len..piece.end;
        if !self.piece(text, before) {
            return false;
        }
        self.key.push(STAMP);
        found.stamp.encode(&mut self.key);
        self.piece(text, behind)
    }
}

/// Says what each piece is, by where the spans lie in pieces.
pub(super) fn classify(layout: &Layout, pieces: usize, classes: &mut Vec<Class>) {
    classes.clear();
    classes.resize(pieces, Class::Frame);
    layout.spans().for_each(|span| {
        let pieces = span.start as usize..(span.start + span.len) as usize;
        for class in classes.get_mut(pieces).unwrap_or_default() {
            *class = Class::Inside;
        }
    });
    let values = layout.fields.iter().map(|field| field.value);
    let [host, ..] = layout.parts;
    for span in values.chain([host]).filter(|span| span.len == 1) {
        if let Some(class) = classes.get_mut(span.start as usize) {
            *class = Class::Value;
        }
    }
}

/// Inserts a place into others in ascending order, unless it is there.
fn insert(place: u32, bounds: &mut Vec<u32>) {
    let before = bounds.iter().rposition(|bound| *bound <= place);
    let at = before.map_or(0, |before| before + 1);
    if before.and_then(|before| bounds.get(before)) == Some(&place) {
        return;
    }
    if at == bounds.len() {
        bounds.push(place);
    } else {
        bounds.insert(at, place);
    }
}

/// `raw` and `extra`.
pub(super) fn text_of<'a>(batch: &'a RecordBatch, head: &RecordHead) -> &'a [u8] {
    let start = head.start as usize;
    let end = start + head.raw_len as usize + head.extra_len as usize;
    let text = batch.bytes().get(start..end);
    assert!(
        text.is_some(),
        "a record lies within the bytes of its batch"
    );
    text.unwrap_or(&[])
}

/// The length of `<34>`, or of `<34>1 ` where RFC 5424 follows, if it says the priority.
pub(super) fn header_len(text: &[u8], priority: Priority) -> usize {
    let Some((b'<', behind)) = text.split_first() else {
        return 0;
    };
    let digits = behind.iter().take_while(|byte| byte.is_ascii_digit());
    let digits = behind.get(..digits.count()).unwrap_or(&[]);
    let number = digits.iter().fold(0_u32, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(u32::from(digit - b'0'))
    });
    let is_priority = (1..=3).contains(&digits.len())
        && number == u32::from(priority.number())
        && behind.get(digits.len()) == Some(&b'>');
    if !is_priority {
        return 0;
    }
    let len = digits.len() + 2;
    let has_version = text.get(len..).is_some_and(|rest| rest.starts_with(b"1 "));
    if has_version { len + 2 } else { len }
}

/// Whether a piece only joins others, and is one of few.
fn is_joint(bytes: &[u8]) -> bool {
    bytes.len() <= JOINT_BYTES_MAX
        && bytes
            .iter()
            .all(|byte| *byte >= MARKS && byte.is_ascii() && !byte.is_ascii_alphanumeric())
}
