//! Times as people type them: `2026-11-21T18:47:27Z`, `2026-11-21`, `1795286847.5`, `now-1h30m`.

use std::fmt;

use model::{CivilTime, Timestamp};

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;

/// The units of a time relative to now, in nanoseconds; `ms` before `m`.
const UNITS: [(&str, i64); 6] = [
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
    ("d", 86_400 * SECOND),
    ("w", 7 * 86_400 * SECOND),
];

/// Reads a time: RFC 3339; a date, which is its midnight in UTC; UNIX seconds, also with a fraction
/// of up to nine digits; or `now`, `now-1h30m`, `now+5m` with the units ms, s, m, h, d and w, where
/// a day is 24 hours. White space around it is ignored.
pub fn parse_time(text: &str, now: Timestamp) -> Result<Timestamp, InvalidTimeText> {
    let text = text.trim();
    relative(text, now)
        .or_else(|| unix_seconds(text))
        .or_else(|| date(text))
        .or_else(|| Timestamp::parse_rfc3339(text.as_bytes()).ok())
        .ok_or_else(|| InvalidTimeText { text: text.into() })
}

/// A text that is no time, or one outside the years 1678 to 2261.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTimeText {
    /// The text, without white space around it.
    pub text: String,
}

impl fmt::Display for InvalidTimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no time; write RFC 3339 with a zone (2026-11-21T18:47:27Z), a date \
             (2026-11-21), UNIX seconds (1795286847), or now, now-1h30m, now+5m with the units ms, \
             s, m, h, d, w",
            self.text
        )
    }
}

impl std::error::Error for InvalidTimeText {}

/// `now`, and what is added to or taken from it.
fn relative(text: &str, now: Timestamp) -> Option<Timestamp> {
    let offset = text.strip_prefix("now")?;
    if offset.is_empty() {
        return Some(now);
    }
    let (sign, mut rest) = match offset.split_at_checked(1)? {
        ("-", rest) => (-1, rest),
        ("+", rest) => (1, rest),
        _ => return None,
    };
    let mut nanos = 0_i64;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, behind) = rest.split_at(digits);
        let (unit, unit_nanos) = UNITS.iter().find(|(unit, _)| behind.starts_with(unit))?;
        let part = number.parse::<i64>().ok()?.checked_mul(*unit_nanos)?;
        nanos = nanos.checked_add(part)?;
        rest = behind.strip_prefix(unit)?;
        if rest.is_empty() {
            break;
        }
    }
    let moved = now.nanos().checked_add(nanos.checked_mul(sign)?)?;
    Some(Timestamp::from_nanos(moved))
}

/// `1795286847` or `1795286847.25`, also negative.
fn unix_seconds(text: &str) -> Option<Timestamp> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let seconds: i64 = whole.parse().ok()?;
    let fraction: i64 = format!("{fraction:0<9}").parse().ok()?;
    let nanos = seconds.checked_mul(SECOND)?.checked_add(fraction)?;
    Some(Timestamp::from_nanos(nanos * sign))
}

/// `2026-11-21`.
fn date(text: &str) -> Option<Timestamp> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let is_date = [(year, 4), (month, 2), (day, 2)]
        .iter()
        .all(|(part, len)| part.len() == *len && part.bytes().all(|b| b.is_ascii_digit()));
    if !is_date {
        return None;
    }
    let civil = CivilTime {
        year: year.parse().ok()?,
        month: month.parse().ok()?,
        day: day.parse().ok()?,
        ..CivilTime::default()
    };
    Timestamp::from_civil(civil, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn check(text: &str, nanos: Option<i64>) {
        let seen = parse_time(text, NOW).ok().map(Timestamp::nanos);
        assert_eq!(seen, nanos, "{text}");
    }

    #[test]
    fn every_form_is_read() {
        check("1970-01-01T00:00:01.5Z", Some(1_500_000_000));
        check("1970-01-01 01:00:00+01:00", Some(0));
        check("1970-01-02", Some(86_400 * SECOND));
        check("0", Some(0));
        check(" 12 ", Some(12 * SECOND));
        check("12.25", Some(12_250_000_000));
        check("0.000000001", Some(1));
        check("-1.5", Some(-1_500_000_000));
        check("now", Some(NOW.nanos()));
        check("now-1h30m", Some(NOW.nanos() - 5_400 * SECOND));
        check("now+5m", Some(NOW.nanos() + 300 * SECOND));
        check("now-1w2d3h4m5s6ms", Some(NOW.nanos() - 788_645_006_000_000));
        check("now-0s", Some(NOW.nanos()));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "yesterday",
            "now-",
            "now-1",
            "now-h",
            "now1h",
            "now-1y",
            "now-1h30",
            "now -1h",
            "now--1h",
            "1970-01-01T00:00:00",
            "1970-1-1",
            "1970-02-30",
            "1e9",
            "1.",
            ".5",
            "1.0000000001",
            "+1",
            "9223372037",
            "now-99999999999999w",
            "now+300000w",
            "2300-01-01",
        ] {
            check(text, None);
        }
        let error = parse_time(" 5 pm", NOW)
            .expect_err("it is none")
            .to_string();
        assert!(
            error.starts_with("`5 pm` is no time; write RFC 3339"),
            "{error}"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(now)?[-+0-9.TZ:msh ]{0,24}|\\PC{0,12}") {
            let _ = parse_time(&text, NOW);
        }

        #[test]
        fn what_is_printed_is_read(nanos in i64::MIN / 2..i64::MAX) {
            let time = Timestamp::from_nanos(nanos);
            prop_assert_eq!(parse_time(&time.to_string(), NOW), Ok(time));
        }
    }
}
