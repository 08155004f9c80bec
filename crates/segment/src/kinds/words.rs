//! Which words of a kind are fixed, and which stand in slots.
//!
//! A word is fixed where all of its bytes are and none of them touches a slot: what is in the slot
//! may make it longer. Edges within a part do not end words. Dots join what is beside them, as an address
//! ([`model::addresses`]) may go on behind one.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::words::{is_wildcard_stop, is_word_byte};

use super::shape::{Op, Pieces, Shape};
use crate::Namespace;

/// The parts of the records of a kind as the index sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretches<'a> {
    /// Texts whose words all records have in that part.
    pub(crate) fixed: Vec<(Namespace, &'a [u8])>,
    /// Texts whose words each record has its own of. With those of `fixed` they are all words of
    /// the part.
    pub(crate) varying: Vec<Varying>,
    /// The parts that the records have, or may have, and what is fixed of each.
    pub(crate) parts: Vec<FixedPart>,
}

/// What all records of a kind have in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FixedPart {
    /// The part.
    pub(crate) part: Namespace,
    /// Any byte.
    pub(crate) is_there: bool,
    /// A byte that a wildcard runs over.
    pub(crate) has_text: bool,
}

/// A text that varies: some slots with the fixed bytes between them and around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Varying {
    /// The part it is in.
    pub(crate) part: Namespace,
    /// The number of the first slot.
    pub(crate) first_slot: usize,
    /// The number of the last slot.
    pub(crate) last_slot: usize,
    /// How many bytes before the first slot belong to it.
    pub(crate) before: usize,
    /// How many bytes behind the last slot belong to it.
    pub(crate) after: usize,
}

/// Whether a word or an address may go on with a byte.
pub(crate) fn goes_on(byte: u8) -> bool {
    byte == b'.' || is_word_byte(byte)
}

impl Varying {
    /// Where it is in bytes that have the slots and the words that touch them, given where slots start
    /// and end.
    pub(crate) fn range(&self, slots: &[(u32, u32)]) -> Option<Range<usize>> {
        let (start, _) = slots.get(self.first_slot)?;
        let (_, end) = slots.get(self.last_slot)?;
        let start = (*start as usize).checked_sub(self.before)?;
        Some(start..(*end as usize).checked_add(self.after)?)
    }
}

impl Shape {
    /// What is fixed in the parts of its records and what varies. `None` for the whole kind: the parts
    /// of its records are anywhere.
    pub(crate) fn stretches(&self) -> Option<Stretches<'_>> {
        let Self::Pieces(pieces) = self else {
            return None;
        };
        let mut stretches = Stretches::default();
        for (part, own) in pieces.parts() {
            stretches.parts.push(pieces.fixed_part(part, &own));
            Walk {
                pieces,
                part,
                fixed: 0..0,
                varying: None,
                stretches: &mut stretches,
            }
            .walk(&own);
        }
        Some(stretches)
    }
}

impl Shape {}

impl Pieces {
    fn fixed_part(&self, part: Namespace, own: &Range<usize>) -> FixedPart {
        let mut piece = 0;
        let mut fixed = FixedPart {
            part,
            is_there: false,
            has_text: false,
        };
        for op in &self.ops {
            match op {
                Op::Edge => piece += 1,
                Op::Fixed(range) if own.contains(&piece) => {
                    let text = self.text.get(range.clone()).unwrap_or(&[]);
                    fixed.is_there |= !text.is_empty();
                    fixed.has_text |= text.iter().any(|byte| !is_wildcard_stop(*byte));
                }
                Op::Fixed(_) | Op::Slot | Op::Stamp(_) => {}
            }
        }
        fixed
    }
}

/// A walk over a part.
struct Walk<'a, 's> {
    pieces: &'a Pieces,
    part: Namespace,
    /// The fixed bytes behind the last slot, or since the part started.
    fixed: Range<usize>,
    /// The stretch that the last slot is in.
    varying: Option<Varying>,
    stretches: &'s mut Stretches<'a>,
}

impl Walk<'_, '_> {
    fn walk(mut self, own: &Range<usize>) {
        let (mut piece, mut slot) = (0, 0);
        for op in &self.pieces.ops {
            let is_own = own.contains(&piece);
            match op {
                Op::Edge => piece += 1,
                Op::Fixed(range) if is_own => {
                    if self.fixed.is_empty() {
                        self.fixed.start = range.start;
                    }
                    self.fixed.end = range.end;
                }
                Op::Slot => {
                    if is_own {
                        self.pass_slot(slot);
                    }
                    slot += 1;
                }
                Op::Fixed(_) | Op::Stamp(_) => {}
            }
        }
        self.pass_fixed(false);
    }

    fn pass_slot(&mut self, slot: usize) {
        let text = self.pieces.text.get(self.fixed.clone()).unwrap_or(&[]);
        let is_word = text.iter().all(|byte| goes_on(*byte));
        match &mut self.varying {
            Some(varying) if is_word => {
                varying.last_slot = slot;
                self.fixed = 0..0;
            }
            _ => {
                let before = self.pass_fixed(true);
                self.varying = Some(Varying {
                    part: self.part,
                    first_slot: slot,
                    last_slot: slot,
                    before,
                    after: 0,
                });
            }
        }
    }

    /// Ends the stretch of the last slot and takes what is fixed behind it; how many bytes of that
    /// belong to the slot that follows, if one does.
    fn pass_fixed(&mut self, is_before_slot: bool) -> usize {
        let range = std::mem::replace(&mut self.fixed, 0..0);
        let mut text = self.pieces.text.get(range).unwrap_or(&[]);
        if let Some(mut varying) = self.varying.take() {
            varying.after = text.iter().take_while(|byte| goes_on(**byte)).count();
            self.stretches.varying.push(varying);
            text = text.get(varying.after..).unwrap_or(&[]);
        }
        let mut before = 0;
        if is_before_slot {
            let from_end = text.iter().rev();
            before = from_end.take_while(|byte| goes_on(**byte)).count();
            text = text.get(..text.len() - before).unwrap_or(&[]);
        }
        if text.iter().any(|byte| is_word_byte(*byte)) {
            self.stretches.fixed.push((self.part, text));
        }
        before
    }
}
