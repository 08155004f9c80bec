//! What an index of words can say about a leaf without seeing the text.
//!
//! Words are maximal runs of [`model::words::is_word_byte`], folded. Where a leaf matches a text,
//! each of its probes is met by some word of that same text; so rows that lack one can be left out.
//!
//! A literal is cut into its words. A word with a byte around it that is no word byte, inside the
//! literal or because a match cuts no word at its ends, is a whole word of the text; at the edge of
//! a wildcard, which may run on over word bytes, it is only the start, the end or the inside of one.

use memchr::memmem;
use model::words::{fold, is_word_byte};

use crate::ast::{Leaf, Pattern, Piece, Test};

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
            Self::Contains(bytes) => memmem::find(word, bytes).is_some(),
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
    /// the structured data, each on its own; the other targets of each of their texts.
    ///
    /// Comparisons, ranges, networks, expressions and presence have none; for severity and facility
    /// see [`codes`](crate::codes()).
    pub fn of(leaf: &Leaf) -> Self {
        match &leaf.test {
            Test::Term(pattern) => Self {
                words: words(pattern),
                is_exact: is_one_word(pattern),
            },
            // The index holds folded words: they cannot tell one case from another.
            Test::Exact(pattern) => Self {
                words: words(&pattern.clone().folded()),
                is_exact: false,
            },
            Test::Present
            | Test::Compare { .. }
            | Test::Between { .. }
            | Test::Network(_)
            | Test::Regex(_) => Self::default(),
        }
    }
}

/// Whether the pattern is one word, with or without `*` around it. `*` stops at white space and
/// delimiters, which end words too, so it always can run on to the end of the word and no further
/// condition is left.
fn is_one_word(pattern: &Pattern) -> bool {
    let ([Piece::Literal(word)]
    | [Piece::AnyRun, Piece::Literal(word)]
    | [Piece::Literal(word), Piece::AnyRun]
    | [Piece::AnyRun, Piece::Literal(word), Piece::AnyRun]) = pattern.pieces()
    else {
        return false;
    };
    word.iter().copied().all(is_word_byte)
}

fn words(pattern: &Pattern) -> Vec<WordProbe> {
    let pieces = pattern.pieces();
    let mut probes = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Literal(bytes) = piece else {
            continue;
        };
        let is_bounded_before = index == 0;
        let is_bounded_behind = index + 1 == pieces.len();
        let mut end = 0;
        for run in bytes.chunk_by(|one, two| is_word_byte(*one) == is_word_byte(*two)) {
            let start = end;
            end += run.len();
            if !run.first().copied().is_some_and(is_word_byte) {
                continue;
            }
            let is_start = start > 0 || is_bounded_before;
            let is_end = end < bytes.len() || is_bounded_behind;
            let word = fold(run).into_owned();
            let probe = match (is_start, is_end) {
                (true, true) => WordProbe::Exact(word),
                (true, false) => WordProbe::Prefix(word),
                (false, true) => WordProbe::Suffix(word),
                (false, false) => WordProbe::Contains(word),
            };
            if !probes.contains(&probe) {
                probes.push(probe);
            }
        }
    }
    probes
}

#[cfg(test)]
mod tests;
