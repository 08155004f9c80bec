//! Guesses which kind a record is of, by the kinds before it.
//!
//! Cutting looks at each byte and makes a key that is then looked up. Nearly every record is of a kind
//! that was there before, and that its program and its spaces tell: with the kind at hand it is enough
//! to compare what is fixed and to find where slots end. What cutting finds is not changed by it:
//! [`Pattern`] says why.
#![deny(clippy::indexing_slicing)]

use model::{Priority, RecordBatch, RecordHead};

use super::cutter::text_of;
use super::layout::Layout;
use super::pattern::{Compared, Pattern};
use crate::bytes;

/// Places of the table of guesses. Logs have hundreds of kinds.
const HINTS: usize = 1024;

/// Kinds that are tried for a record.
const TRIES: usize = 4;

/// Kinds that are learnt of one record each before any is guessed. Most kinds of free text have no
/// other record, and learning takes as long as cutting.
const LEARNT_FIRST: usize = 64;

/// Records that are guessed for each kind that is learnt of one record.
const GUESSED_PER_LEARNT: usize = 4;

/// Bytes of a message in which spaces are counted.
const HINT_BYTES: usize = 255;

/// What was learnt from the records of one chunk.
#[derive(Debug)]
pub(crate) struct Guesses {
    /// By the number of their kind.
    patterns: Vec<Known>,
    /// For each hint kinds that records had, the last one first, from 1; 0 is none.
    table: Vec<[u32; TRIES]>,
    hint: usize,
    /// Kinds that were learnt, and records that were guessed.
    learnt: usize,
    guessed: usize,
    compared: Compared,
}

/// What is known of a kind.
#[derive(Debug, Default)]
enum Known {
    #[default]
    Unseen,
    Seen,
    Pattern(Box<Pattern>),
    /// It has no pattern.
    None,
}

impl Default for Guesses {
    fn default() -> Self {
        Self {
            patterns: Vec::new(),
            table: vec![[0; TRIES]; HINTS],
            hint: 0,
            learnt: 0,
            guessed: 0,
            compared: Compared::default(),
        }
    }
}

impl Guesses {
    /// Forgets all kinds.
    pub(crate) fn clear(&mut self) {
        self.patterns.clear();
        self.table.fill([0; TRIES]);
        self.learnt = 0;
        self.guessed = 0;
    }

    /// The number of a record's kind, and where its slots start and end in the bytes of the batch;
    /// `None` where cutting has to find out.
    pub(crate) fn guess(
        &mut self,
        batch: &RecordBatch,
        head: &RecordHead,
    ) -> Option<(u32, &[(u32, u32)])> {
        let text = text_of(batch, head);
        self.compared.layout.read(batch, head);
        self.hint = hint(&self.compared.layout, text, head.priority);
        let tries = self.table.get_mut(self.hint)?;
        for place in 0..TRIES {
            let number = tries.get(place)?.checked_sub(1)?;
            if let Some(Known::Pattern(pattern)) = self.patterns.get(number as usize)
                && pattern.is_of(text, head, &mut self.compared)
            {
                tries.get_mut(..=place)?.rotate_right(1);
                self.guessed += 1;
                return Some((number, &self.compared.slots));
            }
        }
        None
    }

    /// Remembers the kind of the record that was guessed at last, in vain.
    pub(crate) fn learn(&mut self, number: u32, key: &[u8]) {
        let index = number as usize;
        if index >= self.patterns.len() {
            self.patterns.resize_with(index + 1, Known::default);
        }
        let Some(known) = self.patterns.get_mut(index) else {
            return;
        };
        match known {
            Known::Unseen if self.learnt > LEARNT_FIRST + self.guessed / GUESSED_PER_LEARNT => {
                *known = Known::Seen;
            }
            Known::Unseen | Known::Seen => {
                self.learnt += 1;
                let pattern = Pattern::new(key).map(Box::new);
                *known = pattern.map_or(Known::None, Known::Pattern);
            }
            Known::Pattern(_) | Known::None => {}
        }
        let has_pattern = matches!(known, Known::Pattern(_));
        if let Some(tries) = self.table.get_mut(self.hint).filter(|_| has_pattern) {
            let place = tries.iter().position(|known| *known == number + 1);
            if let Some(before) = tries.get_mut(..=place.unwrap_or(TRIES - 1)) {
                before.rotate_right(1);
            }
            if let Some(first) = tries.first_mut() {
                *first = number + 1;
            }
        }
    }
}

/// A number that records of the same kind mostly share: by the program and how many spaces the
/// message has. That is little to look at, and it does not matter where in a message slots are.
fn hint(layout: &Layout, text: &[u8], priority: Priority) -> usize {
    let [_, program, _, _, _, message] = layout.parts;
    let program = program.of(text);
    let (first, last) = match (program.first_chunk(), program.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (
            program
                .iter()
                .fold(0, |all, byte| all << 8 | u64::from(*byte)),
            0,
        ),
    };
    let message = message.of(text);
    let message = message.get(..HINT_BYTES).unwrap_or(message);
    let spaces = bytes::count(message, b' ') as u64;
    let rest = u64::from(priority.number()) << 8 | spaces;
    let mixed = (first ^ rest << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (last ^ layout.fields.len() as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 32) as usize % HINTS
}
