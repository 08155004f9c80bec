//! What an index of words can say about a leaf without seeing the text.
//!
//! Words are maximal runs of [`model::words::is_word_byte`], folded. Where a leaf matches a text,
//! each of its probes is met by some word of that same text; so rows that lack one can be left out.

use crate::ast::Leaf;

/// A condition on a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WordProbe {
    /// The word is this.
    Exact(Vec<u8>),
    /// The word starts with this.
    Prefix(Vec<u8>),
    /// The word ends with this.
    Suffix(Vec<u8>),
    /// The word holds this.
    Contains(Vec<u8>),
}

impl WordProbe {
    /// Whether a folded word meets it.
    pub fn matches(&self, word: &[u8]) -> bool {
        match self {
            Self::Exact(bytes) => word == bytes,
            Self::Prefix(bytes) => word.starts_with(bytes),
            Self::Suffix(bytes) => word.ends_with(bytes),
            Self::Contains(bytes) => memchr::memmem::find(word, bytes).is_some(),
        }
    }
}

/// What an index of words can say about a leaf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Each must be met by a word of the text. None says nothing: any text may match.
    pub words: Vec<WordProbe>,
    /// Whether the words decide: a text whose words meet all probes matches, without a look at it.
    pub is_exact: bool,
}

impl Probe {
    /// The probes of a leaf. [`Target::Text`](crate::Target::Text) asks them of the message and of
    /// the structured data, each on its own.
    pub fn of(_leaf: &Leaf) -> Self {
        Self::default()
    }
}
