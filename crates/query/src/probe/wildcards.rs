//! Words with wildcards in them.
//!
//! A pattern of word bytes and wildcards matches within one word, or some of its wildcards run over what
//! is between two words. So it asks for one word that meets all of it, which decides, or for the words that
//! it falls into where it is broken. A `*` at an end is never broken: it can stop where the word does.

use memchr::memmem;
use model::words::is_of_words;

use super::{Probe, WordProbe};
use crate::Tokens;
use crate::ast::{Pattern, Piece};
use crate::matcher::character_len;

/// Most places where a pattern may be broken: each doubles what is asked for.
const BREAKS_MAX: usize = 3;

/// Most pieces of a pattern that words are asked for: each is gone through once for each byte of a word, and
/// words have up to a MiB.
const PIECES_MAX: usize = 16;

/// A word by literals and wildcards: `*` is any bytes, `?` one UTF-8 character, or one byte where that is
/// none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WordPattern {
    pieces: Box<[Piece]>,
}

impl WordPattern {
    /// Of these pieces, one behind the other.
    pub fn new(pieces: impl Into<Box<[Piece]>>) -> Self {
        Self {
            pieces: pieces.into(),
        }
    }

    /// What every word that meets it starts with.
    pub fn prefix(&self) -> &[u8] {
        match self.pieces.first() {
            Some(Piece::Literal(bytes)) => bytes,
            _ => &[],
        }
    }

    /// The longest literal.
    pub fn letters(&self) -> &[u8] {
        let longest = self.literals().max_by_key(|bytes| bytes.len());
        longest.unwrap_or(&[])
    }

    /// The same for words with some bytes in front; `None` where it starts with a wildcard.
    pub fn behind(&self, bytes: &[u8]) -> Option<Self> {
        let (first, rest) = self.pieces.split_first()?;
        let Piece::Literal(own) = first else {
            return None;
        };
        let first = Piece::Literal([bytes, own].concat());
        Some(Self::new([&[first], rest].concat()))
    }

    /// Whether a folded word meets it.
    pub fn matches(&self, word: &[u8]) -> bool {
        self.has_literals(word) && self.reaches_end(word)
    }

    fn literals(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(bytes) => Some(bytes.as_slice()),
            Piece::AnyRun | Piece::AnyOne => None,
        })
    }

    /// Whether the word has all literals in their order, which nearly all others have not.
    fn has_literals(&self, word: &[u8]) -> bool {
        let mut rest = word;
        word.starts_with(self.prefix())
            && self.literals().all(|bytes| {
                let found = memmem::find(rest, bytes);
                let behind = found.and_then(|at| rest.get(at + bytes.len()..));
                rest = behind.unwrap_or(&[]);
                behind.is_some()
            })
    }

    /// Whether the pieces can stand one behind the other from the start of the word to its end.
    fn reaches_end(&self, word: &[u8]) -> bool {
        // Where the next piece can start.
        let mut reached = vec![false; word.len() + 1];
        reached[0] = true;
        for piece in &self.pieces {
            let mut next = vec![false; word.len() + 1];
            let starts = (0..).zip(&reached).filter(|(_, is_reached)| **is_reached);
            for (start, _) in starts {
                let rest = &word[start..];
                match piece {
                    Piece::Literal(bytes) if rest.starts_with(bytes) => {
                        next[start + bytes.len()] = true;
                    }
                    Piece::AnyOne if !rest.is_empty() => next[start + character_len(rest)] = true,
                    Piece::AnyRun => {
                        next[start..].fill(true);
                        break;
                    }
                    Piece::Literal(_) | Piece::AnyOne => {}
                }
            }
            reached = next;
        }
        reached[word.len()]
    }
}

/// For a pattern with wildcards among bytes of words: what it asks for in one word, which decides, and
/// where it is broken. None where it has no wildcard that can be, or too many.
pub(super) fn alternatives(pattern: &Pattern) -> Vec<Probe> {
    let parts: Vec<&[Piece]> = pattern
        .pieces()
        .chunk_by(|one, two| is_literal(one) == is_literal(two))
        .collect();
    let literals = pattern.pieces().iter().filter_map(|piece| match piece {
        Piece::Literal(bytes) => Some(bytes),
        Piece::AnyRun | Piece::AnyOne => None,
    });
    let are_of_words = literals.clone().all(|bytes| is_of_words(bytes));
    if pattern.tokens() != Tokens::Words || literals.count() == 0 || !are_of_words {
        return Vec::new();
    }
    let can_break = |place: &usize| {
        let own = parts[*place];
        let is_inside = (1..parts.len() - 1).contains(place);
        !own.iter().any(is_literal) && (is_inside || own.contains(&Piece::AnyOne))
    };
    let places: Vec<usize> = (0..parts.len()).filter(can_break).collect();
    let is_long = pattern.pieces().len() > PIECES_MAX;
    if is_long || !(1..=BREAKS_MAX).contains(&places.len()) {
        return Vec::new();
    }
    let choices = 0..1_usize << places.len();
    let broken = choices.map(|choice| {
        let of_choice = (0..).zip(&places).filter(|(bit, _)| choice >> bit & 1 == 1);
        let places: Vec<usize> = of_choice.map(|(_, place)| *place).collect();
        Probe {
            words: words(&parts, &places),
            is_exact: places.is_empty(),
            with_addresses: None,
        }
    });
    broken.collect()
}

fn is_literal(piece: &Piece) -> bool {
    matches!(piece, Piece::Literal(_))
}

/// The words that a pattern falls into where it is broken at some of its parts.
fn words(parts: &[&[Piece]], broken: &[usize]) -> Vec<WordProbe> {
    let mut words = Vec::new();
    let mut open: Vec<Piece> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        if !broken.contains(&place) {
            open.extend_from_slice(part);
            continue;
        }
        // One character is all that is between the words; else there may be more of either.
        let more = (**part != [Piece::AnyOne]).then_some(Piece::AnyRun);
        open.extend(more.clone());
        words.push(std::mem::take(&mut open));
        open.extend(more);
    }
    words.push(open);
    let mut probes = Vec::new();
    for mut word in words {
        word.dedup_by(|one, two| *one == Piece::AnyRun && *two == Piece::AnyRun);
        if let Some(probe) = probe(word).filter(|probe| !probes.contains(probe)) {
            probes.push(probe);
        }
    }
    probes
}

/// The condition of a word of some pieces; `None` where any word meets it.
fn probe(mut pieces: Vec<Piece>) -> Option<WordProbe> {
    let probe = match pieces.as_mut_slice() {
        [] | [Piece::AnyRun] => return None,
        [Piece::Literal(word)] => WordProbe::Exact(std::mem::take(word)),
        [Piece::Literal(word), Piece::AnyRun] => WordProbe::Prefix(std::mem::take(word)),
        [Piece::AnyRun, Piece::Literal(word)] => WordProbe::Suffix(std::mem::take(word)),
        [Piece::AnyRun, Piece::Literal(word), Piece::AnyRun] => {
            WordProbe::Contains(std::mem::take(word))
        }
        _ => WordProbe::Pattern(WordPattern::new(pieces)),
    };
    Some(probe)
}
