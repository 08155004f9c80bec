use model::addresses::{AddressKey, addresses};
use model::words::{self, Alphabet};
use proptest::collection::vec;
use proptest::prelude::*;

use super::WordProbe::{Contains, Exact, Prefix, Suffix};
use super::{Probe, WordPattern, WordProbe};
use crate::ast::{Expr, Leaf, Pattern, Piece, Query, Target, Test};
use crate::samples::{any_bounded, any_leaf, any_text};
use crate::tokens::{Delimiters, Tokens};
use crate::{naive, parse};

fn check(text: &str, words: &[fn(Vec<u8>) -> WordProbe], values: &[&str], is_exact: bool) {
    let query = parse(text).into_result().expect("it is valid");
    let Expr::Leaf(leaf) = query.root else {
        unreachable!("{text} is one leaf")
    };
    let words = words
        .iter()
        .zip(values)
        .map(|(probe, value)| probe(value.as_bytes().to_vec()))
        .collect();
    let probe = Probe::of(&leaf);
    assert_eq!((probe.words, probe.is_exact), (words, is_exact), "{text}");
}

#[test]
fn a_start_decides_where_digits_behind_it_do_not_matter() {
    let bytes = |text: &str| text.as_bytes().to_vec();
    let hexadecimal = [
        (Exact(bytes("0x7f")), "0x7", None),
        (Exact(bytes("0x7f")), "0x7f", Some(false)),
        (Exact(bytes("0x7fz")), "0x7", Some(false)),
        (Prefix(bytes("0x")), "0x7", Some(true)),
        (Prefix(bytes("0x7f")), "0x7", None),
        (Prefix(bytes("0x7z")), "0x7", Some(false)),
        (Suffix(bytes("7f")), "0x", None),
        (Suffix(bytes("x7f")), "0x", None),
        (Suffix(bytes("x7f")), "0x8", Some(false)),
        (Suffix(bytes("0x")), "0x", Some(false)),
        (Contains(bytes("0x")), "0x", Some(true)),
        (Contains(bytes("pple")), "app", Some(false)),
        (Contains(bytes("add")), "app", None),
        (Contains(bytes("pad")), "app", None),
    ]
    .map(|case| (Alphabet::Hexadecimal, case));
    let letters = [
        (Exact(bytes("cxwftz")), "cxw", None),
        (Exact(bytes("cxwf_z")), "cxw", Some(false)),
        (Exact(bytes("cxzf")), "cxw", Some(false)),
        (Prefix(bytes("cx")), "cxw", Some(true)),
        (Suffix(bytes("ple")), "cxw", None),
        (Contains(bytes("x_p")), "cx", Some(false)),
        (Contains(bytes("_pple")), "cx_", None),
    ]
    .map(|case| (Alphabet::Letters, case));
    for (left_out, (probe, start, expected)) in hexadecimal.into_iter().chain(letters) {
        assert_eq!(
            probe.is_met_by_start(start.as_bytes(), left_out),
            expected,
            "{probe:?} {start}"
        );
    }
}

#[test]
fn one_word_is_exact() {
    check("Error", &[Exact], &["error"], true);
    check("appl*", &[Prefix], &["appl"], true);
    check("*pple", &[Suffix], &["pple"], true);
    check("*ppl*", &[Contains], &["ppl"], true);
    check("\"error\"", &[Exact], &["error"], true);
    check("message:=Error", &[Exact], &["error"], false);
}

#[test]
fn sequences_give_their_words() {
    check("10.0.0.1", &[Exact, Exact, Exact], &["10", "0", "1"], false);
    check("web-*", &[Exact], &["web"], false);
    check("*-web", &[Exact], &["web"], false);
    check("web-a*", &[Exact, Prefix], &["web", "a"], false);
    check("us?r", &[Prefix, Suffix], &["us", "r"], false);
    check(
        "a*b-c*d",
        &[Prefix, Suffix, Prefix, Suffix],
        &["a", "b", "c", "d"],
        false,
    );
    check("*b-c-d*", &[Suffix, Exact, Prefix], &["b", "c", "d"], false);
    check(
        "\"Session closed\"",
        &[Exact, Exact],
        &["session", "closed"],
        false,
    );
    check("[err]", &[Exact], &["err"], false);
    check("*?", &[], &[], false);
    check("\"...\"", &[], &[], false);
    check("/error/", &[], &[], false);
    check("size:>=10", &[], &[], false);
    check("host:*", &[], &[], false);
}

fn alternatives(text: &str) -> Vec<Vec<WordProbe>> {
    let query = parse(text).into_result().expect("it is valid");
    let Expr::Leaf(leaf) = query.root else {
        unreachable!("{text} is one leaf")
    };
    let found = Probe::alternatives(&leaf).into_iter();
    found.map(|probe| probe.words).collect()
}

