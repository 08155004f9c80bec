//! A server for a test, and what became of what was sent to it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use ingest::{Ingest, ListenerOptions, Options, SourceStatus, Transport};
use model::{LogspaceName, RecordBatch};
use pipeline::Pipeline;
use store::{Part, Store, SystemClock};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::disk::{Gate, GatedDisk};

/// How long anything may take before a test fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Receivers and their store.
pub(crate) struct Server {
    pub(crate) ingest: Ingest,
    pub(crate) store: Arc<Store>,
    pub(crate) gate: Gate,
    _directory: TempDir,
}

/// A stored record, as far as the tests look at it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) raw: String,
    pub(crate) source: String,
    pub(crate) peer: String,
    pub(crate) tags: Vec<String>,
}

/// A free port on the loopback.
pub(crate) fn loopback() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

/// A listener called as its transport.
pub(crate) fn listener(transport: Transport) -> ListenerOptions {
    let mut options = ListenerOptions::new(transport.name(), transport, loopback());
    options.receive_buffer_bytes = None;
    options
}

impl Server {
    pub(crate) fn start(listeners: Vec<ListenerOptions>) -> Self {
        Self::with(Options::new(listeners))
    }

    pub(crate) fn with(options: Options) -> Self {
        Self::try_with(options).expect("starts")
    }

    pub(crate) fn try_start(listeners: Vec<ListenerOptions>) -> Result<Self, ingest::Error> {
        Self::try_with(Options::new(listeners))
    }

    fn try_with(options: Options) -> Result<Self, ingest::Error> {
        let directory = tempfile::tempdir().expect("makes one");
        let gate = Gate::default();
        let mut settings = store::Options::new(directory.path().join("data"));
        settings.journal_file_bytes = 4 * 1024 * 1024;
        let disk = Arc::new(GatedDisk(gate.clone()));
        let store = Store::open(settings, disk, Arc::new(SystemClock)).expect("opens");
        let store = Arc::new(store);
        let clock = Arc::new(SystemClock);
        let ingest = Ingest::start(options, Pipeline::default(), Arc::clone(&store), clock);
        Ok(Self {
            ingest: ingest?,
            store,
            gate,
            _directory: directory,
        })
    }

    /// Where a source is listened for.
    pub(crate) fn address(&self, source: &str) -> SocketAddr {
        let listeners = self.ingest.listeners();
        let listener = listeners.iter().find(|listener| listener.source == source);
        listener
            .expect("listens")
            .address
            .internet()
            .expect("a port")
    }

    /// Figures of a source.
    pub(crate) fn source(&self, name: &str) -> SourceStatus {
        let sources = self.ingest.sources();
        let source = sources.into_iter().find(|source| source.name == name);
        let source = source.expect("is known");
        assert_eq!(
            source.received,
            source.stored + source.dropped_total() + source.in_flight,
            "{source:?}"
        );
        source
    }

    /// Waits until so many messages of a source are stored.
    pub(crate) async fn stored(&self, source: &str, count: u64) {
        let is_stored = || self.source(source).stored >= count;
        let what = format!("{count} messages of {source} are stored");
        eventually(&what, is_stored).await;
        let status = self.source(source);
        assert_eq!((status.stored, status.in_flight), (count, 0), "{status:?}");
    }

    /// What is stored in a logspace, in order.
    pub(crate) fn records(&self, logspace: &str) -> Vec<Stored> {
        let name = LogspaceName::parse(logspace).expect("valid");
        let snapshot = self.store.snapshot(&name).expect("exists");
        let mut records = Vec::new();
        for part in snapshot.parts {
            match part {
                Part::Tail(chunk) => records.extend(stored(&chunk.batch)),
                Part::Segment(segment) => {
                    for index in 0..segment.chunks() {
                        records.extend(stored(&segment.chunk_records(index).expect("reads")));
                    }
                }
            }
        }
        records
    }

    /// The hosts of the records of a logspace, in order. They must not be sealed yet.
    pub(crate) fn hosts(&self, logspace: &str) -> Vec<String> {
        let name = LogspaceName::parse(logspace).expect("valid");
        let snapshot = self.store.snapshot(&name).expect("exists");
        let mut hosts = Vec::new();
        for part in snapshot.parts {
            if let Part::Tail(chunk) = part {
                let of_chunk = chunk.batch.iter();
                hosts.extend(of_chunk.map(|r| String::from_utf8_lossy(r.host()).into_owned()));
            }
        }
        hosts
    }

    /// The messages stored in `main`, in order.
    pub(crate) fn raws(&self) -> Vec<String> {
        self.records("main")
            .into_iter()
            .map(|record| record.raw)
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A store that cannot write would never close.
        self.gate.open();
    }
}

fn stored(batch: &RecordBatch) -> Vec<Stored> {
    let stored = batch.iter().map(|record| Stored {
        raw: String::from_utf8_lossy(record.raw()).into_owned(),
        source: record.source().to_owned(),
        peer: record
            .peer()
            .map(|peer| peer.to_string())
            .unwrap_or_default(),
        tags: record.tags().map(str::to_owned).collect(),
    });
    stored.collect()
}

/// Waits until something is so.
pub(crate) async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let wait = async {
        while !is_so() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, wait)
        .await
        .unwrap_or_else(|_| panic!("not in time: {what}"));
}
