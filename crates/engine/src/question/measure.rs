//! Numbers made of numbers, exact whatever the order they come in.

use std::cmp::Ordering;
use std::collections::HashMap;

use query::{Measure, Number, Sum};

use crate::question::groups::Room;

/// Memory of one different number of a percentile: the number, its count, its place in the table.
const NUMBER_BYTES: usize = 48;

/// What is known of the numbers so far.
#[derive(Debug, Default)]
pub(super) enum Measured {
    /// No number yet.
    #[default]
    Nothing,
    Sum(Box<Sum>),
    Extreme(Number),
    /// Each number and how often it came; decimals by their bits.
    Counts(HashMap<Key, u64>),
}

/// A number that can be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Integer(i64),
    Decimal(u64),
}

impl Key {
    fn of(number: Number) -> Self {
        match number.without_negative_zero() {
            Number::Integer(integer) => Self::Integer(integer),
            Number::Decimal(decimal) => Self::Decimal(decimal.to_bits()),
        }
    }

    fn number(self) -> Number {
        match self {
            Self::Integer(integer) => Number::Integer(integer),
            Self::Decimal(bits) => Number::Decimal(f64::from_bits(bits)),
        }
    }
}

impl Measured {
    /// Adds a number; returns the bytes of memory that it took, or would take where there is no
    /// room for it.
    pub(super) fn add(&mut self, measure: Measure, number: Number, room: Room) -> usize {
        match measure {
            Measure::Sum | Measure::Avg => self.add_to_sum(number, room),
            Measure::Min => self.keep(number, |new, old| new.order(old).is_lt()),
            Measure::Max => self.keep(number, |new, old| match new.compare(old) {
                Ordering::Greater => true,
                // Of equal numbers, the whole one.
                Ordering::Equal => new.order(old).is_lt(),
                Ordering::Less => false,
            }),
            Measure::Percentile(_) => self.count(number, room),
        }
    }

    /// The same so many times.
    pub(super) fn add_times(
        &mut self,
        measure: Measure,
        number: Number,
        times: u64,
        room: Room,
    ) -> usize {
        let mut bytes = 0;
        for _ in 0..times {
            bytes += self.add(measure, number, Room(room.0.saturating_sub(bytes)));
            // The same number is kept once.
            if matches!(measure, Measure::Min | Measure::Max) {
                break;
            }
        }
        bytes
    }

    fn add_to_sum(&mut self, number: Number, room: Room) -> usize {
        if let Self::Nothing = self {
            *self = Self::Sum(Box::default());
        }
        let Self::Sum(sum) = self else { return 0 };
        let is_larger = matches!(number, Number::Decimal(_)) && !sum.has_decimals();
        let bytes = if is_larger { Sum::DECIMALS_BYTES } else { 0 };
        if bytes <= room.0 {
            sum.add(number);
        }
        bytes
    }

    fn keep(&mut self, number: Number, is_better: impl Fn(Number, Number) -> bool) -> usize {
        match self {
            Self::Extreme(known) if !is_better(number, *known) => {}
            _ => *self = Self::Extreme(number),
        }
        0
    }

    fn count(&mut self, number: Number, room: Room) -> usize {
        if let Self::Nothing = self {
            *self = Self::Counts(HashMap::new());
        }
        let Self::Counts(counts) = self else { return 0 };
        if let Some(count) = counts.get_mut(&Key::of(number)) {
            *count += 1;
            return 0;
        }
        if NUMBER_BYTES <= room.0 {
            counts.insert(Key::of(number), 1);
        }
        NUMBER_BYTES
    }

    /// The number; `None` where there was none.
    pub(super) fn finish(&self, measure: Measure) -> Option<Number> {
        let number = match (self, measure) {
            (Self::Nothing, _) => None,
            (Self::Sum(sum), Measure::Avg) => sum.mean(),
            (Self::Sum(sum), _) => sum.total(),
            (Self::Extreme(number), _) => Some(*number),
            (Self::Counts(counts), Measure::Percentile(thousandths)) => {
                percentile(counts, thousandths)
            }
            (Self::Counts(_), _) => None,
        };
        number.map(Number::without_negative_zero)
    }
}

/// The smallest number that so many thousandths of all do not exceed.
fn percentile(counts: &HashMap<Key, u64>, thousandths: u16) -> Option<Number> {
    let mut counts: Vec<(Number, u64)> = counts
        .iter()
        .map(|(key, count)| (key.number(), *count))
        .collect();
    counts.sort_unstable_by(|(one, _), (two, _)| one.order(*two));
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let mut rank = (u128::from(total) * u128::from(thousandths)).div_ceil(1_000);
    for (number, count) in counts {
        if rank <= u128::from(count) {
            return Some(number);
        }
        rank -= u128::from(count);
    }
    None
}
