//! A kind whose records are recognised by comparing them with it, which takes less than cutting.
//!
//! What must stay true: a record that is found to be of a kind is one that [`super::Cutter`] gives the
//! same key and the same slots. So what is compared is all that a cut depends on: where spans start
//! and end, the priority, the stamp, all fixed bytes, and how each slot is found among them. Pieces
//! whose fixed bytes do not tell are cut as usual and compared.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::{Field, Priority, RecordHead, Span};

use super::cutter::{Class, Ops, classify, header_len};
use super::layout::Layout;
use super::shape::{Op, Pieces};
use super::stamp::{STAMP_BYTES_MIN, Stamp};
use super::{STAMP, Shape};
use crate::bytes::are_same;
use crate::limits::TEMPLATE_SLOTS_MAX;
use crate::templates::cut::{SLOT, quoted_slot, token_slot};
use crate::templates::outline::{Find, outline};

/// Bytes at the ends of a message that are compared first.
const END_BYTES: usize = 8;

/// A place that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// What the records of a kind are compared with.
#[derive(Debug)]
pub(super) struct Pattern {
    priority: Priority,
    layout: Layout,
    pieces: usize,
    steps: Box<[Step]>,
    /// Fixed bytes that the message starts with and that the record ends with. Most records of other
    /// kinds have others.
    head: Box<[u8]>,
    tail: Box<[u8]>,
}

/// What stands next in a record.
#[derive(Debug)]
enum Step {
    /// Fixed bytes.
    Fixed(Box<[u8]>),
    /// So many bytes back a piece ended.
    Edge(usize),
    /// A slot, found by what is before it.
    Slot(Find),
    /// A slot up to the end of the piece.
    Value,
    Stamp(Stamp),
    /// A piece that is to be cut and then has this key.
    Cut(Frame, Box<[u8]>),
}

/// How a piece is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Inside,
    BeforeStamp,
    BehindStamp,
}

/// A record to be compared, and buffers.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Where its spans are, in bytes.
    pub(super) layout: Layout,
    /// Where its slots are, from the start of the bytes of its batch.
    pub(super) slots: Vec<(u32, u32)>,
    bounds: Vec<u32>,
    ops: Ops,
}

impl Pattern {
    /// `None` where no record is compared with it: those that are text, and long tables.
    pub(super) fn new(key: &[u8]) -> Option<Self> {
        let Ok(Shape::Pieces(pieces)) = Shape::decode(key) else {
            return None;
        };
        // The last slot that there may be is cut otherwise.
        (pieces.slots < TEMPLATE_SLOTS_MAX - 1).then(|| Outline::of(&pieces))
    }

    /// Whether a record is of the kind; its slots then are known. By itself it takes a tenth less than
    /// within its caller, where registers are short.
    #[inline(never)]
    pub(super) fn is_of(&self, text: &[u8], head: &RecordHead, compared: &mut Compared) -> bool {
        compared.slots.clear();
        self.priority == head.priority
            && self.has_ends(text, &compared.layout)
            && self.find_bounds(&compared.layout, text.len(), &mut compared.bounds)
            && self.has_steps(text, head, compared).is_some()
    }

    fn has_ends(&self, text: &[u8], layout: &Layout) -> bool {
        let [.., message] = layout.parts;
        let end = text.len().checked_sub(self.tail.len());
        let end = end.and_then(|start| text.get(start..));
        is_next(message.of(text), &self.head) && end.is_some_and(|end| is_next(end, &self.tail))
    }

    /// Whether spans lie as those of the kind; where pieces start and end then.
    fn find_bounds(&self, layout: &Layout, text_len: usize, bounds: &mut Vec<u32>) -> bool {
        if layout.fields.len() != self.layout.fields.len() {
            return false;
        }
        bounds.clear();
        bounds.resize(self.pieces + 1, UNKNOWN);
        let mut is_at = |piece: u32, place: u32| {
            let Some(bound) = bounds.get_mut(piece as usize) else {
                return false;
            };
            let fits = *bound == UNKNOWN || *bound == place;
            *bound = place;
            fits
        };
        let mut is_same = |pieces: Span, bytes: Span| {
            if pieces.is_empty() || bytes.is_empty() {
                return pieces.is_empty() && bytes.is_empty();
            }
            is_at(pieces.start, bytes.start)
                && is_at(pieces.start + pieces.len, bytes.start + bytes.len)
        };
        let mut parts = self.layout.parts.iter().zip(&layout.parts);
        let mut fields = self.layout.fields.iter().zip(&layout.fields);
        parts.all(|(own, other)| is_same(*own, *other))
            && fields.all(|(own, other): (&Field, &Field)| {
                is_same(own.group, other.group)
                    && is_same(own.name, other.name)
                    && is_same(own.value, other.value)
            })
            && is_at(0, 0)
            && is_at(self.layout.raw_len, layout.raw_len)
            && is_at(self.pieces as u32, text_len as u32)
            && bounds.is_sorted_by(|bound, next| bound < next)
    }

