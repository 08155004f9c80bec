//! Chunks: rows that are encoded together, by kind.
//!
//! ```text
//! chunk      = column pages, chunk page
//! chunk page = rows, number of kinds, kinds (differences), their rows, directory of the columns,
//!              kind of each row, times, peers, sources, tags
//! ```
//!
//! Kinds are named in the page in ascending order; a row names its kind by its place there. The
//! columns are those of the slots of the first kind, then of the second, and so on; each has a value
//! for each row of its kind, in the order of the rows.

mod decode;
mod encode;
mod page;
mod rows;
#[cfg(test)]
mod tests;

pub use decode::Chunk;
pub use encode::ChunkWriter;
pub use page::ColumnPage;

use crate::PageEntry;

/// Where a chunk is in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkEntry {
    /// The pages of its columns.
    pub columns: Vec<PageEntry>,
    /// The page that says what is in them; it counts rows.
    pub page: PageEntry,
}
