//! The test of a leaf, asked of texts one by one.

use std::ops::RangeInclusive;

use super::reach::{self, AsciiSet, Needed};
use super::{FoldedText, SearchScratch, TextTest};
use crate::ast::{Comparison, Number, Test};
use crate::required::Required;

/// A test made ready to be asked of many texts. Holds scratch memory, hence `&mut`.
#[derive(Clone, Debug)]
pub struct TextMatcher {
    test: TextTest,
    folded: FoldedText,
    search: SearchScratch,
    /// Whether an expression says nothing of what is around its match.
    is_free: bool,
    /// What no match reaches across is not in here.
    reach: AsciiSet,
    needed: Needed,
    ignores_digits: bool,
}

impl TextMatcher {
    /// Compiles a test.
    pub fn new(test: &Test) -> Self {
        let is_free = match test {
            Test::Regex(pattern) => Required::of(pattern).is_free,
            _ => false,
        };
        Self {
            test: TextTest::new(test),
            folded: FoldedText::default(),
            search: SearchScratch::default(),
            is_free,
            reach: AsciiSet::of_matches(test),
            needed: Needed::of(test),
            ignores_digits: reach::ignores_digits(test),
        }
    }

    /// Whether the text passes; the same answer as [`crate::naive::matches_text`].
    pub fn passes(&mut self, text: &[u8]) -> bool {
        self.folded.reset();
        self.test.matches(text, &mut self.folded, &mut self.search)
    }

    /// The whole numbers that pass, of a test of whole numbers: a text that is one passes just where it
    /// is among them.
    pub fn integers(&self) -> Option<RangeInclusive<i64>> {
        let TextTest::Number(test) = &self.test else {
            return None;
        };
        let (min, max) = (i64::MIN, i64::MAX);
        Some(match test {
            Test::Compare {
                comparison,
                number: Number::Integer(number),
            } => match comparison {
                Comparison::Less => min..=number.checked_sub(1)?,
                Comparison::LessOrEqual => min..=*number,
                Comparison::Equal => *number..=*number,
                Comparison::GreaterOrEqual => *number..=max,
                Comparison::Greater => number.checked_add(1)?..=max,
            },
            Test::Between {
                low: Number::Integer(low),
                high: Number::Integer(high),
            } => *low..=*high,
            _ => return None,
        })
    }

    /// Whether a byte is ASCII and no match reaches across it: a text that has such bytes passes just where
    /// [`Self::passes_around`] is true of what stands from one of them to the next, with both, or to an end
    /// of the text.
    pub fn is_cut(&self, byte: u8) -> bool {
        !self.reach.has(byte)
    }

    /// Whether a text that passes still does with other digits in place of those that stand beside each other
    /// in it, any number of them but none, and one that does not does not.
    pub fn ignores_digits(&self) -> bool {
        self.ignores_digits
    }

    /// Whether a text may pass that has no others than these bytes, one bit each.
    pub fn may_pass_with(&self, bytes: &[u64; 4]) -> bool {
        self.needed.are_met_by(bytes)
    }

