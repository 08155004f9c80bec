//! What is written is read back; what is written has the RFCs' form.

use model::{RecordParts, Span};
use proptest::prelude::*;

use super::*;
use crate::{Context, ParseOptions, Parser};

fn line(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

fn time() -> Timestamp {
    Timestamp::parse_rfc3339(b"2026-11-01T08:05:09.000123456Z").unwrap()
}

#[test]
fn lines_have_the_form_of_their_rfc() {
    let old = Rfc3164 {
        priority: Priority::DEFAULT,
        time: time(),
        host: b"h",
        program: b"su",
        pid: b"12",
        message: b"text",
    };
    assert_eq!(
        line(|out| rfc3164(&old, out)),
        "<13>Nov  1 08:05:09 h su[12]: text"
    );
    let bare = Rfc3164 {
        host: b"",
        program: b"",
        ..old
    };
    assert_eq!(
        line(|out| rfc3164(&bare, out)),
        "<13>Nov  1 08:05:09 - text"
    );
    let new = Rfc5424 {
        priority: Priority::DEFAULT,
        time: Some(time()),
        host: b"h",
        program: b"a b\n",
        pid: b"",
        msgid: &[b'i'; 40],
        structured_data: br#"[a b="c"]"#,
        has_bom: true,
        message: b"text",
    };
    assert_eq!(
        line(|out| rfc5424(&new, out)),
        format!(
            "<13>1 2026-11-01T08:05:09.000123Z h a_b_ - {} [a b=\"c\"] \u{feff}text",
            "i".repeat(32)
        )
    );
    let nil = Rfc5424 {
        time: None,
        host: b"",
        program: b"",
        msgid: b"",
        structured_data: b"",
        has_bom: false,
        message: b"",
        ..new
    };
    assert_eq!(line(|out| rfc5424(&nil, out)), "<13>1 - - - - - -");
}

#[test]
fn structured_data_is_escaped() {
    let parameters: [(&[u8], &[u8]); 2] = [(b"a", br#"q"b\c]"#), (b"b =", b"")];
    assert_eq!(
        line(|out| sd_element(b"x@1", parameters, out)),
        r#"[x@1 a="q\"b\\c\]" b__=""]"#
    );
    assert_eq!(line(|out| sd_element(b"", [], out)), "[_]");
}

#[test]
fn numbers_and_frames() {
    assert_eq!(line(|out| octet_counted(b"<34>a", out)), "5 <34>a");
    assert_eq!(line(|out| decimal(0, out)), "0");
    assert_eq!(line(|out| decimal(u64::MAX, out)), u64::MAX.to_string());
    assert_eq!(line(|out| padded(7, 3, out)), "007");
    assert_eq!(line(|out| padded(1234, 3, out)), "1234");
    assert_eq!(line(|out| stamp_iso(time(), 0, out)), "2026-11-01T08:05:09");
    assert_eq!(
        line(|out| stamp_iso(time(), 99, out)),
        "2026-11-01T08:05:09.000123456"
    );
}

fn parse(raw: &[u8], received: Timestamp) -> RecordParts {
    let mut parts = RecordParts::default();
    let context = Context {
        received,
        peer: None,
    };
    Parser::new(ParseOptions::default()).parse(raw, &context, &mut parts);
    parts
}

fn read(span: Span, raw: &[u8], parts: &RecordParts) -> Vec<u8> {
    span.of(&[raw, &parts.extra].concat()).to_vec()
}

/// A line may be read up to a year after it was written, and a week before.
const LATER_SECONDS: std::ops::Range<i64> = -6 * 86_400..358 * 86_400;

proptest! {
    #[test]
    fn rfc3164_lines_are_read_back(
        number in 0..192_u8,
        seconds in 0..4_000_000_000_i64,
        later in LATER_SECONDS,
        host in "[a-z][a-z0-9.-]{0,20}",
        program in "[a-z/][a-z0-9/_.-]{0,20}",
        pid in "([0-9]{1,7})?",
        message in "[ -~]{0,60}",
    ) {
        let line = Rfc3164 {
            priority: Priority::from_number(number).unwrap(),
            time: Timestamp::from_seconds(seconds),
            host: host.as_bytes(),
            program: program.as_bytes(),
            pid: pid.as_bytes(),
            message: message.as_bytes(),
        };
        let mut raw = Vec::new();
        rfc3164(&line, &mut raw);
        let parts = parse(&raw, Timestamp::from_seconds(seconds + later));
        prop_assert_eq!(parts.priority, line.priority);
        prop_assert_eq!(parts.time, line.time);
        prop_assert_eq!(read(parts.host, &raw, &parts), host.into_bytes());
        prop_assert_eq!(read(parts.program, &raw, &parts), program.into_bytes());
        prop_assert_eq!(read(parts.pid, &raw, &parts), pid.into_bytes());
        prop_assert_eq!(read(parts.message, &raw, &parts), message.into_bytes());
    }

    #[test]
    fn rfc5424_lines_are_read_back(
        number in 0..192_u8,
        micros in prop::option::of(0..4_000_000_000_000_000_i64),
        words in prop::collection::vec("([!-,.-~][!-~]{0,30})?", 4),
        elements in prop::collection::vec(
            ("[a-z@0-9]{1,32}", prop::collection::vec(("[a-zA-Z]{1,32}", ".{0,20}"), 1..4)),
            0..4,
        ),
        has_bom: bool,
        message in "([!-~é]([ -~é\n]{0,58}[!-~])?)?",
    ) {
        let mut structured_data = Vec::new();
        for (id, parameters) in &elements {
            let parameters = parameters.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            sd_element(id.as_bytes(), parameters, &mut structured_data);
        }
        let line = Rfc5424 {
            priority: Priority::from_number(number).unwrap(),
            time: micros.map(|micros| Timestamp::from_nanos(micros * 1_000)),
            host: words[0].as_bytes(),
            program: words[1].as_bytes(),
            pid: words[2].as_bytes(),
            msgid: words[3].as_bytes(),
            structured_data: &structured_data,
            has_bom,
            message: message.as_bytes(),
        };
        let mut raw = Vec::new();
        rfc5424(&line, &mut raw);
        let received = Timestamp::from_seconds(5);
        let parts = parse(&raw, received);
        prop_assert_eq!(parts.priority, line.priority);
        prop_assert_eq!(parts.time, line.time.unwrap_or(received));
        let found = [parts.host, parts.program, parts.pid, parts.msgid];
        for (span, word) in found.into_iter().zip(&words) {
            prop_assert_eq!(read(span, &raw, &parts), word.as_bytes());
        }
        let fields: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = parts
            .fields
            .iter()
            .map(|field| {
                let read = |span| read(span, &raw, &parts);
                (read(field.group), read(field.name), read(field.value))
            })
            .collect();
        let expected: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = elements
            .iter()
            .flat_map(|(id, parameters)| {
                parameters.iter().map(move |(name, value)| {
                    (id.clone().into_bytes(), name.clone().into_bytes(), value.clone().into_bytes())
                })
            })
            .collect();
        prop_assert_eq!(fields, expected);
        prop_assert_eq!(read(parts.structured_data, &raw, &parts), structured_data);
        prop_assert_eq!(read(parts.message, &raw, &parts), message.into_bytes());
        prop_assert_eq!(parts.tags & !model::Tag::Empty.bit(), 0);
    }
}
