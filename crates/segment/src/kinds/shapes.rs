//! What readers remember of the kinds of a segment: every chunk has mostly the same ones.
#![deny(clippy::indexing_slicing)]

use std::sync::OnceLock;

use super::bands::Band;
use super::{Kinds, Shape};
use crate::Corrupt;

/// The shapes of kinds by their numbers, each decoded once.
#[derive(Debug)]
pub(crate) struct Shapes(Box<[OnceLock<Known>]>);

/// A shape, and what is asked of every kind of a chunk beside it: so a reader of a few columns goes
/// through these numbers alone.
#[derive(Debug)]
pub(crate) struct Known {
    /// How many slots there are.
    pub(crate) slots: u32,
    /// How many slots there are of each band.
    pub(crate) of_bands: [u32; Band::COUNT],
    pub(crate) shape: Box<Shape>,
}

impl Shapes {
    /// None of so many.
    pub(super) fn new(kinds: usize) -> Self {
        Self(std::iter::repeat_with(OnceLock::new).take(kinds).collect())
    }

    /// That of a kind, if it was decoded.
    pub(crate) fn get(&self, number: u32) -> Option<&Known> {
        self.0.get(number as usize)?.get()
    }

    /// That of one of these kinds.
    pub(super) fn read(&self, number: u32, kinds: &Kinds) -> Result<&Known, Corrupt> {
        let Some(cell) = self.0.get(number as usize) else {
            return Err(Corrupt::Invalid {
                what: "number of a kind",
                value: u64::from(number),
            });
        };
        if let Some(known) = cell.get() {
            return Ok(known);
        }
        let known = Known::of(kinds.shape(number)?);
        Ok(cell.get_or_init(|| known))
    }
}

impl Known {
    fn of(shape: Shape) -> Self {
        let mut of_bands = [0; Band::COUNT];
        for place in shape.places() {
            *place.band.of(&mut of_bands) += 1;
        }
        Self {
            slots: shape.slots() as u32,
            of_bands,
            shape: Box::new(shape),
        }
    }
}
