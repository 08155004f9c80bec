//! What every text holds that an expression matches: literals of the expression.
//!
//! An expression is taken apart into pieces that match one of a few literals. Pieces that stand one
//! behind the other are joined, so that `fail(ed|ure)` gives `failed` and `failure`. All literals are
//! folded: they are looked for in folded texts, where they stand wherever the expression matches
//! ([`model::words::fold`] goes character by character, so that a part of a text folds as it does
//! within the text).

use model::words::fold;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::ast::RegexPattern;

/// Most literals of which one is required.
const LITERALS_MAX: usize = 16;

/// Longest literal that is put together, in bytes: no word of a log is as long.
const LITERAL_BYTES_MAX: usize = 128;

/// Characters of a class that are taken as so many literals: a letter in both cases, a choice of two.
const CLASS_CHARACTERS_MAX: usize = 6;

/// Literals of which each text that matches holds one, folded.
pub(crate) type OneOf = Vec<Vec<u8>>;

/// What is known of an expression.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Required {
    /// Of each of these, one.
    pub(crate) all: Vec<OneOf>,
    /// Whether a match in a part of a text is one in the whole: nothing is said of what is around it.
    pub(crate) is_free: bool,
}

impl Required {
    /// What an expression requires.
    pub(crate) fn of(pattern: &RegexPattern) -> Self {
        let Some(hir) = parsed(pattern) else {
            return Self::default();
        };
        let mut all = Vec::new();
        if let Some(literals) = gather(&hir, &mut all) {
            all.push(literals);
        }
        // The empty literal is everywhere.
        all.retain(|one_of: &OneOf| one_of.iter().all(|literal| !literal.is_empty()));
        Self {
            all,
            is_free: hir.properties().look_set().is_empty(),
        }
    }
}

/// An expression as `regex::bytes` parses it, which has accepted it.
pub(crate) fn parsed(pattern: &RegexPattern) -> Option<Hir> {
    let mut parser = ParserBuilder::new().utf8(false).build();
    parser.parse(pattern.as_str()).ok()
}

/// The literals that an expression is one of. Where it is not, `None`, and what it requires has been
/// added.
fn gather(hir: &Hir, all: &mut Vec<OneOf>) -> Option<OneOf> {
    match hir.kind() {
        // What only looks around takes no bytes.
        HirKind::Empty | HirKind::Look(_) => Some(vec![Vec::new()]),
        HirKind::Literal(literal) => folded(&literal.0).map(|literal| vec![literal]),
        HirKind::Class(class) => characters(class),
        HirKind::Repetition(repetition) => repeated(repetition, all),
        HirKind::Capture(capture) => gather(&capture.sub, all),
        HirKind::Concat(members) => joined(members, all),
        HirKind::Alternation(members) => either(members, all),
    }
}

fn folded(literal: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(literal).ok()?;
    Some(fold(literal).into_owned())
}

fn characters(class: &Class) -> Option<OneOf> {
    let mut literals = Vec::new();
    let mut push = |character: char| {
        let literal = folded(character.encode_utf8(&mut [0; 4]).as_bytes())?;
        if !literals.contains(&literal) {
            literals.push(literal);
        }
        Some(())
    };
    match class {
        Class::Unicode(class) => {
            let lens = class.ranges().iter().map(|range| range.len());
            if lens.sum::<usize>() > CLASS_CHARACTERS_MAX {
                return None;
            }
            for range in class.ranges() {
                (range.start()..=range.end()).try_for_each(&mut push)?;
            }
        }
        Class::Bytes(class) => {
            let lens = class.ranges().iter().map(|range| range.len());
            if lens.sum::<usize>() > CLASS_CHARACTERS_MAX || !class.is_ascii() {
                return None;
            }
            for range in class.ranges() {
                (range.start()..=range.end())
                    .map(char::from)
                    .try_for_each(&mut push)?;
            }
        }
    }
    Some(literals)
}

fn repeated(repetition: &Repetition, all: &mut Vec<OneOf>) -> Option<OneOf> {
    if repetition.min == 0 {
        // Nothing is required of what may be absent.
        let mut literals = gather(&repetition.sub, &mut Vec::new())?;
        literals.push(Vec::new());
        return (repetition.max == Some(1)).then_some(literals);
    }
    let literals = gather(&repetition.sub, all)?;
    if repetition.max == Some(1) {
        return Some(literals);
    }
    all.push(literals);
    None
}