#[test]
fn an_expression_is_looked_up_by_what_it_requires() {
    let word = |text: &str| text.as_bytes().to_vec();
    let suffix = vec![Suffix(word("lamp"))];
    assert_eq!(alternatives("/lamp-[0-9]{4}/"), [suffix]);
    let either = ["failed", "failure"].map(|text| vec![Contains(word(text))]);
    assert_eq!(alternatives("/fail(ed|ure)/"), either);
    let opened = vec![Exact(word("opened")), Prefix(word("for"))];
    assert_eq!(alternatives("/session opened for/"), [opened]);
    assert_eq!(alternatives("/a.*e/"), Vec::<Vec<WordProbe>>::new());
}

#[test]
fn a_network_is_looked_up_by_the_numbers_that_its_addresses_start_with() {
    let word = |text: &str| text.as_bytes().to_vec();
    let mapped = vec![Exact(word("ffff"))];
    let of_16 = vec![Exact(word("172")), Exact(word("31"))];
    assert_eq!(alternatives("host:172.31.0.0/16"), [of_16, mapped.clone()]);
    let of_10 = vec![Exact(word("10"))];
    assert_eq!(alternatives("host:10.10.0.0/17"), [of_10, mapped]);
    let none = Vec::<Vec<WordProbe>>::new();
    assert_eq!(alternatives("host:128.0.0.0/7"), none);
    assert_eq!(alternatives("ip:2001:db8::/32"), none);
}

#[test]
fn networks_leave_no_address_out_however_it_is_written() {
    for text in [
        "172.31.200.7",
        "::ffff:172.31.200.7",
        "::FFFF:ac1f:c807",
        "0:0:0:0:0:ffff:ac1f:c807",
    ] {
        let query = parse("host:172.31.200.0/24")
            .into_result()
            .expect("it is valid");
        let Expr::Leaf(leaf) = query.root else {
            unreachable!("it is one leaf")
        };
        assert!(naive::matches_text(&leaf.test, text.as_bytes()), "{text}");
        let met = Probe::alternatives(&leaf);
        assert!(
            met.iter().any(|probe| words_meet(probe, text.as_bytes())),
            "{text}"
        );
    }
}

#[test]
fn one_character_is_in_a_word_or_between_two() {
    let word = |text: &str| text.as_bytes().to_vec();
    let inside = |text: &str| vec![WordProbe::Pattern(word_pattern(text))];
    let between = vec![Exact(word("us")), Exact(word("r"))];
    assert_eq!(alternatives("us?r"), [inside("us?r"), between]);
    let between = vec![Exact(word("us")), Prefix(word("r"))];
    assert_eq!(alternatives("us?r*"), [inside("us?r*"), between]);
    let behind = vec![Exact(word("r"))];
    assert_eq!(alternatives("?r"), [inside("?r"), behind]);
}

/// The pieces of a word of letters, `*` and `?`.
fn word_pattern(text: &str) -> WordPattern {
    let kinds = text.as_bytes().chunk_by(|one, two| {
        let is_letter = |byte: &u8| !b"*?".contains(byte);
        is_letter(one) && is_letter(two)
    });
    let pieces = kinds.map(|own| match own {
        b"*" => Piece::AnyRun,
        b"?" => Piece::AnyOne,
        letters => Piece::Literal(letters.to_vec()),
    });
    WordPattern::new(pieces.collect::<Vec<_>>())
}

#[test]
fn wildcards_run_within_a_word_or_break_it() {
    let word = |text: &str| text.as_bytes().to_vec();
    let pattern = |text: &str| WordProbe::Pattern(word_pattern(text));
    let inside = |text: &str| vec![pattern(text)];
    let broken = vec![Prefix(word("ap")), Suffix(word("le"))];
    assert_eq!(alternatives("ap*le"), [inside("ap*le"), broken]);
    let broken = vec![Suffix(word("s")), Prefix(word("r"))];
    assert_eq!(alternatives("*s?r*"), [inside("*s?r*"), broken]);
    // Of two characters, one may be of a word.
    let broken = vec![Prefix(word("a")), Suffix(word("b"))];
    assert_eq!(alternatives("a??b"), [inside("a??b"), broken]);
    let broken = [
        vec![Exact(word("a")), pattern("b*c")],
        vec![pattern("a?b*"), Suffix(word("c"))],
        vec![Exact(word("a")), Prefix(word("b")), Suffix(word("c"))],
    ];
    let all = [&[inside("a?b*c")], &broken[..]].concat();
    assert_eq!(alternatives("a?b*c"), all);
    let none = Vec::<Vec<WordProbe>>::new();
    assert_eq!(alternatives("appl*"), none, "one word says it");
    assert_eq!(alternatives("a-b*c"), none, "not of word bytes alone");
    assert_eq!(alternatives("a*b*c*d*e"), none, "too many breaks");
    let long = |ones| alternatives(&format!("a{}b", "?".repeat(ones))).len();
    assert_eq!((long(14), long(15)), (2, 0), "too many pieces");
}

