//! What a question to an index is about: rows, as where it takes columns to know which rows have a word, those of
//! other rows are not read; and how long its answer is waited for.

use std::ops::Range;

use crate::cancel::Cancel;
use crate::gathered::Gathered;
use crate::row_set::RowSet;

/// Rows of a segment that are asked about, until the question is stopped. Of all others an answer may say anything;
/// of a question that was stopped it may leave all rows open.
#[derive(Clone, Copy)]
pub(crate) struct Among<'r> {
    rows: Rows<'r>,
    cancel: Option<&'r Cancel>,
}

#[derive(Clone, Copy)]
enum Rows<'r> {
    /// Every row.
    All,
    /// These.
    Set(&'r RowSet),
    /// These, as an index has given them.
    Gathered(&'r Gathered),
}

impl<'r> Among<'r> {
    /// Every row, however long it takes.
    pub(crate) const ALL: Self = Self {
        rows: Rows::All,
        cancel: None,
    };

    /// These rows, however long it takes.
    pub(crate) fn set(rows: &'r RowSet) -> Self {
        Self {
            rows: Rows::Set(rows),
            cancel: None,
        }
    }

    /// The same until the question is stopped.
    pub(crate) fn until(self, cancel: &'r Cancel) -> Self {
        Self {
            cancel: Some(cancel),
            ..self
        }
    }

    /// Every row instead of these.
    pub(crate) fn widened(self) -> Self {
        Self {
            rows: Rows::All,
            ..self
        }
    }

    /// Whether the question was stopped.
    pub(crate) fn is_stopped(self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.stopped().is_some())
    }

    /// Notes that a condition is asked of the index.
    pub(crate) fn note_work(self) {
        if let Some(cancel) = self.cancel {
            cancel.note_work();
        }
    }

    /// How many there are, in a segment of so many rows.
    pub(crate) fn len(self, rows: u32) -> u64 {
        match self.rows {
            Rows::All => rows.into(),
            Rows::Set(set) => set.len(rows),
            Rows::Gathered(gathered) => gathered.len(rows),
        }
    }

    /// Whether any row of a range is asked about; perhaps where only one beside it is.
    pub(crate) fn has_any(self, range: &Range<u32>) -> bool {
        match self.rows {
            Rows::All => true,
            Rows::Set(set) => set.first_within(range).is_some(),
            Rows::Gathered(gathered) => gathered.has_any(range),
        }
    }

    /// These, or those that were found of them, whichever are fewer.
    pub(crate) fn or_found(self, found: &'r RowSet, rows: u32) -> Self {
        match found.len(rows) < self.len(rows) {
            true => Self {
                rows: Rows::Set(found),
                ..self
            },
            false => self,
        }
    }

    /// The same for rows as an index gives them.
    pub(crate) fn or_gathered(self, found: &'r Gathered, rows: u32) -> Self {
        match found.len(rows) < self.len(rows) {
            true => Self {
                rows: Rows::Gathered(found),
                ..self
            },
            false => self,
        }
    }
}
