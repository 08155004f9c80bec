//! Rows of a segment by what their kinds and single columns say, without their records.

use std::ops::Range;

use model::RecordBatch;
use segment::{FieldPlace, Namespace};

use super::SegmentHandle;
use crate::error::ReadError;

/// The ordinals of rows that may have a field, by where they may have it; both in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldOrdinals {
    /// Within their structured data: its words have in them what words its name and its value have.
    pub in_data: Vec<Range<u32>>,
    /// Anywhere.
    pub anywhere: Vec<Range<u32>>,
}

impl SegmentHandle {
    /// The ordinals of the rows that may have a field of a name, as [`model::FieldRef::is_named`] has it. All
    /// others have none.
    ///
    /// # Errors
    /// When the kinds of the segment, or of the rows of a chunk, cannot be read.
    pub fn ordinals_with_field(&self, name: &[u8]) -> Result<FieldOrdinals, ReadError> {
        let places = self.kinds()?.places_of_field(name);
        let mut found = FieldOrdinals::default();
        if places.iter().all(|place| *place == FieldPlace::Nowhere) {
            return Ok(found);
        }
        for chunk in 0..self.chunks() {
            for (kind, ordinals) in self.kind_ordinals(chunk)? {
                match places.get(kind as usize) {
                    Some(FieldPlace::Nowhere) => {}
                    Some(FieldPlace::InData) => found.in_data.push(ordinals),
                    // A kind that is not there is for whoever reads the rows to report.
                    Some(FieldPlace::Anywhere) | None => found.anywhere.push(ordinals),
                }
            }
        }
        Ok(found)
    }

    /// For each kind of the segment by its number the text of a part, where it is the same for all records
    /// of the kind.
    ///
    /// # Errors
    /// When the kinds of the segment cannot be read.
    pub fn fixed_texts(&self, part: Namespace) -> Result<Vec<Option<Box<[u8]>>>, ReadError> {
        Ok(self.kinds()?.fixed_texts(part))
    }

    /// The kinds of the rows of a chunk, by their numbers, and the ordinals of those of each, ascending.
    ///
    /// # Errors
    /// When the kinds of the rows cannot be read.
    pub fn kind_ordinals(&self, chunk: usize) -> Result<Vec<(u32, Range<u32>)>, ReadError> {
        let mut start = self.chunk_rows(chunk).start;
        let kinds = self.kinds_of(chunk)?.into_iter().map(|(kind, rows)| {
            let ordinals = start..start.saturating_add(rows);
            start = ordinals.end;
            (kind, ordinals)
        });
        Ok(kinds.collect())
    }

    /// Times, peers, sources and tags of some rows of a chunk as records without a text, in the order
    /// given.
    ///
    /// # Errors
    /// When the chunk cannot be read.
    pub fn heads(
        &self,
        chunk: usize,
        rows: impl IntoIterator<Item = u32>,
    ) -> Result<RecordBatch, ReadError> {
        let Some(entry) = self.footer.chunks.get(chunk) else {
            return Err(self.out_of_range());
        };
        let first = entry.page.first_row;
        let rows = rows.into_iter().map(|row| row.wrapping_sub(first));
        let rows: Vec<u32> = rows.collect();
        let heads = self.heads_of(chunk, entry, rows.iter().copied())?;
        let heads = heads.records(rows);
        heads.map_err(|error| self.damaged(&entry.page, &error))
    }
}
