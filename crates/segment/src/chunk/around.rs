//! What stands in the texts of rows around the part of a column, as far as it is the same for all of them.
#![deny(clippy::indexing_slicing)]

use super::decode::Chunk;
use super::{Edges, TextPart};
use crate::Namespace;
use crate::kinds::{Bit, Look};

/// What is fixed in a text on both sides of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
    /// Whether the text starts with what is before the slot, and ends with what is behind it.
    pub(crate) edges: Edges,
}

impl Chunk {
    /// What stands in a part of records around the part of a column, by its number among those of the chunk;
    /// `None` where that column is no slot of the text.
    pub fn around_part(&self, number: usize, text: Namespace) -> Option<Around> {
        let column = self.column_of_part(number)?;
        let kind = self.kind_of_column(u32::try_from(column).ok()?)?;
        let looks = self.shape(kind)?.looks(&[TextPart::Part(text)])?;
        let look = looks.first()?;
        let is_own = |bit: &Bit<'_>| match bit {
            Bit::Slot(slot) => self.column_of(kind, *slot) == Ok(column),
            Bit::Fixed(_) | Bit::Stamp => false,
        };
        let at = look.text.iter().position(is_own)?;
        Some(Around::of(look, at))
    }
}

impl Around {
    /// What is around a stretch of a text.
    fn of(look: &Look<'_>, at: usize) -> Self {
        let fixed = |at: Option<usize>| match at.and_then(|at| look.text.get(at)) {
            Some(Bit::Fixed(bytes)) => bytes,
            _ => &[][..],
        };
        let (before, after) = (fixed(at.checked_sub(1)), fixed(at.checked_add(1)));
        let start = at - usize::from(!before.is_empty());
        let end = at + 1 + usize::from(!after.is_empty());
        Self {
            before: before.to_vec(),
            after: after.to_vec(),
            edges: look.edges(&(start..end)),
        }
    }
}
