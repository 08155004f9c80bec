//! What became of the messages of each source: nothing vanishes silently.
//!
//! received = stored + dropped + in flight, at every instant. The figures of a source change
//! together under one lock, once per batch, so the equation is never seen broken; a guard per
//! batch settles it even where a callback is lost.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::Timestamp;

use crate::expected::{Bounds, Level};
use crate::senders::{Run, SenderStatus, Senders};

/// Why a message was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DropReason {
    /// A UDP datagram of a peer that may not send.
    Denied,
    /// A UDP datagram without a byte.
    EmptyDatagram,
    /// The kernel had no room for the datagram in the socket's receive buffer.
    KernelBufferFull,
    /// The byte budget was used up, and the source does not wait.
    MemoryFull,
    /// A step of a route dropped it.
    Rule,
    /// The store refused the batch or could not write it.
    StorageFailed,
    /// The message alone exceeds what a batch can hold.
    TooLarge,
}

impl DropReason {
    /// All reasons, in the order of their figures.
    pub const ALL: [Self; 7] = [
        Self::Denied,
        Self::EmptyDatagram,
        Self::KernelBufferFull,
        Self::MemoryFull,
        Self::Rule,
        Self::StorageFailed,
        Self::TooLarge,
    ];

    /// Its name in figures and logs: `empty_datagram`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::EmptyDatagram => "empty_datagram",
            Self::KernelBufferFull => "kernel_buffer_full",
            Self::MemoryFull => "memory_full",
            Self::Rule => "rule",
            Self::StorageFailed => "storage_failed",
            Self::TooLarge => "too_large",
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The figures of a source at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceStatus {
    /// The source's name.
    pub name: String,
    /// Messages that reached this machine, those that the kernel dropped included.
    pub received: u64,
    /// Messages that are durable.
    pub stored: u64,
    /// Messages that are lost, in the order of [`DropReason::ALL`].
    pub dropped: [u64; DropReason::ALL.len()],
    /// Messages on their way to the disk.
    pub in_flight: u64,
    /// How long the oldest of these has been on its way.
    pub lag: Duration,
    /// What waits in the kernel for us to read it, in bytes: memory of datagrams, bytes of
    /// connections.
    pub kernel_queue_bytes: u64,
    /// Bytes of the received messages, without framing.
    pub bytes: u64,
    /// Further copies, made by routes to several logspaces, that could not be stored although the
    /// message itself was.
    pub copies_dropped: u64,
    /// Connections that are open.
    pub connections: u64,
    /// Connections that were accepted since the start.
    pub connections_total: u64,
    /// Connections that were turned away: too many, or no TLS handshake or PROXY header.
    pub connections_refused: u64,
    /// Connections of peers that may not send, turned away or cut when the host lists changed.
    pub connections_denied: u64,
    /// How the last period was.
    pub level: Level,
    /// Senders that are told apart.
    pub senders: u64,
    /// Those of them that sent fewer messages than is usual in the last period.
    pub senders_low: u64,
    /// Those that sent more.
    pub senders_high: u64,
    /// Messages that did not come, by the numbers of those that did.
    pub missing: u64,
}

impl SourceStatus {
    /// Messages lost, whatever the reason.
    pub fn dropped_total(&self) -> u64 {
        self.dropped.iter().sum()
    }

