use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use model::{LogspaceName, Priority, RecordBatch, RecordParts, Span, Timestamp};
use store::{Durability, RealDisk, Store, SystemClock};

use crate::kinds::{File, PathTemplate};
use crate::*;

mod accounting;
mod file;
mod runner;

/// A store in a directory, with a runtime for those who need one.
pub(crate) struct House {
    pub(crate) store: Arc<Store>,
    runtime: tokio::runtime::Runtime,
}

impl House {
    pub(crate) fn open(dir: &Path) -> Self {
        let options = store::Options::new(dir);
        let store = Store::open(options, Arc::new(RealDisk), Arc::new(SystemClock));
        let store = Arc::new(store.expect("opens"));
        let names =
            ["main", "other", "refused"].map(|name| LogspaceName::parse(name).expect("a name"));
        store.create_logspaces(&names).expect("creates");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        Self {
            store,
            runtime: runtime.expect("a runtime"),
        }
    }

    pub(crate) fn destinations(&self, options: Vec<Options>) -> Destinations {
        let handle = self.runtime.handle().clone();
        Destinations::start(
            Arc::clone(&self.store),
            handle,
            Arc::new(SystemClock),
            options,
        )
    }

    /// Stores messages durably.
    pub(crate) fn put(&self, logspace: &str, texts: &[String]) {
        let mut batch = RecordBatch::new();
        let source = batch.source_index("test").expect("room");
        for text in texts {
            let host = text.split(' ').next().unwrap_or_default();
            let parts = RecordParts {
                message: Span::new(0, text.len()),
                host: Span::new(0, host.len()),
                priority: Priority::DEFAULT,
                ..RecordParts::default()
            };
            let pushed = batch.push(text.as_bytes(), &parts, SystemClock.now(), None, source);
            pushed.expect("room");
        }
        let (sender, receiver) = std::sync::mpsc::channel();
        let name = LogspaceName::parse(logspace).expect("a name");
        let told = Box::new(move |result| _ = sender.send(result));
        self.store.append(&name, batch, Durability::Strict, told);
        receiver.recv().expect("told").expect("durable");
    }
}

use store::Clock as _;

/// Numbered messages of a few hosts.
pub(crate) fn messages(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers
        .map(|number| format!("host{} message {number}", number % 3))
        .collect()
}

/// Asks again and again until something is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < patience, "{what}");
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// What a made-up other side is to do with the batches that come.
pub(crate) type Script = dyn Fn(&Batch) -> Outcome + Send + Sync;

/// A kind whose other side is a function.
#[derive(Clone)]
pub(crate) struct Scripted {
    pub(crate) script: Arc<Script>,
    /// What was delivered, by text.
    pub(crate) got: Arc<Mutex<Vec<String>>>,
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scripted")
    }
}

impl Scripted {
    pub(crate) fn new(script: impl Fn(&Batch) -> Outcome + Send + Sync + 'static) -> Self {
        Self {
            script: Arc::new(script),
            got: Arc::default(),
        }
    }

    pub(crate) fn got(&self) -> Vec<String> {
        self.got.lock().expect("whole").clone()
    }
}

pub(crate) fn text(item: Item<'_>) -> String {
    String::from_utf8_lossy(item.record.message()).into_owned()
}

impl Kind for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn open(&self, _: Opening) -> Result<Box<dyn Sink>, Failure> {
        Ok(Box::new(self.clone()))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        Preview {
            to: "nowhere".to_owned(),
            bytes: text(record).into_bytes(),
        }
    }
}

impl Sink for Scripted {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(async move {
            let outcome = (self.script)(batch);
            let mut got = self.got.lock().expect("whole");
            for (place, item) in batch.iter().enumerate() {
                let is_rejected = outcome.rejected.iter().any(|one| one.place == place);
                if !is_rejected && !outcome.left.contains(&place) {
                    got.push(text(item));
                }
            }
            outcome
        })
    }
}

/// Options that lose no time.
pub(crate) fn hasty(kind: impl Kind + 'static) -> Options {
    let mut options = Options::new("one", Arc::new(kind));
    options.start = Start::Beginning;
    options.batch.wait = Duration::ZERO;
    options.retry = Retry {
        min: Duration::from_millis(1),
        max: Duration::from_millis(5),
    };
    options
}

pub(crate) fn raw_file(path: &Path) -> File {
    let path = PathTemplate::parse(path.to_str().expect("a text")).expect("a path");
    File::new(path, Rendering::format("raw").expect("a format"))
}

pub(crate) fn only(status: &[Status]) -> &Status {
    status.first().expect("one")
}

/// Whether everything adds up.
pub(crate) fn assert_adds_up(status: &Status) {
    let totals = &status.totals;
    assert_eq!(
        totals.matched,
        totals.delivered + totals.dropped.all() + status.pending,
        "{status:?}"
    );
}

pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}
