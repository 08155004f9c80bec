use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::samples::{check, check_any_bytes, check_failure, lines};

fn options(pattern: &str) -> GrokOptions {
    GrokOptions {
        pattern: pattern.into(),
        ..GrokOptions::default()
    }
}

fn parser(pattern: &str) -> GrokParser {
    GrokParser::new(&options(pattern)).unwrap()
}

fn refused(options: &GrokOptions) -> String {
    GrokParser::new(options).unwrap_err().to_string()
}

#[test]
fn a_line_of_an_access_log() {
    check(
        &parser("^%{COMBINEDAPACHELOG}$"),
        "2001:db8::7 - ann [10/May/2026:11:37:47 +0200] \"GET /a?b HTTP/1.1\" 200 512 \"-\" \"curl/8.5\"",
        &[
            "clientip=2001:db8::7",
            "ident=-",
            "auth=ann",
            "timestamp=10/May/2026:11:37:47 +0200",
            "verb=GET",
            "request=/a?b",
            "httpversion=1.1",
            "response=200",
            "bytes=512",
            "referrer=\"-\"",
            "agent=\"curl/8.5\"",
        ],
    );
}

#[test]
fn a_line_of_cron() {
    check(
        &parser("%{CRONLOG}"),
        "May  3 11:17:01 host-1 CRON[812]: (root) CMD (run-parts /etc/cron.hourly)",
        &[
            "timestamp=May  3 11:17:01",
            "logsource=host-1",
            "program=CRON",
            "pid=812",
            "user=root",
            "action=CMD",
            "message=run-parts /etc/cron.hourly",
        ],
    );
}

#[test]
fn fields_have_any_names_and_types_say_nothing() {
    check(
        &parser("%{IP:[source][ip]}:%{INT:port-no:int} (?<rest>%{GREEDYDATA}) %{WORD}"),
        "from 192.0.2.1:80 and more words",
        &["source.ip=192.0.2.1", "port-no=80", "rest=and more"],
    );
}

#[test]
fn own_patterns_go_before_stock_patterns() {
    let options = GrokOptions {
        pattern: "%{TICKET:ticket} by %{USER:user}".into(),
        patterns: BTreeMap::from([
            ("TICKET".into(), "%{WORD}-%{INT}".into()),
            ("USER".into(), "u[0-9]+".into()),
        ]),
    };
    let tickets = GrokParser::new(&options).unwrap();
    check(&tickets, "OPS-12 by u77", &["ticket=OPS-12", "user=u77"]);
    check_failure(&tickets, "OPS-12 by ann", 0, "the pattern does not match");
}

#[test]
fn stock_patterns_match_what_they_are_called_after() {
    for (name, text, expected) in [
        ("BASE10NUM", "x=-1.5e", "-1.5"),
        ("BASE16NUM", "x 0xDEADbeef;", "0xDEADbeef"),
        ("DATE", "on 12/31/2026.", "12/31/2026"),
        ("DATE_EU", "on 31.12.2026", "31.12.2026"),
        ("DATESTAMP_EVENTLOG", "20260510113747.5", "20260510113747.5"),
        (
            "DATESTAMP_RFC2822",
            "Sun, 10 May 2026 11:37:47 +0200",
            "Sun, 10 May 2026 11:37:47 +0200",
        ),
        (
            "EMAILADDRESS",
            "to <a.b+c@mail.example.com>",
            "a.b+c@mail.example.com",
        ),
        ("HOSTPORT", "http://h-1.example:8080/", "h-1.example:8080"),
        ("IP", "from 10.20.30.256, 10.20.30.255", "10.20.30.255"),
        ("IP", "[::ffff:192.0.2.1]", "::ffff:192.0.2.1"),
        ("IP", "fe80::1%eth0 up", "fe80::1%eth0"),
        (
            "JAVACLASS",
            "org.example.Main$1.x()",
            "org.example.Main$1.x",
        ),
        ("LOGLEVEL", "[WARNING] x", "WARNING"),
        ("MAC", "is 00-1A-2b-3c-4d-5e", "00-1A-2b-3c-4d-5e"),
        ("MAC", "is 001a.2b3c.4d5e", "001a.2b3c.4d5e"),
        ("NUMBER", ".5", ".5"),
        (
            "PATH",
            "open C:\\Program Files\\x.exe",
            "C:\\Program Files\\x.exe",
        ),
        ("PATH", "open /var/log/a-b.log: no", "/var/log/a-b.log:"),
        ("QS", "say 'it\\'s' \"x\"", "'it\\'s'"),
        ("SYSLOGTIMESTAMP", "<1>Oct 11 22:14:15 h", "Oct 11 22:14:15"),
        (
            "TIMESTAMP_ISO8601",
            "t=2026-05-10T11:37:47,123+02:00 x",
            "2026-05-10T11:37:47,123+02:00",
        ),
        ("TIMESTAMP_ISO8601", "2026-05-10 11:37", "2026-05-10 11:37"),
        ("TTY", "on /dev/pts/3 now", "/dev/pts/3"),
        (
            "URI",
            "get https://ann:pw@h.example:443/a?b#c end",
            "https://ann:pw@h.example:443/a?b#c",
        ),
        (
            "URI",
            "get ftp://h.example:21/a/b?c=d end",
            "ftp://h.example:21/a/b?c=d",
        ),
        ("URN", "urn:isbn:0451450523 x", "urn:isbn:0451450523"),
        (
            "UUID",
            "id 01234567-89ab-CDEF-0123-456789abcdef.",
            "01234567-89ab-CDEF-0123-456789abcdef",
        ),
        ("YEAR", "in 2026", "2026"),
    ] {
        let found = lines(&parser(&format!("%{{{name}:it}}")), text);
        assert_eq!(found, Ok(format!("it={expected}")), "{name}: {text}");
    }
}

