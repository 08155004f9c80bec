//! Severities and facilities as sets: there are so few that a test of them is asked of each once.

use model::{Facility, Severity};

use crate::ast::{Leaf, Number, Target, Test};
use crate::naive;

/// The codes of severity or facility that pass the leaf, bit `1 << code` each; `None` for leaves
/// of another target. Severities take 8 bits, facilities 24.
pub fn codes(leaf: &Leaf) -> Option<u32> {
    let passes = |code: u8, name: &str| match &leaf.test {
        test @ (Test::Compare { .. } | Test::Between { .. }) => {
            naive::matches_number(test, Number::Integer(code.into()))
        }
        test => naive::matches_text(test, name.as_bytes()),
    };
    let bit = |code: u8, name: &str| u32::from(passes(code, name)) << code;
    match leaf.target {
        Target::Severity => Some(Severity::all().map(|s| bit(s.number(), s.name())).sum()),
        Target::Facility => Some(Facility::all().map(|f| bit(f.number(), f.name())).sum()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Expr, parse};

    #[test]
    fn codes_are_those_that_pass() {
        for (text, expected) in [
            ("severity:<=err", 0b1111),
            ("severity:err", 0b1000),
            ("severity:>err", 0b1111_0000),
            ("severity:[alert TO err]", 0b1110),
            ("severity:e*", 0b1001),
            ("severity:*", 0b1111_1111),
            ("severity:/^w/", 0b1_0000),
            ("facility:local?", 0xff_0000),
            ("facility:auth", 1 << 4),
            ("facility:>=local7", 1 << 23),
        ] {
            let query = parse(text).into_result().expect("it is valid");
            let Expr::Leaf(leaf) = query.root else {
                unreachable!("{text} is one leaf")
            };
            assert_eq!(codes(&leaf), Some(expected), "{text}");
        }
    }
}
