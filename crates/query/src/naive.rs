//! What a query means, in the simplest code that says it: the definition, and the oracle that every
//! faster way is tested against. Never optimise it, never delete it.
//!
//! # What a term matches
//! A pattern matches a run of the text's bytes when its pieces do, one behind the other: a literal
//! its bytes, `*` any number of bytes, `?` one UTF-8 character (one byte where the bytes are no
//! UTF-8). Neither wildcard runs over a stop: white space, control characters and the delimiters of
//! [`model::words::is_wildcard_stop`].
//!
//! The run must be bounded: it may not cut a word. At either end, a word character inside and a word
//! character outside may not touch. So `error` is found in `[error]` and not in `errors`; `appl*` runs to
//! the end of its word; an end of the pattern that is no word byte (`[err`, `foo-`) needs no bound
//! there.
//!
//! With [`Tokens::Between`] all of this holds for tokens in the place of words: neither wildcards nor
//! the ends of a run cut a token, and stops are white space and the delimiters that were given.
//!
//! A term without regard to case is folded, and the text too, before any of this.

pub mod pipe;

use model::{FieldRef, RecordRef, words};
use text_fields::Detector;

use crate::Tokens;
use crate::ast::{Expr, Leaf, Number, Pattern, Piece, Target, Test};

/// Whether the record meets the condition.
pub fn matches(expr: &Expr, record: RecordRef<'_>) -> bool {
    match expr {
        Expr::All => true,
        Expr::Nothing => false,
        Expr::And(members) => members.iter().all(|member| matches(member, record)),
        Expr::Or(members) => members.iter().any(|member| matches(member, record)),
        Expr::Not(inner) => !matches(inner, record),
        Expr::Leaf(leaf) => matches_leaf(leaf, record),
    }
}

/// Whether the record passes the test.
pub fn matches_leaf(leaf: &Leaf, record: RecordRef<'_>) -> bool {
    match (&leaf.target, &leaf.test) {
        (Target::Peer, Test::Network(network)) => record
            .peer()
            .is_some_and(|address| network.contains(address.to_canonical())),
        (Target::Severity, Test::Compare { .. } | Test::Between { .. }) => {
            let code = record.priority().severity().number();
            matches_number(&leaf.test, Number::Integer(code.into()))
        }
        (Target::Facility, Test::Compare { .. } | Test::Between { .. }) => {
            let code = record.priority().facility().number();
            matches_number(&leaf.test, Number::Integer(code.into()))
        }
        (target, test) => texts(target, record)
            .iter()
            .any(|text| matches_text(test, text)),
    }
}

/// The texts a target stands for.
pub fn texts(target: &Target, record: RecordRef<'_>) -> Vec<Vec<u8>> {
    match target {
        Target::Text => vec![record.message().into(), record.structured_data().into()],
        Target::Message => vec![record.message().into()],
        Target::Host => vec![record.host().into()],
        Target::Program => vec![record.program().into()],
        Target::Pid => vec![record.pid().into()],
        Target::Msgid => vec![record.msgid().into()],
        Target::Facility => vec![record.priority().facility().name().into()],
        Target::Severity => vec![record.priority().severity().name().into()],
        Target::Tag => record.tags().map(Vec::from).collect(),
        Target::Source => vec![record.source().into()],
        Target::Peer => record
            .peer()
            .map(|address| address.to_canonical().to_string().into_bytes())
            .into_iter()
            .collect(),
        Target::Named(name) => named(name.as_bytes(), record),
    }
}

/// The fields of a name: those of the structured data, then those in the text of the message.
fn named(name: &[u8], record: RecordRef<'_>) -> Vec<Vec<u8>> {
    let fields = record.fields();
    let fields = fields.filter(|field: &FieldRef<'_>| field.is_named(name));
    let mut values: Vec<Vec<u8>> = fields.map(|field| field.value.into()).collect();
    Detector::default().each(record.message(), &mut |own, value| {
        if own.eq_ignore_ascii_case(name) {
            values.push(value.into());
        }
    });
    values
}

/// Whether one text passes the test.
pub fn matches_text(test: &Test, text: &[u8]) -> bool {
    match test {
        Test::Present => !text.is_empty(),
        Test::Term(pattern) => holds(pattern, &words::fold(text)),
        Test::Exact(pattern) => holds(pattern, text),
        Test::Compare { .. } | Test::Between { .. } => {
            Number::parse(text).is_some_and(|number| matches_number(test, number))
        }
        Test::Network(network) => network.contains_text(text),
        Test::Regex(pattern) => pattern.regex().is_match(text),
    }
}

pub(crate) fn matches_number(test: &Test, value: Number) -> bool {
    match test {
        Test::Compare { comparison, number } => comparison.admits(value.compare(*number)),
        Test::Between { low, high } => value.compare(*low).is_ge() && value.compare(*high).is_le(),
        _ => false,
    }
}

/// Whether the text holds the pattern, bounded.
fn holds(pattern: &Pattern, text: &[u8]) -> bool {
    let tokens = pattern.tokens();
    // reached[p]: what is matched so far can end before byte p.
    let mut reached: Vec<bool> = (0..=text.len()).map(|p| !cuts(tokens, text, p)).collect();
    for piece in pattern.pieces() {
        let mut next = vec![false; text.len() + 1];
        match piece {
            Piece::Literal(bytes) => {
                for p in 0..=text.len() {
                    if reached[p] && text[p..].starts_with(bytes) {
                        next[p + bytes.len()] = true;
                    }
                }
            }
            Piece::AnyOne => {
                for p in 0..text.len() {
                    if reached[p] && !tokens.is_stop(text[p]) {
                        next[p + character_len(&text[p..])] = true;
                    }
                }
            }
            Piece::AnyRun => {
                for p in 0..=text.len() {
                    let from_before = p > 0 && next[p - 1] && !tokens.is_stop(text[p - 1]);
                    next[p] = reached[p] || from_before;
                }
            }
        }
        reached = next;
    }
    (0..=text.len()).any(|p| reached[p] && !cuts(tokens, text, p))
}

/// Whether a word, or token, goes on over the position.
fn cuts(tokens: Tokens, text: &[u8], p: usize) -> bool {
    match tokens {
        Tokens::Words => words::is_within_word(text, p),
        Tokens::Between(_) => {
            0 < p && p < text.len() && tokens.joins(text[p - 1]) && tokens.joins(text[p])
        }
    }
}

/// Length of the UTF-8 character at the start; 1 where there is none. The text is not empty.
fn character_len(text: &[u8]) -> usize {
    (1..=text.len().min(4))
        .find(|len| std::str::from_utf8(&text[..*len]).is_ok())
        .unwrap_or(1)
}

#[cfg(test)]
mod tests;
