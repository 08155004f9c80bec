//! Ordinals of a union whose rows pass a test of texts, as far as columns tell it where they tell the word.
//!
//! All rows with a code have the same bytes there. Where those pass, with what is fixed around them, so do the
//! rows, whatever else they have; where they are the whole text and do not, no row does. So what is looked for in
//! a text is found while the rows of one of its words are.
#![deny(clippy::indexing_slicing)]

use super::{CodedOrdinals, Marks, Union, set};
use crate::chunk::{Around, Edges, PartRows, TextTest};
use crate::columns::Column;

/// Most codes of a part of a column that are asked one by one: those of user agents, and not those of numbers.
const ASKED_CODES_MAX: usize = 512;

impl Union {
    /// Sets the bits of its ordinals, as [`Self::mark`] does: those of rows that are known to pass in `passing`, those
    /// that may in `open`. Some may be set in both. `part` gives the rows of a part, the first row of its
    /// chunk, and what is around it in the text that is asked; none as there.
    ///
    /// # Errors
    /// When a part cannot be had; some bits are set then.
    pub fn mark_passing<E>(
        &self,
        test: &mut impl TextTest,
        (passing, open): (&mut [u8], &mut [u8]),
        mut part: impl FnMut(u32) -> Result<Option<(u32, PartRows, Option<Around>)>, E>,
    ) -> Result<(), E> {
        let mut marks = Marks::default();
        for own in &self.parts {
            let Some((first, rows, around)) = part(own.part)? else {
                continue;
            };
            let (passed, left) = match around {
                Some(around) => own.split(&rows.column, &around, test),
                None => (Vec::new(), own.codes.clone()),
            };
            marks.turn_to(own.track, (first, &rows));
            marks.mark(&passed, passing);
            marks.mark(&left, open);
        }
        self.others.iter().for_each(|ordinal| set(open, *ordinal));
        Ok(())
    }
}

/// What is known of the rows with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Pass,
    Fail,
    /// It depends on what else they have.
    Open,
}

impl CodedOrdinals {
    /// The codes whose rows pass, and those whose rows may.
    fn split(
        &self,
        column: &Column,
        around: &Around,
        test: &mut impl TextTest,
    ) -> (Vec<u32>, Vec<u32>) {
        let mut text = Vec::new();
        let ignores_digits = test.ignores_digits();
        let is_one = self.codes.len() == 1 || column.are_numbers(self.track as usize);
        let asked = match self.codes.as_slice() {
            // What the others differ in is nothing to the test.
            [code, ..] if is_one && ignores_digits => std::slice::from_ref(code),
            codes if codes.len() > ASKED_CODES_MAX => return (Vec::new(), self.codes.clone()),
            codes => codes,
        };
        let (mut passed, mut open) = (Vec::new(), Vec::new());
        for code in asked {
            match self.tell(*code, column, around, test, &mut text) {
                Told::Pass => passed.push(*code),
                Told::Open => open.push(*code),
                Told::Fail => {}
            }
        }
        if asked.len() < self.codes.len() {
            for told in [&mut passed, &mut open]
                .into_iter()
                .filter(|told| !told.is_empty())
            {
                told.clone_from(&self.codes);
            }
        }
        (passed, open)
    }

    /// What is told of the rows with a code. `text` is memory that is used again.
    fn tell(
        &self,
        code: u32,
        column: &Column,
        around: &Around,
        test: &mut impl TextTest,
        text: &mut Vec<u8>,
    ) -> Told {
        text.clear();
        text.extend_from_slice(&around.before);
        let Some(of_code) = column.append_code(self.track as usize, code, text) else {
            return Told::Open;
        };
        if of_code.is_padded && !test.ignores_digits() {
            return Told::Open;
        }
        let ends = of_code.ends;
        if !ends.is_start {
            text.drain(..around.before.len());
        }
        if ends.is_end {
            text.extend_from_slice(&around.after);
        }
        let edges = Edges {
            is_start: ends.is_start && around.edges.is_start,
            is_end: ends.is_end && around.edges.is_end,
        };
        match edges.is_start && edges.is_end {
            // That is all there is of the text.
            true if test.passes(text) => Told::Pass,
            true => Told::Fail,
            false if test.passes_around(text, edges) => Told::Pass,
            false => Told::Open,
        }
    }
}
