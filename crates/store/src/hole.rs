//! Numbers without a record, and what is known of them: records that are lost, cannot be read, or were deleted.
//! Of the others nothing is told: they were never given to a record that anybody has seen.

use std::ops::Range;

use crate::followers::{Gap, GapReason};
use crate::snapshot::Damage;

/// A stretch of numbers that no record has.
#[derive(Debug)]
pub(crate) struct Hole {
    numbers: Range<u64>,
    gaps: Vec<Gap>,
}

impl Hole {
    pub(crate) fn new(numbers: Range<u64>) -> Self {
        Self {
            numbers,
            gaps: Vec::new(),
        }
    }

    /// Notes what became of some numbers, unless another reason is known. `records` is how many they were.
    pub(crate) fn put(
        &mut self,
        numbers: &Range<u64>,
        records: u64,
        reason: GapReason,
        damage: Option<&Damage>,
    ) {
        let own = numbers.start.max(self.numbers.start)..numbers.end.min(self.numbers.end);
        let known = self.gaps.iter().map(|gap| gap.numbers.clone());
        for numbers in left_over(own, known.collect()) {
            self.gaps.push(Gap {
                records: records.min(numbers.end - numbers.start),
                numbers,
                reason,
                damage: damage.cloned(),
            });
        }
    }

    /// What is known, in the order of numbers.
    pub(crate) fn gaps(mut self) -> Vec<Gap> {
        self.gaps.sort_by_key(|gap| gap.numbers.start);
        self.gaps
    }
}

/// The numbers that none of some stretches has.
pub(crate) fn left_over(numbers: Range<u64>, mut taken: Vec<Range<u64>>) -> Vec<Range<u64>> {
    taken.sort_by_key(|taken| taken.start);
    let (mut left, mut next) = (Vec::new(), numbers.start);
    for taken in taken {
        if taken.start > next && next < numbers.end {
            left.push(next..taken.start.min(numbers.end));
        }
        next = next.max(taken.end);
    }
    if next < numbers.end {
        left.push(next..numbers.end);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_first_counts_and_numbers_outside_do_not() {
        let mut hole = Hole::new(10..50);
        hole.put(&(0..15), 15, GapReason::Lost, None);
        hole.put(&(30..35), 5, GapReason::Damaged, None);
        hole.put(&(12..40), 20, GapReason::Deleted, None);
        hole.put(&(60..70), 10, GapReason::Deleted, None);
        let gaps = hole.gaps();
        let told: Vec<_> = gaps
            .iter()
            .map(|gap| (gap.numbers.start, gap.numbers.end, gap.records, gap.reason))
            .collect();
        assert_eq!(
            told,
            [
                (10, 15, 5, GapReason::Lost),
                (15, 30, 15, GapReason::Deleted),
                (30, 35, 5, GapReason::Damaged),
                (35, 40, 5, GapReason::Deleted),
            ]
        );
    }

    #[test]
    fn what_is_left_over_is_in_order_and_inside() {
        let left = |taken: &[(u64, u64)]| {
            let taken = taken.iter().map(|(start, end)| *start..*end);
            let left = left_over(10..20, taken.collect()).into_iter();
            left.map(|numbers| (numbers.start, numbers.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(left(&[]), [(10, 20)]);
        assert_eq!(left(&[(15, 17), (1, 12)]), [(12, 15), (17, 20)]);
        assert_eq!(left(&[(1, 9), (25, 30)]), [(10, 20)]);
        assert_eq!(left(&[(1, 30)]), []);
        assert_eq!(left(&[(18, 30)]), [(10, 18)]);
    }
}
