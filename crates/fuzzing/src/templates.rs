//! Output templates, and what they make of messages.

use macros::{Context, Format, Template, View};
use model::{RecordBatch, RecordNumber, RecordParts, Timestamp};
use syslog::{ParseOptions, Parser};

/// A template that has all there is of a record.
const EVERYTHING: &str = "$(format-json --scope everything --key RAWMSG)";

/// A template in the first line, and a message behind it: the template is compiled or told to be wrong at
/// a place of it, and what it and every format make of the message is the same twice, and JSON where it
/// should be.
pub fn template(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (text, message) = bytes.split_at(end.unwrap_or(bytes.len()));
    let text = String::from_utf8_lossy(text);
    let batch = batch(message.get(1..).unwrap_or_default());
    let Some(record) = batch.get(0) else {
        return;
    };
    let view = View::from(record).with_id("main", RecordNumber(1));
    match Template::compile(&text) {
        Ok(template) => rendered(&Format::Template(template), &view),
        Err(error) => {
            assert!(
                text.get(error.span.clone()).is_some(),
                "a place between characters"
            );
            assert!(error.render(&text).contains('^'));
        }
    }
    let everything = Template::compile(EVERYTHING);
    let formats = Format::names().filter_map(|name| Format::parse(name).ok());
    for format in formats.chain(everything.ok().map(Format::Template)) {
        rendered(&format, &view);
    }
}

/// Renders a record twice.
fn rendered(format: &Format, view: &View<'_>) {
    let context = Context::default();
    let mut out = b"before".to_vec();
    if format.render(view, &context, &mut out).is_err() {
        assert_eq!(out, b"before", "what is too long leaves nothing behind");
        return;
    }
    let once = out.split_off(6);
    assert_eq!(out, b"before");
    let is_same = format.render(view, &context, &mut out).is_ok();
    assert!(is_same && out.get(6..) == Some(once.as_slice()));
    let is_json = match format {
        Format::Json | Format::Ecs => true,
        Format::Template(template) => template.text() == EVERYTHING,
        _ => false,
    };
    if is_json {
        let read: Result<serde_json::Map<_, _>, _> = serde_json::from_slice(&once);
        assert!(read.is_ok(), "{} is no JSON", once.escape_ascii());
    }
}

fn batch(message: &[u8]) -> RecordBatch {
    let context = syslog::Context {
        received: Timestamp::from_seconds(1_795_284_000),
        peer: None,
    };
    let mut parts = RecordParts::default();
    Parser::new(ParseOptions::default()).parse(message, &context, &mut parts);
    let mut batch = RecordBatch::new();
    // One message always has room.
    _ = batch.push(message, &parts, context.received, None, 0);
    batch
}
