//! What an index is asked about, and how long its answer is waited for.

use crate::cancel::Cancel;
use crate::row_set::RowSet;

/// How many rows of a segment are asked about at most, until the question is stopped: where these are few, looking at
/// them takes less than going through the lexicon. Of a question that was stopped an answer may leave all rows open.
#[derive(Clone, Copy)]
pub(crate) struct Among<'c> {
    rows_max: u64,
    cancel: Option<&'c Cancel>,
}

impl<'c> Among<'c> {
    /// Every row, however long it takes.
    pub(crate) const ALL: Self = Self {
        rows_max: u64::MAX,
        cancel: None,
    };

    /// The same until the question is stopped.
    pub(crate) fn until(self, cancel: &'c Cancel) -> Self {
        Self {
            cancel: Some(cancel),
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

    /// How many there are at most.
    pub(crate) fn rows_max(self) -> u64 {
        self.rows_max
    }

    /// Those of a set, in a segment of so many rows, where these are fewer.
    pub(crate) fn or_found(self, found: &RowSet, rows: u32) -> Self {
        Self {
            rows_max: self.rows_max.min(found.len(rows)),
            ..self
        }
    }
}