#[test]
fn a_word_meets_a_pattern_with_wildcards() {
    for (pattern, met, not) in [
        (
            "us?r*",
            &["user", "us\u{e9}r", "usersx"][..],
            &["usr", "auser", "us"][..],
        ),
        ("*s?r", &["user", "s\u{20ac}r"], &["sr", "users"]),
        ("a*b*a", &["aba", "axxbya", "abba"], &["aab", "ab", "ba"]),
        ("?", &["a", "\u{e9}"], &["", "ab"]),
        ("a??b", &["axyb", "a\u{e9}\u{e9}b"], &["axb", "axyzb"]),
    ] {
        let pattern = word_pattern(pattern);
        for word in met {
            assert!(pattern.matches(word.as_bytes()), "{pattern:?} {word}");
        }
        for word in not {
            assert!(!pattern.matches(word.as_bytes()), "{pattern:?} {word}");
        }
    }
}

fn words_meet(probe: &Probe, text: &[u8]) -> bool {
    let folded: Vec<_> = words::words(text).map(words::fold).collect();
    let keys: Vec<_> = addresses(text).into_iter().map(AddressKey::from).collect();
    let is_met = |probe: &WordProbe| match probe {
        WordProbe::Address(_) => keys.iter().any(|key| probe.matches(key.digits())),
        _ => folded.iter().any(|word| probe.search()(word)),
    };
    probe.words.iter().all(is_met)
}

/// The probes, and those of an index with addresses.
fn both(probe: &Probe) -> impl Iterator<Item = &Probe> {
    [probe].into_iter().chain(probe.with_addresses.as_deref())
}

fn agrees(leaf: &Leaf, text: &[u8]) -> Result<(), TestCaseError> {
    let matches = naive::matches_text(&leaf.test, text);
    for probe in both(&Probe::of(leaf)) {
        let is_met = words_meet(probe, text);
        if matches {
            prop_assert!(is_met, "{:?} leaves out a match", probe);
        } else if probe.is_exact {
            prop_assert!(!is_met, "{:?} is not exact", probe);
        }
    }
    Ok(())
}

fn any_text_of_an_address() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => prop::sample::select(vec!["1", "0", "10", "1.1.1.1", "1.0.", "1.1.1."]),
        3 => Just("."),
        1 => prop::sample::select(vec!["256", "01", "x", " ", "-", "\u{e9}", ":"]),
    ]
}

fn any_piece_of_an_address() -> impl Strategy<Value = Piece> {
    let literal = any_text_of_an_address().prop_map(|text| Piece::Literal(text.into()));
    prop_oneof![8 => literal, 1 => Just(Piece::AnyRun), 1 => Just(Piece::AnyOne)]
}

/// What a query asks of an index with addresses, each as it would be written, and whether that decides.
fn asked_with_addresses(text: &str) -> Option<(Vec<String>, bool)> {
    let query = parse(text).into_result().expect("it is valid");
    let Expr::Leaf(leaf) = query.root else {
        unreachable!("{text} is one leaf")
    };
    let alternatives = Probe::alternatives(&leaf);
    let probe = alternatives
        .into_iter()
        .next()
        .unwrap_or_else(|| Probe::of(&leaf));
    let probe = probe.with_addresses?;
    let words = probe.words.iter().map(|probe| {
        let text = String::from_utf8_lossy(probe.letters()).into_owned();
        match probe {
            WordProbe::Address(_) => format!("={text}"),
            _ => text,
        }
    });
    Some((words.collect(), probe.is_exact))
}

