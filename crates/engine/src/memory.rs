//! What the same question has found before, segment by segment: the rows that match, how many of
//! them have each value of a field, and how many have which fields.
//!
//! Rows are remembered where that took a look at records or at the whole lexicon, and few rows of several words;
//! of the rest how many there are, but for what a look-up tells.

use std::fmt::{self, Write as _};

use query::Query;
use store::SegmentHandle;

use crate::limits::{REMEMBERED_CONDITION_BYTES_MAX, REMEMBERED_COUNTS_BYTES_MAX};
use crate::row_set::RowSet;
use crate::stats::StatsField;

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

    /// Whether the rows of a segment that match are known.
    pub(crate) fn has_found(&self, segment: &SegmentHandle) -> bool {
        let condition = self.condition.as_deref();
        condition.is_some_and(|condition| segment.found(condition).is_some())
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

    /// How many of the rows of a segment that match have each of something, where that is known.
    pub(crate) fn counts_in(&self, segment: &SegmentHandle, by: CountedBy<'_>) -> Option<Counts> {
        let found = segment.found(&self.condition_by(by)?)?;
        from_bytes(&found.rows)
    }

    /// Remembers how many of the rows of a segment that match have each of something, unless there are too
    /// many.
    pub(crate) fn remember_counts<'v>(
        &self,
        segment: &SegmentHandle,
        by: CountedBy<'_>,
        counts: impl Iterator<Item = (&'v [u8], u64)>,
    ) {
        if let Some(condition) = self.condition_by(by)
            && let Some(bytes) = to_bytes(counts)
        {
            segment.remember(&condition, bytes);
        }
    }

    /// No condition of a query starts like this.
    fn condition_by(&self, by: CountedBy<'_>) -> Option<String> {
        let condition = self.condition.as_deref()?;
        Some(match by {
            CountedBy::Values(field) => format!("by {field:?}: {condition}"),
            CountedBy::Names => format!("names: {condition}"),
            CountedBy::RowsBefore(rows) => format!("before {rows:?}: {condition}"),
        })
    }
}

/// What is counted of the rows that match.
#[derive(Clone, Copy)]
pub(crate) enum CountedBy<'f> {
    /// The values of a field.
    Values(&'f StatsField),
    /// The parts and the names of fields that they have.
    Names,
    /// How many stand before each of these rows.
    RowsBefore(&'f [u32]),
}

/// Values and how many rows have each.
pub(crate) type Counts = Vec<(Box<[u8]>, u64)>;

/// For each value its count and its length, eight bytes and four, little endian, and the value; `None` of
/// more than are remembered.
fn to_bytes<'v>(counts: impl Iterator<Item = (&'v [u8], u64)>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for (value, count) in counts {
        bytes.extend_from_slice(&count.to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(value.len()).ok()?.to_le_bytes());
        bytes.extend_from_slice(value);
        if bytes.len() > REMEMBERED_COUNTS_BYTES_MAX {
            return None;
        }
    }
    Some(bytes)
}

fn from_bytes(mut bytes: &[u8]) -> Option<Counts> {
    let mut counts = Vec::new();
    while !bytes.is_empty() {
        let (count, rest) = bytes.split_first_chunk()?;
        let (len, rest) = rest.split_first_chunk()?;
        let (value, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        counts.push((value.into(), u64::from_le_bytes(*count)));
        bytes = rest;
    }
    Some(counts)
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
