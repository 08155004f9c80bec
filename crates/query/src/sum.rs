//! Sums that do not depend on the order of their members.
//!
//! Floating-point numbers are added in fixed point, in all the bits that they can have, and rounded
//! once at the end. So a sum is the same however records are spread over segments and threads.

use crate::ast::Number;

/// Bits of a digit.
const DIGIT_BITS: usize = 32;

/// Digits of the fixed-point form: floating point has bits from 2^-1074 to 2^1023, and a carry of
/// 64 bits is room for as many members as there can be.
const DIGITS: usize = 68;

/// The position of 2^0 among those bits.
const ONE_AT: usize = 1074;

/// Additions until carries have to be passed on: each adds less than 2^32 to a digit of 63 bits.
const ADDITIONS_MAX: u32 = 1 << 30;

/// The sum of numbers, exact until it is asked for.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    count: u64,
    integers: i128,
    decimals: Option<Box<FixedPoint>>,
}

impl Sum {
    /// Bytes of a sum of decimals, beside its own.
    pub const DECIMALS_BYTES: usize = DIGITS * 8;

    /// Adds a number.
    pub fn add(&mut self, number: Number) {
        self.count += 1;
        match number {
            Number::Integer(integer) => self.integers += i128::from(integer),
            Number::Decimal(decimal) => self.decimals.get_or_insert_default().add(decimal),
        }
    }

    /// How many numbers were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether decimals were added, which take more memory.
    pub fn has_decimals(&self) -> bool {
        self.decimals.is_some()
    }

    /// The sum, rounded to the nearest where it is no whole number of 64 bits; `None` of nothing.
    pub fn total(&self) -> Option<Number> {
        if self.count == 0 {
            return None;
        }
        match (&self.decimals, i64::try_from(self.integers)) {
            (None, Ok(integer)) => Some(Number::Integer(integer)),
            _ => Some(Number::Decimal(self.to_f64())),
        }
    }

    /// The sum divided by the count; `None` of nothing.
    pub fn mean(&self) -> Option<Number> {
        (self.count > 0).then(|| Number::Decimal(self.to_f64() / self.count as f64))
    }

    fn to_f64(&self) -> f64 {
        let Some(decimals) = &self.decimals else {
            return self.integers as f64;
        };
        let mut all = decimals.clone();
        all.add_integer(self.integers);
        all.to_f64()
    }
}

/// A number in fixed point, its lowest digit first. Digits may be larger than they should be, and
/// negative, until carries are passed on.
#[derive(Clone, Debug)]
struct FixedPoint {
    digits: [i64; DIGITS],
    additions: u32,
}

impl Default for FixedPoint {
    fn default() -> Self {
        Self {
            digits: [0; DIGITS],
            additions: 0,
        }
    }
}

impl FixedPoint {
    fn add(&mut self, decimal: f64) {
        let bits = decimal.to_bits();
        let exponent = usize::try_from(bits >> 52 & 0x7ff).unwrap_or(0);
        let fraction = bits & ((1 << 52) - 1);
        // Numbers below 2^-1022 lack the hidden bit.
        let (mantissa, at) = match exponent {
            0 => (fraction, 0),
            _ => (fraction | 1 << 52, exponent - 1),
        };
        self.add_bits(mantissa, at, decimal.is_sign_negative());
    }

    fn add_integer(&mut self, integer: i128) {
        let magnitude = integer.unsigned_abs();
        let low = magnitude as u64;
        let high = (magnitude >> 64) as u64;
        self.add_bits(low, ONE_AT, integer < 0);
        self.add_bits(high, ONE_AT + 64, integer < 0);
    }

    /// Adds `mantissa` times 2^`at`, counted from the lowest bit.
    fn add_bits(&mut self, mantissa: u64, at: usize, is_negative: bool) {
        if self.additions == ADDITIONS_MAX {
            self.carry();
        }
        self.additions += 1;
        let mut left = u128::from(mantissa) << (at % DIGIT_BITS);
        for digit in self.digits.iter_mut().skip(at / DIGIT_BITS) {
            if left == 0 {
                break;
            }
            let part = i64::from(left as u32);
            *digit += if is_negative { -part } else { part };
            left >>= DIGIT_BITS;
        }
    }

    /// Brings every digit but the last between 0 and 2^32. The last one has the sign.
    fn carry(&mut self) {
        let mut carry = 0;
        for digit in &mut self.digits {
            *digit += carry;
            carry = *digit >> DIGIT_BITS;
            *digit -= carry << DIGIT_BITS;
        }
        if let Some(last) = self.digits.last_mut() {
            *last += carry << DIGIT_BITS;
        }
        self.additions = 0;
    }

