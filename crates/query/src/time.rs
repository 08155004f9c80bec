//! Times as people type them: `2026-11-21T18:47:27Z`, `2026-11-21 18:47`, `yesterday 17:30`, `3h ago`,
//! `now-1h30m`, `1795286847.5`.
//!
//! The one definition for the API and the command line. The page turns what is typed there into
//! RFC 3339 itself, in the zone that it shows; `web/src/text/free-time.ts` has the same words.

use std::fmt;

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Zoned};
use model::Timestamp;

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;

/// The units of a length of time, in nanoseconds; a day is 24 hours.
const UNITS: [(&[&str], i64); 6] = [
    (&["ms", "millisecond", "milliseconds"], SECOND / 1_000),
    (&["s", "sec", "secs", "second", "seconds"], SECOND),
    (&["m", "min", "mins", "minute", "minutes"], 60 * SECOND),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600 * SECOND),
    (&["d", "day", "days"], 86_400 * SECOND),
    (&["w", "week", "weeks"], 7 * 86_400 * SECOND),
];

/// The days of a week, Monday first as in ISO 8601.
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// Reads a time, a date or a time of day without a zone in UTC.
///
/// # Errors
/// When the text is no time, or one outside the years 1678 to 2261.
pub fn parse_time(text: &str, now: Timestamp) -> Result<Timestamp, InvalidTimeText> {
    parse_time_in(text, now, &TimeZone::UTC)
}

/// Reads a time: RFC 3339; a date, which is its midnight, also with a time of day; a time of day, the
/// last one there was; `today`, `yesterday` or a weekday, the last one there was, also with a time
/// of day; UNIX seconds, also with a fraction of up to nine digits; or a length of time relative to
/// now: `now-1h30m`, `now+5m`, `-1h`, `3 hours ago`, and `now/d`, which is cut to the start of the
/// day. What has no zone of its own is read in `zone`.
///
/// # Errors
/// When the text is no time, or one outside the years 1678 to 2261.
pub fn parse_time_in(
    text: &str,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<Timestamp, InvalidTimeText> {
    let text = text.trim();
    Timestamp::parse_rfc3339(text.as_bytes())
        .ok()
        .or_else(|| unix_seconds(text))
        .or_else(|| from_words(text, now, zone))
        .ok_or_else(|| InvalidTimeText { text: text.into() })
}

/// Whether the text says how far from now a time is, and nothing of a date: it means the same in
/// every zone, and to whoever knows the time of day best.
pub fn is_relative_time(text: &str) -> bool {
    offset(&folded(text)).is_some()
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
            "`{}` is no time; write one such as 2026-11-21T18:47:27Z, 2026-11-21 18:47, 2026-11-21, \
             18:47, yesterday 17:30, monday, 3h ago, now-1h30m with the units ms, s, m, h, d, w, or \
             UNIX seconds (1795286847)",
            self.text
        )
    }
}

impl std::error::Error for InvalidTimeText {}

/// In lower case, with one space where there is white space.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_ascii_lowercase()
}

fn from_words(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = folded(text);
    if let Some(nanos) = offset(&text) {
        return moved(now, nanos);
    }
    let here = zoned(now, zone)?;
    if let Some((start, unit)) = text.split_once('/') {
        let start = zoned(moved(now, offset(start)?)?, zone)?;
        return instant(start_of(unit, start.datetime())?, zone);
    }
    if let Some(time) = clock(&text) {
        let is_over = time <= here.time();
        let day = if is_over {
            here.date()
        } else {
            here.date().yesterday().ok()?
        };
        return instant(day.to_datetime(time), zone);
    }
    let (day, rest) = day(&text, here.date())?;
    let time = match rest.trim_start_matches([',', ' ']) {
        "" => Time::midnight(),
        rest => clock(rest)?,
    };
    instant(day.to_datetime(time), zone)
}

