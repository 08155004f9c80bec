//! Unions as merging, compaction and tests read them: with the columns of a segment, some kept.
#![deny(clippy::indexing_slicing)]

use super::{Union, chunk_of_part};
use crate::chunk::PartRows;
use crate::input::{self, PageError, Pages};
use crate::limits::UNION_PAGES_KEPT_MAX;
use crate::{Corrupt, Kinds, MergeInput};

/// The parts of the columns of a segment.
pub(crate) struct Expander<'a, I> {
    input: &'a I,
    kinds: Option<Kinds>,
    /// The chunks that were asked for.
    chunks: Vec<Option<Pages<'a, I>>>,
    bits: Vec<u8>,
}

impl<'a, I: MergeInput> Expander<'a, I> {
    pub(crate) fn new(input: &'a I) -> Self {
        Self {
            input,
            kinds: None,
            chunks: Vec::new(),
            bits: Vec::new(),
        }
    }

    /// The ordinals of a union, ascending.
    pub(crate) fn ordinals(&mut self, union: &Union) -> Result<Vec<u32>, PageError<I::Error>> {
        let mut bits = std::mem::take(&mut self.bits);
        bits.clear();
        bits.resize((self.input.footer().rows as usize).div_ceil(8), 0);
        let marked = union.mark_counted(&mut bits, |part| self.part(part));
        let ordinals = super::marked(&bits);
        self.bits = bits;
        marked.map(|()| ordinals)
    }

    fn part(&mut self, part: u32) -> Result<(u32, PartRows), PageError<I::Error>> {
        let chunks = &self.input.footer().chunks;
        let found = chunk_of_part(chunks, part);
        let found = found.and_then(|(chunk, number)| Some((chunk, chunks.get(chunk)?, number)));
        let Some((chunk, entry, number)) = found else {
            return Err(Corrupt::Invalid {
                what: "part of a union",
                value: u64::from(part),
            }
            .into());
        };
        if self.kinds.is_none() {
            self.kinds = Some(input::kinds(self.input)?);
        }
        let Some(kinds) = &self.kinds else {
            return Err(Corrupt::Short { what: "kinds" }.into());
        };
        self.chunks.resize_with(chunks.len(), || None);
        let kept: usize = self.chunks.iter().flatten().map(Pages::kept).sum();
        if kept >= UNION_PAGES_KEPT_MAX {
            self.chunks.iter_mut().for_each(|pages| *pages = None);
        }
        let cell = self.chunks.get_mut(chunk);
        let cell = cell.ok_or(Corrupt::Short { what: "chunks" })?;
        if cell.is_none() {
            *cell = Some(Pages::new(self.input, entry, kinds)?);
        }
        let pages = cell.as_mut().ok_or(Corrupt::Short { what: "chunks" })?;
        Ok((entry.page.first_row, pages.part_rows(number)?))
    }
}
