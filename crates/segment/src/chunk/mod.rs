//! Chunks: rows that are encoded together, by kind.
//!
//! ```text
//! chunk          = column pages, directory page, row page, chunk page
//! directory page = where the columns are
//! row page       = rows, number of kinds, kinds, their rows, kind of each row
//! chunk page     = times, peers, sources, tags
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
mod row_kinds;
mod rows;
mod select;
#[cfg(test)]
mod select_tests;
mod slot_texts;
#[cfg(test)]
mod tests;

pub use decode::{Chunk, PartRows};
pub use encode::ChunkWriter;
pub use heads::{ChunkHeads, ChunkLoose, ReceivedRows};
pub use kind_rows::{KindRows, NamedText, SlotValues, TextBit};
pub use page::ColumnPage;
pub use row_kinds::RowKinds;
pub(crate) use rows::{CutRows, Group};
pub use select::{Edges, Selected, TextPart, TextTest};

use crate::PageEntry;

/// Where a chunk is in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkEntry {
    /// The pages of its columns.
    pub columns: Vec<PageEntry>,
    /// The page that says where the columns are; it counts rows, as those below.
    pub directory: PageEntry,
    /// The page that has the kind of each row.
    pub rows: PageEntry,
    /// The page that has what else there is of each row.
    pub page: PageEntry,
}