    /// Takes the steps through a record; `None` where one of them fails.
    fn has_steps(&self, text: &[u8], head: &RecordHead, compared: &mut Compared) -> Option<()> {
        let Compared {
            slots, bounds, ops, ..
        } = compared;
        let mut ends = bounds.iter().skip(1);
        let mut piece = 0..*ends.next()? as usize;
        let mut at = 0;
        let mut push = |slot: Range<usize>| {
            slots.push((head.start + slot.start as u32, head.start + slot.end as u32));
        };
        for step in &self.steps {
            match step {
                Step::Fixed(fixed) => {
                    at += is_next(text.get(at..)?, fixed).then_some(fixed.len())?;
                }
                Step::Edge(back) => {
                    if at - back != piece.end {
                        return None;
                    }
                    piece = piece.end..*ends.next()? as usize;
                }
                Step::Slot(find) => {
                    let bytes = text.get(piece.clone())?;
                    let start = at.checked_sub(piece.start)?;
                    let end = match find {
                        Find::Token => token_slot(bytes, start),
                        Find::Quoted => quoted_slot(bytes, start),
                    };
                    let end = piece.start + end?;
                    push(at..end);
                    at = end;
                }
                Step::Value => {
                    push(piece.clone());
                    at = piece.end;
                }
                Step::Stamp(stamp) => {
                    let rest = text.get(at..piece.end)?;
                    at += stamp.is_at(rest, head.time, &mut ops.clock, &mut ops.stamp)?;
                }
                Step::Cut(frame, key) => {
                    ops.start(head, true);
                    let fits = match frame {
                        Frame::Inside => ops.piece(text, piece.clone()),
                        _ => {
                            ops.time = ops.time.filter(|_| *frame == Frame::BeforeStamp);
                            ops.frame(text, piece.clone(), head.priority)
                        }
                    };
                    let (_, cut) = ops.key.split_first()?;
                    (fits && *cut == **key).then_some(())?;
                    ops.slots.drain(..).for_each(&mut push);
                    at = piece.end;
                }
            }
        }
        (at == text.len()).then_some(())
    }
}

/// Whether a text starts with some bytes.
#[inline]
fn is_next(text: &[u8], fixed: &[u8]) -> bool {
    let text = text.get(..fixed.len());
    text.is_some_and(|text| are_same(text, fixed))
}

/// A pattern that is made.
struct Outline<'a> {
    /// The fixed bytes of all pieces.
    text: &'a [u8],
    steps: Vec<Step>,
    /// Fixed bytes that are no step yet, and the places among them where pieces end.
    open: Range<usize>,
    edges: Vec<usize>,
    is_stamped: bool,
}

impl<'a> Outline<'a> {
    fn of(pieces: &'a Pieces) -> Pattern {
        let mut outline = Self {
            text: &pieces.text,
            steps: Vec::new(),
            open: 0..0,
            edges: Vec::new(),
            is_stamped: false,
        };
        let by_piece: Vec<&[Op]> = pieces.ops.split(|op| *op == Op::Edge).collect();
        let mut classes = Vec::new();
        classify(&pieces.layout, by_piece.len(), &mut classes);
        for ((piece, ops), class) in by_piece.iter().enumerate().zip(classes) {
            if piece > 0 {
                outline.edges.push(outline.open.end);
            }
            outline.add(pieces, piece, ops, class);
        }
        outline.close();
        let of = |fixed: Range<usize>| Box::from(pieces.text.get(fixed).unwrap_or(&[]));
        let [.., message] = pieces.layout.parts;
        let first = by_piece.get(message.start as usize);
        let head = match first.and_then(|ops| ops.first()) {
            Some(Op::Fixed(fixed)) if !message.is_empty() => {
                of(fixed.start..fixed.end.min(fixed.start + END_BYTES))
            }
            _ => Box::default(),
        };
        let tail = match pieces.ops.last() {
            Some(Op::Fixed(fixed)) => {
                of(fixed.start.max(fixed.end.saturating_sub(END_BYTES))..fixed.end)
            }
            _ => Box::default(),
        };
        Pattern {
            priority: pieces.priority,
            layout: pieces.layout.clone(),
            pieces: by_piece.len(),
            steps: outline.steps.into(),
            head,
            tail,
        }
    }

