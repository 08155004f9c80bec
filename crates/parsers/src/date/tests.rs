use proptest::prelude::*;

use super::*;

/// Sunday.
const REFERENCE: &str = "2026-11-29T10:00:00Z";

fn instant(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text.as_bytes()).unwrap()
}

/// Parses in a zone one hour east of UTC.
fn parse(pattern: &str, text: &str) -> Result<Timestamp, Failed> {
    let east = |civil| Timestamp::from_civil(civil, 3_600);
    let pattern = DatePattern::new(pattern).unwrap();
    pattern.parse(text.as_bytes(), instant(REFERENCE), east)
}

fn check(pattern: &str, text: &str, expected: &str) {
    assert_eq!(
        parse(pattern, text),
        Ok(instant(expected)),
        "{pattern}: {text}"
    );
}

#[test]
fn times_of_many_products() {
    for (pattern, text, expected) in [
        (
            "%Y-%m-%d %H:%M:%S",
            "2026-05-10 11:37:47",
            "2026-05-10T10:37:47Z",
        ),
        (
            "%Y-%m-%dT%H:%M:%S.%f%z",
            "2026-05-10T11:37:47.123456-0530",
            "2026-05-10T17:07:47.123456Z",
        ),
        (
            "%FT%T%z",
            " 2026-05-10T11:37:47+02 ",
            "2026-05-10T09:37:47Z",
        ),
        ("%FT%T%z", "2026-05-10T11:37:47Z", "2026-05-10T11:37:47Z"),
        (
            "%d/%b/%Y:%T %z",
            "10/May/2026:11:37:47 +02:00",
            "2026-05-10T09:37:47Z",
        ),
        (
            "%a %b %e %H:%M:%S.%f %Y",
            "Sun May  3 11:37:47.5 2026",
            "2026-05-03T10:37:47.5Z",
        ),
        (
            "%A, %d %B %Y %I:%M %p",
            "Sunday, 3 may 2026 12:05 am",
            "2026-05-02T23:05:00Z",
        ),
        (
            "%m/%d/%y %I:%M:%S%p",
            "5/3/26 12:05:00PM",
            "2026-05-03T11:05:00Z",
        ),
        ("%D %R", "05/03/69 01:05", "1969-05-03T00:05:00Z"),
        ("%Y%m%d%H%M%S", "20260510113747", "2026-05-10T10:37:47Z"),
        ("%y%j %H", "26060 7", "2026-03-01T06:00:00Z"),
        (
            "%Y %b %d %T %Z",
            "2026 May 10 11:37:47 CEST",
            "2026-05-10T09:37:47Z",
        ),
        (
            "%Y %b %d %T %Z",
            "2026 May 10 11:37:47 -03:00",
            "2026-05-10T14:37:47Z",
        ),
        ("%F 100%%", "2026-05-10 100%", "2026-05-09T23:00:00Z"),
        ("%F %T", "2026-12-31 23:59:60", "2026-12-31T22:59:59Z"),
        (
            "%Y\u{5e74}%m\u{6708}%d\u{65e5}",
            "2026\u{5e74}5\u{6708}10\u{65e5}",
            "2026-05-09T23:00:00Z",
        ),
    ] {
        check(pattern, text, expected);
    }
}

#[test]
fn seconds_since_1970_with_and_without_a_fraction() {
    check("%s", "1778405867", "2026-05-10T09:37:47Z");
    check("%s", "0", "1970-01-01T00:00:00Z");
    check("%s.%f", "1778405867.25", "2026-05-10T09:37:47.25Z");
    check("%s%f", "1778405867123", "2026-05-10T09:37:47.123Z");
    check(
        "%s%f",
        "1778405867123456789",
        "2026-05-10T09:37:47.123456789Z",
    );
    assert!(parse("%s", "99999999999").is_err());
}

#[test]
fn a_year_that_is_missing_is_the_latest_that_fits() {
    check("%b %d %T", "Nov 29 10:59:59", "2026-11-29T09:59:59Z");
    check("%b %d %T", "Dec  6 10:59:59", "2026-12-06T09:59:59Z");
    check("%b %d %T", "Dec  6 11:00:01", "2025-12-06T10:00:01Z");
    check("%m-%d", "02-29", "2024-02-28T23:00:00Z");
    check("%j", "366", "2024-12-30T23:00:00Z");
}

#[test]
fn a_day_that_is_missing_is_the_latest_that_fits() {
    check("%T", "10:00:00", "2026-11-29T09:00:00Z");
    check("%T", "23:00:00", "2026-11-29T22:00:00Z");
    check("%T", "23:00:01", "2026-11-28T22:00:01Z");
    check("%T %z", "23:30:00 -11:00", "2026-11-29T10:30:00Z");
    check("%T %z", "00:30:00 +14:00", "2026-11-29T10:30:00Z");
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    for (pattern, text, at, reason) in [
        ("%F", "", 0, "expected a year of four digits"),
        ("%F", "26-05-10", 0, "expected a year of four digits"),
        ("%F", "2026/05/10", 4, "expected what the pattern says here"),
        ("%F", "2026-13-10", 5, "expected a month, 1 to 12"),
        ("%F", "2026-02-30", 0, "there is no such time"),
        ("%F", "2026-02-10x", 10, "expected the end behind the time"),
        ("%F", "9999-02-10", 0, "there is no such time"),
        ("%Y %j", "2026 366", 0, "there is no such time"),
        ("%d %b %Y", "10 Mai 2026", 3, "expected the name of a month"),
        ("%T", "24:00:00", 0, "expected an hour, 0 to 23"),
        ("%T", "10:60:00", 3, "expected a minute, 0 to 59"),
        ("%I %p", "13 PM", 0, "expected an hour, 1 to 12"),
        ("%I %p", "12 XM", 3, "expected AM or PM"),
        (
            "%T.%f",
            "10:00:00.",
            9,
            "expected a fraction of up to nine digits",
        ),
        (
            "%T.%f",
            "10:00:00.1234567890",
            18,
            "expected the end behind the time",
        ),
        ("%T%z", "10:00:00+1", 8, "expected an offset such as +01:00"),
        (
            "%T%z",
            "10:00:00+2400",
            8,
            "expected an offset such as +01:00",
        ),
        (
            "%T %Z",
            "10:00:00 XYZ",
            9,
            "expected the abbreviation of a zone such as CET",
        ),
        ("%s", "x", 0, "expected seconds since 1970"),
    ] {
        assert_eq!(
            parse(pattern, text),
            Err(Failed { at, reason }),
            "{pattern}: {text}"
        );
    }
}

