//! RFC 5424, in order and not.

use super::*;

#[test]
fn rfc5424() {
    let base = NOTHING
        .priority(165)
        .header(
            "2003-10-11T22:14:15.003Z",
            "mymachine.example.com",
            "evntslog",
            "",
        )
        .msgid("ID47");
    let header = "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47";
    let line = |rest: &str, expected: Expected<'_>| check(&format!("{header} {rest}"), expected);
    let text = base.message("An application event");
    line("- \u{feff}An application event", text);
    line("- An application event\n", text);
    line("-  two spaces", base.message("two spaces"));
    line("-   three spaces", base.message(" three spaces"));
    line("-", base.tags(&[Empty]));
    let one = text.fields(&[
        ("exampleSDID@32473.iut", "3"),
        ("exampleSDID@32473.eventSource", "Application"),
    ]);
    line(
        r#"[exampleSDID@32473 iut="3" eventSource="Application"] An application event"#,
        one,
    );
    line(
        r#"[exampleSDID@32473 iut="3" eventSource="Application"]"#,
        one.message(""),
    );
    let two = text.fields(&[("a.b", "c"), ("d", ""), ("e.f", "")]);
    line(r#"[a b="c"][d][e f=""] An application event"#, two);
    let escaped = text.fields(&[("a.b", r#"q"s\t]u\x"#), ("a.c", r"\n")]);
    line(
        r#"[a b="q\"s\\t\]u\x" c="\n"] An application event"#,
        escaped,
    );
    let open = text.fields(&[("a.b", "[c]")]);
    line(r#"[a b="[c]" ] An application event"#, open);
    let nil = NOTHING.priority(34).tags(&[Empty]);
    check("<34>1 - - - - - -", nil);
    // No zone, and a space: taken as in RFC 3164.
    let loose = NOTHING
        .priority(34)
        .time("2026-11-21T19:12:18Z")
        .message("m");
    check("<34>1 2026-11-21 19:12:18 - - - - - m", loose);
}

#[test]
fn structured_data_that_is_broken_is_message() {
    let header = "<34>1 2026-11-21T19:12:18Z h su 12 ID ";
    for message in [
        "[x a=noquote] text",
        "[",
        "[]",
        "[ a=\"b\"]",
        "[x a=\"b] text",
        "[x a=\"b\"",
        "[x a]",
        "[x a=]",
        "[x =\"b\"]",
        "[x a=\"b\"c=\"d\"]",
        "[x a=\"b\\",
        "[x a=\"b\\\"",
        "[x\u{e9} a=\"b\"]",
        "[ok a=\"\\\"b\"][x a=noquote]",
    ] {
        let expected = NOTHING
            .header("2026-11-21T19:12:18Z", "h", "su", "12")
            .msgid("ID")
            .message(message)
            .tags(&[InvalidStructuredData]);
        check(&format!("{header}{message}"), expected);
        assert!(
            parse(format!("{header}{message}").as_bytes())
                .extra
                .is_empty()
        );
    }
}

#[test]
fn rfc5424_with_parts_missing() {
    let all = NOTHING
        .header("2026-11-21T19:12:18Z", "h", "su", "12")
        .msgid("ID")
        .message("some text")
        .tags(&[Rfc5424MissingPart]);
    let header = "<34>1 2026-11-21T19:12:18Z";
    check(
        &format!("{header} h su 12 ID [a b=\"c\"]some text"),
        all.fields(&[("a.b", "c")]),
    );
    // Without structured data, words are no more than words.
    let text = all.program("").pid("").msgid("");
    for message in ["su 12 ID some text", "su 12 ID", "su"] {
        check(&format!("{header} h {message}"), text.message(message));
    }
    let cut = text
        .host(PEER)
        .message("")
        .tags(&[Rfc5424MissingPart, Empty]);
    check(header, cut);
    // `loggen -R -P` leaves out the version of what it read as RFC 3164.
    check(
        "<34> 2026-11-21T19:12:18 h su 12 ID - \u{feff}some text",
        all,
    );
    check(
        "<34>1 Oct 11 22:14:15 h su: some text",
        all.time("2026-10-11T22:14:15Z").pid("").msgid(""),
    );
}

#[test]
fn a_header_that_cannot_be_rfc5424_is_text() {
    let header = "<34>1 2026-11-21T19:12:18Z";
    let text = NOTHING
        .time("2026-11-21T19:12:18Z")
        .host("h")
        .tags(&[Rfc5424MissingPart]);
    let long = "a".repeat(49);
    for message in [
        "CEF:0|V|P|1|2|worm stopped here|5|src=192.0.2.1",
        "CEF:0|V|P|1|2|worm stopped - here - 5|src=192.0.2.1",
        "CEF: 0|V|P|1|2|worm|5|src=192.0.2.1",
        "LEEF:2.0|V|P|1|2|^|src=192.0.2.1^msg=stopped here - now",
        "worm stopped here again",
        r#"{"a": 1, "b": 2, "c": 3, "d": 4}"#,
        "error: disk full at last",
        &format!("{long} 12 ID - text"),
    ] {
        check(&format!("{header} h {message}"), text.message(message));
        let iso = message.starts_with("CEF") || message.starts_with("LEEF");
        if iso {
            check(
                &format!("{header} {message}"),
                text.host(PEER).message(message),
            );
        }
    }
    let su = text.program("su").pid("12").message("text");
    check(&format!("{header} h su[12]: text"), su);
    check(&format!("{header} h su: text"), su.pid(""));
    check(&format!("{header} - su[12]: text"), su.host(PEER));
    // A program of 48 bytes is one.
    let most = "a".repeat(48);
    let fits = text.program(&most).pid("12").msgid("ID").message("text");
    check(&format!("{header} h {most} 12 ID - text"), fits.tags(&[]));
}

#[test]
fn a_space_behind_the_priority_makes_no_rfc5424_header_of_a_tag() {
    let iso = NOTHING.time("2026-11-28T18:23:57Z").host("h");
    let a = iso.program("a");
    check(
        "<34> 2026-11-28T18:23:57Z h a: b c [d] e",
        a.message("b c [d] e"),
    );
    check(
        "<34> 2026-11-28T18:23:57Z h a: b c - e",
        a.message("b c - e"),
    );
    let numbered = a.pid("7").message("1 c - e");
    check("<34> 2026-11-28T18:23:57Z h a[7]: 1 c - e", numbered);
    let sentence = iso.program("some").message("some text is - here");
    check("<34> 2026-11-28T18:23:57Z h some text is - here", sentence);
}

#[test]
fn other_versions_are_read_as_rfc3164() {
    let expected = NOTHING
        .header("2026-11-21T19:12:18Z", "h", "su", "")
        .message("su 12 ID - text")
        .tags(&[Rfc5424UnknownVersion]);
    check("<34>2 2026-11-21T19:12:18Z h su 12 ID - text", expected);
    let nil = NOTHING.message("- - - - - text").tags(&[
        Rfc5424UnknownVersion,
        MissingTimestamp,
        Rfc3164MissingHeader,
    ]);
    check("<34>2 - - - - - text", nil);
    let text = NOTHING
        .message("2 errors")
        .tags(&[MissingTimestamp, Rfc3164MissingHeader]);
    check("<34>2 errors", text);
}

#[test]
fn more_parameters_than_are_kept_as_fields() {
    let mut raw = b"<34>1 - - - - - ".to_vec();
    for _ in 0..10_000 {
        raw.extend_from_slice(b"[a b=\"c\"]");
    }
    raw.extend_from_slice(b" text");
    let parts = parse(&raw);
    assert_eq!(parts.fields.len(), model::limits::RECORD_FIELDS_MAX);
    assert_eq!(parts.tags, TooManyFields.bit());
    assert_eq!(parts.structured_data.len, 90_000);
    assert_eq!(parts.message.of(&raw), b"text");
}
