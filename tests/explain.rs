//! What `logwood explain` and the API say of a message: framing, parts, decisions, routes.

use std::fs;

use anyhow::Result;
use serde_json::{Value, json};
use testkit::{Server, Setup, run, run_with_input};

/// Sources and routes as an administrator may have them.
const CONFIG: &str = r#"
[source.tcp.tcp]
zone = "Europe/Budapest"
deny = ["192.0.2.0/24"]

[source.udp.udp]
host_override = "fw1"

[logspace.auth]

[route.firewalls]
from = ["udp"]
logspace = "main"

[route.logins]
match = "program:su"
logspace = "auth"
tags = ["login"]
final = true

[route.rest]
logspace = "main"
"#;

const RECEIVED: &str = "2026-11-23T12:00:00Z";
const LOGIN: &str = "<34>Oct 11 22:14:15 web1 su[77]: failed user=anna";

/// Explains by the configuration, and returns what is printed.
fn explain(words: &[&str], input: &[u8]) -> Result<String> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("logwood.toml");
    fs::write(&path, CONFIG)?;
    let path = path.to_string_lossy();
    let head = ["explain", "--config", &path, "--received", RECEIVED];
    let finished = run_with_input(&[&head[..], words].concat(), input)?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    Ok(finished.output)
}

/// The lines without the blanks that align them.
fn lines(output: &str) -> Vec<String> {
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    output.lines().map(squeezed).collect()
}

#[test]
fn every_decision_about_a_message_is_shown() -> Result<()> {
    let output = explain(&[LOGIN], b"")?;
    let expected = [
        "source tcp (tcp)",
        "framing 0..49 a line, ended by the end of the input",
        "header RFC 3164, or a dialect of it",
        "raw <34>Oct 11 22:14:15 web1 su[77]: failed user=anna",
        "facility 0..4 auth",
        "severity 0..4 crit",
        "time 4..19 2026-10-11T20:14:15.000000000Z",
        "year the last one that puts it at most a week ahead of its receipt",
        "zone Europe/Budapest, that of the source",
        "host 20..24 web1",
        "program 25..27 su",
        "pid 28..30 77",
        "msgid -",
        "message 33..49 failed user=anna",
        "text field 45..49 user=anna",
        "route firewalls: no: it takes other sources (`from`)",
        "route logins: takes it, to auth",
        "route rest: not reached: a route before it is final",
        "logspace auth, with the tags login",
        "",
    ];
    assert_eq!(lines(&output), expected);
    Ok(())
}

#[test]
fn a_datagram_without_a_header_says_what_stands_in() -> Result<()> {
    let words = ["--source", "udp", "--peer", "192.0.2.7", "all\u{7} is well"];
    let output = explain(&words, b"")?;
    let expected = [
        "source udp (udp)",
        "framing 0..12 a datagram",
        "header none",
        "raw all\\u{7} is well",
        "facility user",
        "severity notice",
        "time 2026-11-23T12:00:00.000000000Z, that of receipt: there is no time stamp",
        "host fw1, as the source says",
        "program -",
        "pid -",
        "msgid -",
        "message 0..12 all\\u{7} is well",
        "tag syslog.missing_pri",
        "tag syslog.missing_timestamp",
        "tag syslog.rfc3164_missing_header",
        "route firewalls: takes it, to main",
        "route logins: no: its query does not match (`match`)",
        "route rest: takes it, to main",
        "logspace main",
        "",
    ];
    assert_eq!(lines(&output), expected);
    Ok(())
}

#[test]
fn a_stream_is_cut_and_told_message_by_message() -> Result<()> {
    let input = b"22 <13>1 - h p - - - text<13>Feb 30 10:00:00 h p: x\r\n12 <13>cut";
    let output = explain(&["--json"], input)?;
    let messages: Vec<Value> = output
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let framing = |by: &str, count: &str, start: usize, end: usize, terminator: &str| {
        json!({
            "by": by, "count": count, "start": start, "end": end,
            "terminator": terminator, "compressed": false
        })
    };
    let framings: Vec<_> = messages.iter().map(|message| &message["framing"]).collect();
    let expected = [
        framing("octet_count", "22 ", 3, 25, ""),
        framing("line_feed", "", 25, 52, "\n"),
        framing("octet_count", "12 ", 56, 63, ""),
    ];
    assert_eq!(framings, expected.iter().collect::<Vec<_>>());
    assert_eq!(messages[0]["header"], "rfc5424");
    // A date that does not exist.
    assert_eq!(messages[1]["time"]["from"], "receipt");
    assert_eq!(messages[1]["time"]["stamp"], "Feb 30 10:00:00");
    assert_eq!(
        messages[1]["row"]["tags"],
        json!(["syslog.invalid_timestamp"])
    );
    let tags = messages[2]["row"]["tags"].to_string();
    assert!(tags.contains("syslog.incomplete_frame"), "{tags}");
    Ok(())
}

#[test]
fn a_long_stream_is_read_as_it_comes() -> Result<()> {
    let line = format!("<13>{}\n", "word ".repeat(1_000));
    let count = 300;
    let output = explain(&["--json"], line.repeat(count).as_bytes())?;
    assert_eq!(output.lines().count(), count);
    let last: Value = serde_json::from_str(output.lines().last().unwrap_or_default())?;
    assert_eq!(last["framing"]["start"], line.len() * (count - 1));
    // As datagrams the lines are the same messages.
    let output = explain(&["--json", "--source", "udp"], line.repeat(3).as_bytes())?;
    assert_eq!(output.lines().count(), 3);
    Ok(())
}