/// Nanoseconds from now: of `now`, `now-1h30m`, `-1h`, `+5m`, `3 hours ago`.
fn offset(text: &str) -> Option<i64> {
    if let Some(length) = text.strip_suffix(" ago") {
        let number = length.strip_prefix("an ").or(length.strip_prefix("a "));
        return match number {
            Some(unit) => length_of(&format!("1 {unit}"))?.checked_neg(),
            None => length_of(length)?.checked_neg(),
        };
    }
    let offset = text.strip_prefix("now").unwrap_or(text);
    if offset.is_empty() && !text.is_empty() {
        return Some(0);
    }
    let (sign, length) = match offset.split_at_checked(1)? {
        ("-", length) => (-1, length),
        ("+", length) => (1, length),
        _ => return None,
    };
    let is_compact = !length.contains(' ');
    length_of(length).filter(|_| is_compact)?.checked_mul(sign)
}

/// Nanoseconds of `1h30m` or `2 hours 5 minutes`.
fn length_of(text: &str) -> Option<i64> {
    let mut rest = text.trim();
    let mut nanos = 0_i64;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, behind) = rest.split_at(digits);
        let behind = behind.trim_start();
        let letters = behind.find(|c: char| !c.is_ascii_alphabetic());
        let (word, behind) = behind.split_at(letters.unwrap_or(behind.len()));
        let (_, unit) = UNITS.iter().find(|(words, _)| words.contains(&word))?;
        let part = number.parse::<i64>().ok()?.checked_mul(*unit)?;
        nanos = nanos.checked_add(part)?;
        rest = behind.trim_start();
        if rest.is_empty() {
            return Some(nanos);
        }
    }
}

/// The start of the second, minute, hour, day or week that a time is in.
fn start_of(unit: &str, time: DateTime) -> Option<DateTime> {
    let date = time.date();
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    match unit {
        "s" => Some(date.at(hour, minute, second, 0)),
        "m" => Some(date.at(hour, minute, 0, 0)),
        "h" => Some(date.at(hour, 0, 0, 0)),
        "d" => Some(date.at(0, 0, 0, 0)),
        "w" => {
            let monday = i64::from(date.weekday().to_monday_zero_offset());
            let date = date.checked_sub(Span::new().try_days(monday).ok()?).ok()?;
            Some(date.at(0, 0, 0, 0))
        }
        _ => None,
    }
}

/// The day that a text starts with, and the text behind it.
fn day(text: &str, today: Date) -> Option<(Date, &str)> {
    if let Some((date, rest)) = text.split_at_checked(10)
        && let Some(date) = date_of(date)
    {
        // `T` between date and time is as good as a space.
        let rest = rest.strip_prefix('t').unwrap_or(rest);
        return Some((date, rest));
    }
    let (is_last, text) = match text.strip_prefix("last ") {
        Some(text) => (true, text),
        None => (false, text),
    };
    let end = text.find([' ', ',']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let date = match name {
        "today" if !is_last => today,
        "yesterday" if !is_last => today.yesterday().ok()?,
        name => {
            let (_, weekday) = WEEKDAYS.iter().find(|(known, _)| *known == name)?;
            let is_today = today.weekday() == *weekday;
            match is_today && !is_last {
                true => today,
                false => today.nth_weekday(-1, *weekday).ok()?,
            }
        }
    };
    Some((date, rest))
}

/// `2026-11-21`.
fn date_of(text: &str) -> Option<Date> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let is_date = [(year, 4), (month, 2), (day, 2)]
        .iter()
        .all(|(part, len)| part.len() == *len && is_number(part));
    if !is_date {
        return None;
    }
    let (month, day) = (month.parse().ok()?, day.parse().ok()?);
    Date::new(year.parse().ok()?, month, day).ok()
}

