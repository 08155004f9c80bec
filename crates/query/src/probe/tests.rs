use model::words;
use proptest::collection::vec;
use proptest::prelude::*;

use super::WordProbe::{Contains, Exact, Prefix, Suffix};
use super::{Probe, WordProbe};
use crate::ast::{Expr, Leaf, Target};
use crate::samples::{any_exact, any_leaf, any_term, any_text};
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
    assert_eq!(Probe::of(&leaf), Probe { words, is_exact }, "{text}");
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

fn words_meet(probe: &Probe, text: &[u8]) -> bool {
    let folded: Vec<_> = words::words(text).map(words::fold).collect();
    probe
        .words
        .iter()
        .all(|probe| folded.iter().any(|word| probe.matches(word)))
}

fn agrees(leaf: &Leaf, text: &[u8]) -> Result<(), TestCaseError> {
    let probe = Probe::of(leaf);
    let is_met = words_meet(&probe, text);
    if naive::matches_text(&leaf.test, text) {
        prop_assert!(is_met, "{:?} leaves out a match", probe);
    } else if probe.is_exact {
        prop_assert!(!is_met, "{:?} is not exact", probe);
    }
    Ok(())
}

proptest! {
    #[test]
    fn probes_leave_no_match_out_and_exact_ones_let_nothing_else_in(
        test in prop_oneof![any_term(), any_exact()],
        texts in vec(any_text(), 1..12),
    ) {
        let leaf = Leaf { target: Target::Message, test };
        for text in texts {
            agrees(&leaf, &text)?;
        }
    }

    #[test]
    fn probes_of_any_leaf_leave_no_match_out(leaf in any_leaf(), text in any_text()) {
        agrees(&leaf, &text)?;
    }
}
