//! How one destination is configured: what all kinds share.

use std::sync::Arc;
use std::time::Duration;

use model::{LogspaceName, Timestamp};
use query::Query;
use store::Undelivered;

use crate::sink::Kind;

/// A configured destination.
#[derive(Clone, Debug)]
pub struct Options {
    /// What its author calls it.
    pub name: String,
    /// Its kind with the options of that.
    pub kind: Arc<dyn Kind>,
    /// All of its section as text: two are the same if this is.
    pub definition: String,
    /// The logspaces whose records it takes.
    pub from: Vec<LogspaceName>,
    /// What a record must be; `None` for anything.
    pub matching: Option<Query>,
    /// Where it begins when it is new.
    pub start: Start,
    /// How many records go together.
    pub batch: BatchBounds,
    /// How many batches are delivered at a time.
    pub workers: usize,
    /// What records have in common that go to the same worker, and so stay in order.
    pub order_by: OrderBy,
    /// How long it waits before it tries again.
    pub retry: Retry,
    /// What becomes of records that are to be deleted before they are delivered.
    pub undelivered: Undelivered,
    /// Where records go that the other side refuses for good; `None` to drop them.
    pub on_reject: Option<LogspaceName>,
}

impl Options {
    /// A destination with the defaults.
    pub fn new(name: impl Into<String>, kind: Arc<dyn Kind>) -> Self {
        Self {
            name: name.into(),
            kind,
            definition: String::new(),
            from: vec![LogspaceName::main()],
            matching: None,
            start: Start::Now,
            batch: BatchBounds::default(),
            workers: 1,
            order_by: OrderBy::Nothing,
            retry: Retry::default(),
            undelivered: Undelivered::Keep,
            on_reject: None,
        }
    }

    /// Its name with its kind in front: `file.archive`.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.kind.name(), self.name)
    }
}

/// Where a new destination begins, or one is set to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// With the records that come from now on.
    #[default]
    Now,
    /// With the oldest that is kept.
    Beginning,
    /// With the first that was received then or later.
    Time(Timestamp),
}

/// How many records go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchBounds {
    /// Most records.
    pub records_max: usize,
    /// Most bytes of memory, but one record at least.
    pub bytes_max: usize,
    /// How long the first one waits for others.
    pub wait: Duration,
}

impl Default for BatchBounds {
    fn default() -> Self {
        Self {
            records_max: 5_000,
            bytes_max: 4 * 1024 * 1024,
            wait: Duration::from_millis(100),
        }
    }
}

/// What records have in common that stay in order, where there are several workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrderBy {
    /// Nothing: batches overtake each other.
    #[default]
    Nothing,
    /// The host.
    Host,
    /// The program.
    Program,
    /// Host and program.
    HostProgram,
    /// The source they came through.
    Source,
    /// The address of the sender.
    Peer,
}

impl OrderBy {
    /// All, with their names in the configuration.
    pub const ALL: [(&'static str, Self); 6] = [
        ("nothing", Self::Nothing),
        ("host", Self::Host),
        ("program", Self::Program),
        ("host-program", Self::HostProgram),
        ("source", Self::Source),
        ("peer", Self::Peer),
    ];
}

/// How long a destination waits before it tries again: twice as long each time, of which a random part is
/// left out so that many do not come back at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The first time.
    pub min: Duration,
    /// At the most.
    pub max: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            min: Duration::from_millis(500),
            max: Duration::from_secs(60),
        }
    }
}