/// `17:30`, `17:30:05.25`, `5:30 pm`, `5pm`, each also behind `at`.
fn clock(text: &str) -> Option<Time> {
    let text = text.strip_prefix("at ").unwrap_or(text);
    let (text, half) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(text), _) => (text.trim_end(), Some(0)),
        (_, Some(text)) => (text.trim_end(), Some(12)),
        (None, None) => (text, None),
    };
    let (text, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = text.split(':');
    let hour = parts.next().filter(|hour| hour.len() <= 2)?;
    let rest: Vec<&str> = parts.collect();
    let are_two_digits = rest.iter().all(|part| part.len() == 2 && is_number(part));
    let is_alone = rest.is_empty() && half.is_none();
    if !is_number(hour) || !are_two_digits || rest.len() > 2 || is_alone {
        return None;
    }
    let hour: i8 = hour.parse().ok()?;
    let hour = match half {
        None => hour,
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
    };
    let part = |index: usize| rest.get(index).map_or(Ok(0), |part| part.parse::<i8>());
    let nanos = fraction_nanos(fraction).filter(|nanos| *nanos == 0 || rest.len() == 2)?;
    let nanos = i32::try_from(nanos).ok()?;
    Time::new(hour, part(0).ok()?, part(1).ok()?, nanos).ok()
}

/// `1795286847` or `1795286847.25`, also negative.
fn unix_seconds(text: &str) -> Option<Timestamp> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if !is_number(whole) {
        return None;
    }
    let seconds: i64 = whole.parse().ok()?;
    let fraction = fraction_nanos(fraction)?;
    let nanos = seconds.checked_mul(SECOND)?.checked_add(fraction)?;
    Some(Timestamp::from_nanos(nanos * sign))
}

