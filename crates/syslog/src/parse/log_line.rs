//! The time in a line of a log file that is no syslog message.
//!
//! | form | who |
//! |---|---|
//! | `[2016-12-20 00:04:03,231]`, `2016-09-28 04:30:30, ...` at the start | Kafka, log4j, Windows CBS |
//! | `2024/01/27 00:16:30` at the start | nginx's error log, Go |
//! | `[Sun Dec 04 04:47:44 2005]`, with a fraction, at the start | Apache's error log |
//! | `I0610 12:34:56.123456` at the start | glog, Kubernetes |
//! | `1521911721.255387` and a space or tab at the start | Zeek, Squid |
//! | `[27/Jan/2024:00:00:02 +0500]` | access logs |
//! | `time="2020-01-01T00:00:00Z"`, `ts=...` | logfmt |
//! | `"ts":"2018-03-24T17:15:20.629574Z"`, `"timestamp":1521911721.25`, in ms too | JSON |
//!
//! Only what can hardly be anything else is read: lines without a time take that of the line before,
//! and a wrong time is worse than that.

use memchr::memmem;
use model::{CivilTime, Timestamp};

use super::epoch::epoch;
use super::stamp::{Reading, clock, four, iso, month_first, month_number, offset, two};
use super::zone::Zone;
use crate::cursor::Cursor;

/// How many brackets of a line are looked at for the time of an access log: names of hosts and users
/// in front of it may have some.
const BRACKETS_MAX: usize = 8;

/// Names under which JSON has its times, those that others seldom use first.
const JSON_NAMES: [&str; 5] = [
    "\"@timestamp\"",
    "\"timestamp\"",
    "\"ts\"",
    "\"time\"",
    "\"datetime\"",
];

/// The same in logfmt, behind the value before.
const NAMES: [&[u8]; 5] = [
    b" @timestamp=",
    b" timestamp=",
    b" ts=",
    b" time=",
    b" datetime=",
];

/// The time in a line. `received` decides the year where there is none.
pub(super) fn log_time(line: &[u8], zone: &Zone, received: Timestamp) -> Option<Timestamp> {
    let line = line.trim_ascii_start();
    let reading = at_start(line)
        .or_else(|| access_log(line))
        .map(Found::Civil)
        .or_else(|| epoch_at_start(line).map(Found::Instant))
        .or_else(|| named(line))?;
    match reading {
        Found::Civil(reading) => reading.time(zone, received),
        Found::Instant(time) => Some(time),
    }
}

enum Found {
    Civil(Reading),
    Instant(Timestamp),
}

fn at_start(line: &[u8]) -> Option<Reading> {
    let mut at = Cursor::new(line);
    at.eat(b'[');
    let reading = match at.peek()? {
        b'0'..=b'9' => iso(&mut at).or_else(|| slashes(&mut at)),
        b'I' | b'W' | b'E' | b'F' => glog(&mut at).or_else(|| weekday(&mut at)),
        _ => weekday(&mut at),
    }?;
    is_end(at.peek()).then_some(reading)
}

