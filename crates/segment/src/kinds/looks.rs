//! Where one text of a record stands in its kind: what of it is fixed, and which slots it has.
//!
//! So the text is put together without the rest of the record, and where nothing of it varies, it is
//! known for all records of the kind.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::{Field, FieldRef, Span};

use super::layout::PARTS;
use super::shape::{Op, Pieces, Shape, Start};
use crate::{Edges, Namespace, TextPart};

/// A text that records of a kind have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Look<'a> {
    /// What the record has to say first, where the text is that of a field whose name varies.
    pub(crate) name: Option<VaryingName<'a>>,
    /// The text.
    pub(crate) text: Box<[Bit<'a>]>,
}

/// Group and name of a field, and the name that they must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VaryingName<'a> {
    pub(crate) group: Box<[Bit<'a>]>,
    pub(crate) name: Box<[Bit<'a>]>,
    pub(crate) wanted: &'a [u8],
}

/// A stretch of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bit<'a> {
    /// These bytes.
    Fixed(&'a [u8]),
    /// What is in the slot of this number.
    Slot(usize),
    /// A time stamp, which follows from the record's time.
    Stamp,
}

impl Look<'_> {
    /// Whether the text varies in one slot, and nothing else does.
    pub(crate) fn has_one_slot(&self) -> bool {
        let bits = self.text.iter();
        let mut varying = bits.filter(|bit| !matches!(bit, Bit::Fixed(_)));
        let is_slot = matches!(varying.next(), Some(Bit::Slot(_)));
        self.name.is_none() && is_slot && varying.next().is_none()
    }

    /// The slots of the text, each with the fixed stretches beside it.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Range<usize>> {
        let is_fixed = |at: usize| matches!(self.text.get(at), Some(Bit::Fixed(_)));
        let slots = self.text.iter().enumerate();
        let slots = slots.filter(|(_, bit)| matches!(bit, Bit::Slot(_)));
        slots.map(move |(at, _)| {
            let before = at.checked_sub(1).filter(|before| is_fixed(*before));
            before.unwrap_or(at)..at + 1 + usize::from(is_fixed(at + 1))
        })
    }

    /// Where some stretches of the text stand in it.
    pub(crate) fn edges(&self, stretches: &Range<usize>) -> Edges {
        Edges {
            is_start: stretches.start == 0,
            is_end: stretches.end == self.text.len(),
        }
    }

    /// The text, where nothing of it varies.
    pub(crate) fn fixed(&self) -> Option<&[u8]> {
        if self.name.is_some() {
            return None;
        }
        fixed(&self.text)
    }
}

/// The name of a field that may be the one that is asked for.
enum Name<'a> {
    /// It is.
    Wanted,
    /// It varies.
    Varying(VaryingName<'a>),
}

impl<'a> Name<'a> {
    fn varying(self) -> Option<VaryingName<'a>> {
        match self {
            Self::Wanted => None,
            Self::Varying(name) => Some(name),
        }
    }
}

impl Shape {
    /// Where records of the kind have some texts. `None` for the whole kind: their texts are anywhere.
    /// A part that is absent is an empty text; a field that is absent is no text.
    pub(crate) fn looks<'a>(&'a self, parts: &[TextPart<'a>]) -> Option<Vec<Look<'a>>> {
        let Self::Pieces(pieces) = self else {
            return None;
        };
        let mut looks = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                TextPart::Part(part) => {
                    let own = PARTS.iter().position(|known| known == part);
                    let span = own.and_then(|at| pieces.layout.parts.get(at));
                    let text = pieces.bits(span.copied().unwrap_or_default());
                    looks.push(Look { name: None, text });
                }
                TextPart::Field(name) => pieces.look_for_field(name, &mut looks),
            }
        }
        Some(looks)
    }
}

/// Where records of a kind may have a field of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldPlace {
    /// They have none.
    #[default]
    Nowhere,
    /// Its name and its value are within the structured data, so that they are parts of its words.
    InData,
    /// Anywhere in the text.
    Anywhere,
}

impl Shape {
    /// Where records of the kind may have a field of a name.
    pub(crate) fn place_of_field(&self, name: &[u8]) -> FieldPlace {
        match self {
            Self::Whole => FieldPlace::Anywhere,
            Self::Pieces(pieces) => pieces.place_of_field(name),
        }
    }
}

/// The full name of a field, and where its value is.
pub(crate) type NamedBits<'a> = (Box<[u8]>, Box<[Bit<'a>]>);

