//! Chunks: rows that are encoded together, by kind.
//!
//! ```text
//! chunk      = column pages, chunk page
//! chunk page = rows, number of kinds, kinds, their rows, directory of the columns,
//!              kind of each row, times, peers, sources, tags
//! ```
//!
//! A row names its kind by its place among those of the page, so that a chunk fits another table of
//! kinds when their numbers alone are written anew ([`relabel`]). The
//! columns are those of the slots of the first kind, then of the second, and so on; each has a value
//! for each row of its kind, in the order of the rows.

mod decode;
mod encode;
mod page;
mod relabel;
mod rows;
#[cfg(test)]
mod tests;

pub use decode::Chunk;
pub use encode::ChunkWriter;
pub use page::ColumnPage;
pub(crate) use relabel::{kinds_of, relabel};

use crate::PageEntry;

/// Where a chunk is in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkEntry {
    /// The pages of its columns.
    pub columns: Vec<PageEntry>,
    /// The page that says what is in them; it counts rows.
    pub page: PageEntry,
}
