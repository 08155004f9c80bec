//! What stands in a match: which bytes may, so that others cut a text, as what is on one side of one says
//! nothing of what is on the other; and which have to.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::ast::{Pattern, Piece, RegexPattern, Test};
use crate::required::{Required, parsed};

/// A set of ASCII bytes, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AsciiSet(u128);

impl AsciiSet {
    const ALL: Self = Self(u128::MAX);

    fn insert(&mut self, byte: u8) {
        if byte.is_ascii() {
            self.0 |= 1 << byte;
        }
    }

    fn insert_all(&mut self, bytes: impl IntoIterator<Item = u8>) {
        bytes.into_iter().for_each(|byte| self.insert(byte));
    }

    /// Whether it has a byte; true of all that are not ASCII.
    pub(super) fn has(self, byte: u8) -> bool {
        !byte.is_ascii() || self.0 >> byte & 1 == 1
    }

    /// The bytes that a match may have, and those that may stand next to it without bounding it. Where a text
    /// that passes need not have a match that is part of it, all.
    pub(super) fn of_matches(test: &Test) -> Self {
        match test {
            Test::Term(pattern) => of_pattern(pattern, true),
            Test::Exact(pattern) => of_pattern(pattern, false),
            Test::Regex(pattern) => of_regex(pattern),
            Test::Present | Test::Compare { .. } | Test::Between { .. } | Test::Network(_) => {
                Self::ALL
            }
        }
    }
}

/// Whether a text passes or not whatever digits it has, and however many beside each other, as long as there is
/// one. Digits of other scripts than ours are letters here.
pub(super) fn ignores_digits(test: &Test) -> bool {
    match test {
        Test::Term(pattern) | Test::Exact(pattern) => {
            pattern.pieces().iter().all(|piece| match piece {
                Piece::Literal(bytes) => !bytes.iter().any(u8::is_ascii_digit),
                Piece::AnyRun => true,
                Piece::AnyOne => false,
            })
        }
        Test::Regex(pattern) => {
            let set = of_regex(pattern);
            !(b'0'..=b'9').any(|digit| set.has(digit))
        }
        Test::Present | Test::Compare { .. } | Test::Between { .. } | Test::Network(_) => false,
    }
}

fn of_pattern(pattern: &Pattern, is_folded: bool) -> AsciiSet {
    let tokens = pattern.tokens();
    let mut set = AsciiSet::default();
    set.insert_all((0..128).filter(|byte| tokens.joins(*byte)));
    for piece in pattern.pieces() {
        match piece {
            Piece::Literal(bytes) => {
                set.insert_all(bytes.iter().copied());
                if is_folded {
                    set.insert_all(bytes.iter().map(u8::to_ascii_uppercase));
                }
            }
            Piece::AnyRun | Piece::AnyOne => {
                set.insert_all((0..128).filter(|byte| !tokens.is_stop(*byte)));
            }
        }
    }
    set
}

fn of_regex(pattern: &RegexPattern) -> AsciiSet {
    match parsed(pattern) {
        Some(hir) if hir.properties().look_set().is_empty() => {
            let mut set = AsciiSet::default();
            add(&hir, &mut set);
            set
        }
        _ => AsciiSet::ALL,
    }
}

/// Adds the bytes that an expression may match.
fn add(hir: &Hir, set: &mut AsciiSet) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => set.insert_all(literal.0.iter().copied()),
        HirKind::Class(Class::Unicode(class)) => {
            for range in class.ranges() {
                let last = range.end().min('\u{7f}');
                set.insert_all((range.start()..=last).map(|character| character as u8));
            }
        }
        HirKind::Class(Class::Bytes(class)) => {
            for range in class.ranges() {
                set.insert_all(range.start()..=range.end());
            }
        }
        HirKind::Repetition(repetition) => add(&repetition.sub, set),
        HirKind::Capture(capture) => add(&capture.sub, set),
        HirKind::Concat(members) | HirKind::Alternation(members) => {
            members.iter().for_each(|member| add(member, set));
        }
    }
}

/// Sets of bytes of each of which a text that passes has one, one bit a byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Needed(Vec<[u64; 4]>);

/// All bytes that are not ASCII.
const NOT_ASCII: [u64; 4] = [0, 0, u64::MAX, u64::MAX];

impl Needed {
    pub(super) fn of(test: &Test) -> Self {
        let mut needed = Self::default();
        match test {
            Test::Term(pattern) => needed.add_pattern(pattern, true),
            Test::Exact(pattern) => needed.add_pattern(pattern, false),
            Test::Regex(pattern) => {
                for one_of in Required::of(pattern).all {
                    if let [literal] = one_of.as_slice() {
                        needed.add(literal, true);
                    }
                }
            }
            Test::Present | Test::Compare { .. } | Test::Between { .. } | Test::Network(_) => {}
        }
        needed
    }

    fn add_pattern(&mut self, pattern: &Pattern, is_folded: bool) {
        for piece in pattern.pieces() {
            if let Piece::Literal(bytes) = piece {
                self.add(bytes, is_folded);
            }
        }
    }

    /// Adds the bytes of a literal; of one that stands in a folded text, those that become them.
    fn add(&mut self, literal: &[u8], is_folded: bool) {
        for byte in literal {
            // Letters of ASCII are the lower case of some others too.
            let may_be_other = !byte.is_ascii() || is_folded && byte.is_ascii_alphabetic();
            let mut set = if may_be_other { NOT_ASCII } else { [0; 4] };
            insert(&mut set, *byte);
            if is_folded {
                insert(&mut set, byte.to_ascii_uppercase());
            }
            if !self.0.contains(&set) {
                self.0.push(set);
            }
        }
    }

    /// Whether a text with no others than these bytes may have all that is needed.
    pub(super) fn are_met_by(&self, bytes: &[u64; 4]) -> bool {
        let is_met = |set: &[u64; 4]| set.iter().zip(bytes).any(|(set, bytes)| set & bytes != 0);
        self.0.iter().all(is_met)
    }
}

fn insert(set: &mut [u64; 4], byte: u8) {
    if let Some(bits) = set.get_mut(usize::from(byte / 64)) {
        *bits |= 1 << (byte % 64);
    }
}