impl Shape {
    /// The fields of the structured data; `None` where the name of one varies.
    pub(crate) fn fields(&self) -> Option<Vec<NamedBits<'_>>> {
        let Self::Pieces(pieces) = self else {
            return None;
        };
        let fields = pieces.layout.fields.iter().map(|field| {
            let mut name = pieces.fixed(field.group)?.to_vec();
            if !name.is_empty() {
                name.push(b'.');
            }
            name.extend_from_slice(pieces.fixed(field.name)?);
            Some((name.into(), pieces.bits(field.value)))
        });
        fields.collect()
    }
}

impl Pieces {
    fn look_for_field<'a>(&'a self, wanted: &'a [u8], looks: &mut Vec<Look<'a>>) {
        for field in &self.layout.fields {
            if let Some(name) = self.name_of(field, wanted) {
                looks.push(Look {
                    name: name.varying(),
                    text: self.bits(field.value),
                });
            }
        }
    }

    fn place_of_field(&self, wanted: &[u8]) -> FieldPlace {
        let data = self
            .parts()
            .find(|(part, _)| *part == Namespace::StructuredData);
        let data = data.map_or(0..0, |(_, pieces)| pieces);
        let is_within = |span: Span| {
            let pieces = span.start as usize..(span.start + span.len) as usize;
            pieces.is_empty() || data.start <= pieces.start && pieces.end <= data.end
        };
        let mut place = FieldPlace::Nowhere;
        for field in &self.layout.fields {
            if self.name_of(field, wanted).is_none() {
                continue;
            }
            if !is_within(field.name) || !is_within(field.value) {
                return FieldPlace::Anywhere;
            }
            place = FieldPlace::InData;
        }
        place
    }

    /// Whether a field has a name, or may have it; `None` where it has another.
    fn name_of<'a>(&'a self, field: &Field, wanted: &'a [u8]) -> Option<Name<'a>> {
        let (Some(group), Some(name)) = (self.fixed(field.group), self.fixed(field.name)) else {
            return Some(Name::Varying(VaryingName {
                group: self.bits(field.group),
                name: self.bits(field.name),
                wanted,
            }));
        };
        let value = &[];
        let field = FieldRef { group, name, value };
        field.is_named(wanted).then_some(Name::Wanted)
    }

    /// The bytes of a span of pieces, where nothing of them varies.
    fn fixed(&self, span: Span) -> Option<&[u8]> {
        let (ops, _) = self.ops_of(span);
        let mut bytes: Range<usize> = 0..0;
        for op in ops {
            match op {
                Op::Edge => {}
                // They touch.
                Op::Fixed(range) if bytes.is_empty() => bytes = range.clone(),
                Op::Fixed(range) => bytes.end = range.end,
                Op::Slot | Op::Stamp(_) => return None,
            }
        }
        Some(self.text.get(bytes).unwrap_or(&[]))
    }

    /// What a span of pieces consists of, and the number of its first slot.
    fn ops_of(&self, span: Span) -> (&[Op], usize) {
        let pieces = span.start as usize..(span.start + span.len) as usize;
        let Some(Start { op, slot }) = self.starts.get(pieces.start) else {
            return (&[], 0);
        };
        let end = self.starts.get(pieces.end);
        let end = end.map_or(self.ops.len(), |start| start.op as usize);
        let own = if pieces.is_empty() {
            0..0
        } else {
            *op as usize..end
        };
        (self.ops.get(own).unwrap_or(&[]), *slot as usize)
    }

    /// The stretches of a span of pieces. Fixed bytes that touch are one.
    fn bits<'a>(&'a self, span: Span) -> Box<[Bit<'a>]> {
        let (ops, mut slot) = self.ops_of(span);
        let mut bits = Vec::with_capacity(ops.len());
        let mut open: Range<usize> = 0..0;
        for op in ops {
            let bit = match op {
                Op::Edge => continue,
                Op::Fixed(range) => {
                    if open.is_empty() {
                        open.start = range.start;
                    }
                    open.end = range.end;
                    continue;
                }
                Op::Slot => {
                    slot += 1;
                    Bit::Slot(slot - 1)
                }
                Op::Stamp(_) => Bit::Stamp,
            };
            self.close(&mut open, &mut bits);
            bits.push(bit);
        }
        self.close(&mut open, &mut bits);
        bits.into()
    }

    fn close<'a>(&'a self, open: &mut Range<usize>, bits: &mut Vec<Bit<'a>>) {
        let text = self.text.get(std::mem::replace(open, 0..0)).unwrap_or(&[]);
        if !text.is_empty() {
            bits.push(Bit::Fixed(text));
        }
    }
}

/// The bytes, where nothing varies. Fixed bytes are one stretch.
fn fixed<'a>(bits: &[Bit<'a>]) -> Option<&'a [u8]> {
    match bits {
        [] => Some(&[]),
        [Bit::Fixed(bytes)] => Some(bytes),
        _ => None,
    }
}
