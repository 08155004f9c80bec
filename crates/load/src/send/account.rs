//! What has become of the messages, connection by connection.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio_util::sync::CancellationToken;

use crate::limits::LATENCY_MICROS_MAX;

/// A run as others see it: its counters, which may be read while it goes on, and its end.
#[derive(Clone, Debug)]
pub struct Run {
    counters: Arc<[Counters]>,
    latencies: Arc<Mutex<Option<Histogram<u64>>>>,
    pub(super) stop: CancellationToken,
}

/// The counters of one connection. Only its own task writes them.
#[derive(Debug, Default)]
pub(super) struct Counters {
    made: AtomicU64,
    sent: AtomicU64,
    bytes: AtomicU64,
    acknowledged: AtomicU64,
    reconnects: AtomicU64,
    /// Messages that were never made, because the connection was lost before.
    unmade: AtomicU64,
}

/// What has become of some messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Made, whether sent or not.
    pub made: u64,
    /// Handed to the operating system from the first byte to the last.
    pub sent: u64,
    /// Their bytes, frames included, before encryption and compression of the stream.
    pub bytes: u64,
    /// Answered with a yes.
    pub acknowledged: u64,
    /// To be sent, and never made since the connection was lost.
    pub unmade: u64,
    /// How often the connection was opened again.
    pub reconnects: u64,
}

/// Times from sending a message to its acknowledgement, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Latencies {
    /// Half of them took at most this.
    pub p50: f64,
    /// Nine in ten.
    pub p90: f64,
    /// 99 in 100.
    pub p99: f64,
    /// 999 in 1000.
    pub p999: f64,
    /// The longest.
    pub max: f64,
}

impl Run {
    /// A run over so many connections that has not begun.
    pub fn new(connections: u32) -> Self {
        Self {
            counters: (0..connections).map(|_| Counters::default()).collect(),
            latencies: Arc::default(),
            stop: CancellationToken::new(),
        }
    }

    /// Makes no more messages; what is on its way is finished.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// What has become of the messages of each connection so far.
    pub fn tallies(&self) -> impl Iterator<Item = Tally> + '_ {
        self.counters.iter().map(Counters::tally)
    }

    /// What has become of all messages so far.
    pub fn total(&self) -> Tally {
        self.tallies().fold(Tally::default(), |sum, one| Tally {
            made: sum.made + one.made,
            sent: sum.sent + one.sent,
            bytes: sum.bytes + one.bytes,
            acknowledged: sum.acknowledged + one.acknowledged,
            unmade: sum.unmade + one.unmade,
            reconnects: sum.reconnects + one.reconnects,
        })
    }

    /// How long acknowledgements took; `None` without any.
    pub fn latencies(&self) -> Option<Latencies> {
        let latencies = self.latencies.lock();
        let latencies = latencies.unwrap_or_else(PoisonError::into_inner);
        let histogram = latencies.as_ref()?;
        let millis = |micros: u64| micros as f64 / 1_000.0;
        let at = |quantile| millis(histogram.value_at_quantile(quantile));
        Some(Latencies {
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            max: millis(histogram.max()),
        })
    }

    pub(super) fn account(&self, connection: u32) -> Account {
        Account {
            run: self.clone(),
            index: connection as usize,
        }
    }
}

/// Where one connection writes down what becomes of its messages.
#[derive(Clone, Debug)]
pub(super) struct Account {
    run: Run,
    index: usize,
}

impl Account {
    fn add(&self, counter: impl Fn(&Counters) -> &AtomicU64, more: u64) {
        if let Some(counters) = self.run.counters.get(self.index) {
            counter(counters).fetch_add(more, Ordering::Relaxed);
        }
    }

    pub(super) fn made(&self, messages: usize) {
        self.add(|counters| &counters.made, messages as u64);
    }

    pub(super) fn sent(&self, messages: usize, bytes: usize) {
        self.add(|counters| &counters.sent, messages as u64);
        self.add(|counters| &counters.bytes, bytes as u64);
    }

    pub(super) fn reconnected(&self) {
        self.add(|counters| &counters.reconnects, 1);
    }

    pub(super) fn unmade(&self, messages: u64) {
        self.add(|counters| &counters.unmade, messages);
    }

    /// Counts messages as acknowledged, each so long after it was sent.
    pub(super) fn acknowledged(&self, after: &[Duration]) {
        self.add(|counters| &counters.acknowledged, after.len() as u64);
        let latencies = self.run.latencies.lock();
        let mut latencies = latencies.unwrap_or_else(PoisonError::into_inner);
        if latencies.is_none() {
            // Three digits; these bounds are always valid.
            *latencies = Histogram::new_with_bounds(1, LATENCY_MICROS_MAX, 3).ok();
        }
        let Some(histogram) = latencies.as_mut() else {
            return;
        };
        for latency in after {
            let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
            histogram.saturating_record(micros.max(1));
        }
    }
}

impl Counters {
    fn tally(&self) -> Tally {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Tally {
            made: read(&self.made),
            sent: read(&self.sent),
            bytes: read(&self.bytes),
            acknowledged: read(&self.acknowledged),
            unmade: read(&self.unmade),
            reconnects: read(&self.reconnects),
        }
    }
}