#[test]
fn a_time_that_the_zone_does_not_have_is_none() {
    let pattern = DatePattern::new("%F %T").unwrap();
    let none = pattern.parse(b"2026-03-29 02:30:00", instant(REFERENCE), |_| None);
    assert!(none.is_err());
}

#[test]
fn patterns_are_tried_in_order() {
    let list = |patterns: &[&str]| {
        let patterns: Vec<String> = patterns.iter().map(|text| (*text).to_owned()).collect();
        DatePatterns::new(&patterns)
    };
    let both = list(&["%F %T.%f", "%F %T", "%s"]).unwrap();
    let parse = |text: &str| {
        let utc = |civil| Timestamp::from_civil(civil, 0);
        both.parse(text.as_bytes(), instant(REFERENCE), utc)
    };
    assert_eq!(
        parse("2026-05-10 11:37:47.5"),
        Ok(instant("2026-05-10T11:37:47.5Z"))
    );
    assert_eq!(
        parse("2026-05-10 11:37:47"),
        Ok(instant("2026-05-10T11:37:47Z"))
    );
    assert_eq!(parse("1778405867"), Ok(instant("2026-05-10T09:37:47Z")));
    let reason = "expected a minute, 0 to 59";
    assert_eq!(parse("2026-05-10 11:x"), Err(Failed { at: 14, reason }));
    assert_eq!(
        list(&[]).unwrap_err().to_string(),
        "`patterns` is empty: write at least one, such as \"%Y-%m-%d %H:%M:%S\""
    );
    assert!(matches!(list(&["%F"; 65]), Err(Error::TooMany { .. })));
}

#[test]
fn patterns_that_say_no_time_are_refused() {
    let refused = |pattern: &str| DatePattern::new(pattern).unwrap_err().to_string();
    assert_eq!(
        refused(""),
        "`pattern` is empty: write a pattern such as \"%Y-%m-%d %H:%M:%S\""
    );
    assert!(refused("%Q").starts_with("`%Q` stands for no part of a time: use %Y "));
    assert!(refused("%F %").starts_with("`% ` stands for no part"));
    let remedy = "write a day and its month, a time of day alone, or `%s`";
    for pattern in ["x", "%d %T", "%Y", "%b %T", "%M:%S"] {
        assert_eq!(
            refused(pattern),
            format!("`pattern` cannot be {pattern:?}: {remedy}")
        );
    }
    assert_eq!(
        refused("%F %I:%M"),
        "`pattern` cannot be \"%F %I:%M\": an hour of twelve needs `%p`"
    );
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(nanos: i64, offset in -86_340..=86_340_i32) {
        let offset = offset / 60 * 60;
        let time = Timestamp::from_nanos(nanos / 2);
        let civil = time.plus_nanos(i64::from(offset) * 1_000_000_000).to_civil();
        let sign = if offset < 0 { '-' } else { '+' };
        let minutes = offset.abs() / 60;
        let text = format!(
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:09} {sign}{:02}{:02}",
            civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second,
            civil.nanosecond, minutes / 60, minutes % 60,
        );
        prop_assert_eq!(parse("%F %T.%f %z", &text), Ok(time));
    }

    #[test]
    fn any_bytes_are_taken(
        text: Vec<u8>,
        words in proptest::collection::vec("[0-9]{1,12}|[:+ -]|Z|May|PM|CET", 0..12),
        reference: i64,
        number in 0..9_usize,
    ) {
        let patterns = ["%F %T.%f%z", "%s%f", "%b %e %T %Z", "%I %p", "%y%j", "%A %D %n%R", "%T", "%j", "%m%d"];
        let pattern = DatePattern::new(patterns[number]).unwrap();
        let zone = |civil| Timestamp::from_civil(civil, -3_600);
        for text in [text.as_slice(), words.concat().as_bytes()] {
            let time = pattern.parse(text, Timestamp::from_nanos(reference), zone);
            if let Err(failed) = time {
                prop_assert!(failed.at <= text.len());
            }
        }
    }

    #[test]
    fn any_pattern_is_read_or_refused(pattern in "(%[a-zA-Z%]|[ :x\u{e9}]){0,8}%?") {
        if let Ok(pattern) = DatePattern::new(&pattern) {
            let zone = |civil| Timestamp::from_civil(civil, 0);
            _ = pattern.parse(b"2026 10 11 12", Timestamp::MAX, zone);
            _ = pattern.parse(b"10:11", Timestamp::MIN, zone);
        }
    }
}
