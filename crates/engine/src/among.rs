//! The rows that a question to an index is about: where it takes columns to know which rows have a word, those of
//! other rows are not read.

use std::ops::Range;

use crate::gathered::Gathered;
use crate::row_set::RowSet;

/// Rows of a segment that are asked about. Of all others an answer may say anything.
#[derive(Clone, Copy)]
pub(crate) enum Among<'r> {
    /// Every row.
    All,
    /// These.
    Set(&'r RowSet),
    /// These, as an index has given them.
    Gathered(&'r Gathered),
}

impl<'r> Among<'r> {
    /// How many there are, in a segment of so many rows.
    pub(crate) fn len(self, rows: u32) -> u64 {
        match self {
            Self::All => rows.into(),
            Self::Set(set) => set.len(rows),
            Self::Gathered(gathered) => gathered.len(rows),
        }
    }

    /// Whether any row of a range is asked about; perhaps where only one beside it is.
    pub(crate) fn has_any(self, range: &Range<u32>) -> bool {
        match self {
            Self::All => true,
            Self::Set(set) => set.first_within(range).is_some(),
            Self::Gathered(gathered) => gathered.has_any(range),
        }
    }

    /// These, or those that were found of them, whichever are fewer.
    pub(crate) fn or_found(self, found: &'r RowSet, rows: u32) -> Self {
        match found.len(rows) < self.len(rows) {
            true => Self::Set(found),
            false => self,
        }
    }

    /// The same for rows as an index gives them.
    pub(crate) fn or_gathered(self, found: &'r Gathered, rows: u32) -> Self {
        match found.len(rows) < self.len(rows) {
            true => Self::Gathered(found),
            false => self,
        }
    }
}
