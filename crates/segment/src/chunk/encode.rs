//! Rows into a chunk.

use std::fmt;

use model::RecordBatch;

use super::rows::{CutRows, Group};
use super::{ChunkEntry, row_kinds};
use crate::columns::pack::Packer;
use crate::kinds::Kinds;
use crate::page::{PageEntry, PageWriter};
use crate::rows::encode_loose;

/// Writes chunks. It only holds buffers: a chunk depends on its rows and on the kinds so far.
pub struct ChunkWriter {
    pages: PageWriter,
    cut: CutRows,
    groups: Vec<Group>,
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
            groups: Vec::new(),
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
        self.cut(batch, kinds);
        self.pack(batch, file, |_, _| {})
    }

    /// Finds the kinds of the records of a batch, and adds them to those of the segment.
    pub(crate) fn cut(&mut self, batch: &RecordBatch, kinds: &mut Kinds) {
        self.cut.cut(batch, kinds);
        self.groups = self.cut.by_kind(kinds.len());
    }

    /// Appends the chunk of the batch that was cut last. `each` is called for each group, whose texts
    /// are at hand then.
    pub(crate) fn pack(
        &mut self,
        batch: &RecordBatch,
        file: &mut Vec<u8>,
        mut each: impl FnMut(&CutRows, &Group),
    ) -> ChunkEntry {
        let groups = std::mem::take(&mut self.groups);
        let mut packer = Packer::default();
        let mut column = Vec::new();
        for group in &groups {
            let rows = self.cut.rows_of(group);
            for slot in 0..self.cut.slots(rows) {
                column.clear();
                self.cut.column(batch, rows, slot, &mut column);
                packer.push(&column, &mut self.pages, file);
            }
            each(&self.cut, group);
        }
        let (columns, directory) = packer.finish(&mut self.pages, file);
        let (kinds, places) = self.places(&groups, batch.len());
        row_kinds::encode(&kinds, &places, &mut self.raw);
        let rows = PageEntry {
            rows: batch.len() as u32,
            ..self.pages.append(&self.raw, file)
        };
        self.raw.clear();
        directory.encode(&mut self.raw);
        encode_loose(batch, batch.heads(), &mut self.raw);
        let page = PageEntry {
            rows: batch.len() as u32,
            ..self.pages.append(&self.raw, file)
        };
        self.groups = groups;
        ChunkEntry {
            columns,
            rows,
            page,
        }
    }

    /// The groups of the chunk that was cut last.
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Which kinds there are and how many rows each of them has, and the place of each row's kind
    /// among them.
    fn places(&self, groups: &[Group], rows: usize) -> (Vec<(u32, u32)>, Vec<u64>) {
        let mut places = vec![0; rows];
        for (at, group) in (0..).zip(groups) {
            for row in self.cut.rows_of(group) {
                if let Some(place) = places.get_mut(*row as usize) {
                    *place = at;
                }
            }
        }
        let kinds = groups.iter();
        let kinds = kinds.map(|group| (group.kind, group.rows.len() as u32));
        (kinds.collect(), places)
    }
}
