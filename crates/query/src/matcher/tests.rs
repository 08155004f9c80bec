use proptest::collection::vec;
use proptest::prelude::*;

use crate::ast::{Expr, Leaf, Query, Target};
use crate::samples::{
    Sample, any_bounded, any_expr, any_leaf, any_sample, any_text, any_tokens, batch,
};
use crate::{Matcher, naive};

fn agrees(root: &Expr, samples: &[Sample]) -> Result<(), TestCaseError> {
    let mut matcher = Matcher::new(&Query { root: root.clone() });
    for record in batch(samples).iter() {
        let expected = naive::matches(root, record);
        prop_assert_eq!(matcher.matches(record), expected, "{:?}", record);
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_query_finds_what_the_oracle_finds(
        root in any_expr(),
        tokens in any_tokens(),
        samples in vec(any_sample(), 1..6),
    ) {
        let query = Query { root }.bounded_by(tokens);
        agrees(&query.root, &samples)?;
    }

    #[test]
    fn any_leaf_finds_what_the_oracle_finds(
        leaf in any_leaf(),
        samples in vec(any_sample(), 1..6),
    ) {
        agrees(&Expr::Leaf(leaf), &samples)?;
    }

    #[test]
    fn any_pattern_finds_what_the_oracle_finds(
        test in any_bounded(),
        texts in vec(any_text(), 1..12),
    ) {
        let leaf = Leaf { target: Target::Message, test };
        let samples: Vec<_> = texts.into_iter().map(Sample::message).collect();
        agrees(&Expr::Leaf(leaf), &samples)?;
    }
}
