//! The directory of a chunk while its columns are written.

use crate::column;
use crate::limits::COLUMN_PARTS_MAX;
use crate::wire::put_varint;

/// Where columns are, part by part.
#[derive(Debug, Default)]
pub(crate) struct DirectoryWriter {
    /// How many parts each column has.
    counts: Vec<u64>,
    /// For each part how far its page is from that of the part before, its length in bytes, and how many
    /// values it has.
    steps: Vec<u64>,
    lens: Vec<u64>,
    rows: Vec<u64>,
    /// Whether a page was closed behind the last part.
    is_closed: bool,
}

impl DirectoryWriter {
    /// How many parts all columns have.
    pub(crate) fn parts(&self) -> usize {
        self.lens.len()
    }

    /// Adds a part of so many bytes and values to the last page.
    pub(crate) fn push_part(&mut self, len: usize, rows: usize) {
        let is_next = std::mem::take(&mut self.is_closed);
        self.steps.push(u64::from(is_next));
        self.lens.push(len as u64);
        self.rows.push(rows as u64);
    }

    /// Closes the last page, which has some parts.
    pub(crate) fn close_page(&mut self) {
        self.is_closed = true;
    }

    /// Closes the next column, which has the last so many parts.
    pub(crate) fn close_column(&mut self, parts: usize) {
        self.counts.push(parts as u64);
    }

    /// Appends the directory. Offsets follow from lengths, as pages have no gaps.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        assert!(self.counts.len() <= COLUMN_PARTS_MAX && self.parts() <= COLUMN_PARTS_MAX);
        put_varint(self.counts.len() as u64, out);
        for values in [&self.counts, &self.steps, &self.lens, &self.rows] {
            column::encode(values, out);
        }
    }
}