    /// Reasons and their figures.
    pub fn dropped_by_reason(&self) -> impl Iterator<Item = (DropReason, u64)> {
        DropReason::ALL.into_iter().zip(self.dropped)
    }
}

/// The living figures of a source. They outlast its listener, so that a reload loses none.
#[derive(Debug)]
pub(crate) struct Source {
    name: String,
    counts: Mutex<Counts>,
    connections: AtomicU64,
    connections_total: AtomicU64,
    connections_refused: AtomicU64,
    connections_denied: AtomicU64,
    senders: Mutex<Senders>,
}

#[derive(Debug, Default)]
struct Counts {
    received: u64,
    stored: u64,
    dropped: [u64; DropReason::ALL.len()],
    in_flight: u64,
    /// Since when each batch is on its way, in the order in which they left.
    departures: BTreeMap<u64, Instant>,
    next_departure: u64,
    bytes: u64,
    copies_dropped: u64,
    level: Level,
    senders_low: u64,
    senders_high: u64,
}

impl Source {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            counts: Mutex::default(),
            connections: AtomicU64::new(0),
            connections_total: AtomicU64::new(0),
            connections_refused: AtomicU64::new(0),
            connections_denied: AtomicU64::new(0),
            senders: Mutex::default(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Messages that were lost as they arrived.
    pub(crate) fn drop_arrived(&self, reason: DropReason, messages: u64, bytes: u64) {
        if messages == 0 {
            return;
        }
        let mut counts = self.counts();
        counts.received += messages;
        counts.bytes += bytes;
        counts.drop_for(reason, messages);
    }

    /// A message was lost as it arrived, and who sent it is known.
    pub(crate) fn drop_from(
        &self,
        peer: Option<IpAddr>,
        reason: DropReason,
        bytes: u64,
        now: Timestamp,
    ) {
        self.drop_arrived(reason, 1, bytes);
        if let Some(peer) = peer {
            self.senders().drop_one(peer, bytes, now);
        }
    }

    /// Messages start on their way to the disk.
    pub(crate) fn receive(&self, messages: u64, bytes: u64) {
        let mut counts = self.counts();
        counts.received += messages;
        counts.bytes += bytes;
        counts.in_flight += messages;
    }

    /// Messages that were on their way end there, by a rule.
    pub(crate) fn drop_by_rule(&self, messages: u64) {
        let mut counts = self.counts();
        counts.in_flight -= messages;
        counts.drop_for(DropReason::Rule, messages);
    }

    pub(crate) fn status(&self) -> SourceStatus {
        let (senders, missing) = {
            let senders = self.senders();
            (senders.len() as u64, senders.missing())
        };
        let counts = self.counts();
        SourceStatus {
            name: self.name.clone(),
            received: counts.received,
            stored: counts.stored,
            dropped: counts.dropped,
            in_flight: counts.in_flight,
            lag: counts
                .departures
                .first_key_value()
                .map_or(Duration::ZERO, |(_, departure)| departure.elapsed()),
            kernel_queue_bytes: 0,
            bytes: counts.bytes,
            copies_dropped: counts.copies_dropped,
            connections: self.connections.load(Ordering::Relaxed),
            connections_total: self.connections_total.load(Ordering::Relaxed),
            connections_refused: self.connections_refused.load(Ordering::Relaxed),
            connections_denied: self.connections_denied.load(Ordering::Relaxed),
            level: counts.level,
            senders,
            senders_low: counts.senders_low,
            senders_high: counts.senders_high,
            missing,
        }
    }

    /// A connection was turned away.
    pub(crate) fn refuse_connection(&self) {
        self.connections_refused.fetch_add(1, Ordering::Relaxed);
    }

    /// A peer may not send, or no longer.
    pub(crate) fn deny_connection(&self) {
        self.connections_denied.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts messages that have been read by their senders, and follows their numbers.
    pub(crate) fn count_senders(&self, runs: &[Run], numbers: &[(u64, u32)], now: Timestamp) {
        let mut senders = self.senders();
        senders.count(runs, now);
        senders.follow(numbers);
    }

    /// The figures of each sender, in no order.
    pub(crate) fn sender_statuses(&self) -> Vec<SenderStatus> {
        self.senders().statuses()
    }

    /// Notes how a period was, and returns how the one before was.
    pub(crate) fn set_level(&self, level: Level) -> Level {
        std::mem::replace(&mut self.counts().level, level)
    }

    /// Ends a period of all senders, and returns who was otherwise in the one before.
    pub(crate) fn judge_senders(
        &self,
        bounds: Bounds,
        now: Timestamp,
    ) -> Vec<(IpAddr, Level, u64)> {
        let judgement = self.senders().judge(bounds, now);
        let mut counts = self.counts();
        counts.senders_low = judgement.low;
        counts.senders_high = judgement.high;
        judgement.changed
    }

    fn senders(&self) -> MutexGuard<'_, Senders> {
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A batch leaves for the disk; returns what [`Self::settle`] knows it by.
    fn depart(&self) -> u64 {
        let mut counts = self.counts();
        let departure = counts.next_departure;
        counts.next_departure += 1;
        counts.departures.insert(departure, Instant::now());
        departure
    }

    fn settle(&self, departure: u64, messages: u64, copies: u64, stored: bool) {
        let mut counts = self.counts();
        counts.departures.remove(&departure);
        counts.in_flight -= messages;
        if stored {
            counts.stored += messages;
        } else {
            counts.drop_for(DropReason::StorageFailed, messages);
            counts.copies_dropped += copies;
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        // Nothing panics while it holds the lock; counting goes on whatever happens elsewhere.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn drop_for(&mut self, reason: DropReason, messages: u64) {
        let reasons = DropReason::ALL.into_iter().zip(&mut self.dropped);
        if let Some((_, count)) = reasons.into_iter().find(|(known, _)| *known == reason) {
            *count += messages;
        }
    }
}

/// Messages in flight: settled once as stored, otherwise as dropped.
#[derive(Debug)]
pub(crate) struct InFlight {
    source: Arc<Source>,
    departure: u64,
    messages: u64,
    copies: u64,
    stored: bool,
}

impl InFlight {
    /// Takes charge of messages that [`Source::receive`] has counted, and of further copies.
    pub(crate) fn new(source: Arc<Source>, messages: u64, copies: u64) -> Self {
        Self {
            departure: source.depart(),
            source,
            messages,
            copies,
            stored: false,
        }
    }

    /// They are durable.
    pub(crate) fn store(mut self) {
        self.stored = true;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.source
            .settle(self.departure, self.messages, self.copies, self.stored);
    }
}

/// An open connection, counted for as long as it lives.
#[derive(Debug)]
pub(crate) struct OpenConnection(Arc<Source>);

impl OpenConnection {
    pub(crate) fn new(source: &Arc<Source>) -> Self {
        source.connections.fetch_add(1, Ordering::Relaxed);
        source.connections_total.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(source))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;

    fn is_conserved(status: &SourceStatus) -> bool {
        status.received == status.stored + status.dropped_total() + status.in_flight
    }

    #[test]
    fn received_is_always_stored_dropped_or_in_flight() {
        let source = Arc::new(Source::new("tcp"));
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..3_u64)
                .map(|worker| {
                    let source = &source;
                    scope.spawn(move || {
                        for round in 0..5_000_u64 {
                            source.receive(7, 70);
                            let in_flight = InFlight::new(Arc::clone(source), 7, 0);
                            source.drop_arrived(DropReason::EmptyDatagram, 2, 0);
                            if (round + worker) % 3 == 0 {
                                drop(in_flight);
                            } else {
                                in_flight.store();
                            }
                        }
                    })
                })
                .collect();
            scope.spawn(|| {
                loop {
                    let is_last = stop.load(Ordering::Relaxed);
                    let status = source.status();
                    assert!(is_conserved(&status), "{status:?}");
                    if is_last {
                        break;
                    }
                }
            });
            for worker in workers {
                worker.join().expect("no panic");
            }
            stop.store(true, Ordering::Relaxed);
        });
        let status = source.status();
        assert_eq!(status.received, 3 * 5_000 * 9);
        assert_eq!(status.in_flight, 0);
        let dropped: Vec<_> = status
            .dropped_by_reason()
            .map(|(reason, count)| (reason.name(), count))
            .collect();
        assert_eq!(
            dropped,
            [
                ("denied", 0),
                ("empty_datagram", 30_000),
                ("kernel_buffer_full", 0),
                ("memory_full", 0),
                ("rule", 0),
                ("storage_failed", 35_000),
                ("too_large", 0)
            ]
        );
    }

    #[test]
    fn the_oldest_batch_on_its_way_is_the_lag() {
        let source = Arc::new(Source::new("tcp"));
        assert_eq!(source.status().lag, Duration::ZERO);
        source.receive(2, 2);
        let first = InFlight::new(Arc::clone(&source), 1, 0);
        thread::sleep(Duration::from_millis(5));
        let second = InFlight::new(Arc::clone(&source), 1, 0);
        let lag = source.status().lag;
        assert!(lag >= Duration::from_millis(5), "{lag:?}");
        first.store();
        second.store();
        assert_eq!(source.status().lag, Duration::ZERO);
    }

    #[test]
    fn connections_are_counted_while_open() {
        let source = Arc::new(Source::new("tcp"));
        let first = OpenConnection::new(&source);
        let second = OpenConnection::new(&source);
        drop(first);
        source.refuse_connection();
        let status = source.status();
        assert_eq!(status.connections, 1);
        assert_eq!(status.connections_total, 2);
        assert_eq!(status.connections_refused, 1);
        drop(second);
        assert_eq!(source.status().connections, 0);
    }
}
