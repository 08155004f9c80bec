//! How many rows have the values of columns, as value pages tell it without a look at one.

use std::sync::Arc;

use segment::{CountedText, KindRows, TermEntry, ValuePage};

use super::{Kind, OpenChunk, Page, SegmentHandle};
use crate::error::ReadError;

/// What is counted of the values of a part of a column.
pub struct PartValues {
    page: Arc<ValuePage>,
    /// The number of the part among those of the page.
    number: usize,
    rows: u32,
}

impl PartValues {
    /// How many rows the part has.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The values, each by the number of its text with how many rows have it, and no other value here. Rows that have
    /// none of them have another.
    pub fn values(&self) -> &[(u32, u32)] {
        self.page.part(self.number)
    }

    /// A text, by its number.
    pub fn text(&self, number: u32) -> Option<&CountedText> {
        self.page.text(number)
    }

    /// How many texts are numbered.
    pub fn texts(&self) -> usize {
        self.page.texts()
    }

    /// Whether the texts of another part have the same numbers.
    pub fn has_texts_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.page, &other.page)
    }
}

impl OpenChunk<'_> {
    /// What is counted of the values of a slot of all rows of a kind in the chunk, part by part of its column; `None`
    /// where nothing is.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn value_counts(
        &self,
        kind: &KindRows<'_>,
        slot: usize,
    ) -> Result<Option<Vec<PartValues>>, ReadError> {
        let parts = kind.parts_of(slot);
        let parts = parts.map_err(|error| self.segment.damaged(&self.entry.page, &error))?;
        let first = segment::first_part_of(&self.segment.footer.chunks, self.number);
        let mut found: Vec<PartValues> = Vec::with_capacity(parts.len());
        for (number, rows) in parts {
            let Some((page, number)) = self.segment.value_page_of(first + number)? else {
                return Ok(None);
            };
            found.push(PartValues { page, number, rows });
        }
        Ok(Some(found))
    }
}

impl SegmentHandle {
    /// Whether it counts the values of columns.
    pub fn counts_values(&self) -> bool {
        !self.footer.value_pages.is_empty()
    }

    /// The value page with a part, by its number among those of the segment, and its number there.
    fn value_page_of(&self, part: usize) -> Result<Option<(Arc<ValuePage>, usize)>, ReadError> {
        let entries = &self.footer.value_pages;
        let behind = entries.partition_point(|entry| entry.first_row as usize <= part);
        let Some(index) = behind.checked_sub(1) else {
            return Ok(None);
        };
        let entry = self.entry(entries, index)?;
        let page = self.page(Kind::Values, index, || {
            let page = ValuePage::decode(entry, &self.read(entry)?);
            Ok(Page::Values(Arc::new(
                page.map_err(|error| self.damaged(entry, &error))?,
            )))
        })?;
        match page {
            Page::Values(page) => Ok(Some((page, part - entry.first_row as usize))),
            _ => Err(self.out_of_range()),
        }
    }

    /// How many rows of each group hold a term, of those that have some: the numbers of the groups ascend. `None` where
    /// that takes a look at columns.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn rows_by_group(&self, term: &TermEntry) -> Result<Option<Vec<(u32, u32)>>, ReadError> {
        let tally = self.tally()?;
        let mut counts = vec![0_u32; tally.len() as usize];
        let mut add = |seat: u32, rows: u32| {
            let group = tally.group_number(seat).map(|group| group as usize);
            if let Some(count) = group.and_then(|group| counts.get_mut(group)) {
                *count += rows;
            }
        };
        for group in self.groups_of(term)? {
            add(tally.seats(group).start, tally.rows(group));
        }
        match self.union_page_of(&term.slots) {
            None => {
                let seats = self.numbers(&term.slots)?;
                seats.into_iter().for_each(|seat| add(seat, 1));
            }
            Some(index) => {
                let union = self.union(&term.slots, index)?;
                let Some(parts) = union.counted_parts() else {
                    return Ok(None);
                };
                for (part, rows) in parts {
                    add(self.seats_of_part(index, part)?.start, rows);
                }
                union.others().iter().for_each(|seat| add(*seat, 1));
            }
        }
        let counts = (0..).zip(counts).filter(|(_, rows)| *rows > 0);
        Ok(Some(counts.collect()))
    }
}
