//! Rows into a chunk.

use std::fmt;

use model::RecordBatch;

use super::ChunkEntry;
use super::rows::{CutRows, Group};
use crate::column;
use crate::columns::pack::Packer;
use crate::kinds::Kinds;
use crate::page::{PageEntry, PageWriter};
use crate::rows::encode_loose;
use crate::wire::put_varint;

/// Writes chunks. It only holds buffers: a chunk depends on its rows and on the kinds so far.
pub struct ChunkWriter {
    pages: PageWriter,
    cut: CutRows,
    raw: Vec<u8>,
}

impl fmt::Debug for ChunkWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkWriter").finish_non_exhaustive()
    }
}

impl ChunkWriter {
    /// Compresses with a level of zstd, 1 to 22.
    pub fn new(zstd_level: i32) -> Self {
        Self {
            pages: PageWriter::new(zstd_level),
            cut: CutRows::default(),
            raw: Vec::new(),
        }
    }

    /// Compresses nothing.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self {
            pages: PageWriter::plain(),
            ..Self::new(1)
        }
    }

    /// Appends a chunk of all records of a batch, at least one, to a file in memory, and adds their
    /// kinds to those of the segment.
    pub fn write(
        &mut self,
        batch: &RecordBatch,
        kinds: &mut Kinds,
        file: &mut Vec<u8>,
    ) -> ChunkEntry {
        self.cut.cut(batch, kinds);
        let groups = self.cut.by_kind(kinds.len());
        let mut packer = Packer::default();
        let mut column = Vec::new();
        for group in &groups {
            let rows = self.cut.rows_of(group);
            for slot in 0..self.cut.slots(rows) {
                column.clear();
                self.cut.column(batch, rows, slot, &mut column);
                packer.push(&column, &mut self.pages, file);
            }
        }
        let (columns, directory) = packer.finish(&mut self.pages, file);
        self.raw.clear();
        put_varint(batch.len() as u64, &mut self.raw);
        let places = self.write_kinds(&groups, batch.len());
        directory.encode(&mut self.raw);
        column::encode(&places, &mut self.raw);
        encode_loose(batch, batch.heads(), &mut self.raw);
        let page = PageEntry {
            rows: batch.len() as u32,
            ..self.pages.append(&self.raw, file)
        };
        ChunkEntry { columns, page }
    }

    /// Appends which kinds there are and how many rows each of them has. The place of each row's
    /// kind among them.
    fn write_kinds(&mut self, groups: &[Group], rows: usize) -> Vec<u64> {
        let (mut numbers, mut counts) = (Vec::new(), Vec::new());
        let mut places = vec![0; rows];
        for group in groups {
            for row in self.cut.rows_of(group) {
                if let Some(place) = places.get_mut(*row as usize) {
                    *place = counts.len() as u64;
                }
            }
            numbers.push(u64::from(group.kind));
            counts.push(group.rows.len() as u64);
        }
        put_varint(counts.len() as u64, &mut self.raw);
        column::encode(&numbers, &mut self.raw);
        column::encode(&counts, &mut self.raw);
        places
    }
}
