//! Lines as devices, peers and attackers send them.

mod any_input;
mod bsd;
mod ietf;
mod log_files;
mod senders;
mod whole;

use super::*;
use model::Tag::*;

const RECEIVED: &str = "2026-11-21T19:12:20Z";
const PEER: &str = "192.0.2.7";

fn instant(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text.as_bytes()).unwrap()
}

fn context() -> Context {
    Context {
        received: instant(RECEIVED),
        peer: Some(PEER.parse().unwrap()),
    }
}

fn parse(raw: &[u8]) -> RecordParts {
    parse_in(TimeZone::UTC, RECEIVED, raw)
}

fn parse_in(zone: TimeZone, received: &str, raw: &[u8]) -> RecordParts {
    let mut parts = RecordParts::default();
    let context = Context {
        received: instant(received),
        ..context()
    };
    let mut parser = Parser::new(ParseOptions {
        zone,
        ..ParseOptions::default()
    });
    parser.parse(raw, &context, &mut parts);
    parts
}

fn text(span: Span, raw: &[u8], parts: &RecordParts) -> String {
    let bytes = [raw, &parts.extra].concat();
    String::from_utf8_lossy(span.of(&bytes)).into_owned()
}

/// What a line is expected to be.
#[derive(Clone, Copy)]
struct Expected<'a> {
    priority: u8,
    time: &'a str,
    host: &'a str,
    program: &'a str,
    pid: &'a str,
    msgid: &'a str,
    message: &'a str,
    fields: &'a [(&'a str, &'a str)],
    tags: &'a [Tag],
}

/// A line with a priority and no more.
const NOTHING: Expected<'_> = Expected {
    priority: 34,
    time: RECEIVED,
    host: PEER,
    program: "",
    pid: "",
    msgid: "",
    message: "",
    fields: &[],
    tags: &[],
};

impl<'a> Expected<'a> {
    /// With time, host, program and pid.
    fn header(self, time: &'a str, host: &'a str, program: &'a str, pid: &'a str) -> Self {
        Self {
            pid,
            ..self.time(time).host(host).program(program)
        }
    }

    fn priority(self, priority: u8) -> Self {
        Self { priority, ..self }
    }

    fn time(self, time: &'a str) -> Self {
        Self { time, ..self }
    }

    fn host(self, host: &'a str) -> Self {
        Self { host, ..self }
    }

    fn program(self, program: &'a str) -> Self {
        Self { program, ..self }
    }

    fn pid(self, pid: &'a str) -> Self {
        Self { pid, ..self }
    }

    fn msgid(self, msgid: &'a str) -> Self {
        Self { msgid, ..self }
    }

    fn message(self, message: &'a str) -> Self {
        Self { message, ..self }
    }

    fn fields(self, fields: &'a [(&'a str, &'a str)]) -> Self {
        Self { fields, ..self }
    }

    fn tags(self, tags: &'a [Tag]) -> Self {
        Self { tags, ..self }
    }
}

/// Time, host, program, pid and message of a line.
fn names(line: &str) -> [String; 5] {
    let raw = line.as_bytes();
    let parts = parse(raw);
    let read = |span| text(span, raw, &parts);
    [
        parts.time.to_string(),
        read(parts.host),
        read(parts.program),
        read(parts.pid),
        read(parts.message),
    ]
}

/// Checks time, host, program, pid and message of a line, whatever its tags are.
fn check_names(line: &str, [time, host, program, pid, message]: [&str; 5]) {
    let time = instant(time).to_string();
    assert_eq!(names(line), [&time, host, program, pid, message], "{line}");
}

fn tags(line: &str) -> u64 {
    parse(line.as_bytes()).tags
}

fn decisions(line: &str) -> Vec<Decision> {
    let mut parser = Parser::new(ParseOptions::default());
    let mut parts = RecordParts::default();
    parser.parse(line.as_bytes(), &context(), &mut parts);
    parser.layout().decisions.iter().collect()
}

fn check(line: &str, expected: Expected<'_>) {
    let raw = line.as_bytes();
    let parts = parse(raw);
    let read = |span| text(span, raw, &parts);
    assert_eq!(read(parts.host), expected.host, "host of {line}");
    assert_eq!(read(parts.program), expected.program, "program of {line}");
    assert_eq!(read(parts.pid), expected.pid, "pid of {line}");
    assert_eq!(read(parts.msgid), expected.msgid, "msgid of {line}");
    assert_eq!(read(parts.message), expected.message, "message of {line}");
    let priority = parts.priority.number();
    assert_eq!(priority, expected.priority, "priority of {line}");
    let time = instant(expected.time);
    assert_eq!(parts.time.to_string(), time.to_string(), "time of {line}");
    let fields: Vec<(String, String)> = parts
        .fields
        .iter()
        .map(|field| {
            let (group, name) = (read(field.group), read(field.name));
            let dot = if group.is_empty() { "" } else { "." };
            (format!("{group}{dot}{name}"), read(field.value))
        })
        .collect();
    let expected_fields: Vec<(String, String)> = expected
        .fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    assert_eq!(fields, expected_fields, "fields of {line}");
    let tags: Vec<&str> = (0..model::SYSLOG_TAG_NAMES.len())
        .filter(|bit| parts.tags >> bit & 1 == 1)
        .map(|bit| model::SYSLOG_TAG_NAMES[bit])
        .collect();
    let mut expected_tags: Vec<Tag> = expected.tags.to_vec();
    expected_tags.sort();
    let expected_tags: Vec<&str> = expected_tags.into_iter().map(Tag::name).collect();
    assert_eq!(tags, expected_tags, "tags of {line}");
}
