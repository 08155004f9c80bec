//! What arrived, counted once for all connections.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::Notify;

use crate::sink::options::{Mode, SinkOptions};
use crate::sink::sequence::{Reader, Run, RunId, Runs};

/// What arrived.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SinkReport {
    /// Messages.
    pub received: u64,
    /// Bytes as they came from the sockets, before TLS is counted.
    pub bytes: u64,
    /// Connections that were accepted.
    pub connections: u64,
    /// Numbers that never came.
    pub gaps: u64,
    /// Numbers that came again.
    pub duplicates: u64,
    /// Numbers that came behind a larger one.
    pub out_of_order: u64,
    /// Messages that were cut or wrongly framed, and with a check those without a number.
    pub malformed: u64,
    /// From the first to the last byte.
    pub seconds: f64,
    /// Messages a second in that time.
    pub rate: f64,
}

/// The shared account.
#[derive(Debug)]
pub(crate) struct Account {
    started: Instant,
    received: AtomicU64,
    bytes: AtomicU64,
    connections: AtomicU64,
    malformed: AtomicU64,
    /// Nanoseconds from the start; 0 for not yet.
    first: AtomicU64,
    last: AtomicU64,
    runs: Runs,
    mode: Mode,
    count: Option<u64>,
    fail_every: Option<u64>,
    /// Messages looked at, those that were refused included.
    seen: AtomicU64,
    file: Option<Mutex<BufWriter<File>>>,
    has_write_failed: AtomicBool,
    enough: Notify,
}

impl Account {
    pub(crate) fn new(options: &SinkOptions, file: Option<File>) -> Self {
        Self {
            started: Instant::now(),
            received: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            malformed: AtomicU64::new(0),
            first: AtomicU64::new(0),
            last: AtomicU64::new(0),
            runs: Runs::default(),
            mode: options.mode,
            count: options.count,
            fail_every: options.fail_every,
            seen: AtomicU64::new(0),
            file: file.map(|file| Mutex::new(BufWriter::with_capacity(256 * 1024, file))),
            has_write_failed: AtomicBool::new(false),
            enough: Notify::new(),
        }
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Since the sink was made.
    pub(crate) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Counts what one read brought.
    pub(crate) fn add(&self, messages: u64, bytes: u64, malformed: u64) {
        let now = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        _ = self
            .first
            .compare_exchange(0, now.max(1), Ordering::Relaxed, Ordering::Relaxed);
        self.last.fetch_max(now, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.malformed.fetch_add(malformed, Ordering::Relaxed);
        let received = self.received.fetch_add(messages, Ordering::Relaxed) + messages;
        if self.count.is_some_and(|count| received >= count) {
            self.enough.notify_one();
        }
    }

    /// Ends when as many messages arrived as were asked for.
    pub(crate) async fn enough(&self) {
        self.enough.notified().await;
    }

    /// Whether the next message is one to fail.
    pub(crate) fn fails(&self) -> bool {
        let Some(every) = self.fail_every else {
            return false;
        };
        let seen = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        seen.is_multiple_of(every.max(1))
    }

    /// What arrived so far; written messages reach their file.
    pub(crate) fn report(&self) -> SinkReport {
        self.flush();
        let faults = self.runs.faults();
        let received = self.received.load(Ordering::Relaxed);
        let first = self.first.load(Ordering::Relaxed);
        let nanos = self.last.load(Ordering::Relaxed).saturating_sub(first);
        let seconds = nanos as f64 / 1e9;
        SinkReport {
            received,
            bytes: self.bytes.load(Ordering::Relaxed),
            connections: self.connections.load(Ordering::Relaxed),
            gaps: faults.gaps,
            duplicates: faults.duplicates,
            out_of_order: faults.out_of_order,
            malformed: self.malformed.load(Ordering::Relaxed),
            seconds,
            rate: received as f64 / seconds.max(1e-6),
        }
    }

    /// Whether what arrived could not be written to its file.
    pub(crate) fn has_write_failed(&self) -> bool {
        self.has_write_failed.load(Ordering::Relaxed)
    }

    /// Lets what was written reach its file.
    fn flush(&self) {
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            self.note_write(&file.flush());
        }
    }

    fn note_write(&self, written: &std::io::Result<()>) {
        if written.is_err() {
            self.has_write_failed.store(true, Ordering::Relaxed);
        }
    }
}

/// Looks at the messages of one connection.
#[derive(Debug)]
pub(crate) struct Tally {
    account: Arc<Account>,
    reader: Reader,
    /// The run of the message before.
    run: Option<(RunId, Arc<Mutex<Run>>)>,
    messages: u64,
    malformed: u64,
}

impl Tally {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        Self {
            account: Arc::clone(account),
            reader: Reader::new(),
            run: None,
            messages: 0,
            malformed: 0,
        }
    }

    /// A message; `false` where it is one to fail, and then it does not count.
    pub(crate) fn message(&mut self, message: &[u8], is_whole: bool) -> bool {
        if self.account.fails() {
            return false;
        }
        self.take(message, is_whole);
        true
    }

    /// A message that counts whatever happens.
    pub(crate) fn take(&mut self, message: &[u8], is_whole: bool) {
        self.messages += 1;
        let is_numbered = self.account.mode != Mode::Check || self.check(message);
        if !is_whole || !is_numbered {
            self.malformed += 1;
        }
        if let Some(file) = &self.account.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let written = file.write_all(message).and_then(|()| file.write_all(b"\n"));
            self.account.note_write(&written);
        }
    }

    /// Takes note of a message's number; `false` where it has none.
    fn check(&mut self, message: &[u8]) -> bool {
        let Some((id, number)) = self.reader.read(message) else {
            return false;
        };
        if self.run.as_ref().is_none_or(|(known, _)| *known != id) {
            self.run = self.account.runs.get(id).map(|run| (id, run));
        }
        let Some((_, run)) = &self.run else {
            return false;
        };
        run.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .note(number);
        true
    }

    /// Hands what was counted since the last time to the account, with the bytes read for it.
    pub(crate) fn settle(&mut self, bytes: usize) {
        let messages = std::mem::take(&mut self.messages);
        let malformed = std::mem::take(&mut self.malformed);
        // Who reads the file meanwhile finds what was answered.
        if messages > 0 {
            self.account.flush();
        }
        self.account.add(messages, bytes as u64, malformed);
    }
}
