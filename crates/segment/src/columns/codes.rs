//! Rows of a column by numbers that stand for what they have in common.
//!
//! A column has *tracks*, on each of which a row has a number, its *code*, or none: a dictionary has one,
//! on which a row has the number of its value; values that differ in decimal numbers have one for each
//! run of digits, on which it has the number that stands there; shapes have those of each shape, one
//! behind another. Text has none.
#![deny(clippy::indexing_slicing)]

use super::{Column, Values};

/// The code of rows that have none on a track.
pub(crate) const NO_CODE: u32 = u32::MAX;

/// Where the text of a code ends as the value does; elsewhere other digits follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueEnds {
    pub(crate) is_start: bool,
    pub(crate) is_end: bool,
}

impl ValueEnds {
    const BOTH: Self = Self {
        is_start: true,
        is_end: true,
    };
}

/// What a code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeText {
    pub(crate) ends: ValueEnds,
    /// Whether rows with the code may differ in the zeros that its number starts with, of which it has the
    /// fewest.
    pub(crate) is_padded: bool,
}

impl CodeText {
    /// A whole value.
    const VALUE: Self = Self {
        ends: ValueEnds::BOTH,
        is_padded: false,
    };
}

impl Column {
    /// How many tracks there are.
    pub(crate) fn tracks(&self) -> usize {
        match &self.values {
            Values::Constant(_) | Values::Dictionary(..) => 1,
            Values::Decimal(numbers) => numbers.runs(),
            Values::Shapes(shapes) => shapes.shapes().iter().map(Self::tracks).sum(),
            Values::Hexadecimal(_) | Values::Text(_) => 0,
        }
    }

    /// Replaces `codes` by the code of each row on a track; all rows have none where there is no such track.
    pub(crate) fn codes(&self, track: usize, codes: &mut Vec<u32>) {
        codes.clear();
        match &self.values {
            Values::Constant(_) if track == 0 => codes.resize(self.rows, 0),
            Values::Dictionary(_, numbers) if track == 0 => numbers.narrow_into(codes),
            Values::Decimal(numbers) => numbers.codes(track, codes),
            Values::Shapes(shapes) => {
                codes.resize(self.rows, NO_CODE);
                if let Some((id, track)) = self.shape_of(track) {
                    shapes.codes(id, track, codes);
                }
            }
            _ => {}
        }
        codes.resize(self.rows, NO_CODE);
    }

    /// Appends what all rows with the code that a row has on a track have in common, but for the zeros that
    /// numbers start with; where that is in the value.
    pub(crate) fn append_of_code(&self, track: usize, row: usize, out: &mut Vec<u8>) -> ValueEnds {
        match &self.values {
            Values::Decimal(numbers) => {
                numbers.append_run(track, row, out);
                ValueEnds {
                    is_start: track == 0,
                    is_end: track + 1 == numbers.runs(),
                }
            }
            Values::Shapes(shapes) => {
                let found = self.shape_of(track);
                let found = found.and_then(|(id, track)| {
                    let place = shapes.place(id, row)?;
                    Some((shapes.shapes().get(id)?, track, place))
                });
                found.map_or(ValueEnds::BOTH, |(shape, track, place)| {
                    shape.append_of_code(track, place, out)
                })
            }
            _ => {
                self.append(row, out);
                ValueEnds::BOTH
            }
        }
    }

    /// Appends what all rows with a code on a track have in common; `None` where no row has it.
    pub(crate) fn append_code(
        &self,
        track: usize,
        code: u32,
        out: &mut Vec<u8>,
    ) -> Option<CodeText> {
        match &self.values {
            Values::Constant(value) if (track, code) == (0, 0) => {
                out.extend_from_slice(value);
                Some(CodeText::VALUE)
            }
            Values::Dictionary(entries, _) if track == 0 && (code as usize) < entries.rows => {
                entries.append(code as usize, out);
                Some(CodeText::VALUE)
            }
            Values::Decimal(numbers) => {
                let is_padded = numbers.append_number(track, code.into(), out)?;
                let ends = ValueEnds {
                    is_start: track == 0,
                    is_end: track + 1 == numbers.runs(),
                };
                Some(CodeText { ends, is_padded })
            }
            Values::Shapes(shapes) => {
                let (id, track) = self.shape_of(track)?;
                shapes.shapes().get(id)?.append_code(track, code, out)
            }
            _ => None,
        }
    }

    /// Whether the codes of a track are numbers without signs, so that what they stand for differs in digits alone.
    pub(crate) fn are_numbers(&self, track: usize) -> bool {
        match &self.values {
            Values::Decimal(numbers) => !numbers.have_signs(),
            Values::Shapes(shapes) => self.shape_of(track).is_some_and(|(id, track)| {
                let shape = shapes.shapes().get(id);
                shape.is_some_and(|shape| shape.are_numbers(track))
            }),
            _ => false,
        }
    }

    /// The shape that a track is of, and its number among those of the shape.
    fn shape_of(&self, mut track: usize) -> Option<(usize, usize)> {
        let Values::Shapes(shapes) = &self.values else {
            return None;
        };
        for (id, shape) in shapes.shapes().iter().enumerate() {
            match track.checked_sub(shape.tracks()) {
                None => return Some((id, track)),
                Some(others) => track = others,
            }
        }
        None
    }
}
