//! Time stamps: nanoseconds since the UNIX epoch, UTC, and their RFC 3339 form.

use std::fmt;

use crate::civil::{civil_from_days, days_from_civil, days_in_month};

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;

/// An instant: signed nanoseconds since 1970-01-01T00:00:00Z. Covers the years 1678 to 2261.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest instant that can be held.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest instant that can be held.
    pub const MAX: Self = Self(i64::MAX);

    /// From nanoseconds since the epoch.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// From whole seconds since the epoch; saturates outside the range.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(SECOND))
    }

    /// From a civil time at an offset east of UTC in seconds. `None` for an impossible date or one
    /// outside the range.
    pub fn from_civil(civil: CivilTime, offset_seconds: i32) -> Option<Self> {
        if !civil.is_valid() {
            return None;
        }
        let days = days_from_civil(i64::from(civil.year), civil.month, civil.day);
        let seconds = days * 86_400
            + i64::from(civil.hour) * 3_600
            + i64::from(civil.minute) * 60
            + i64::from(civil.second)
            - i64::from(offset_seconds);
        let nanos = seconds
            .checked_mul(SECOND)?
            .checked_add(i64::from(civil.nanosecond))?;
        Some(Self(nanos))
    }

    /// The civil time in UTC.
    pub fn to_civil(self) -> CivilTime {
        let seconds = self.0.div_euclid(SECOND);
        let (year, month, day) = civil_from_days(seconds.div_euclid(86_400));
        let of_day = seconds.rem_euclid(86_400);
        let narrow = |value: i64| u8::try_from(value).unwrap_or(0);
        CivilTime {
            year: i16::try_from(year).unwrap_or(0),
            month,
            day,
            hour: narrow(of_day / 3_600),
            minute: narrow(of_day / 60 % 60),
            second: narrow(of_day % 60),
            nanosecond: u32::try_from(self.0.rem_euclid(SECOND)).unwrap_or(0),
        }
    }

    /// Nanoseconds since the epoch.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// This instant moved by a signed number of nanoseconds; saturates.
    #[must_use]
    pub const fn plus_nanos(self, nanos: i64) -> Self {
        Self(self.0.saturating_add(nanos))
    }

    /// The day (UTC) this instant falls on, counted from 1970-01-01.
    pub const fn day(self) -> i64 {
        self.0.div_euclid(86_400 * SECOND)
    }

    /// Parses an RFC 3339 time stamp, strictly: `2026-11-21T18:47:27.120+01:00`. `T` may be a
    /// space; up to nine digits of fraction; `Z`, `z` or a numeric offset is required; second 60
    /// is taken as 59.
    pub fn parse_rfc3339(text: &[u8]) -> Result<Self, InvalidTime> {
        parse_rfc3339(text).ok_or(InvalidTime)
    }
}

/// RFC 3339 in UTC with nine digits of fraction: `2026-11-21T18:47:27.120000000Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = self.to_civil();
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z",
            c.year, c.month, c.day, c.hour, c.minute, c.second, c.nanosecond
        )
    }
}

/// The text is not an RFC 3339 time stamp in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidTime;

impl fmt::Display for InvalidTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an RFC 3339 time stamp such as 2026-11-21T18:47:27Z")
    }
}

impl std::error::Error for InvalidTime {}

/// A date and time of day without a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CivilTime {
    /// Year, proleptic Gregorian.
    pub year: i16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day of the month, from 1.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, 0 to 59.
    pub second: u8,
    /// Nanosecond, 0 to 999,999,999.
    pub nanosecond: u32,
}

impl CivilTime {
    /// Whether every part is in range and the day exists in its month.
    pub fn is_valid(&self) -> bool {
        (1..=12).contains(&self.month)
            && self.day >= 1
            && self.day <= days_in_month(i64::from(self.year), self.month)
            && self.hour <= 23
            && self.minute <= 59
            && self.second <= 59
            && self.nanosecond < 1_000_000_000
    }
}

/// A half-open range of time: `start` included, `end` excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// First instant inside.
    pub start: Timestamp,
    /// First instant behind.
    pub end: Timestamp,
}

impl TimeRange {
    /// Every instant but the very last nanosecond of the year 2262.
    pub const ALL: Self = Self {
        start: Timestamp::MIN,
        end: Timestamp::MAX,
    };

    /// Whether the instant lies inside.
    pub fn contains(&self, time: Timestamp) -> bool {
        self.start <= time && time < self.end
    }

    /// Whether nothing can lie inside.
    pub fn is_empty(&self) -> bool {
        self.end <= self.start
    }

    /// Whether any instant of `first..=last` lies inside.
    pub fn overlaps(&self, first: Timestamp, last: Timestamp) -> bool {
        self.start <= last && first < self.end
    }

    /// Whether all of `first..=last` lies inside.
    pub fn covers(&self, first: Timestamp, last: Timestamp) -> bool {
        self.start <= first && last < self.end
    }
}