/// Whether a stamp may end in front of a byte.
fn is_end(next: Option<u8>) -> bool {
    next.is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// `2024/01/27 00:16:30`
fn slashes(at: &mut Cursor<'_>) -> Option<Reading> {
    let &[y1, y2, y3, y4, b'/', m1, m2, b'/', d1, d2, b' '] = at.rest().first_chunk()? else {
        return None;
    };
    at.skip(11);
    let civil = CivilTime {
        year: four(y1, y2, y3, y4)?,
        month: two(m1, m2)?,
        day: two(d1, d2)?,
        ..clock(at)?
    };
    Some(Reading::of_year(civil, offset(at)))
}

/// `Sun Dec 04 04:47:44 2005`
fn weekday(at: &mut Cursor<'_>) -> Option<Reading> {
    let &[a, b, c, b' '] = at.rest().first_chunk()? else {
        return None;
    };
    let day = [a, b, c].map(|byte| byte.to_ascii_lowercase());
    if ![b"mon", b"tue", b"wed", b"thu", b"fri", b"sat", b"sun"].contains(&&day) {
        return None;
    }
    at.skip(4);
    let reading = month_first(at)?;
    // A bracket follows.
    let &[b' ', y1, y2, y3, y4, b']'] = at.rest().first_chunk()? else {
        return Some(reading);
    };
    at.skip(5);
    Some(reading.with_year(four(y1, y2, y3, y4)?))
}

/// `I0610 12:34:56.123456`: a letter for the severity, month and day.
fn glog(at: &mut Cursor<'_>) -> Option<Reading> {
    let &[_, m1, m2, d1, d2, b' '] = at.rest().first_chunk()? else {
        return None;
    };
    let (month, day) = (two(m1, m2)?, two(d1, d2)?);
    let mut ahead = *at;
    ahead.skip(6);
    let civil = clock(&mut ahead)?;
    *at = ahead;
    Some(Reading::without_year(CivilTime {
        month,
        day,
        ..civil
    }))
}

/// `1521911721.255387` and a space or tab.
fn epoch_at_start(line: &[u8]) -> Option<Timestamp> {
    let mut at = Cursor::new(line);
    let time = epoch(&mut at, true)?;
    matches!(at.peek(), Some(b' ' | b'\t')).then_some(time)
}

/// `[27/Jan/2024:00:00:02 +0500]`
fn access_log(line: &[u8]) -> Option<Reading> {
    let brackets = memchr::memchr_iter(b'[', line).take(BRACKETS_MAX);
    let mut rests = brackets.filter_map(|bracket| line.get(bracket + 1..));
    rests.find_map(|rest| {
        let &[d1, d2, b'/', a, b, c, b'/', y1, y2, y3, y4, b':'] = rest.first_chunk()? else {
            return None;
        };
        let mut at = Cursor::new(rest);
        at.skip(12);
        let civil = CivilTime {
            year: four(y1, y2, y3, y4)?,
            month: month_number(a, b, c)?,
            day: two(d1, d2)?,
            ..clock(&mut at)?
        };
        at.eat(b' ');
        let offset = offset(&mut at);
        (at.peek() == Some(b']')).then(|| Reading::of_year(civil, offset))
    })
}

/// The time that stands behind a name, in JSON or as `name=value`.
fn named(line: &[u8]) -> Option<Found> {
    if line.first() == Some(&b'{') {
        return JSON_NAMES.iter().find_map(|name| {
            let behind = memmem::find(line, name.as_bytes())? + name.len();
            let mut at = Cursor::new(line.get(behind..)?);
            at.eat_run(b' ');
            if !at.eat(b':') {
                return None;
            }
            at.eat_run(b' ');
            value(&mut at)
        });
    }
    NAMES.iter().find_map(|spaced| {
        let (_, name) = spaced.split_first_chunk::<1>()?;
        let behind = if line.starts_with(name) {
            name.len()
        } else {
            memmem::find(line, spaced)? + spaced.len()
        };
        value(&mut Cursor::new(line.get(behind..)?))
    })
}

/// A time as text, in quotes or not, or as a number.
fn value(at: &mut Cursor<'_>) -> Option<Found> {
    let is_quoted = at.eat(b'"');
    let mut ahead = *at;
    let found = match iso(&mut ahead) {
        Some(reading) => Found::Civil(reading),
        None => {
            ahead = *at;
            Found::Instant(epoch(&mut ahead, false)?)
        }
    };
    let next = ahead.peek();
    let is_whole = if is_quoted {
        next == Some(b'"')
    } else {
        is_end(next)
    };
    is_whole.then_some(found)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    fn found(line: &str) -> Option<String> {
        let zone = Zone::new(TimeZone::UTC);
        let received = Timestamp::from_seconds(1_800_000_000);
        log_time(line.as_bytes(), &zone, received).map(|time| time.to_string())
    }

    #[test]
    fn times_of_log_files_are_found() {
        for (line, time) in [
            (
                "[2016-12-20 00:04:03,231] INFO [Controller 0]: x",
                "2016-12-20T00:04:03.231",
            ),
            ("2016-09-28 04:30:30, Info x", "2016-09-28T04:30:30"),
            (
                "2024/01/27 00:16:30 [error] 1#1: *1 x",
                "2024-01-27T00:16:30",
            ),
            (
                "[Sun Dec 04 04:47:44 2005] [notice] x",
                "2005-12-04T04:47:44",
            ),
            (
                "[Fri Sep 09 10:42:29.902022 2011] [core:error] x",
                "2011-09-09T10:42:29.902022",
            ),
            (
                "I0610 12:34:56.123456 1 f.cc:12] x",
                "2026-06-10T12:34:56.123456",
            ),
            ("1521911721.255387\tCmC9k", "2018-03-24T17:15:21.255387"),
            (
                "  1157689312.049   5006 10.105.21.199 TCP_MISS/200",
                "2006-09-08T04:21:52.049",
            ),
            (
                "1.2.3.4 - - [27/Jan/2024:00:00:02 +0500] \"GET / HTTP/1.1\" 200 1",
                "2024-01-26T19:00:02",
            ),
            (
                "[::1] - [a] [27/Jan/2024:00:00:02 +0000] \"GET / HTTP/1.1\" 200 1",
                "2024-01-27T00:00:02",
            ),
            (
                "time=\"2020-01-01T00:00:00Z\" level=info",
                "2020-01-01T00:00:00",
            ),
            (
                "level=info ts=2020-01-01T00:00:00.5+01:00 msg=x",
                "2019-12-31T23:00:00.5",
            ),
            (
                "{\"ts\":\"2018-03-24T17:15:20.629574Z\",\"uid\":\"C\"}",
                "2018-03-24T17:15:20.629574",
            ),
            (
                "{\"a\": 1, \"@timestamp\" : \"2018-03-24T17:15:20Z\"}",
                "2018-03-24T17:15:20",
            ),
            ("{\"ts\":1521911721.25,\"x\":1}", "2018-03-24T17:15:21.25"),
            ("{\"x\":1,\"time\":1521911721250}", "2018-03-24T17:15:21.25"),
        ] {
            let stamp = found(line).unwrap_or_else(|| panic!("{line}"));
            let rest = stamp
                .strip_prefix(time)
                .map(|rest| rest.trim_matches(['.', '0', 'Z']));
            assert_eq!(rest, Some(""), "{line}: {stamp}");
        }
    }

    #[test]
    fn other_numbers_are_no_times() {
        for line in [
            "",
            "\tat Main.java:1",
            "Caused by: x [27/Jan] y",
            "[27/Jan/2024] x",
            "[27/Jan/2024:00:00:02 +0500 x",
            "1.2.3.4 - - [99/Foo/2024:00:00:02 +0500]",
            "1521911721 items",
            "152191172.255387 x",
            "9999999999.5 x",
            "2016-12-20T00:04:03abc",
            "17/06/09 20:10:40 INFO x",
            "Sunday Dec 04 04:47:44 2005",
            "I0610 x",
            "timeout=2020-01-01T00:00:00Z",
            "time=12 ms",
            "ts=1521911721x",
            "{\"ts\":\"2018-03-24\"}",
            "{\"ts\":{\"time\":7}}",
            "2016-13-20 00:04:03 x",
            "\u{c9}\u{c9}\u{c9} Dec 04 04:47:44 2005",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
