//! Seats of a union whose rows pass a test of texts, as far as columns tell it where they tell the word.
//!
//! All rows with a code have the same bytes there. Where those pass, with what is fixed around them, so do the
//! rows, whatever else they have; so what is looked for in a text is found while the rows of one of its words
//! are.
#![deny(clippy::indexing_slicing)]

use super::{CodedSeats, Marks, Union, set};
use crate::chunk::{Around, Edges, PartRows, TextTest};
use crate::columns::Column;

/// Most codes of a part of a column that are asked one by one: those of user agents, and not those of numbers.
const ASKED_CODES_MAX: usize = 512;

impl Union {
    /// Sets the bits of all its seats, as [`Self::mark`] does: those of rows that are known to pass in `passing`,
    /// the others in `open`. Some may be set in both. `part` gives the rows of a part, the first row of its
    /// chunk, and what is around it in the text that is asked.
    ///
    /// # Errors
    /// When a part cannot be had; some bits are set then.
    pub fn mark_passing<E>(
        &self,
        test: &mut impl TextTest,
        (passing, open): (&mut [u8], &mut [u8]),
        mut part: impl FnMut(u32) -> Result<(u32, PartRows, Option<Around>), E>,
    ) -> Result<(), E> {
        let mut marks = Marks::default();
        for own in &self.parts {
            let (first, rows, around) = part(own.part)?;
            let (passed, left) = match around {
                Some(around) => own.split(&rows.column, &around, test),
                None => (Vec::new(), own.codes.clone()),
            };
            marks.turn_to(own.track, (first, &rows));
            marks.mark(&passed, passing);
            marks.mark(&left, open);
        }
        self.others.iter().for_each(|seat| set(open, *seat));
        Ok(())
    }
}

impl CodedSeats {
    /// The codes whose rows pass, and the others.
    fn split(
        &self,
        column: &Column,
        around: &Around,
        test: &mut impl TextTest,
    ) -> (Vec<u32>, Vec<u32>) {
        let (mut text, ignores_digits) = (Vec::new(), test.ignores_digits());
        let mut passes = |code: u32| {
            text.clear();
            text.extend_from_slice(&around.before);
            let found = column.append_code(self.track as usize, code, &mut text);
            let Some(of_code) = found.filter(|found| !found.is_padded || ignores_digits) else {
                return false;
            };
            if !of_code.ends.is_start {
                text.drain(..around.before.len());
            }
            if of_code.ends.is_end {
                text.extend_from_slice(&around.after);
            }
            let edges = Edges {
                is_start: of_code.ends.is_start && around.edges.is_start,
                is_end: of_code.ends.is_end && around.edges.is_end,
            };
            test.passes_around(&text, edges)
        };
        let all = || self.codes.clone();
        let is_one = self.codes.len() == 1 || column.are_numbers(self.track as usize);
        match self.codes.first() {
            // What they differ in is nothing to the test.
            Some(code) if is_one && ignores_digits => match passes(*code) {
                true => (all(), Vec::new()),
                false => (Vec::new(), all()),
            },
            _ if self.codes.len() > ASKED_CODES_MAX => (Vec::new(), all()),
            _ => self.codes.iter().partition(|code| passes(**code)),
        }
    }
}
