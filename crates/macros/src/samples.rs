//! Records for tests, made of messages by the parser.

use std::net::IpAddr;

use model::{RecordBatch, RecordNumber, RecordParts, Tag, Timestamp};

use crate::{Context, Format, Template, View};

pub(crate) const SU: &str =
    "<34>Oct 11 22:14:15 mymachine su[12]: Hello, w/orld \u{e9} \"q\" \\ back";

pub(crate) const EVENT: &str = "<165>1 2003-10-11T22:14:15.003-07:00 host.example.com evntslog 77 ID47 \
    [exampleSDID@32473 iut=\"3\" eventSource=\"App\\\"x\\]\" eventID=\"1011\"][meta a=\"b\"] An event";

/// 2026-11-21T18:00:00Z.
pub(crate) const RECEIVED: i64 = 1_795_284_000;

/// A batch with the record of a message.
pub(crate) fn batch(message: &[u8]) -> RecordBatch {
    let mut parser = syslog::Parser::new(syslog::ParseOptions::default());
    let peer = IpAddr::from([192, 0, 2, 7]);
    let received = Timestamp::from_seconds(RECEIVED);
    let context = syslog::Context {
        received,
        peer: Some(peer),
    };
    let mut parts = RecordParts::default();
    parser.parse(message, &context, &mut parts);
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp").expect("room");
    batch
        .push(message, &parts, received, Some(peer), source)
        .expect("room");
    batch
}

pub(crate) fn context() -> Context {
    Context {
        now: Timestamp::from_seconds(RECEIVED + 1),
        sequence: 3,
        own_host: "logs".into(),
        ..Context::default()
    }
}

/// What a format makes of a message.
pub(crate) fn formatted(format: &Format, message: &[u8], context: &Context) -> Vec<u8> {
    let batch = batch(message);
    let view = View::from(batch.get(0).expect("a record")).with_id("main", RecordNumber(42));
    let mut out = b"before".to_vec();
    format.render(&view, context, &mut out).expect("short");
    out.split_off(6)
}

/// What a template makes of a message.
pub(crate) fn rendered(template: &str, message: &str) -> String {
    let compiled =
        Template::compile(template).unwrap_or_else(|error| panic!("{}", error.render(template)));
    let out = formatted(&Format::Template(compiled), message.as_bytes(), &context());
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn tags_are_named() {
    assert_eq!(rendered("$TAGS|$tags", "x"), rendered("$TAGS|$TAGS", "x"));
    assert!(rendered("$TAGS", "x").contains(Tag::MissingPri.name()));
}
