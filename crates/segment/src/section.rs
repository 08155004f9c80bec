//! What kinds of pages a segment has.

/// A kind of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// What varies of the records, in columns.
    Columns,
    /// Where the columns of a chunk are.
    Directories,
    /// What is known of the values of the columns of a chunk.
    ZoneMaps,
    /// The kind, time and sender of each record, of some records of a chunk.
    RowMetadata,
    /// The kinds of the records of a chunk.
    Rows,
    /// What else a chunk of records has: its senders and sources.
    Chunks,
    /// The times of receipt.
    Received,
    /// What the records of each kind have in common.
    Kinds,
    /// The kinds once more, and where all pages of records are.
    Spare,
    /// How many records of each kind each chunk has.
    Tally,
    /// The rows of terms.
    Postings,
    /// The terms.
    Lexicon,
    /// Which pairs of bytes are in the words of each page of terms.
    Bigrams,
}

impl Section {
    /// All of them, in the order of the file; the six of a chunk take turns.
    pub const ALL: [Self; 13] = [
        Self::Columns,
        Self::Directories,
        Self::ZoneMaps,
        Self::RowMetadata,
        Self::Rows,
        Self::Chunks,
        Self::Received,
        Self::Kinds,
        Self::Spare,
        Self::Tally,
        Self::Postings,
        Self::Lexicon,
        Self::Bigrams,
    ];

    /// What one of its pages is called.
    pub fn page_name(self) -> &'static str {
        match self {
            Self::Columns => "column page",
            Self::Directories => "directory page",
            Self::ZoneMaps => "zone map page",
            Self::RowMetadata => "row metadata page",
            Self::Rows => "row page",
            Self::Chunks => "chunk page",
            Self::Received => "received page",
            Self::Kinds => "kind page",
            Self::Spare => "spare page",
            Self::Tally => "tally page",
            Self::Postings => "posting page",
            Self::Lexicon => "lexicon page",
            Self::Bigrams => "bigram page",
        }
    }

    /// Whether it can be made anew from the others without losing a record or its time of receipt.
    /// The kinds can, as long as the spare page is whole.
    pub fn is_index(self) -> bool {
        matches!(
            self,
            Self::ZoneMaps
                | Self::Kinds
                | Self::Spare
                | Self::Tally
                | Self::Postings
                | Self::Lexicon
                | Self::Bigrams
        )
    }
}
