//! Search expressions of the syslog-ng Store Box keep their meaning: a corpus of what its manual,
//! its API and its users write, each with the documented reading and records that tell it apart.

use crate::samples::{Sample, batch};
use crate::{Matcher, naive, parse};

/// A record as the Store Box shows it: program, host, name-value pairs and message.
fn record(program: &str, host: &str, pairs: &[(&str, &str)], message: &str) -> Sample {
    let pair = |(name, value): &(&str, &str)| {
        let (group, name) = name.rsplit_once('.').unwrap_or(("", name));
        (group.into(), name.into(), (*value).into())
    };
    Sample {
        program: program.into(),
        host: host.into(),
        fields: pairs.iter().map(pair).collect(),
        // facility daemon, severity info
        priority: 30,
        ..Sample::message(message)
    }
}

fn records() -> Vec<Sample> {
    vec![
        record(
            "syslog-ng",
            "mymachine",
            &[],
            "syslog-ng starting up; version='6.0.1'",
        ),
        record(
            "sshd",
            "web-01",
            &[],
            "Accepted publickey for user1 from 10.0.0.1 port 22",
        ),
        record(
            "sshd",
            "web-02",
            &[],
            "Failed password for invalid user test from 10.0.0.2",
        ),
        record(
            "apache",
            "web-01",
            &[],
            "GET /example.com/examples HTTP/1.1 200",
        ),
        record("su", "db", &[], "EXAMPLE of a session opened for user root"),
        record(
            "win",
            "dc1",
            &[
                ("win@18372.4.event_id", "540"),
                ("win@18372.4.event_type", "Success Audit"),
            ],
            "Logon",
        ),
        record(
            "win",
            "dc2",
            &[("win@18372.4.event_id", "541")],
            "A question? Or 5*3",
        ),
        record("cron", "db", &[], "job AND OR not done"),
    ]
}

/// Expression, the one form it is understood as, and the numbers of the records it finds.
const CORPUS: [(&str, &str, &[usize]); 46] = [
    // Everything.
    ("", "*", &[1, 2, 3, 4, 5, 6, 7, 8]),
    ("*", "*", &[1, 2, 3, 4, 5, 6, 7, 8]),
    // Words are whole, in either case.
    ("example", "example", &[4, 5]),
    ("EXAMPLE", "example", &[4, 5]),
    ("examples", "examples", &[4]),
    ("exam", "exam", &[]),
    // Wildcards anywhere.
    ("exam*", "exam*", &[4, 5]),
    ("example?", "example?", &[4]),
    ("*ample", "*ample", &[4, 5]),
    ("*amp*", "*amp*", &[4, 5]),
    ("?ser", "?ser", &[3, 5]),
    ("us?r*", "us?r*", &[2, 3, 5]),
    ("user?", "user?", &[2]),
    // White space is AND; operators are in capitals.
    (
        "starting up program:syslog-ng",
        "starting AND up AND program:syslog-ng",
        &[1],
    ),
    ("user AND root", "user AND root", &[5]),
    ("user root", "user AND root", &[5]),
    ("accepted OR failed", "accepted OR failed", &[2, 3]),
    ("user NOT root", "user AND NOT root", &[3]),
    ("NOT user", "NOT user", &[1, 2, 4, 6, 7, 8]),
    ("NOT NOT user", "user", &[3, 5]),
    ("user AND *", "user", &[3, 5]),
    ("NOT program:sshd", "NOT program:sshd", &[1, 4, 5, 6, 7, 8]),
    // NOT binds closest, then AND, then OR; parentheses change that.
    ("root user OR logon", "(root AND user) OR logon", &[5, 6]),
    ("logon OR user root", "logon OR (user AND root)", &[5, 6]),
    ("user (root OR test)", "user AND (root OR test)", &[3, 5]),
    (
        "(accepted OR failed) AND NOT (test OR root)",
        "(accepted OR failed) AND NOT (test OR root)",
        &[2],
    ),
    ("((logon))", "logon", &[6]),
    // Parts of the record.
    ("program:sshd", "program:sshd", &[2, 3]),
    ("PROGRAM:SSHD", "program:sshd", &[2, 3]),
    ("program:ss*", "program:ss*", &[2, 3]),
    ("host:web-01", "host:web-01", &[2, 4]),
    ("host:web-0?", "host:web-0?", &[2, 3, 4]),
    ("host:my*", "host:my*", &[1]),
    ("message:example", "message:example", &[4, 5]),
    ("message:AND", "message:and", &[8]),
    (
        "facility:daemon program:cron",
        "facility:daemon AND program:cron",
        &[8],
    ),
    (
        "facility:3 program:cron",
        "facility:daemon AND program:cron",
        &[8],
    ),
    (
        "priority:info host:db",
        "severity:info AND host:db",
        &[5, 8],
    ),
    // Name-value pairs, by their whole path.
    (
        "nvpair:.sdata.win@18372.4.event_id=540",
        ".sdata.win@18372.4.event_id:540",
        &[6],
    ),
    (
        "nvpair:.SDATA.win@18372.4.event_id=54?",
        ".SDATA.win@18372.4.event_id:54?",
        &[6, 7],
    ),
    (
        "nvpair:.sdata.win@18372.4.event_type=*",
        ".sdata.win@18372.4.event_type:*",
        &[6],
    ),
    (
        "nvpair:.sdata.win@18372.4.event_id=* NOT logon",
        ".sdata.win@18372.4.event_id:* AND NOT logon",
        &[7],
    ),
    // Escapes.
    ("question\\?", "\"question?\"", &[7]),
    ("5\\*3", "\"5*3\"", &[7]),
    ("a\\\\b", "\"a\\\\b\"", &[]),
    ("version='6.0.1'", "\"version='6.0.1'\"", &[1]),
];

#[test]
fn expressions_keep_their_documented_meaning() {
    let records = batch(&records());
    for (text, canonical, numbers) in CORPUS {
        let parsed = parse(text);
        assert_eq!(parsed.diagnostics, [], "{text}");
        assert_eq!(parsed.query.canonical(), canonical, "{text}");
        let mut matcher = Matcher::new(&parsed.query);
        let mut found = Vec::new();
        for (record, number) in records.iter().zip(1..) {
            let is_found = naive::matches(&parsed.query.root, record);
            assert_eq!(matcher.matches(record), is_found, "{text}");
            if is_found {
                found.push(number);
            }
        }
        assert_eq!(found, numbers, "{text}");
    }
}

#[test]
fn lower_case_operators_are_words_as_they_are_there() {
    let parsed = parse("root and user");
    assert!(parsed.is_valid());
    assert_eq!(parsed.query.canonical(), "root AND \"and\" AND user");
    assert!(!parsed.diagnostics.is_empty(), "a warning says so");
}