    /// Adds a piece.
    fn add(&mut self, pieces: &Pieces, piece: usize, ops: &[Op], class: Class) {
        if class == Class::Value {
            return self.step(Step::Value);
        }
        if class == Class::Inside {
            return self.add_cut(pieces, ops, Frame::Inside);
        }
        if self.is_stamped {
            return self.add_cut(pieces, ops, Frame::BehindStamp);
        }
        let (header, stamped) = match ops {
            [Op::Fixed(header), stamped @ ..] if piece == 0 => (header.clone(), stamped),
            _ => (0..0, ops),
        };
        if let ([Op::Stamp(stamp), behind @ ..], true) = (stamped, piece == 0) {
            let bytes = pieces.text.get(header.clone()).unwrap_or(&[]);
            let is_fixed = matches!(behind, [] | [Op::Fixed(_)]);
            if header_len(bytes, pieces.priority) == bytes.len() && is_fixed {
                self.fixed(&header);
                self.step(Step::Stamp(*stamp));
                self.is_stamped = true;
                return self.add_cut(pieces, behind, Frame::BehindStamp);
            }
        }
        match ops {
            [] => {}
            [Op::Fixed(fixed)] if fixed.len() < STAMP_BYTES_MIN => self.fixed(fixed),
            _ => self.cut(pieces, ops, Frame::BeforeStamp),
        }
    }

    /// Adds what is cut, in steps where that is possible.
    fn add_cut(&mut self, pieces: &Pieces, ops: &[Op], frame: Frame) {
        if let [Op::Fixed(fixed)] = ops {
            return self.fixed(fixed);
        }
        let Some(found) = outline(&shape_of(pieces, ops)) else {
            return self.cut(pieces, ops, frame);
        };
        let mut found = found.into_iter();
        for op in ops {
            match op {
                Op::Fixed(fixed) => self.fixed(fixed),
                _ => self.step(Step::Slot(found.next().unwrap_or(Find::Token))),
            }
        }
    }

    /// Adds a piece that has to be cut.
    fn cut(&mut self, pieces: &Pieces, ops: &[Op], frame: Frame) {
        self.step(Step::Cut(frame, shape_of(pieces, ops).into()));
        for op in ops {
            match op {
                Op::Fixed(fixed) => self.open = fixed.end..fixed.end,
                Op::Stamp(_) => self.is_stamped = true,
                Op::Slot | Op::Edge => {}
            }
        }
    }

    /// Fixed bytes stand one behind another.
    fn fixed(&mut self, fixed: &Range<usize>) {
        self.open.end = fixed.end;
    }

    fn step(&mut self, step: Step) {
        self.close();
        self.steps.push(step);
    }

    /// Makes steps of what is fixed.
    fn close(&mut self) {
        let end = self.open.end;
        if !self.open.is_empty() {
            let fixed = self.text.get(self.open.clone()).unwrap_or(&[]);
            self.steps.push(Step::Fixed(fixed.into()));
        }
        let edges = self.edges.drain(..);
        self.steps.extend(edges.map(|edge| Step::Edge(end - edge)));
        self.open = end..end;
    }
}

/// The key of a piece.
fn shape_of(pieces: &Pieces, ops: &[Op]) -> Vec<u8> {
    let mut shape = Vec::new();
    for op in ops {
        match op {
            Op::Fixed(range) => {
                shape.extend_from_slice(pieces.text.get(range.clone()).unwrap_or(&[]));
            }
            Op::Stamp(stamp) => {
                shape.push(STAMP);
                stamp.encode(&mut shape);
            }
            Op::Slot | Op::Edge => shape.push(SLOT),
        }
    }
    shape
}