/// Members one behind the other.
fn joined(members: &[Hir], all: &mut Vec<OneOf>) -> Option<OneOf> {
    let mut open: OneOf = vec![Vec::new()];
    let mut is_whole = true;
    for member in members {
        let literals = gather(member, all);
        let fits = literals
            .as_ref()
            .and_then(|literals| product(&open, literals));
        match (fits, literals) {
            (Some(longer), _) => open = longer,
            (None, literals) => {
                is_whole = false;
                let next = literals.unwrap_or_else(|| vec![Vec::new()]);
                all.push(std::mem::replace(&mut open, next));
            }
        }
    }
    if is_whole {
        return Some(open);
    }
    all.push(open);
    None
}

/// Each literal with each behind it; `None` where that is too much.
fn product(before: &OneOf, behind: &OneOf) -> Option<OneOf> {
    if before.len() * behind.len() > LITERALS_MAX {
        return None;
    }
    let mut joined = Vec::new();
    for start in before {
        for end in behind {
            if start.len() + end.len() > LITERAL_BYTES_MAX {
                return None;
            }
            joined.push([start.as_slice(), end].concat());
        }
    }
    Some(joined)
}

/// One of the members.
fn either(members: &[Hir], all: &mut Vec<OneOf>) -> Option<OneOf> {
    let mut literals = Vec::new();
    let mut is_whole = true;
    for member in members {
        let mut required = Vec::new();
        match gather(member, &mut required) {
            Some(own) => literals.extend(own),
            None => {
                is_whole = false;
                // Of what a member requires, the longest stands for it.
                literals.extend(longest(required)?);
            }
        }
    }
    if literals.len() > LITERALS_MAX {
        return None;
    }
    if is_whole {
        return Some(literals);
    }
    all.push(literals);
    None
}

/// Those of which the shortest literal is the longest.
pub(crate) fn longest(all: Vec<OneOf>) -> Option<OneOf> {
    let shortest = |one_of: &OneOf| one_of.iter().map(Vec::len).min().unwrap_or(0);
    all.into_iter()
        .filter(|one_of| shortest(one_of) > 0)
        .max_by_key(shortest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn required(text: &str) -> Vec<Vec<String>> {
        let pattern = RegexPattern::new(text).expect("valid");
        let all = Required::of(&pattern).all.into_iter();
        all.map(|one_of| {
            let texts = one_of.into_iter().map(String::from_utf8);
            texts.map(|text| text.expect("text")).collect()
        })
        .collect()
    }

    #[test]
    fn literals_are_what_every_match_holds() {
        for (text, expected) in [
            ("lamp-[0-9]{4}", vec![vec!["lamp-"]]),
            ("fail(ed|ure)", vec![vec!["failed", "failure"]]),
            ("(?i)ERROR", vec![vec!["error"]]),
            ("^a.*zone$", vec![vec!["a"], vec!["zone"]]),
            ("x(abc)+y", vec![vec!["abc"], vec!["x"], vec!["y"]]),
            ("colou?r", vec![vec!["colour", "color"]]),
            ("(ab|[0-9]+cd)", vec![vec!["ab", "cd"]]),
            ("(ab|[0-9]+)", vec![]),
            ("a*", vec![]),
            ("", vec![]),
            ("(?-u:\\xff)", vec![]),
            ("\u{c9}t\u{e9}", vec![vec!["\u{e9}t\u{e9}"]]),
        ] {
            let expected: Vec<Vec<String>> = expected
                .into_iter()
                .map(|one_of| one_of.into_iter().map(str::to_owned).collect())
                .collect();
            assert_eq!(required(text), expected, "{text}");
        }
    }

    #[test]
    fn an_expression_that_looks_around_is_not_free() {
        for (text, is_free) in [
            ("ab", true),
            ("^ab", false),
            ("ab\\b", false),
            ("a|b", true),
        ] {
            let pattern = RegexPattern::new(text).expect("valid");
            assert_eq!(Required::of(&pattern).is_free, is_free, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_match_holds_what_is_required(
            expression in "(\\(\\?i\\))?([aAbkKs]|ab|(ab|K)|[ab]|[0-9]|a[*+?]|(ab)[+?*]|\\.|(a|bk|[0-9]s){1,2}|\\\\b|\\^|\u{e9}|\u{130}){1,6}",
            text in "[aAbBkKsS0 \u{e9}\u{c9}\u{130}\u{212a}\u{17f}-]{0,12}",
        ) {
            let pattern = RegexPattern::new(&expression);
            prop_assume!(pattern.is_ok());
            let pattern = pattern.expect("looked at");
            let required = Required::of(&pattern);
            let folded = fold(text.as_bytes());
            if pattern.regex().is_match(text.as_bytes()) {
                for one_of in &required.all {
                    let holds = |literal: &Vec<u8>| memchr::memmem::find(&folded, literal).is_some();
                    prop_assert!(one_of.iter().any(holds), "{:?}", one_of);
                }
            }
        }
    }
}
