//! What the lexicon knows of a term.

/// A term's rows: how many, and where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermEntry {
    /// How many rows hold the term; at least one.
    pub rows: u32,
    /// Where the rows are.
    pub location: Location,
}

/// Where the rows of a term are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Every row of the segment.
    All,
    /// One row, this.
    Row(u32),
    /// A list in a posting page.
    List {
        /// Index of the posting page.
        page: u32,
        /// Offset of the list in the page, in bytes.
        offset: u32,
    },
}

impl TermEntry {
    /// The posting page to read; `None` where the entry itself tells the rows.
    pub fn posting_page(&self) -> Option<u32> {
        match self.location {
            Location::List { page, .. } => Some(page),
            Location::All | Location::Row(_) => None,
        }
    }

    /// The rows, ascending, where no posting page is needed; `segment_rows` is the footer's `rows`.
    pub fn inline_rows(&self, segment_rows: u32) -> Vec<u32> {
        match self.location {
            Location::All => (0..segment_rows).collect(),
            Location::Row(row) => vec![row],
            Location::List { .. } => Vec::new(),
        }
    }
}