/// Nanoseconds of up to nine digits behind a point.
fn fraction_nanos(digits: &str) -> Option<i64> {
    if !is_number(digits) || digits.len() > 9 {
        return None;
    }
    format!("{digits:0<9}").parse().ok()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn moved(now: Timestamp, nanos: i64) -> Option<Timestamp> {
    now.nanos().checked_add(nanos).map(Timestamp::from_nanos)
}

fn zoned(time: Timestamp, zone: &TimeZone) -> Option<Zoned> {
    let time = jiff::Timestamp::from_nanosecond(i128::from(time.nanos())).ok()?;
    Some(time.to_zoned(zone.clone()))
}

/// The instant of a civil time. Of an hour that the zone has twice, the first; in one that it skips,
/// as late as the clock would have been without the change.
fn instant(time: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let time = zone.to_ambiguous_timestamp(time).compatible().ok()?;
    let nanos = i64::try_from(time.as_nanosecond()).ok()?;
    Some(Timestamp::from_nanos(nanos))
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
            "now-",
            "now-1",
            "now-h",
            "now1h",
            "now-1y",
            "now-1h30",
            "now -1h",
            "now--1h",
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
            "25:00",
            "17:3",
            "13 pm",
            "0 am",
            "17:30.5",
            "1970-01-01 17",
            "yesterday noonish",
            "last today",
            "3 fortnights ago",
            "ago",
            "now/y",
            "now-1h/",
            "-",
            "1h",
        ] {
            check(text, None);
        }
        let error = parse_time(" noonish", NOW).expect_err("it is none");
        let error = error.to_string();
        assert!(error.starts_with("`noonish` is no time; write"), "{error}");
        for form in ["18:47", "yesterday 17:30", "3h ago", "now-1h30m"] {
            assert!(error.contains(form), "{error}");
            assert!(parse_time(form, NOW).is_ok(), "{form}");
        }
    }

    /// A Saturday, 19:47:27 in Budapest.
    fn saturday() -> Timestamp {
        Timestamp::parse_rfc3339(b"2026-11-21T18:47:27Z").expect("a time")
    }

    fn budapest() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone")
    }

    #[track_caller]
    fn check_in(zone: &TimeZone, text: &str, expected: &str) {
        let expected = Timestamp::parse_rfc3339(expected.as_bytes()).expect("a time");
        assert_eq!(
            parse_time_in(text, saturday(), zone),
            Ok(expected),
            "{text}"
        );
    }

    #[test]
    fn words_are_read_as_the_page_reads_them() {
        for (text, expected) in [
            ("3 h ago", "2026-11-21T15:47:27Z"),
            ("3h ago", "2026-11-21T15:47:27Z"),
            ("an hour ago", "2026-11-21T17:47:27Z"),
            ("90 minutes ago", "2026-11-21T17:17:27Z"),
            ("1h30m ago", "2026-11-21T17:17:27Z"),
            ("2 hours 5 min ago", "2026-11-21T16:42:27Z"),
            ("-1h", "2026-11-21T17:47:27Z"),
            ("+1h", "2026-11-21T19:47:27Z"),
            ("4:06 pm", "2026-11-21T16:06:00Z"),
            ("23:00", "2026-11-20T23:00:00Z"),
            ("18:47", "2026-11-21T18:47:00Z"),
            ("12:30 am", "2026-11-21T00:30:00Z"),
            ("today", "2026-11-21T00:00:00Z"),
            ("yesterday", "2026-11-20T00:00:00Z"),
            ("Yesterday  17:30", "2026-11-20T17:30:00Z"),
            ("today at 8 am", "2026-11-21T08:00:00Z"),
            ("monday 9:15", "2026-11-16T09:15:00Z"),
            ("saturday", "2026-11-21T00:00:00Z"),
            ("last saturday", "2026-11-14T00:00:00Z"),
            ("2026-11-03 5pm", "2026-11-03T17:00:00Z"),
            ("2026-11-03 10:00:00", "2026-11-03T10:00:00Z"),
            ("2026-11-03T10:00:00.25", "2026-11-03T10:00:00.25Z"),
            ("2026-11-03", "2026-11-03T00:00:00Z"),
            ("now/d", "2026-11-21T00:00:00Z"),
            ("now-1h/h", "2026-11-21T17:00:00Z"),
            ("now/w", "2026-11-16T00:00:00Z"),
        ] {
            check_in(&TimeZone::UTC, text, expected);
        }
    }

    #[test]
    fn what_has_no_zone_is_read_in_the_zone_of_who_asks() {
        for (text, expected) in [
            ("2026-11-21", "2026-11-20T23:00:00Z"),
            ("2026-07-21 18:47", "2026-07-21T16:47:00Z"),
            ("2026-11-21 18:47:00Z", "2026-11-21T18:47:00Z"),
            ("19:00", "2026-11-21T18:00:00Z"),
            ("yesterday 17:30", "2026-11-20T16:30:00Z"),
            ("now/d", "2026-11-20T23:00:00Z"),
            ("now", "2026-11-21T18:47:27Z"),
            ("0", "1970-01-01T00:00:00Z"),
            // The clock goes from 2 to 3, and from 3 back to 2.
            ("2026-03-29 02:30", "2026-03-29T01:30:00Z"),
            ("2026-10-25 02:30", "2026-10-25T00:30:00Z"),
        ] {
            check_in(&budapest(), text, expected);
        }
    }

    #[test]
    fn lengths_of_time_need_no_zone() {
        for text in ["now", "now-1h", "-1h30m", "3 h ago", " An hour  ago"] {
            assert!(is_relative_time(text), "{text}");
        }
        for text in ["", "now/d", "today", "10:00", "5", "2026-11-21"] {
            assert!(!is_relative_time(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(now)?[-+0-9.TZ:msh ]{0,24}|(last )?(today|sunday|9)[ ,:amp0-9]{0,9}|[0-9ahms ]{0,9}ago|\\PC{0,12}") {
            let _ = parse_time(&text, NOW);
        }

        #[test]
        fn what_is_printed_is_read(nanos in i64::MIN / 2..i64::MAX) {
            let time = Timestamp::from_nanos(nanos);
            prop_assert_eq!(parse_time(&time.to_string(), NOW), Ok(time));
        }
    }
}
