//! A connection over TCP, TLS or a unix socket: lines and counted octets into batches.

use syslog::frame::{Frame, Framer, FramerOptions, Step};

use crate::budget::Permit;
use crate::control::Control;
use crate::gatherer::Gatherer;
use crate::input::{End, Input};
use crate::listening::Listening;
use crate::opener::Opener;
use crate::peer::Peer;
use crate::stream::Stream;

/// Reads a connection to its end. A message that the end cuts short is kept, and says so.
pub(crate) async fn run(
    listening: &Listening,
    stream: &Stream,
    peer: Peer,
    control: Control,
) -> End {
    let options = &listening.options;
    let message_bytes_max = options.message_bytes_max;
    let mut framer = Framer::new(FramerOptions {
        framing: options.framing,
        message_bytes_max,
    });
    let buffer_bytes_min = framer.buffer_bytes_min();
    let idle_timeout = options.idle_timeout;
    let mut input = Input::new(
        stream,
        &listening.sink,
        control,
        idle_timeout,
        buffer_bytes_min,
    )
    .may_be_packed(options.unpacks);
    let mut opener = listening.opener(message_bytes_max);
    let mut gatherer = Gatherer::new(listening, peer.address());
    let end = loop {
        let permit = match options.flow_control {
            true => input.read_more::<Permit>().await.map(Some),
            false => input.read_more::<Option<Permit>>().await,
        };
        match permit {
            Ok(Some(permit)) => gatherer.begin(permit, input.buffer().len()),
            Ok(None) => gatherer.begin_dropping(),
            Err(end) => break end,
        }
        let consumed = gather(&mut framer, input.buffer(), &mut opener, &mut gatherer).await;
        input.consume(consumed);
        gatherer.hand_over();
        opener.relax();
    };
    if let Some(frame) = framer.finish(input.buffer()) {
        gatherer.refresh();
        add(&mut gatherer, &mut opener, &frame).await;
        gatherer.hand_over();
    }
    end
}

/// Gathers the complete messages of the buffer, and returns how much of it is done with.
async fn gather(
    framer: &mut Framer,
    buffer: &[u8],
    opener: &mut Opener,
    gatherer: &mut Gatherer<'_>,
) -> usize {
    let mut start = 0;
    loop {
        match framer.next(buffer.get(start..).unwrap_or(&[])) {
            Step::Frame { frame, consumed } => {
                add(gatherer, opener, &frame).await;
                start += consumed;
            }
            Step::NeedMore { consumed } => return start + consumed,
        }
    }
}

/// Adds a message. Nobody waits for it to be durable, and nobody is told if it cannot be.
async fn add(gatherer: &mut Gatherer<'_>, opener: &mut Opener, frame: &Frame<'_>) {
    let (raw, tags) = opener.open(frame.raw);
    let tags = tags | frame.tags;
    if gatherer.add(raw, tags).is_err() {
        gatherer.hand_over();
        gatherer.refill(raw.len()).await;
        // Counted where it fails.
        _ = gatherer.add_first(raw, tags);
    }
}
