//! A row metadata page: of some rows of a chunk the kind of each, and what is kept of it beside its text.
//!
//! A large chunk has several, so that a look at a row reads that of the row alone.
#![deny(clippy::indexing_slicing)]

use crate::Corrupt;
use crate::column::Packed;
use crate::page::{PageEntry, open};
use crate::rows::LooseRows;
use crate::wire::Reader;

/// What there is of some rows of a chunk beside their texts, but for their times of receipt.
#[derive(Debug)]
pub struct RowMetadataPage {
    /// For each row the place of its kind among those of the chunk.
    pub(super) places: Packed,
    pub(super) loose: LooseRows,
}

impl RowMetadataPage {
    /// Reads a row metadata page from its stored bytes. That its rows have kinds, and names and addresses, is seen
    /// where they are asked for.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("row metadata page", entry, stored)?;
        let mut reader = Reader::new("row metadata page", &raw);
        // The footer bounds how many there are.
        let rows = entry.rows as usize;
        let places = Packed::decode(&mut reader, rows)?;
        let loose = LooseRows::decode(&mut reader, rows)?;
        reader.finish()?;
        Ok(Self { places, loose })
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.places.memory_bytes() + self.loose.memory_bytes()
    }
}