#[test]
fn every_stock_pattern_can_be_used() {
    let names: Vec<&str> = stock_patterns().map(|(name, _)| name).collect();
    assert!(names.is_sorted());
    for (name, _) in stock_patterns() {
        parser(&format!("%{{{name}:field}}"));
    }
    // Ten long ones in a row are within the limits.
    parser(&["%{IPORHOST:a}"; 10].join(" "));
}

proptest! {
    #[test]
    fn addresses_are_found_whole(four: Ipv4Addr, six: Ipv6Addr) {
        let text = format!("from {four} to {six}.");
        static ADDRESSES: LazyLock<GrokParser> =
            LazyLock::new(|| parser("from %{IP:four} to %{IP:six}\\."));
        let found = lines(&*ADDRESSES, &text);
        prop_assert_eq!(found, Ok(format!("four={four}\nsix={six}")));
    }
}

#[test]
fn patterns_that_cannot_be_put_together_are_refused() {
    assert_eq!(
        refused(&options("")),
        "`pattern` is empty: write what texts have to match, such as \"%{IP:client} %{WORD:method}\""
    );
    assert_eq!(
        refused(&options("%{IPP:ip}")),
        "there is no pattern `IPP`: define it, or use a stock pattern such as `DATA`"
    );
    for text in ["%{IP", "%{}", "%{IP:}", "%{I P}"] {
        assert_eq!(
            refused(&options(text)),
            format!("`{text}` names no pattern: write `%{{NAME}}` or `%{{NAME:field}}`")
        );
    }
    assert_eq!(
        refused(&options("%{IP}")),
        "the regular expression names no group: write `(?<name>...)` around each part to keep"
    );
    let own = |patterns: &[(&str, &str)], pattern: &str| GrokOptions {
        pattern: pattern.into(),
        patterns: patterns
            .iter()
            .map(|(name, text)| ((*name).into(), (*text).into()))
            .collect(),
    };
    assert_eq!(
        refused(&own(&[("A", "%{B}"), ("B", "x%{A}")], "%{A:a}")),
        "the pattern `A` stands in itself: define it without"
    );
    assert_eq!(
        refused(&own(&[("A", "(?<=x)y")], "%{A:a}")),
        "the regular expression cannot be read: look-around, including look-ahead and look-behind, is not supported"
    );
    let ten: Vec<(String, String)> = (1..10)
        .map(|n| (format!("P{n}"), format!("%{{P{}}}", n - 1).repeat(10)))
        .collect();
    let mut ten: Vec<(&str, &str)> = ten.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    ten.push(("P0", "x"));
    assert_eq!(
        refused(&own(&ten, "%{P9:a}")),
        "the regular expression is too large: make its repetitions smaller or cut it in two"
    );
}

#[test]
fn any_bytes_are_taken() {
    let words = [
        "10.0.0.1",
        "::1",
        " ",
        "a",
        "May  3 11:17:01 ",
        "[1]",
        ":",
        "\"",
        "\u{e9}",
    ];
    check_any_bytes(
        &parser("%{IPORHOST:a}.*%{QS:b}?(?<c>%{SYSLOGBASE})?"),
        &words,
    );
}
