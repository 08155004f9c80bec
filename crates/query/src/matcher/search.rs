//! Whether a text holds a pattern, bounded (the meaning is in [`crate::naive`]).
//!
//! A single literal, with or without `*` around it, is a substring search and a look at the bytes
//! next to it. Anything else follows the set of positions where a match of the pieces so far can
//! end; kept as ranges of positions, since `*` reaches whole ranges, it is linear in the text.

use crate::Tokens;
use crate::ast::{Pattern, Piece};

use super::folded::FoldedText;
use super::literal::LiteralSearch;

/// A pattern made ready.
#[derive(Clone, Debug)]
pub(super) struct PatternSearch {
    shape: Shape,
    haystack: Haystack,
    tokens: Tokens,
}

/// What pieces of a general pattern are followed through.
#[derive(Clone, Copy, Debug)]
enum Haystack {
    /// The text.
    AsWritten,
    /// The text with its ASCII letters in lower case.
    Letters,
    /// The folded text.
    Full,
}

#[derive(Clone, Debug)]
enum Shape {
    /// One literal, and whether `*` stands before and behind it.
    Literal {
        literal: LiteralSearch,
        is_open_before: bool,
        is_open_behind: bool,
    },
    /// `*?` or `?*`: anything that is no stop, for there is always a word or a byte around it.
    NoStop,
    General {
        parts: Vec<Part>,
        /// The longest literal: a text without it is done with.
        longest: Option<LiteralSearch>,
    },
}

#[derive(Clone, Debug)]
enum Part {
    Literal(Box<LiteralSearch>),
    AnyRun,
    AnyOne,
}

/// Sets of positions, used again for each text: first and last of each range.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchScratch {
    reached: Vec<(usize, usize)>,
    next: Vec<(usize, usize)>,
}

impl PatternSearch {
    /// A pattern to be found as written.
    pub(super) fn exact(pattern: &Pattern) -> Self {
        Self {
            shape: Shape::new(pattern, LiteralSearch::exact),
            haystack: Haystack::AsWritten,
            tokens: pattern.tokens(),
        }
    }

    /// A pattern with folded literals, to be found in either case.
    pub(super) fn folded(pattern: &Pattern) -> Self {
        // `?` counts characters, and of those lower case can make two from one.
        let needs_letters_only = pattern.pieces().iter().all(|piece| match piece {
            Piece::Literal(bytes) => LiteralSearch::folded(bytes).needs_letters_only(),
            Piece::AnyRun => true,
            Piece::AnyOne => false,
        });
        Self {
            shape: Shape::new(pattern, LiteralSearch::folded),
            haystack: if needs_letters_only {
                Haystack::Letters
            } else {
                Haystack::Full
            },
            tokens: pattern.tokens(),
        }
    }

    /// What bounds it.
    pub(super) fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Whether the slower way is taken.
    pub(super) fn is_general(&self) -> bool {
        matches!(self.shape, Shape::General { .. })
    }

    /// Whether the text holds the pattern, bounded.
    pub(super) fn is_in(
        &self,
        text: &[u8],
        folded: &mut FoldedText,
        scratch: &mut SearchScratch,
    ) -> bool {
        let tokens = &self.tokens;
        match &self.shape {
            Shape::Literal {
                literal,
                is_open_before,
                is_open_behind,
            } => literal.is_in(text, folded, |text, start| {
                // Where `*` stands, it runs on to the edge of the word, or token: they have no stops.
                let end = start + literal.len();
                (*is_open_before || !tokens.cuts(text, start))
                    && (*is_open_behind || !tokens.cuts(text, end))
            }),
            Shape::NoStop => !text.iter().all(|byte| tokens.is_stop(*byte)),
            Shape::General { parts, longest } => {
                let longest = longest.as_ref();
                if longest.is_some_and(|literal| !literal.is_in(text, folded, |_, _| true)) {
                    return false;
                }
                let haystack = match self.haystack {
                    Haystack::AsWritten => text,
                    Haystack::Letters => folded.letters(text),
                    Haystack::Full => folded.full(text),
                };
                scratch.holds(parts, haystack, *tokens)
            }
        }
    }
}

impl Shape {
    fn new(pattern: &Pattern, search: impl Fn(&[u8]) -> LiteralSearch) -> Self {
        let literal = |bytes: &Vec<u8>, is_open_before, is_open_behind| Self::Literal {
            literal: search(bytes),
            is_open_before,
            is_open_behind,
        };
        match pattern.pieces() {
            [Piece::Literal(bytes)] => literal(bytes, false, false),
            [Piece::AnyRun, Piece::Literal(bytes)] => literal(bytes, true, false),
            [Piece::Literal(bytes), Piece::AnyRun] => literal(bytes, false, true),
            [Piece::AnyRun, Piece::Literal(bytes), Piece::AnyRun] => literal(bytes, true, true),
            [Piece::AnyRun, Piece::AnyOne] | [Piece::AnyOne, Piece::AnyRun] => Self::NoStop,
            pieces => Self::general(pieces, search),
        }
    }

