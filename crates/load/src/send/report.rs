//! What a run came to, as people and as scripts read it.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::account::{Latencies, Run, Tally};

/// What a run came to. As JSON it is one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Messages handed to the operating system from the first byte to the last.
    pub sent: u64,
    /// Messages that were answered with a yes; `None` where the transport has no answers.
    pub acknowledged: Option<u64>,
    /// Messages that were to be sent and were not, or were not acknowledged where the transport
    /// has answers.
    pub failed: u64,
    /// Bytes of the messages sent, frames included, before encryption and compression of a stream.
    pub bytes: u64,
    /// From the first message to the last, its acknowledgement included.
    pub seconds: f64,
    /// Messages a second.
    pub rate: f64,
    /// Time that our own process had the processor for it.
    pub cpu_seconds: f64,
    /// How long acknowledgements took.
    pub ack_latency_ms: Option<Latencies>,
    /// How often a connection was opened again.
    pub reconnects: u64,
    /// The same for each connection.
    pub connections: Vec<ConnectionReport>,
    /// What went wrong first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What became of the messages of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ConnectionReport {
    /// Its index, from 0.
    pub connection: u32,
    /// As in the whole.
    pub sent: u64,
    /// As in the whole.
    pub acknowledged: Option<u64>,
    /// As in the whole.
    pub failed: u64,
}

impl Report {
    pub(super) fn new(
        run: &Run,
        has_answers: bool,
        took: Duration,
        cpu: Duration,
        error: Option<String>,
    ) -> Self {
        let total = run.total();
        let seconds = took.as_secs_f64();
        let rate = if seconds > 0.0 {
            total.sent as f64 / seconds
        } else {
            0.0
        };
        let connections = (0..).zip(run.tallies()).map(|(connection, tally)| {
            let failed = failed(&tally, has_answers);
            ConnectionReport {
                connection,
                sent: tally.sent,
                acknowledged: has_answers.then_some(tally.acknowledged),
                failed,
            }
        });
        Self {
            sent: total.sent,
            acknowledged: has_answers.then_some(total.acknowledged),
            failed: failed(&total, has_answers),
            bytes: total.bytes,
            seconds,
            rate,
            cpu_seconds: cpu.as_secs_f64(),
            ack_latency_ms: run.latencies(),
            reconnects: total.reconnects,
            connections: connections.collect(),
            error,
        }
    }
}

fn failed(tally: &Tally, has_answers: bool) -> u64 {
    let done = if has_answers {
        tally.acknowledged
    } else {
        tally.sent
    };
    (tally.made + tally.unmade).saturating_sub(done)
}

/// The closing line of loggen, whose readers also read ours.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.bytes.checked_div(self.sent).unwrap_or(0);
        let kilobytes = self.bytes as f64 / 1024.0 / self.seconds.max(1e-9);
        write!(
            f,
            "average rate = {:.2} msg/sec, count={}, time={}, (average) msg size={size}, \
             bandwidth={kilobytes:.2} kB/sec",
            self.rate, self.sent, self.seconds
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_done_is_failed() {
        let run = Run::new(2);
        let (first, second) = (run.account(0), run.account(1));
        first.made(10);
        first.sent(10, 1_000);
        first.acknowledged(&[Duration::from_millis(2); 8]);
        second.made(5);
        second.sent(4, 400);
        second.unmade(3);
        let report = |has_answers| {
            let second = Duration::from_secs(2);
            Report::new(&run, has_answers, second, Duration::ZERO, None)
        };
        let plain = report(false);
        assert_eq!(
            (plain.sent, plain.failed, plain.acknowledged),
            (14, 4, None)
        );
        let failed: Vec<u64> = plain.connections.iter().map(|one| one.failed).collect();
        assert_eq!(failed, [0, 4]);
        let relp = report(true);
        assert_eq!((relp.acknowledged, relp.failed), (Some(8), 10));
        let p99 = relp.ack_latency_ms.expect("some").p99;
        assert!((1.99..2.01).contains(&p99), "{p99}");
        assert_eq!(
            plain.to_string(),
            "average rate = 7.00 msg/sec, count=14, time=2, (average) msg size=100, \
             bandwidth=0.68 kB/sec"
        );
    }
}
