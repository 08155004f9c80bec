//! RFC 3164 and its dialects.

use super::*;
use model::CivilTime;

#[test]
fn rfc3164_dialects_of_the_time_stamp() {
    let su = |time| {
        NOTHING
            .time(time)
            .host("h")
            .program("su")
            .pid("12")
            .message("text")
    };
    for (stamp, time) in [
        ("Oct 11 22:14:15", "2026-10-11T22:14:15Z"),
        ("Oct  1 22:14:15", "2026-10-01T22:14:15Z"),
        ("Oct 1 22:14:15", "2026-10-01T22:14:15Z"),
        ("oct 01 22:14:15", "2026-10-01T22:14:15Z"),
        ("Oct 11 22:14:15.123", "2026-10-11T22:14:15.123Z"),
        (
            "Oct 11 22:14:15,000000007",
            "2026-10-11T22:14:15.000000007Z",
        ),
        ("Oct 11 22:14:15 CEST", "2026-10-11T20:14:15Z"),
        ("Oct 11 22:14:15 EST", "2026-10-12T03:14:15Z"),
        ("Oct 11 22:14:15 +05:30", "2026-10-11T16:44:15Z"),
        ("Feb 12 12:00:00 2024", "2024-02-12T12:00:00Z"),
        ("Aug 24 05:34:00 CST 1987", "1987-08-24T11:34:00Z"),
        ("Aug 24 05:34:00 CST 1987:", "1987-08-24T11:34:00Z"),
        ("2024 Feb 12 12:00:00", "2024-02-12T12:00:00Z"),
        ("Jan 31 2025 17:24:03", "2025-01-31T17:24:03Z"),
        ("2026-11-21T19:12:18", "2026-11-21T19:12:18Z"),
        ("2026-11-21 19:12:18", "2026-11-21T19:12:18Z"),
        ("2026-11-21 19:12:18,123Z", "2026-11-21T19:12:18.123Z"),
        (
            "2026-11-21T19:12:18.123456789+02:00",
            "2026-11-21T17:12:18.123456789Z",
        ),
        (
            "2026-11-21T19:12:18.1234567891234-0530",
            "2026-11-22T00:42:18.123456789Z",
        ),
        (
            "2026-11-21T19:12:18.019620+00:00",
            "2026-11-21T19:12:18.01962Z",
        ),
        ("2026-11-21T19:12:18+01", "2026-11-21T18:12:18Z"),
        ("2026-11-21T23:59:60Z", "2026-11-21T23:59:59Z"),
    ] {
        check(&format!("<34>{stamp} h su[12]: text"), su(time));
    }
}

#[test]
fn cisco_dialects() {
    let cisco = NOTHING
        .program("%SYS-5-CONFIG_I")
        .message("text")
        .time("2026-03-01T18:46:11.123Z");
    let asa = cisco.time("2025-01-31T17:24:03Z").program("%ASA-4-402119");
    check("<34>Jan 31 2025 17:24:03: %ASA-4-402119: text", asa);
    let named = asa.host("fw01");
    check("<34>Jan 31 2025 17:24:03 fw01 : %ASA-4-402119: text", named);
    let bare = asa.time(RECEIVED).tags(&[MissingTimestamp]);
    check("<34>%ASA-4-402119: text", bare);
    let numbered = cisco.fields(&[("meta.sequenceId", "29"), ("timeQuality.isSynced", "0")]);
    check(
        "<34>29: *Mar  1 18:46:11.123: %SYS-5-CONFIG_I: text",
        numbered,
    );
    let named = numbered.host("router1");
    check(
        "<34>29: router1: *Mar  1 18:46:11.123: %SYS-5-CONFIG_I: text",
        named,
    );
    check(
        "<34>29: router1: 000031: *Mar  1 18:46:11.123: %SYS-5-CONFIG_I: text",
        named,
    );
    let synced = cisco.fields(&[("timeQuality.isSynced", "1")]);
    check("<34>.Mar  1 18:46:11.123: %SYS-5-CONFIG_I: text", synced);
    let zoned = cisco.fields(&[]).time("2026-03-01T18:46:11Z");
    check("<34>Mar  1 18:46:11 UTC: %SYS-5-CONFIG_I: text", zoned);
    check("<34>Mar  1 18:46:11 MYZONE: %SYS-5-CONFIG_I: text", zoned);
    check(
        "<34>: 2026 Mar  1 18:46:11 UTC: %SYS-5-CONFIG_I: text",
        zoned,
    );
    let unstamped = cisco
        .time(RECEIVED)
        .fields(&[("meta.sequenceId", "29")])
        .tags(&[MissingTimestamp]);
    check("<34>29: %SYS-5-CONFIG_I: text", unstamped);
    // Numbers that are no sequence numbers.
    let plain = NOTHING
        .message("29: apples")
        .tags(&[MissingTimestamp, Rfc3164MissingHeader]);
    check("<34>29: apples", plain);
}

