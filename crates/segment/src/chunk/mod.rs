//! Chunks: rows that are encoded together, by kind.
//!
//! ```text
//! chunk          = column pages, directory page, zone map page, row metadata pages, row page, chunk page
//! directory page = where the columns are
//! zone map page     = what is known of the values of each part of a column
//! row metadata page      = kind, time, peer, source, tags of each of some rows
//! row page       = rows, number of kinds, kinds, their rows, on which row metadata pages they are
//! chunk page     = tables of peers, sources, tags
//! ```
//!
//! A row names its kind by its place among those of the chunk, so that a chunk fits another table of
//! kinds when their numbers alone are written anew. The
//! columns are those of the slots of the first kind, then of the second, and so on; each has a value
//! for each row of its kind, in the order of the rows.

mod decode;
mod encode;
mod heads;
mod kind_rows;
mod page;
mod page_rows;
mod row_kinds;
mod row_metadata_page;
mod rows;
mod select;
mod side_pages;
mod slot_texts;
#[cfg(test)]
mod tests;

pub use decode::{Chunk, PartRows};
pub use encode::ChunkWriter;
pub(crate) use encode::column_places;
pub use heads::{ChunkHeads, ChunkLoose, ReceivedRows};
pub use kind_rows::{FieldTexts, KindRows, NamedText, SlotValues, TextBit};
pub use page::ColumnPage;
pub use row_kinds::RowKinds;
pub use row_metadata_page::RowMetadataPage;
pub(crate) use rows::{CutRows, Group};
pub use select::{Edges, Hints, Selected, TextPart, TextTest};
pub(crate) use side_pages::SidePages;

use std::ops::Range;

use crate::PageEntry;
use crate::limits::ROW_METADATA_PAGE_ROWS;

/// Where a chunk is in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkEntry {
    /// The pages of its columns.
    pub columns: Vec<PageEntry>,
    /// The page that says where the columns are; it counts rows, as those below.
    pub directory: PageEntry,
    /// The page that says what is known of the columns; it counts parts. None where nothing is known.
    pub zone_maps: Option<PageEntry>,
    /// The pages that have the kind of each row, and what else there is of it. All but the last have as many
    /// rows.
    pub heads: Vec<PageEntry>,
    /// The page that has the kinds.
    pub rows: PageEntry,
    /// The page that has what rows refer to.
    pub page: PageEntry,
}

impl ChunkEntry {
    /// Its rows, counted from its first, as many at once as a row metadata page has: whoever reads all of them need
    /// not have them in memory together.
    pub fn windows(&self) -> impl Iterator<Item = Range<u32>> + use<> {
        let (rows, step) = (self.page.rows, ROW_METADATA_PAGE_ROWS as u32);
        let windows = 0..rows.div_ceil(step);
        windows.map(move |window| window * step..((window + 1) * step).min(rows))
    }
}