    fn general(pieces: &[Piece], search: impl Fn(&[u8]) -> LiteralSearch) -> Self {
        let parts = pieces.iter().map(|piece| match piece {
            // The text is folded by then, where it has to be.
            Piece::Literal(bytes) => Part::Literal(Box::new(LiteralSearch::exact(bytes))),
            Piece::AnyRun => Part::AnyRun,
            Piece::AnyOne => Part::AnyOne,
        });
        let literals = pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(bytes) => Some(bytes),
            Piece::AnyRun | Piece::AnyOne => None,
        });
        Self::General {
            parts: parts.collect(),
            longest: literals
                .max_by_key(|bytes| bytes.len())
                .map(|bytes| search(bytes)),
        }
    }
}

impl SearchScratch {
    fn holds(&mut self, parts: &[Part], text: &[u8], tokens: Tokens) -> bool {
        self.reached.clear();
        // A match may start wherever no word is cut; `*` reaches every position from there.
        let parts = match parts.split_first() {
            Some((Part::AnyRun, rest)) => {
                self.reached.push((0, text.len()));
                rest
            }
            Some((Part::Literal(literal), rest)) => {
                for start in literal.occurrences(text) {
                    if !tokens.cuts(text, start) {
                        push(&mut self.reached, start + literal.len());
                    }
                }
                rest
            }
            _ => {
                for position in 0..=text.len() {
                    if !tokens.cuts(text, position) {
                        push(&mut self.reached, position);
                    }
                }
                parts
            }
        };
        for part in parts {
            if self.reached.is_empty() {
                return false;
            }
            self.next.clear();
            match part {
                Part::Literal(literal) => self.step_literal(literal, text),
                Part::AnyRun => self.step_run(text, tokens),
                Part::AnyOne => self.step_one(text, tokens),
            }
            std::mem::swap(&mut self.reached, &mut self.next);
        }
        self.reached
            .iter()
            .any(|(first, last)| (*first..=*last).any(|position| !tokens.cuts(text, position)))
    }

    fn step_literal(&mut self, literal: &LiteralSearch, text: &[u8]) {
        let len = literal.len();
        for (first, last) in &self.reached {
            let window = text
                .get(*first..(*last + len).min(text.len()))
                .unwrap_or(&[]);
            for offset in literal.occurrences(window) {
                push(&mut self.next, first + offset + len);
            }
        }
    }

    fn step_run(&mut self, text: &[u8], tokens: Tokens) {
        for (first, last) in &self.reached {
            match self.next.last_mut() {
                Some((_, reached)) if *last <= *reached => {}
                Some((_, reached)) if *first <= *reached => *reached = run_end(text, *last, tokens),
                _ => self.next.push((*first, run_end(text, *last, tokens))),
            }
        }
    }

    fn step_one(&mut self, text: &[u8], tokens: Tokens) {
        let mut is_sorted = true;
        for (first, last) in &self.reached {
            for position in *first..=*last {
                let rest = text.get(position..).unwrap_or(&[]);
                if rest.first().is_some_and(|byte| !tokens.is_stop(*byte)) {
                    let end = position + character_len(rest);
                    is_sorted &= self.next.last().is_none_or(|(_, last)| *last < end);
                    push(&mut self.next, end);
                }
            }
        }
        // Only from inside a character, where `*` can end, is the next position a step back.
        if !is_sorted {
            self.next.sort_unstable();
            self.next.dedup();
        }
    }
}

/// Adds a position to a set that it is behind of.
fn push(set: &mut Vec<(usize, usize)>, position: usize) {
    match set.last_mut() {
        Some((_, last)) if *last + 1 == position => *last = position,
        _ => set.push((position, position)),
    }
}

/// The first stop at or behind the position.
fn run_end(text: &[u8], position: usize, tokens: Tokens) -> usize {
    let rest = text.get(position..).unwrap_or(&[]);
    let len = rest.iter().position(|byte| tokens.is_stop(*byte));
    position + len.unwrap_or(rest.len())
}

/// Length of the UTF-8 character at the start; 1 where there is none. The text is not empty.
pub(crate) fn character_len(text: &[u8]) -> usize {
    let len = match text.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 1,
    };
    let character = text.get(..len).map(std::str::from_utf8);
    if let Some(Ok(_)) = character { len } else { 1 }
}
