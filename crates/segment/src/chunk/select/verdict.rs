//! What a kind alone tells of a test of texts.
#![deny(clippy::indexing_slicing)]

use super::{TextPart, TextTest};
use crate::Kinds;
use crate::kinds::{Bit, Look, Shape};

/// What holds for the rows of a kind.
pub(super) enum Verdict<'a> {
    /// All pass.
    All,
    /// None does.
    None,
    /// It depends on these texts.
    Texts(Vec<Look<'a>>),
    /// Nobody knows.
    Open,
}

impl<'a> Verdict<'a> {
    /// What follows from the shape of a kind for some texts, of which one has to pass.
    pub(super) fn of(shape: &'a Shape, parts: &[TextPart<'a>], test: &mut impl TextTest) -> Self {
        let Some(looks) = shape.looks(parts) else {
            return Self::Open;
        };
        let mut open = Vec::new();
        for look in looks {
            match passes(&look, test) {
                Some(true) => return Self::All,
                Some(false) => {}
                None => open.push(look),
            }
        }
        if open.is_empty() {
            Self::None
        } else {
            Self::Texts(open)
        }
    }
}

/// Whether a text of all rows passes; `None` where it depends on what varies.
fn passes(look: &Look<'_>, test: &mut impl TextTest) -> Option<bool> {
    if look.name.is_some() {
        return None;
    }
    if let Some(text) = look.fixed() {
        return Some(test.passes(text));
    }
    let mut bits = look.text.iter().enumerate();
    let passes = bits.any(|(at, bit)| match bit {
        Bit::Fixed(bytes) => test.passes_around(bytes, look.edges(&(at..at + 1))),
        Bit::Slot(_) | Bit::Stamp => false,
    });
    passes.then_some(true)
}

impl Kinds {
    /// Whether one of some texts passes in all rows of a kind, or none in any; `None` where that depends on
    /// the row, or is not known.
    pub fn passes(
        &self,
        number: u32,
        parts: &[TextPart<'_>],
        test: &mut impl TextTest,
    ) -> Option<bool> {
        match Verdict::of(self.shapes().get(number)?, parts, test) {
            Verdict::All => Some(true),
            Verdict::None => Some(false),
            Verdict::Texts(_) | Verdict::Open => None,
        }
    }
}