fn parse_rfc3339(text: &[u8]) -> Option<Timestamp> {
    let (date, rest) = text.split_at_checked(10)?;
    let (&separator, rest) = rest.split_first()?;
    let (clock, mut rest) = rest.split_at_checked(8)?;
    if !matches!(separator, b'T' | b't' | b' ') {
        return None;
    }
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = date else {
        return None;
    };
    let &[h1, h2, b':', n1, n2, b':', s1, s2] = clock else {
        return None;
    };
    let mut nanosecond = 0;
    if let Some((b'.' | b',', after)) = rest.split_first() {
        let digits = after
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (fraction, after) = after.split_at_checked(digits)?;
        nanosecond = fraction_nanos(fraction)?;
        rest = after;
    }
    let offset_seconds = parse_offset(rest)?;
    let civil = CivilTime {
        year: i16::try_from(number(&[y1, y2, y3, y4])?).ok()?,
        month: u8::try_from(number(&[m1, m2])?).ok()?,
        day: u8::try_from(number(&[d1, d2])?).ok()?,
        hour: u8::try_from(number(&[h1, h2])?).ok()?,
        minute: u8::try_from(number(&[n1, n2])?).ok()?,
        second: u8::try_from(number(&[s1, s2])?).ok()?,
        nanosecond,
    };
    let civil = if civil.second == 60 {
        CivilTime {
            second: 59,
            ..civil
        }
    } else {
        civil
    };
    Timestamp::from_civil(civil, offset_seconds)
}

/// Nanoseconds of one to nine digits behind a decimal point.
fn fraction_nanos(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let scale = 10_u32.pow(u32::try_from(9 - digits.len()).ok()?);
    Some(number(digits)? * scale)
}

/// `Z`, `+01:00`, `-0530` or `+01` into seconds east of UTC.
fn parse_offset(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'Z' | b'z'] => return Some(0),
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match *digits {
        [a, b, b':', c, d] | [a, b, c, d] => (number(&[a, b])?, number(&[c, d])?),
        [a, b] => (number(&[a, b])?, 0),
        _ => return None,
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    Some(sign * i32::try_from(hours * 3_600 + minutes * 60).ok()?)
}

/// The offset in seconds of a zone's abbreviation, as devices write it behind the time.
///
/// Known are those of RFC 5322 section 4.3 (`CST` is the American one) and some that only one zone
/// uses. `IST` and others that mean several zones are left to the configured zone.
pub fn zone_offset_seconds(abbreviation: &[u8]) -> Option<i32> {
    let quarter_hours = match abbreviation {
        b"UTC" | b"UT" | b"GMT" | b"Z" | b"WET" => 0,
        b"CET" | b"MET" | b"WEST" | b"BST" => 4,
        b"CEST" | b"MEST" | b"EET" => 8,
        b"EEST" | b"MSK" => 12,
        b"JST" | b"KST" => 36,
        b"AEST" => 40,
        b"AEDT" => 44,
        b"NZST" => 48,
        b"NZDT" => 52,
        b"NDT" => -10,
        b"ADT" => -12,
        b"NST" => -14,
        b"AST" | b"EDT" => -16,
        b"EST" | b"CDT" => -20,
        b"CST" | b"MDT" => -24,
        b"MST" | b"PDT" => -28,
        b"PST" | b"AKDT" => -32,
        b"AKST" => -36,
        b"HST" => -40,
        _ => return None,
    };
    Some(quarter_hours * 15 * 60)
}

/// A number of at most nine ASCII digits.
fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |value, byte| {
        byte.is_ascii_digit()
            .then(|| value * 10 + u32::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let parsed = Timestamp::parse_rfc3339(text.as_bytes())
            .ok()
            .map(|t| t.to_string());
        assert_eq!(parsed.as_deref(), expected, "{text}");
    }

    #[test]
    fn rfc3339_is_parsed_and_printed_in_utc() {
        check(
            "1970-01-01T00:00:00Z",
            Some("1970-01-01T00:00:00.000000000Z"),
        );
        check(
            "2026-11-21T18:47:27.120+01:00",
            Some("2026-11-21T17:47:27.120000000Z"),
        );
        check(
            "2026-11-21 18:47:27,5-05:30",
            Some("2026-11-22T00:17:27.500000000Z"),
        );
        check(
            "1969-12-31T23:59:59.999999999Z",
            Some("1969-12-31T23:59:59.999999999Z"),
        );
        check(
            "2024-02-29T23:59:60Z",
            Some("2024-02-29T23:59:59.000000000Z"),
        );
    }

    #[test]
    fn what_is_not_rfc3339_is_refused() {
        for text in [
            "",
            "2026-11-21",
            "2026-11-21T18:47:27",
            "2026-13-21T18:47:27Z",
            "2025-02-29T00:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T18:47:27.Z",
            "2026-11-21T18:47:27.1234567890Z",
            "2026-11-21T18:47:27+24:00",
            "9999-11-21T18:47:27Z",
            "2026-11-21T18:47:61Z",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn ranges_are_half_open() {
        let at = Timestamp::from_seconds;
        let range = TimeRange {
            start: at(10),
            end: at(20),
        };
        assert!(range.contains(at(10)) && !range.contains(at(20)));
        assert!(range.overlaps(at(0), at(10)) && !range.overlaps(at(20), at(30)));
        assert!(range.covers(at(10), at(19)) && !range.covers(at(10), at(20)));
    }
}
