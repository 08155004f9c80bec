//! What comes over the network.

use model::{RecordBatch, RecordParts, Timestamp};
use syslog::frame::{Framer, FramerOptions, Framing, Step};
use syslog::relp::{self, Decoder, DecoderOptions, Offers, Response};
use syslog::{Context, ParseOptions, Parser};

/// Longest message of a stream, in bytes: so short that inputs of a fuzzer exceed it.
const MESSAGE_BYTES_MAX: usize = 64;

/// A stream is cut into the same messages however it comes, and no byte is counted twice.
pub fn frames(stream: &[u8]) {
    for framing in [Framing::Auto, Framing::Lines, Framing::Nul] {
        let options = FramerOptions {
            framing,
            message_bytes_max: MESSAGE_BYTES_MAX,
        };
        let whole = cut(stream, options, stream.len().max(1));
        for step in [1, 7] {
            assert_eq!(cut(stream, options, step), whole, "{framing:?}");
        }
        let bytes: usize = whole.iter().map(|(message, _)| message.len()).sum();
        assert!(bytes <= stream.len(), "more bytes than there were");
        assert!(whole.iter().all(|(message, _)| !message.is_empty()));
    }
}

/// The messages of a stream that comes in pieces.
fn cut(stream: &[u8], options: FramerOptions, step: usize) -> Vec<(Vec<u8>, u64)> {
    let mut framer = Framer::new(options);
    let mut messages = Vec::new();
    let mut buffer: Vec<u8> = Vec::new();
    for piece in stream.chunks(step) {
        buffer.extend_from_slice(piece);
        loop {
            match framer.next(&buffer) {
                Step::Frame { frame, consumed } => {
                    messages.push((frame.raw.to_vec(), frame.tags));
                    assert!(consumed > 0, "a frame of nothing");
                    buffer.drain(..consumed);
                }
                Step::NeedMore { consumed } => {
                    buffer.drain(..consumed);
                    assert!(
                        buffer.len() <= framer.buffer_bytes_min(),
                        "too much is held"
                    );
                    break;
                }
            }
        }
    }
    if let Some(frame) = framer.finish(&buffer) {
        messages.push((frame.raw.to_vec(), frame.tags));
    }
    messages
}

/// A message is parsed whatever it is, RFC 5424, RFC 3164 or neither, and keeps every byte.
pub fn syslog(raw: &[u8]) {
    let mut parser = Parser::new(ParseOptions::default());
    let received = Timestamp::from_seconds(1_795_286_847);
    let context = Context {
        received,
        peer: None,
    };
    let mut parts = RecordParts::default();
    // A line of a log file may be anything too.
    _ = parser.log_time(raw, received);
    parser.parse(raw, &context, &mut parts);
    let mut batch = RecordBatch::new();
    if batch.push(raw, &parts, received, None, 0).is_err() {
        return;
    }
    for record in batch.iter() {
        assert_eq!(record.raw(), raw);
        let read = [record.message(), record.host(), record.program()];
        assert!(read.iter().all(|part| part.len() <= record.bytes().len()));
        assert!(
            record
                .fields()
                .all(|field| field.value.len() <= record.bytes().len())
        );
    }
}

/// Frames of RELP, of both directions, up to the first error.
pub fn relp(stream: &[u8]) {
    let mut decoder = Decoder::new(DecoderOptions {
        message_bytes_max: MESSAGE_BYTES_MAX,
    });
    let mut left = stream;
    while let Ok(relp::Step::Frame { frame, consumed }) = decoder.next(left) {
        assert!(frame.data.len() <= MESSAGE_BYTES_MAX, "a frame too long");
        _ = Offers::parse(frame.data).is_acceptable();
        _ = Response::parse(frame.data).map(|response| response.is_ok());
        assert!(consumed > 0, "a frame of nothing");
        left = left.get(consumed..).unwrap_or_default();
    }
}

/// A PROXY header, which is found in no less than all of it.
pub fn proxy(start: &[u8]) {
    let Ok(Some(header)) = syslog::proxy::decode(start) else {
        return;
    };
    assert!(header.len <= start.len(), "a header longer than the start");
    let own = start.get(..header.len).unwrap_or_default();
    assert_eq!(syslog::proxy::decode(own), Ok(Some(header)));
}

/// How a stream and a message are packed.
pub fn packing(bytes: &[u8]) {
    _ = syslog::packing::of_stream(bytes);
    if let Some(packed) = syslog::packing::of_message(bytes) {
        assert!(packed.len() < bytes.len());
    }
}