#[test]
fn who_may_not_send_is_told() -> Result<()> {
    let output = explain(&["--peer", "192.0.2.7", LOGIN], b"")?;
    let lines = lines(&output);
    let denied = "it does not take messages of this peer: see its `allow` and `deny`";
    assert_eq!(lines[1], denied);
    Ok(())
}

#[test]
fn what_cannot_be_explained_is_refused_with_a_hint() -> Result<()> {
    let cases = [
        (
            vec!["--source", "nobody"],
            "the sources are: udp, tcp, tls, relp, http",
        ),
        (
            vec!["--received", "yesterdayish"],
            "--received yesterdayish",
        ),
        (
            vec!["--config", "/nowhere/logwood.toml"],
            "/nowhere/logwood.toml",
        ),
        (vec!["--peer", "web1"], "web1"),
    ];
    for (words, said) in cases {
        let finished = run(&[&["explain", "x"][..], &words].concat())?;
        assert_eq!(finished.code, Some(2), "{words:?}");
        assert!(finished.errors.contains(said), "{}", finished.errors);
    }
    Ok(())
}

#[test]
fn what_holds_no_message_is_told() -> Result<()> {
    for source in ["tcp", "udp"] {
        let empty = &["explain", "--source", source, ""][..];
        let piped = &empty[..3];
        for (words, input) in [(empty, ""), (piped, ""), (piped, "\n"), (piped, "\r\n\0\n")] {
            let finished = run_with_input(words, input.as_bytes())?;
            assert_eq!(finished.code, Some(1), "{source} {input:?}");
            assert!(finished.output.is_empty(), "{}", finished.output);
            let said = finished.errors.contains("there is no message");
            assert!(said, "{source} {input:?}: {}", finished.errors);
        }
    }
    Ok(())
}

#[test]
fn a_server_explains_by_the_configuration_in_force() -> Result<()> {
    let server = Server::start_with(Setup {
        config: Some(CONFIG.to_owned()),
        ..Setup::default()
    })?;
    let api = server.api();
    let path = format!("/api/v1/explain?source=tcp&received={RECEIVED}");
    let answer = api.post(&path, LOGIN.as_bytes())?.ok()?.json()?;
    assert_eq!(answer["source"], "tcp");
    let local = explain(&["--json", LOGIN], b"")?;
    let local: Value = serde_json::from_str(&local)?;
    assert_eq!(answer["messages"], json!([local]));
    let many = "<13>x\n".repeat(101);
    let answer = api.post("/api/v1/explain", many.as_bytes())?.ok()?.json()?;
    assert_eq!(answer["messages"].as_array().map(Vec::len), Some(100));
    assert_eq!(answer["more"], true);
    for (parameter, status) in [
        ("source=nobody", 404),
        ("peer=web1", 400),
        ("received=x", 400),
    ] {
        let answer = api.post(&format!("/api/v1/explain?{parameter}"), b"x")?;
        assert_eq!(answer.status, status, "{parameter}");
    }
    assert_eq!(
        api.get("/api/v1/count")?.ok()?.json()?["count"],
        0,
        "nothing is stored"
    );
    Ok(())
}

/// Each message, and what is decided about it.
const DECIDED: &[(&str, &str)] = &[
    (
        "<14>1 1650972789.4 mx1 urls x",
        "stamp seconds since 1970, or parts of them, told by the number of digits",
    ),
    (
        "<45>9121: WASR-02: 008944: 13w1d: %HSRP-5-X: t",
        "decision the time since the sender started stands in the place of a time stamp: it is a field",
    ),
    (
        "<38>2026-11-28T10:00:01Z relay 2026-11-28T10:00:00Z web1 sshd[1]: x",
        "decision inner header taken: behind the header of a relay stands that of the sender; the relay is a field",
    ),
    (
        "<132>Nov 28 10:00:00 bigip1 warning tmm[11048]: x",
        "decision level skipped: the TAG is read behind it, and both stay in the message",
    ),
    (
        "2026-11-28T10:00:00Z some line of text",
        "decision no host: there is no priority and no TAG follows, so all is message",
    ),
    (
        "<14>Nov 28 10:00:00 fw1 CEF:0|V|P|1|2|n|5|src=192.0.2.1",
        "decision no TAG: an event of CEF or LEEF begins there",
    ),
    (
        "<189>8103: Nov 28 2026 06:08:25 PM.071 UTC : %UC_AUDITLOG-5-X: t",
        "decision the clock has twelve hours: AM or PM follows it",
    ),
];

#[test]
fn what_could_be_read_in_another_way_is_told_with_its_reason() -> Result<()> {
    for (message, expected) in DECIDED {
        let output = explain(&[message], b"")?;
        let lines = lines(&output);
        assert!(
            lines.iter().any(|line| line == expected),
            "{message}: {output}"
        );
    }
    let (message, _) = DECIDED[2];
    let output = explain(&["--json", message], b"")?;
    let answer: Value = serde_json::from_str(output.lines().next().unwrap_or_default())?;
    assert_eq!(answer["decisions"][0]["name"], json!("inner_header"));
    assert_eq!(answer["time"]["form"], json!("iso"));
    Ok(())
}