#[test]
fn an_address_is_asked_for_whole() {
    for (query, words, is_exact) in [
        ("10.30.1.17", &["=0a1e0111"][..], true),
        ("\"10.30.1.17\"", &["=0a1e0111"], true),
        ("172.31.254.*", &["=ac1ffe"], true),
        ("10.30.1.1*", &["=0a1e01"], false),
        ("10.30.1.17.*", &["=0a1e0111", "=1e0111"], false),
        ("1.2.3.4.5", &["=01020304", "=02030405"], false),
        (
            "\"from 10.30.1.17 port 22\"",
            &["=0a1e0111", "from", "port", "22"],
            false,
        ),
        ("10.30.1.17:443", &["=0a1e0111", "443"], false),
        ("1.2.3.256", &["=010203", "256"], false),
        ("message:=10.30.1.17", &["=0a1e0111"], false),
        ("client:10.30.1.17", &["=0a1e0111"], true),
        ("client:172.31.200.0/24", &["=ac1fc8"], false),
        ("client:172.31.0.0/17", &["=ac1f"], false),
    ] {
        let (found, decides) = asked_with_addresses(query).expect(query);
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!((found, decides), (words, is_exact), "{query}");
    }
    for query in [
        "10.30.1",
        "*10.30.1.17",
        "10.30.*",
        "beryl",
        "client:fe80::/16",
        "client:172.16.0.0/12",
    ] {
        let asked = asked_with_addresses(query);
        let is_none =
            asked.is_none_or(|(words, _)| words.iter().all(|word| !word.starts_with('=')));
        assert!(is_none, "{query}");
    }
}

/// A condition on words of few different letters.
fn any_probe_of_digits() -> impl Strategy<Value = WordProbe> {
    let bytes = || "[0ax]{1,4}".prop_map(String::into_bytes);
    let piece = prop_oneof![
        2 => bytes().prop_map(Piece::Literal),
        1 => Just(Piece::AnyRun),
        1 => Just(Piece::AnyOne),
    ];
    prop_oneof![
        bytes().prop_map(Exact),
        bytes().prop_map(Prefix),
        bytes().prop_map(Suffix),
        bytes().prop_map(Contains),
        vec(piece, 1..5).prop_map(|pieces| WordProbe::Pattern(WordPattern::new(pieces))),
    ]
}

proptest! {
    #[test]
    fn what_a_start_decides_holds_for_all_words_with_it(
        probe in any_probe_of_digits(),
        start in "[0ax]{0,4}",
        tails in prop_oneof![vec("[0a]{1,5}", 1..20), vec("[0ax]{1,5}", 1..20)],
    ) {
        // `x` is a digit of one of them alone.
        let is_hexadecimal = tails.iter().all(|tail| !tail.contains('x'));
        let left_out = if is_hexadecimal { Alphabet::Hexadecimal } else { Alphabet::Letters };
        if let Some(is_met) = probe.is_met_by_start(start.as_bytes(), left_out) {
            for tail in tails {
                let word = format!("{start}{tail}");
                prop_assert_eq!(probe.matches(word.as_bytes()), is_met, "{}", word);
            }
        }
    }

    #[test]
    fn probes_leave_no_match_out_and_exact_ones_let_nothing_else_in(
        test in any_bounded(),
        texts in vec(any_text(), 1..12),
    ) {
        let leaf = Leaf { target: Target::Message, test };
        for text in texts {
            agrees(&leaf, &text)?;
        }
    }

    #[test]
    fn probes_of_addresses_leave_no_match_out(
        pieces in vec(any_piece_of_an_address(), 1..10),
        tokens in prop::sample::select(vec![Tokens::Words, Tokens::Between(Delimiters::SSB)]),
        text in vec(any_text_of_an_address(), 1..14),
    ) {
        let test = Test::Term(Pattern::new(pieces).expect("not empty"));
        let leaf = Leaf { target: Target::Message, test };
        let query = Query { root: Expr::Leaf(leaf) }.bounded_by(tokens);
        if let Expr::Leaf(leaf) = query.root {
            agrees(&leaf, text.concat().as_bytes())?;
        }
    }

    #[test]
    fn probes_of_any_leaf_leave_no_match_out(leaf in any_leaf(), text in any_text()) {
        agrees(&leaf, &text)?;
    }

    #[test]
    fn alternatives_leave_no_match_out_either(
        test in prop_oneof![any_bounded(), any_leaf().prop_map(|leaf| leaf.test)],
        texts in vec(any_text(), 1..12),
    ) {
        let leaf = Leaf { target: Target::Message, test };
        let alternatives = Probe::alternatives(&leaf);
        for text in texts {
            for has_addresses in [false, true] {
                let own = alternatives.iter().map(|probe| match &probe.with_addresses {
                    Some(other) if has_addresses => other,
                    _ => probe,
                });
                let mut met = own.filter(|probe| words_meet(probe, &text)).peekable();
                if naive::matches_text(&leaf.test, &text) {
                    prop_assert!(alternatives.is_empty() || met.peek().is_some(), "{:?}", alternatives);
                } else {
                    prop_assert!(met.all(|probe| !probe.is_exact), "{:?}", alternatives);
                }
            }
        }
    }
}