    /// Whether every text passes that has these bytes in it, as far as that is easily seen; that starts
    /// with them, or ends, where that is said.
    pub fn passes_around(&mut self, bytes: &[u8], starts: bool, ends: bool) -> bool {
        match &self.test {
            TextTest::Present => !bytes.is_empty(),
            TextTest::Number(_) | TextTest::Network(_) => false,
            TextTest::Regex(pattern) => self.is_free && pattern.regex().is_match(bytes),
            TextTest::Pattern(search) => {
                // Words at the ends may go on, and so be others.
                let tokens = search.tokens();
                let is_end = |byte: &u8| !tokens.joins(*byte);
                let start = match starts {
                    true => Some(0),
                    false => bytes.iter().position(is_end),
                };
                let end = match ends {
                    true => Some(bytes.len()),
                    false => bytes.iter().rposition(is_end).map(|last| last + 1),
                };
                let inside = start
                    .zip(end)
                    .and_then(|(start, end)| bytes.get(start..end));
                inside.is_some_and(|inside| self.passes(inside))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{any_bounded, any_leaf, any_text};
    use crate::{RegexPattern, naive};
    use proptest::prelude::*;
    use proptest::sample::select;

    fn any_test() -> impl Strategy<Value = Test> {
        let regex = select(vec![
            "a", "b[ab]", "^a", "a$", "\\ba", "(?i)k", "a|1", "a b", "",
        ]);
        prop_oneof![
            3 => any_leaf().prop_map(|leaf| leaf.test),
            2 => any_bounded(),
            1 => regex.prop_map(|text| Test::Regex(RegexPattern::new(text).expect("valid"))),
        ]
    }

    fn comparisons() -> impl Strategy<Value = Test> {
        let number = || {
            prop_oneof![
                8 => (-20_i64..20).prop_map(Number::Integer),
                2 => select(vec![i64::MIN, i64::MAX]).prop_map(Number::Integer),
                1 => Just(Number::Decimal(2.5)),
            ]
        };
        let comparison = select(vec![
            Comparison::Less,
            Comparison::LessOrEqual,
            Comparison::Equal,
            Comparison::GreaterOrEqual,
            Comparison::Greater,
        ]);
        prop_oneof![
            (comparison, number())
                .prop_map(|(comparison, number)| Test::Compare { comparison, number }),
            (number(), number()).prop_map(|(low, high)| Test::Between { low, high }),
        ]
    }

    proptest! {
        #[test]
        fn integers_pass_that_pass_as_texts(
            test in comparisons(),
            number in prop_oneof![-20_i64..20, Just(i64::MIN), Just(i64::MAX)],
        ) {
            let mut matcher = TextMatcher::new(&test);
            if let Some(integers) = matcher.integers() {
                let passes = matcher.passes(number.to_string().as_bytes());
                prop_assert_eq!(integers.contains(&number), passes, "{:?}", test);
            }
        }

        #[test]
        fn texts_pass_that_pass_for_the_oracle(test in any_test(), text in any_text()) {
            let mut matcher = TextMatcher::new(&test);
            prop_assert_eq!(matcher.passes(&text), naive::matches_text(&test, &text));
        }

        #[test]
        fn what_passes_has_the_bytes_that_are_needed(test in any_test(), text in any_text()) {
            let mut bytes = [0; 4];
            text.iter().for_each(|byte| bytes[usize::from(byte / 64)] |= 1_u64 << (byte % 64));
            if naive::matches_text(&test, &text) {
                prop_assert!(TextMatcher::new(&test).may_pass_with(&bytes), "{:?}", text);
            }
        }

        #[test]
        fn other_digits_are_the_same_to_who_ignores_them(
            test in any_test(),
            pieces in prop::collection::vec((any_text(), "[0-9]{1,3}", "[0-9]{1,3}"), 1..4),
            (starts, ends) in any::<(bool, bool)>(),
        ) {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            for (text, digits, others) in &pieces {
                for (to, digits) in [(&mut one, digits), (&mut other, others)] {
                    to.extend_from_slice(text);
                    to.extend_from_slice(digits.as_bytes());
                }
            }
            let mut matcher = TextMatcher::new(&test);
            if matcher.ignores_digits() {
                let passes = [&one, &other].map(|text| naive::matches_text(&test, text));
                prop_assert_eq!(passes[0], passes[1], "{:?} {:?}", one, other);
                let passes = [&one, &other].map(|text| matcher.passes_around(text, starts, ends));
                prop_assert_eq!(passes[0], passes[1], "around {:?} {:?}", one, other);
            }
        }

        #[test]
        fn what_passes_does_between_two_cuts(test in any_test(), text in any_text()) {
            let mut matcher = TextMatcher::new(&test);
            let cuts: Vec<usize> = (0..text.len()).filter(|at| matcher.is_cut(text[*at])).collect();
            let ends = cuts.iter().map(|at| at + 1).chain([text.len()]);
            let starts = [0].into_iter().chain(cuts.iter().copied());
            let pieces: Vec<_> = starts.zip(ends).collect();
            let passes = pieces.into_iter().any(|(start, end)| {
                matcher.passes_around(&text[start..end], start == 0, end == text.len())
            });
            if !cuts.is_empty() {
                prop_assert_eq!(passes, naive::matches_text(&test, &text), "{:?}", text);
            }
        }

        #[test]
        fn what_passes_in_a_part_passes_in_the_whole(
            test in any_test(),
            before in any_text(),
            part in any_text(),
            behind in any_text(),
            (starts, ends) in any::<(bool, bool)>(),
        ) {
            if TextMatcher::new(&test).passes_around(&part, starts, ends) {
                let before = if starts { Vec::new() } else { before };
                let behind = if ends { Vec::new() } else { behind };
                let text = [before, part, behind].concat();
                prop_assert!(naive::matches_text(&test, &text), "{:?}", text);
            }
        }
    }
}
