//! A page of columns, whose columns are decoded when they are asked for.
#![deny(clippy::indexing_slicing)]

use std::sync::{Arc, OnceLock};

use crate::Corrupt;
use crate::columns::Column;
use crate::columns::directory::Part;
use crate::page::{PageEntry, open};

/// What a byte of a page takes with all columns decoded: differences become numbers of four bytes,
/// most others stay packed.
const DECODED_BYTES_PER_BYTE: usize = 3;

/// A page of columns, decompressed.
#[derive(Debug)]
pub struct ColumnPage {
    raw: Vec<u8>,
    /// The number of its first part.
    first: usize,
    parts: Vec<Cell>,
}

/// A part, once it was asked for. Small: a page may have hundreds, of which few are.
type Cell = OnceLock<Result<Arc<Column>, Box<Corrupt>>>;

impl ColumnPage {
    /// Opens the stored bytes of a page of a segment.
    ///
    /// # Errors
    /// When they are not what was written.
    pub fn open(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("column page", entry, stored)?.into_owned();
        // A part takes at least a byte.
        let parts = (entry.rows as usize).min(raw.len());
        Ok(Self {
            raw,
            first: entry.first_row as usize,
            parts: std::iter::repeat_with(OnceLock::new).take(parts).collect(),
        })
    }

    /// A part of a column by its number.
    pub(super) fn column(&self, number: usize, part: &Part) -> Result<Arc<Column>, Corrupt> {
        let cell = number.checked_sub(self.first);
        let cell = cell.and_then(|index| self.parts.get(index));
        let cell = cell.ok_or(Corrupt::Invalid {
            what: "page of a part",
            value: number as u64,
        })?;
        let column = cell.get_or_init(|| part.open(&self.raw).map(Arc::new).map_err(Box::new));
        column.clone().map_err(|error| *error)
    }

    /// Memory the page takes, in bytes, reckoned as if all its columns were decoded: a cache counts it
    /// when the page comes and when it goes, so that it must not change between.
    pub fn memory_bytes(&self) -> usize {
        DECODED_BYTES_PER_BYTE * self.raw.len() + self.parts.len() * size_of::<Cell>()
    }
}
