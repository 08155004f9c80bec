//! Tells when a source or its senders send fewer or more messages than is usual.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::select;
use tokio::time::{Instant, sleep_until};

use crate::control::Control;
use crate::expected::{Bounds, Level};
use crate::limits::SENDERS_NAMED;
use crate::listening::Listening;

/// Judges each period until told to stop.
pub(crate) async fn run(listening: Arc<Listening>, mut control: Control) {
    let expected = listening.options.expected;
    let mut before = listening.source.status().received;
    let mut end = Instant::now() + expected.period;
    loop {
        select! {
            _ = control.order() => break,
            () = sleep_until(end) => {}
        }
        end += expected.period;
        let received = listening.source.status().received;
        judge_source(&listening, received - before);
        before = received;
        judge_senders(&listening);
    }
    // Nothing is expected any more.
    listening.source.set_level(Level::Usual);
    let now = listening.sink.now();
    listening.source.judge_senders(Bounds::default(), now);
}

fn judge_source(listening: &Listening, messages: u64) {
    let expected = &listening.options.expected;
    let level = expected.source.judge(messages);
    if listening.source.set_level(level) == level {
        return;
    }
    let source = listening.source.name();
    let seconds = expected.period.as_secs_f64();
    match level {
        Level::Low => {
            let min = expected.source.min.unwrap_or_default();
            tracing::warn!(source, messages, min, seconds, "fewer messages than usual");
        }
        Level::High => {
            let max = expected.source.max.unwrap_or_default();
            tracing::warn!(source, messages, max, seconds, "more messages than usual");
        }
        Level::Usual => tracing::info!(source, messages, seconds, "as many messages as usual"),
    }
}

fn judge_senders(listening: &Listening) {
    let expected = &listening.options.expected;
    let changed = listening
        .source
        .judge_senders(expected.sender, listening.sink.now());
    for level in [Level::Low, Level::High, Level::Usual] {
        let of_level = changed.iter().filter(|(_, now, _)| *now == level);
        let peers: Vec<IpAddr> = of_level.map(|(peer, ..)| *peer).collect();
        if peers.is_empty() {
            continue;
        }
        let named: Vec<String> = peers
            .iter()
            .take(SENDERS_NAMED)
            .map(IpAddr::to_string)
            .collect();
        let source = listening.source.name();
        let (senders, peers) = (peers.len(), named.join(" "));
        let seconds = expected.period.as_secs_f64();
        match level {
            Level::Low => tracing::warn!(
                source,
                senders,
                peers,
                seconds,
                "senders send fewer messages than usual"
            ),
            Level::High => tracing::warn!(
                source,
                senders,
                peers,
                seconds,
                "senders send more messages than usual"
            ),
            Level::Usual => tracing::info!(
                source,
                senders,
                peers,
                seconds,
                "senders send as many messages as usual"
            ),
        }
    }
}
