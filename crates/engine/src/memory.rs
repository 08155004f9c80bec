//! What the same question has found before, segment by segment.
//!
//! Only what took a look at records or at the whole lexicon is remembered; the rest is found as fast.

use std::fmt::{self, Write as _};

use query::Query;
use store::SegmentHandle;

use crate::limits::REMEMBERED_CONDITION_BYTES_MAX;
use crate::row_set::RowSet;

/// Says that all rows match.
const ALL: u8 = 0;
/// Says that a list of rows follows.
const SOME: u8 = 1;

/// What is remembered of a question.
pub(crate) struct Memory {
    /// The condition in full, so that no two are taken for each other; `None` of long ones.
    condition: Option<String>,
}

impl Memory {
    /// For a question.
    pub(crate) fn of(query: &Query) -> Self {
        let mut condition = Bounded::default();
        // The text that a query is written as does not say how its words are cut; this does.
        let is_short = write!(condition, "{:?}", query.root).is_ok();
        Self {
            condition: is_short.then_some(condition.0),
        }
    }

    /// The rows of a segment that match, where that is known.
    pub(crate) fn found_in(&self, segment: &SegmentHandle) -> Option<RowSet> {
        let found = segment.found(self.condition.as_deref()?)?;
        match found.rows.split_first()? {
            (&SOME, rows) => RowSet::from_bytes(rows),
            _ => Some(RowSet::All),
        }
    }

    /// Remembers the rows of a segment that match.
    pub(crate) fn remember(&self, segment: &SegmentHandle, rows: &RowSet) {
        let Some(condition) = self.condition.as_deref() else {
            return;
        };
        let mut bytes = vec![if *rows == RowSet::All { ALL } else { SOME }];
        if rows.append_bytes(&mut bytes) {
            segment.remember(condition, bytes);
        }
    }
}

/// A text that takes no more than so many bytes.
#[derive(Default)]
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > REMEMBERED_CONDITION_BYTES_MAX {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}
