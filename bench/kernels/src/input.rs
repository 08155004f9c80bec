//! What kernels work on: lines of the demo, half of each of its two families of senders.

use anyhow::Result;
use model::{RecordBatch, RecordParts, Timestamp};
use segment::{BuildOptions, Builder, Built};
use syslog::{Context, ParseOptions, Parser};

const RFC3164: &[u8] = include_bytes!("../testdata/rfc3164.log");
const RFC5424: &[u8] = include_bytes!("../testdata/rfc5424.log");

/// When the first line is received; every line a millisecond after the one before.
const START: Timestamp = Timestamp::from_seconds(1_795_287_600);

/// Lines of RFC 3164 and its dialects.
pub(crate) fn rfc3164() -> Vec<&'static [u8]> {
    lines(RFC3164)
}

/// Lines of RFC 5424.
pub(crate) fn rfc5424() -> Vec<&'static [u8]> {
    lines(RFC5424)
}

/// Both, taking turns.
pub(crate) fn all() -> Vec<&'static [u8]> {
    let pairs = rfc3164().into_iter().zip(rfc5424());
    pairs.flat_map(|(one, other)| [one, other]).collect()
}

fn lines(text: &'static [u8]) -> Vec<&'static [u8]> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.is_empty()).collect()
}

/// All lines as records.
pub(crate) fn batch() -> Result<RecordBatch> {
    let mut parser = Parser::new(ParseOptions::default());
    let mut parts = RecordParts::default();
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp")?;
    for (number, line) in (0..).zip(all()) {
        let received = START.plus_nanos(number * 1_000_000);
        let context = Context {
            received,
            peer: None,
        };
        parser.parse(line, &context, &mut parts);
        batch.push(line, &parts, received, None, source)?;
    }
    Ok(batch)
}

/// All lines as a segment.
pub(crate) fn segment() -> Result<Built> {
    let mut builder = Builder::new(BuildOptions::default());
    builder.push(&batch()?)?;
    Ok(builder.finish()?)
}

/// The moment at which lines are parsed that are not kept.
pub(crate) fn context() -> Context {
    Context {
        received: START,
        peer: None,
    }
}
