//! Time stamps that count from 1970: seconds with or without a fraction, milliseconds, microseconds,
//! nanoseconds, told apart by their digits.

use model::Timestamp;

use super::stamp::{Stamp, StampForm};
use crate::cursor::Cursor;

/// Seconds that a number is believed to be a time with: the years 2001 to 2100.
const SECONDS: std::ops::Range<i64> = 1_000_000_000..4_102_444_800;

/// Reads such a stamp where white space or the end follows it. Any number of as many digits is one,
/// so only a priority in front makes it likely enough.
pub(super) fn stamp(text: &[u8]) -> Option<Stamp> {
    let mut at = Cursor::new(text);
    let time = epoch(&mut at, false)?;
    let is_end = matches!(at.peek(), None | Some(b' ' | b'\t'));
    is_end.then(|| Stamp {
        len: at.at(),
        time: Some(time),
        form: StampForm::Epoch,
        has_colon: false,
        has_year: true,
        has_zone: true,
        has_twelve_hours: false,
        is_certain: true,
    })
}

/// Reads a number of so many digits, seconds with a fraction only where it must have one.
pub(super) fn epoch(at: &mut Cursor<'_>, must_have_fraction: bool) -> Option<Timestamp> {
    let digits = at.take_digits();
    // Digits behind those of the seconds, and what one of them is worth.
    let nanos_each = match digits.len() {
        10 => 1_000_000_000,
        13 if !must_have_fraction => 1_000_000,
        16 if !must_have_fraction => 1_000,
        19 if !must_have_fraction => 1,
        _ => return None,
    };
    let (whole, rest) = digits.split_at_checked(10)?;
    let seconds = number(whole);
    let mut nanos = number(rest) * nanos_each;
    let is_fraction_next =
        at.peek() == Some(b'.') && at.peek_at(1).is_some_and(|byte| byte.is_ascii_digit());
    if rest.is_empty() && is_fraction_next {
        at.skip(1);
        let fraction = at.take_digits();
        let kept = fraction.get(..9).unwrap_or(fraction);
        nanos = (kept.len()..9).fold(number(kept), |nanos, _| 10 * nanos);
    } else if must_have_fraction {
        return None;
    }
    let time = Timestamp::from_seconds(seconds).plus_nanos(nanos);
    SECONDS.contains(&seconds).then_some(time)
}

/// The value of at most eighteen digits.
fn number(digits: &[u8]) -> i64 {
    let digits = digits.iter().map(|digit| i64::from(digit - b'0'));
    digits.fold(0, |value, digit| 10 * value + digit)
}
