//! Rows of a segment by what their kinds and single columns say, without their records.

use model::RecordBatch;
use segment::{Selected, TextPart, TextTest};

use super::{SegmentHandle, Unread};
use crate::error::ReadError;

impl SegmentHandle {
    /// Sets the bits of the rows that may have a field of a name, as [`model::FieldRef::is_named`] has
    /// it: bit `row % 8` of byte `row / 8`. All others have none.
    ///
    /// # Errors
    /// When the kinds of the segment, or of the rows of a chunk, cannot be read.
    pub fn mark_field(&self, name: &[u8], bits: &mut [u8]) -> Result<(), ReadError> {
        let may_have = self.kinds()?.with_field(name);
        if !may_have.contains(&true) {
            return Ok(());
        }
        for chunk in 0..self.chunks() {
            let row_kinds = self.row_kinds(chunk)?;
            let kinds = row_kinds.kinds().iter();
            let wanted = kinds.map(|(kind, _)| may_have.get(*kind as usize).copied());
            // A kind that is not there is for whoever reads the rows to report.
            let wanted: Vec<bool> = wanted.map(|wanted| wanted.unwrap_or(true)).collect();
            if wanted.contains(&true) {
                row_kinds.mark(&wanted, self.chunk_rows(chunk).start, bits);
            }
        }
        Ok(())
    }

    /// The rows of a chunk of which one of some texts passes, of those given, which ascend. Rows whose
    /// texts cannot be had without their records are left open.
    ///
    /// # Errors
    /// When the chunk cannot be read at all.
    pub fn select(
        &self,
        chunk: usize,
        parts: &[TextPart<'_>],
        rows: impl IntoIterator<Item = u32>,
        test: &mut impl TextTest,
    ) -> Result<Selected, ReadError> {
        let Some(entry) = self.footer.chunks.get(chunk) else {
            return Err(self.out_of_range());
        };
        let opened = self.chunk(chunk, entry)?;
        let first = entry.page.first_row;
        let rows = rows.into_iter().map(|row| row.wrapping_sub(first));
        let page = |page| self.column_page(chunk, entry, page).map_err(Unread::Page);
        let mut selected = opened.select(parts, rows, test, page);
        for row in selected.passed.iter_mut().chain(&mut selected.open) {
            *row = row.wrapping_add(first);
        }
        Ok(selected)
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
        let heads = self.heads_of(chunk, entry)?.records(rows);
        heads.map_err(|error| self.damaged(&entry.page, &error))
    }
}