    /// The nearest number in floating point; the largest there is where it is beyond.
    fn to_f64(mut self: Box<Self>) -> f64 {
        self.carry();
        let is_negative = self.digits.last().is_some_and(|digit| *digit < 0);
        if is_negative {
            for digit in &mut self.digits {
                *digit = -*digit;
            }
            self.carry();
        }
        let magnitude = self.magnitude().min(f64::MAX);
        if is_negative { -magnitude } else { magnitude }
    }

    /// Of a number that is not negative, with its carries passed on.
    fn magnitude(&self) -> f64 {
        let Some(top) = self.digits.iter().rposition(|digit| *digit != 0) else {
            return 0.0;
        };
        let digit = |index: Option<usize>| {
            let digit = index.and_then(|index| self.digits.get(index));
            digit.map_or(0, |digit| *digit as u128)
        };
        // Three digits hold 64 bits from the highest on, wherever in its digit that is.
        let bits =
            digit(Some(top)) << 64 | digit(top.checked_sub(1)) << 32 | digit(top.checked_sub(2));
        let spare = 64_usize.saturating_sub(bits.leading_zeros() as usize);
        let lowest = top as i64 * 32 - 64 + spare as i64;
        let below = self.digits.iter().take(top.saturating_sub(2));
        let is_more =
            below.into_iter().any(|digit| *digit != 0) || bits & ((1_u128 << spare) - 1) != 0;
        // What is cut off counts for rounding in the lowest of 64 bits, far below those that stay.
        let head = (bits >> spare) as u64 | u64::from(is_more);
        if lowest < 0 {
            // Below the lowest bit of floating point there is nothing.
            return (head >> lowest.unsigned_abs().min(63)) as f64 * power_of_two(0);
        }
        head as f64 * power_of_two(lowest)
    }
}

/// 2 to a power, counted from the lowest bit of floating point.
fn power_of_two(at: i64) -> f64 {
    match u64::try_from(at).unwrap_or(0) {
        at @ 0..52 => f64::from_bits(1 << at),
        at @ 52..2098 => f64::from_bits((at - 51) << 52),
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(numbers: &[f64]) -> f64 {
        let mut sum = Sum::default();
        for number in numbers {
            sum.add(Number::Decimal(*number));
        }
        match sum.total() {
            Some(Number::Decimal(total)) => total,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sums_are_rounded_once() {
        for (numbers, expected) in [
            (&[0.1; 10][..], 1.0),
            (&[1e100, 1.0, -1e100], 1.0),
            (&[1e308, 1e308, -1e308], 1e308),
            (&[f64::MAX, f64::MAX], f64::MAX),
            (&[-f64::MAX, -f64::MAX], -f64::MAX),
            (&[5e-324, 5e-324], 1e-323),
            (&[-5e-324], -5e-324),
            (&[2.0_f64.powi(53), 1.0, 1e-300], 2.0_f64.powi(53) + 2.0),
            (&[2.0_f64.powi(53), 1.0], 2.0_f64.powi(53)),
            (&[2.5, -2.5], 0.0),
        ] {
            assert_eq!(total(numbers), expected, "{numbers:?}");
        }
    }

    #[test]
    fn whole_numbers_stay_whole() {
        let mut sum = Sum::default();
        assert_eq!((sum.total(), sum.mean()), (None, None));
        sum.add(Number::Integer(i64::MAX));
        sum.add(Number::Integer(-2));
        assert_eq!(sum.total(), Some(Number::Integer(i64::MAX - 2)));
        sum.add(Number::Integer(3));
        assert_eq!(sum.total(), Some(Number::Decimal(2.0_f64.powi(63))));
        sum.add(Number::Decimal(-(2.0_f64.powi(63))));
        assert_eq!(sum.total(), Some(Number::Decimal(0.0)));
        sum.add(Number::Integer(10));
        assert_eq!(sum.mean(), Some(Number::Decimal(2.0)));
    }

    proptest! {
        #[test]
        fn one_number_is_its_own_sum(number in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL) {
            prop_assert_eq!(total(&[number]), number);
        }

        #[test]
        fn two_numbers_add_up_as_in_floating_point(
            one in prop::num::f64::NORMAL,
            two in prop::num::f64::NORMAL,
        ) {
            prop_assert_eq!(total(&[one, two]), (one + two).clamp(-f64::MAX, f64::MAX));
        }

        #[test]
        fn the_order_makes_no_difference(
            numbers in prop::collection::vec(prop_oneof![prop::num::f64::NORMAL, -1e6..1e6], 2..20),
            half in 1_usize..20,
        ) {
            let mut turned = numbers.clone();
            turned.rotate_left(half.min(numbers.len()));
            prop_assert_eq!(total(&numbers), total(&turned));
            turned.extend(numbers.iter().map(|number| -number));
            prop_assert_eq!(total(&turned), 0.0);
        }
    }
}