#[test]
fn tags_hosts_and_what_is_none() {
    let stamp = "<34>Oct 11 22:14:15 ";
    let base = NOTHING
        .header("2026-10-11T22:14:15Z", "h", "su", "")
        .message("text");
    let line = |rest: &str, expected: Expected<'_>| check(&format!("{stamp}{rest}"), expected);
    line("h su: text", base);
    line("h su:text", base);
    line("h su text", base.message("su text"));
    line("h  su: text", base);
    line("su: text", base.host(PEER));
    line("- su: text", base.host(PEER));
    let numbered = base.pid("12");
    line("h su[12]: text", numbered);
    line("h su[12] text", numbered);
    line("h su[12]:text", numbered);
    line("h su[]: text", base);
    line("h su[a.b:3]: text", base.pid("a.b:3"));
    line("h su:  text", base.message(" text"));
    line("h su: \u{feff}text", base);
    line("h \u{feff}some text", base.program("").message("some text"));
    line("h su: text\r\n\0\n", base);
    line("h su: one\ntwo", base.message("one\ntwo"));
    line("h su:", base.message("").tags(&[Empty]));
    let path = "/usr/sbin/cron";
    line("h /usr/sbin/cron[12]: text", numbered.program(path));
    line(
        "h postfix/smtpd[12]: text",
        numbered.program("postfix/smtpd"),
    );
    line("h Foo::Bar[12]: text", numbered.program("Foo::Bar"));
    line("h (systemd)[12]: text", numbered.program("(systemd)"));
    line("h größe: text", base.program("größe"));
    let kernel = base.program("kernel").message("[ 1.5] up");
    line("h kernel: [ 1.5] up", kernel);
    for host in [
        "::1",
        "fe80::1%eth0",
        "2001:db8::a:1",
        "::ffff:192.0.2.1",
        "10.0.0.1",
        "a/b",
        "src@relay",
        "web-1.example.com",
    ] {
        line(&format!("{host} su: text"), base.host(host));
    }
    // Nothing to be taken for a program: all of it is the message.
    let none = base.program("");
    for message in [
        r#"{"json":1}"#,
        "https://example.com/ is down",
        "10.0.0.9:514 refused",
        "404 not found",
        "\"quoted\" text",
        "su[bad text",
        "array[3]=5 x",
        "word",
        "=: x",
        ": x",
        "key=1 b",
    ] {
        line(&format!("h {message}"), none.message(message));
    }
    let alone = none.host(PEER).message("word");
    line("word", alone);
    let json = alone.message(r#"{"a": 1}"#).tags(&[InvalidHostname]);
    line(r#"{"a": 1}"#, json);
    line("", alone.message("").tags(&[Empty]));
}

#[test]
fn notes_of_other_syslogds() {
    let note = NOTHING
        .time("2026-10-11T22:14:15Z")
        .message("last message repeated 3 times");
    let stamp = "<34>Oct 11 22:14:15";
    check(&format!("{stamp} last message repeated 3 times"), note);
    let named = note.host("h");
    check(&format!("{stamp} h last message repeated 3 times"), named);
    check(
        &format!("{stamp} Message forwarded from h: last message repeated 3 times"),
        named,
    );
    let su = named.program("su").pid("12").message("text");
    check(
        &format!("{stamp} Message forwarded from h: su[12]: text"),
        su,
    );
}

#[test]
fn messages_without_a_header_stay_whole() {
    let headerless = &[MissingTimestamp, Rfc3164MissingHeader];
    for message in [
        "User logged in",
        r#"{"json":1}"#,
        "Error: disk failed",
        "Oct 11 is a day",
        "x",
    ] {
        let expected = NOTHING.message(message).tags(headerless);
        check(&format!("<34>{message}"), expected);
        check(&format!("<34> {message}"), expected);
    }
    let certain = NOTHING
        .program("su")
        .pid("12")
        .message("text")
        .tags(&[MissingTimestamp]);
    check("<34>su[12]: text", certain);
}

#[test]
fn impossible_dates_are_tagged_and_the_header_is_read() {
    for stamp in [
        "Feb 30 22:14:15",
        "Oct 11 24:00:00",
        "2026-13-01T00:00:00Z",
        "2026-10-11T22:14:61",
    ] {
        let expected = NOTHING
            .host("h")
            .program("su")
            .message("text")
            .tags(&[InvalidTimestamp]);
        check(&format!("<34>{stamp} h su: text"), expected);
        if stamp.starts_with("2026") {
            check(&format!("<34>1 {stamp} h su - - - text"), expected);
        }
    }
}

#[test]
fn the_year_is_the_latest_that_is_at_most_a_week_ahead() {
    let check = |stamp: &str, received: &str, expected: &str| {
        let raw = format!("<34>{stamp} h su: x");
        let parts = parse_in(TimeZone::UTC, received, raw.as_bytes());
        assert_eq!(parts.time, instant(expected), "{stamp} at {received}");
    };
    check(
        "Dec 31 23:59:59",
        "2027-01-01T00:00:01Z",
        "2026-12-31T23:59:59Z",
    );
    check(
        "Jan  1 00:00:01",
        "2026-12-31T23:59:59Z",
        "2027-01-01T00:00:01Z",
    );
    check(
        "Jun 30 12:00:00",
        "2026-12-29T00:00:00Z",
        "2026-06-30T12:00:00Z",
    );
    check(
        "Jan  5 00:00:01",
        "2026-12-29T00:00:00Z",
        "2026-01-05T00:00:01Z",
    );
    check(
        "Feb 29 12:00:00",
        "2025-01-05T00:00:00Z",
        "2024-02-29T12:00:00Z",
    );
    check(
        "Feb 29 12:00:00",
        "2026-11-21T00:00:00Z",
        "2024-02-29T12:00:00Z",
    );
    check(
        "Feb 29 12:00:00",
        "2100-02-27T00:00:00Z",
        "2096-02-29T12:00:00Z",
    );
    check(
        "Feb 29 12:00:00 2024",
        "2028-02-29T12:00:00Z",
        "2024-02-29T12:00:00Z",
    );
    let zone = || TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let raw = b"<34>Jul  1 02:00:00 h su: x";
    let parts = parse_in(zone(), "2026-07-01T00:00:03Z", raw);
    assert_eq!(parts.time, instant("2026-07-01T00:00:00Z"));
    // Midnight of New Year's Eve in Paris is still the old year in Greenwich.
    let raw = b"<34>Jan  1 00:30:00 h su: x";
    let parts = parse_in(zone(), "2026-12-31T23:30:01Z", raw);
    assert_eq!(parts.time, instant("2026-12-31T23:30:00Z"));
}

#[test]
fn the_year_is_that_of_a_search_through_all_years() {
    const WEEK_SECONDS: i64 = 7 * 86_400;
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut parser = Parser::new(ParseOptions::default());
    let mut parts = RecordParts::default();
    let start = instant("2095-12-20T00:00:00Z");
    for days in (0..3_300).step_by(3) {
        let received = start.plus_nanos(days * 86_400_000_000_000 + 40_000_000_000_000);
        let latest = received.plus_nanos(WEEK_SECONDS * 1_000_000_000);
        for (month, name) in (1..).zip(MONTHS) {
            for day in [1, 9, 20, 28, 29] {
                let civil = |year| CivilTime {
                    year,
                    month,
                    day,
                    hour: 11,
                    minute: 6,
                    second: 40,
                    nanosecond: 0,
                };
                let mut years = (2080..2107).rev();
                let expected = years.find_map(|year| {
                    Timestamp::from_civil(civil(year), 0).filter(|time| *time <= latest)
                });
                let raw = format!("<34>{name} {day:>2} 11:06:40 host app: text");
                let context = Context {
                    received,
                    peer: None,
                };
                parser.parse(raw.as_bytes(), &context, &mut parts);
                assert_eq!(Some(parts.time), expected, "{raw} at {received}");
            }
        }
    }
}
