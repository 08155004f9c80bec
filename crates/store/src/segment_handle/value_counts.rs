//! How many rows have the values of columns, as value pages tell it without a look at one.

use std::sync::Arc;

use segment::{CountedText, KindRows, TermEntry, ValuePage};

use super::{Kind, OpenChunk, Page, SegmentHandle};
use crate::error::ReadError;

/// The rows of a group that hold a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRows {
    /// The number of the group.
    pub group: u32,
    /// How many there are.
    pub rows: u32,
    /// The parts of columns which tell that, by their numbers in the chunk; `None` where not they alone do.
    pub parts: Option<Vec<usize>>,
}

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
    pub fn values(&self) -> impl Iterator<Item = (u32, u32)> {
        self.page.part(self.number)
    }

    /// A text, by its number.
    pub fn text(&self, number: u32) -> Option<CountedText<'_>> {
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

    /// The rows of each group that hold a term, of those that have some, where columns tell of it: the numbers of the
    /// groups ascend. `None` where lists do, and where it takes a look at the columns.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn rows_by_group(&self, term: &TermEntry) -> Result<Option<Vec<GroupRows>>, ReadError> {
        let Some(index) = self.union_page_of(&term.slots) else {
            return Ok(None);
        };
        let union = self.union(&term.slots, index)?;
        let Some(parts) = union.counted_parts() else {
            return Ok(None);
        };
        let tally = self.tally()?;
        let groups = (0..tally.len()).map(|group| GroupRows {
            group,
            rows: 0,
            parts: Some(Vec::new()),
        });
        let mut groups: Vec<GroupRows> = groups.collect();
        let mut add = |seat: u32, rows: u32, part: Option<usize>| {
            let group = tally.group_number(seat).map(|group| group as usize);
            let Some(own) = group.and_then(|group| groups.get_mut(group)) else {
                return;
            };
            own.rows += rows;
            match (&mut own.parts, part) {
                (Some(parts), Some(part)) => parts.push(part),
                (parts, _) => *parts = None,
            }
        };
        for group in self.groups_of(term)? {
            add(tally.seats(group).start, tally.rows(group), None);
        }
        for (part, rows) in parts {
            let (_, _, number) = self.place_of_part(index, part)?;
            add(self.seats_of_part(index, part)?.start, rows, Some(number));
        }
        let others = union.others().iter();
        others.for_each(|seat| add(*seat, 1, None));
        groups.retain(|own| own.rows > 0);
        Ok(Some(groups))
    }
}
