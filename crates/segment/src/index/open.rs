//! The words of the rows of a chunk, column by column: what comes before its terms are put in order.

use std::ops::Range;

use super::values::{EMPTY, Values};
use crate::limits::GROUP_ROWS_MIN;

/// The groups of a chunk and their columns. Its rows stand one group behind another; the ordinal of a
/// row is counted so. It only holds buffers.
#[derive(Debug, Default)]
pub(super) struct OpenChunk {
    pub(super) values: Values,
    pub(super) groups: Vec<OpenGroup>,
    pub(super) columns: Vec<Column>,
    /// For each column a value for each row of its group.
    pub(super) cells: Vec<u32>,
}

/// A group: the ordinals of its rows, and its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenGroup {
    pub(super) kind: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) columns_end: usize,
}

/// A text of each row of a group, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    /// All rows have this value.
    Constant(u32),
    /// Cells from this one on.
    Cells(usize),
}

impl OpenGroup {
    /// How many rows it has.
    pub(super) fn len(&self) -> u32 {
        self.end - self.start
    }

    /// Whether its rows are entered one by one.
    pub(super) fn is_small(&self) -> bool {
        (self.len() as usize) < GROUP_ROWS_MIN
    }
}

impl OpenChunk {
    /// Forgets all of a chunk.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.groups.clear();
        self.columns.clear();
        self.cells.clear();
    }

    /// Adds a column of the group at hand: the cells from `start` on.
    pub(super) fn add_column(&mut self, start: usize) {
        let end = self.end_column(start..self.cells.len());
        self.cells.truncate(end);
    }

    /// Adds a column, unless it is empty; where the cells end that are needed for it.
    fn end_column(&mut self, cells: Range<usize>) -> usize {
        let own = self.cells.get(cells.clone()).unwrap_or(&[]);
        let Some((first, others)) = own.split_first() else {
            return cells.start;
        };
        if others.iter().any(|cell| cell != first) {
            self.columns.push(Column::Cells(cells.start));
            return cells.end;
        }
        if *first != EMPTY {
            self.columns.push(Column::Constant(*first));
        }
        cells.start
    }

    /// Adds columns of the group at hand, so many cells each, from `start` on.
    pub(super) fn add_columns(&mut self, start: usize, rows: usize) {
        let mut end = start;
        for column in (start..self.cells.len()).step_by(rows.max(1)) {
            self.cells.copy_within(column..column + rows, end);
            end = self.end_column(end..end + rows);
        }
        self.cells.truncate(end);
    }

    /// Ends the group at hand, of so many rows.
    pub(super) fn add_group(&mut self, kind: u32, rows: u32) {
        let start = self.groups.last().map_or(0, |last| last.end);
        self.groups.push(OpenGroup {
            kind,
            start,
            end: start + rows,
            columns_end: self.columns.len(),
        });
    }

    /// Memory it takes, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<u32>()
            + self.columns.capacity() * size_of::<Column>()
            + self.groups.capacity() * size_of::<OpenGroup>()
            + self.values.memory_bytes()
    }
}
