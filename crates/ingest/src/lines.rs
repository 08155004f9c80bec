//! A TCP or TLS connection: lines and counted octets into batches.

use std::net::IpAddr;

use syslog::frame::{Frame, Framer, FramerOptions, Step};

use crate::gatherer::Gatherer;
use crate::input::{End, Input};
use crate::listening::Listening;
use crate::stop::Stop;
use crate::stream::Stream;

/// Reads a connection to its end. A message that the end cuts short is kept, and says so.
pub(crate) async fn run(listening: &Listening, stream: &Stream, peer: IpAddr, stop: Stop) -> End {
    let options = &listening.options;
    let message_bytes_max = options.message_bytes_max;
    let mut framer = Framer::new(FramerOptions { message_bytes_max });
    let budget = listening.sink.budget();
    let buffer_bytes_min = framer.buffer_bytes_min();
    let mut input = Input::new(stream, budget, stop, options.idle_timeout, buffer_bytes_min);
    let mut gatherer = Gatherer::new(listening, Some(peer));
    let end = loop {
        let permit = match input.read_more().await {
            Ok(permit) => permit,
            Err(end) => break end,
        };
        gatherer.begin(permit, input.buffer().len());
        let consumed = gather(&mut framer, input.buffer(), &mut gatherer).await;
        input.consume(consumed);
        gatherer.hand_over();
    };
    if let Some(frame) = framer.finish(input.buffer()) {
        gatherer.refresh();
        add(&mut gatherer, &frame).await;
        gatherer.hand_over();
    }
    end
}

/// Gathers the complete messages of the buffer, and returns how much of it is done with.
async fn gather(framer: &mut Framer, buffer: &[u8], gatherer: &mut Gatherer<'_>) -> usize {
    let mut start = 0;
    loop {
        match framer.next(buffer.get(start..).unwrap_or(&[])) {
            Step::Frame { frame, consumed } => {
                add(gatherer, &frame).await;
                start += consumed;
            }
            Step::NeedMore { consumed } => return start + consumed,
        }
    }
}

/// Adds a message. Nobody waits for it to be durable, and nobody is told if it cannot be.
async fn add(gatherer: &mut Gatherer<'_>, frame: &Frame<'_>) {
    if gatherer.add(frame.raw, frame.tags).is_err() {
        gatherer.hand_over();
        gatherer.refill(frame.raw.len()).await;
        // Counted where it fails.
        _ = gatherer.add_first(frame.raw, frame.tags);
    }
}
