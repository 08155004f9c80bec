//! What holds for messages of any kind: priority, preamble, peer, encoding.

use super::*;

#[test]
fn priorities() {
    let text = NOTHING
        .message("text")
        .tags(&[MissingTimestamp, Rfc3164MissingHeader]);
    for (line, priority) in [
        ("<0>text", 0),
        ("<7> text", 7),
        ("<191>text", 191),
        ("<034>text", 34),
    ] {
        check(line, text.priority(priority));
    }
    let invalid = text
        .priority(13)
        .tags(&[InvalidPri, MissingTimestamp, Rfc3164MissingHeader]);
    for line in [
        "<192>text",
        "<999>text",
        "<100000000000000000000>text",
        "<>text",
        "<0034>text",
    ] {
        check(line, invalid);
    }
    for line in ["<34", "<34 text", "<34Oct 11 22:14:15 h su: text"] {
        check(line, invalid.message(line));
    }
    let missing = invalid.tags(&[MissingPri, MissingTimestamp, Rfc3164MissingHeader]);
    for line in [
        "text",
        "<html> text",
        "<-1>text",
        "1 - none",
        "User logged in",
        "404 not found",
    ] {
        check(line, missing.message(line));
    }
    let su = NOTHING
        .priority(13)
        .header("2026-10-11T22:14:15Z", "h", "su", "")
        .message("text")
        .tags(&[MissingPri]);
    check("Oct 11 22:14:15 h su: text", su);
    check("<999>Oct 11 22:14:15 h su: text", su.tags(&[InvalidPri]));
}

#[test]
fn what_stands_before_the_priority_is_skipped() {
    let expected = NOTHING
        .header("2026-10-11T22:14:15Z", "h", "su", "")
        .message("text");
    let line = "<34>Oct 11 22:14:15 h su: text";
    check(&format!(" {line}"), expected);
    check(&format!("\u{feff}{line}"), expected);
    let framed = expected.tags(&[UnexpectedFraming]);
    check(&format!("30 {line}"), framed);
    check(&format!("0000000030 {line}"), framed);
    let text = format!("00000000030 {line}");
    let whole = NOTHING.priority(13).message(&text).tags(&[
        MissingPri,
        MissingTimestamp,
        Rfc3164MissingHeader,
    ]);
    check(&text, whole);
}

#[test]
fn lines_of_load_generators() {
    let loggen = NOTHING
        .priority(38)
        .header("2026-11-21T19:08:58Z", "localhost", "prg00000", "1234")
        .message(
            "seq: 0000000000, thread: 0000, runid: 1795288138, stamp: 2026-11-21T19:08:58 PADD",
        );
    let text = loggen.message;
    check(
        &format!("<38>2026-11-21T19:08:58 localhost prg00000[1234]: {text}\n"),
        loggen,
    );
    let ietf = "<38>1 2026-11-21T19:08:58+00:00 localhost prg00000 1234 - - \u{feff}";
    check(&format!("{ietf}{text}\n"), loggen);
    let tcpflood = NOTHING
        .priority(167)
        .header("2026-03-01T01:00:00Z", "172.20.245.8", "tag", "")
        .message("tag msgnum:00000000:");
    check(
        "<167>Mar  1 01:00:00 172.20.245.8 tag msgnum:00000000:\n",
        tcpflood,
    );
    let ietf = tcpflood
        .header(
            "2003-03-01T01:00:00Z",
            "mymachine.example.com",
            "tcpflood",
            "",
        )
        .msgid("tag")
        .message("msgnum:00000000:")
        .fields(&[("tcpflood@32473.MSGNUM", "00000000")]);
    check(
        "<167>1 2003-03-01T01:00:00.000Z mymachine.example.com tcpflood - tag \
         [tcpflood@32473 MSGNUM=\"00000000\"] msgnum:00000000:\n",
        ietf,
    );
}

#[test]
fn what_is_not_to_be_parsed_is_the_message() {
    let mut parser = Parser::new(ParseOptions {
        mode: ParseMode::None,
        ..ParseOptions::default()
    });
    let mut parts = RecordParts::default();
    let raw = b"<34>1 - - - - - - x\n";
    parser.parse(raw, &context(), &mut parts);
    assert_eq!(parts.message.of(raw), raw);
    assert_eq!(parts.priority, Priority::DEFAULT);
    assert_eq!(parts.time, instant(RECEIVED));
    assert_eq!(text(parts.host, raw, &parts), PEER);
    assert_eq!(parts.tags, 0);
}

#[test]
fn the_peer_stands_in_for_the_host() {
    let mut parser = Parser::new(ParseOptions::default());
    let mut parts = RecordParts::default();
    for (peer, expected) in [
        ("10.0.255.1", "10.0.255.1"),
        ("::ffff:10.0.255.1", "10.0.255.1"),
        ("2001:db8:0:0:0:0:0:1", "2001:db8::1"),
    ] {
        let context = Context {
            peer: Some(peer.parse().unwrap()),
            ..context()
        };
        let raw = br#"<34>1 - - - - - [a b="\""] m"#;
        parser.parse(raw, &context, &mut parts);
        assert_eq!(text(parts.host, raw, &parts), expected);
        assert_eq!(text(parts.fields[0].value, raw, &parts), "\"");
    }
    let unknown = Context {
        peer: None,
        ..context()
    };
    parser.parse(b"<34>text", &unknown, &mut parts);
    assert!(parts.host.is_empty() && parts.extra.is_empty());
}

#[test]
fn bytes_that_are_not_utf8_are_tagged_and_kept() {
    let raw = b"<34>Oct 11 22:14:15 h su: a\xff\0b";
    let parts = parse(raw);
    assert_eq!(parts.tags, InvalidUtf8.bit());
    assert_eq!(parts.message.of(raw), b"a\xff\0b");
}

#[test]
fn the_host_is_whose_name_the_source_says() {
    let check = |host: HostRule, raw: &[u8], expected: &str| {
        let options = ParseOptions {
            host,
            ..ParseOptions::default()
        };
        let mut parts = RecordParts::default();
        Parser::new(options).parse(raw, &context(), &mut parts);
        assert_eq!(text(parts.host, raw, &parts), expected);
        assert_eq!(text(parts.message, raw, &parts), "m");
    };
    let named = br#"<34>1 - named - - - [a b="\""] m"#;
    let nameless = b"<34>1 - - - - - - m";
    check(HostRule::Message, named, "named");
    check(HostRule::Message, nameless, PEER);
    check(HostRule::Peer, named, PEER);
    check(HostRule::Peer, nameless, PEER);
    check(HostRule::Fixed("fw1".to_owned()), named, "fw1");
    check(HostRule::Fixed("fw1".to_owned()), nameless, "fw1");
}
