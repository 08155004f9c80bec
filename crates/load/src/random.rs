//! Numbers that look random and are the same for the same seed.
//!
//! SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): a
//! counter and a mixing function. Eight bytes of state, passes BigCrush, and any seed will do. It
//! keeps no secret and is not meant to.

/// The golden ratio in 64 bits; the step of the counter.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

/// Mixes a number so that each bit of the result depends on all of its bits.
pub(crate) fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// 0 to `end` exclusive; 0 if that is empty. The bias of the multiplication is below 2^-32 for
    /// the small ends used here.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(end);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// `first` to `last`, both included.
    pub(crate) fn range(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last.saturating_sub(first) + 1)
    }

    /// True once in `of` times.
    pub(crate) fn once_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }

    /// 0 to 1 exclusive.
    pub(crate) fn unit(&mut self) -> f64 {
        // 53 bits are what the fraction holds: the conversion is exact.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Exponentially distributed: times between independent events.
    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// 0 to `end` exclusive, the smaller the more often: about as Zipf's law has it.
    pub(crate) fn skewed(&mut self, end: u64) -> u64 {
        let value = ((end + 1) as f64).powf(self.unit()) as u64;
        value.saturating_sub(1).min(end.saturating_sub(1))
    }

    /// One of a list, each as often.
    pub(crate) fn pick<T: Copy + Default>(&mut self, items: &[T]) -> T {
        let index = usize::try_from(self.below(items.len() as u64)).unwrap_or(0);
        items.get(index).copied().unwrap_or_default()
    }

    /// One of a list, as often as its weight says; `None` from an empty list.
    pub(crate) fn weighted<T: Copy>(&mut self, items: &[(u64, T)]) -> Option<T> {
        let total: u64 = items.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(total);
        for (weight, item) in items {
            if at < *weight {
                return Some(*item);
            }
            at -= weight;
        }
        None
    }

    /// So many hexadecimal digits.
    pub(crate) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits);
        while text.len() < digits {
            let more = format!("{:016x}", self.next());
            let missing = digits - text.len();
            text += more.get(..missing.min(more.len())).unwrap_or_default();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_paper() {
        // The reference implementation's first outputs for seed 1234567.
        let mut random = Random::new(1_234_567);
        let first: Vec<_> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn draws_stay_in_range_and_use_all_of_it() {
        let mut random = Random::new(1);
        let mut seen = [0_u32; 6];
        let mut skewed = [0_u32; 6];
        for _ in 0..6_000 {
            seen[usize::try_from(random.range(10, 15) - 10).expect("small")] += 1;
            skewed[usize::try_from(random.skewed(6)).expect("small")] += 1;
            assert!((0.0..1.0).contains(&random.unit()));
            assert!(random.exponential(1.0) >= 0.0);
        }
        assert!(
            seen.iter().all(|count| (850..1_150).contains(count)),
            "{seen:?}"
        );
        assert!(skewed.is_sorted_by(|more, less| more > less), "{skewed:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.weighted::<u8>(&[]), None);
        assert_eq!(random.pick::<&str>(&[]), "");
        assert_eq!(random.hex(33).len(), 33);
    }
}
