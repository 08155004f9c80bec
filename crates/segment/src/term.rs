//! What the lexicon knows of a term.

use crate::limits::LEXICON_INLINE_MAX;

/// A term's rows: how many, and their ordinals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermEntry {
    /// How many rows hold the term; at least one.
    pub rows: u32,
    /// The groups whose rows all hold it. A group is the rows of a kind in a chunk.
    pub groups: Listed,
    /// The ordinals of the other rows that hold it, each behind those of the chunks before.
    pub slots: Listed,
}

/// Numbers in ascending order: how many, and where they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Listed {
    /// How many there are.
    pub count: u32,
    /// Where they are.
    pub location: Location,
}

/// Where numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Location {
    /// There are none.
    #[default]
    Nowhere,
    /// Every ordinal of the segment.
    All,
    /// One number, this.
    One(u32),
    /// A few numbers, as many as are counted; zeros behind them.
    Few([u32; LEXICON_INLINE_MAX]),
    /// A list in a posting page.
    List {
        /// Index of the posting page.
        page: u32,
        /// Offset of the list in the page, in bytes.
        offset: u32,
    },
}

impl Listed {
    /// The posting page to read; `None` where the entry itself tells the numbers.
    pub fn posting_page(&self) -> Option<u32> {
        match self.location {
            Location::List { page, .. } => Some(page),
            Location::Nowhere | Location::All | Location::One(_) | Location::Few(_) => None,
        }
    }

    /// The numbers, where no posting page is needed; `segment_rows` is the footer's `rows`.
    pub fn inline(&self, segment_rows: u32) -> Vec<u32> {
        match self.location {
            Location::All => (0..segment_rows).collect(),
            Location::One(number) => vec![number],
            Location::Few(numbers) => numbers.into_iter().take(self.count as usize).collect(),
            Location::Nowhere | Location::List { .. } => Vec::new(),
        }
    }
}
