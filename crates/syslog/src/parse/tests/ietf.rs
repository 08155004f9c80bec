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
    check(&format!("{header} h su 12 ID some text"), all);
    check(
        &format!("{header} h su 12 ID [a b=\"c\"]some text"),
        all.fields(&[("a.b", "c")]),
    );
    let cut = all.message("").tags(&[Rfc5424MissingPart, Empty]);
    check(&format!("{header} h su 12 ID"), cut);
    check(&format!("{header} h su"), cut.pid("").msgid(""));
    check(header, cut.host(PEER).program("").pid("").msgid(""));
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
fn other_versions_are_read_as_rfc3164() {
    let expected = NOTHING
        .header("2026-11-21T19:12:18Z", "h", "su", "")
        .message("12 ID - text")
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
