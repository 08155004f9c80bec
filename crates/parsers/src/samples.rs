//! What tests of all parsers share: pairs as text, and what must be true of any pairs.

use proptest::prelude::*;

use crate::limits::{NAME_BYTES_MAX, OWN_BYTES_MAX};
use crate::{Failed, Pairs, Parser, Piece};

/// The pairs of a text, `name=value`, one a line.
pub(crate) fn lines(parser: &dyn Parser, input: &str) -> Result<String, Failed> {
    let mut pairs = Pairs::default();
    parser.parse(input.as_bytes(), &mut pairs)?;
    assert_sound(&pairs, input.as_bytes());
    let text = |piece| String::from_utf8_lossy(pairs.get(piece, input.as_bytes())).into_owned();
    let lines = pairs.pairs().iter();
    let lines = lines.map(|pair| format!("{}={}", text(pair.name), text(pair.value)));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Asserts that a text has these pairs, in this order.
pub(crate) fn check(parser: &dyn Parser, input: &str, expected: &[&str]) {
    let found = lines(parser, input).unwrap_or_else(|failed| panic!("{input}: {failed:?}"));
    assert_eq!(found, expected.join("\n"), "{input}");
}

/// Asserts that a text is not taken apart, and at which place.
pub(crate) fn check_failure(parser: &dyn Parser, input: &str, at: usize, reason: &'static str) {
    assert_eq!(lines(parser, input), Err(Failed { at, reason }), "{input}");
}

/// Asserts what must be true of whatever a parser found.
pub(crate) fn assert_sound(pairs: &Pairs, input: &[u8]) {
    assert!(pairs.pairs().len() <= model::limits::RECORD_FIELDS_MAX);
    assert!(pairs.own().len() <= OWN_BYTES_MAX);
    for pair in pairs.pairs() {
        for piece in [pair.name, pair.value] {
            let (Piece::Input { len, .. } | Piece::Own { len, .. }) = piece;
            let bytes = pairs.get(piece, input);
            assert_eq!(bytes.len(), len as usize, "{piece:?} is not there");
            assert!(!bytes.is_empty(), "an empty name or value");
        }
        assert!(pairs.get(pair.name, input).len() <= NAME_BYTES_MAX);
    }
}

/// Feeds a parser any bytes, and mixtures of texts that mean something to it.
pub(crate) fn check_any_bytes(parser: &dyn Parser, words: &[&'static str]) {
    let word = proptest::sample::select(words.to_vec());
    let text = prop_oneof![
        4 => word.prop_map(|word| word.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ];
    let input = proptest::collection::vec(text, 0..40).prop_map(|parts| parts.concat());
    let mut runner = proptest::test_runner::TestRunner::default();
    let result = runner.run(&input, |input| {
        // Twice, since pairs are used again.
        let mut pairs = Pairs::default();
        let first = parser.parse(&input, &mut pairs);
        assert_sound(&pairs, &input);
        let found = pairs.pairs().to_vec();
        pairs.clear();
        assert_eq!(parser.parse(&input, &mut pairs), first);
        assert_eq!(pairs.pairs(), found);
        if let Err(failed) = first {
            assert!(failed.at <= input.len(), "a place that is not there");
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
