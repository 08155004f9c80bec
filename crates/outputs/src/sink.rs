//! What a kind of destination has to do: take batches, and say what became of each record.
//!
//! A [`Kind`] is a kind with its options, and makes a [`Sink`] for each worker. A sink is used by one thread, which
//! does nothing else, so it may block on files as well as wait for sockets. Everything about positions, retries,
//! refused records and figures is the business of the runner.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use model::{LogspaceName, RecordBatch, RecordNumber, RecordRef};
use serde_json::Value;

use crate::limits::{ERROR_BYTES_MAX, REASON_BYTES_MAX};

/// What a sink gives back for later.
pub type Promise<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A kind of destination with its options.
pub trait Kind: fmt::Debug + Send + Sync {
    /// What it is called in the configuration, such as `file`.
    fn name(&self) -> &'static str;

    /// Makes the sink of one worker. It must not wait for the other side: a destination that is down is found out
    /// by delivering.
    ///
    /// # Errors
    /// When what it needs of this machine is not there. It is tried again.
    fn open(&self, opening: Opening) -> Result<Box<dyn Sink>, Failure>;

    /// What would be sent for a record, for people.
    fn preview(&self, record: Item<'_>) -> Preview;

    /// Looks for what the options name of this machine: files, directories, users, programs. Nothing is sent or
    /// changed.
    fn examine(&self) -> Vec<Trouble> {
        Vec::new()
    }

    /// Most workers that it can have. One that keeps a state has one.
    fn workers_max(&self) -> usize {
        crate::limits::WORKERS_MAX
    }
}

/// The hands of one worker.
pub trait Sink: Send {
    /// Delivers records; what became of each. The runner calls again for those that are left, later. It is dropped
    /// unfinished where the destination is stopped or changed.
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome>;

    /// Makes durable what was delivered, and says what has to be kept beside the position. What this says is given
    /// back by [`Opening::state`] if everything behind that position is to be delivered again.
    ///
    /// # Errors
    /// When it cannot. The position stays where it was, and it is tried again.
    fn settle(&mut self) -> Promise<'_, Result<Option<Value>, Failure>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// The position and what [`Sink::settle`] said are durable.
    fn settled(&mut self) {}

    /// Whether it is time to call [`Sink::settle`].
    fn wants_to_settle(&self) -> bool {
        false
    }

    /// Nothing came for a while: looks after connections and files.
    fn idle(&mut self) -> Promise<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Ends in order what is open.
    fn close(&mut self) -> Promise<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// What a sink gets when it is made.
pub struct Opening {
    /// Which worker it is for, counted from 0.
    pub worker: usize,
    /// The destination, as `file.archive`.
    pub destination: String,
    /// Which store the records are of: 32 hexadecimal digits, for ids that are unique everywhere.
    pub store: String,
    /// What [`Sink::settle`] said when the position was kept from which records come.
    pub state: Option<Value>,
    /// Keeps a state before something is done that has to be undone if it does not survive.
    pub keeper: Arc<dyn KeepState>,
}

/// Keeps the state of a sink at the position that is kept already.
pub trait KeepState: Send + Sync {
    /// Makes a state durable in the place of the one that [`Sink::settle`] or this said last.
    ///
    /// # Errors
    /// When the disk refuses.
    fn keep(&self, state: Value) -> Result<(), Failure>;
}

/// Records that a worker delivers together, all of one logspace.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Where they are kept.
    pub logspace: LogspaceName,
    /// The records.
    pub records: Arc<RecordBatch>,
    /// Which of them, and their numbers; in the order of these.
    pub rows: Vec<Row>,
}

/// A record of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where it stands in [`Batch::records`].
    pub index: u32,
    /// Its number.
    pub number: RecordNumber,
}

/// A record that is to be delivered.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Where it is kept.
    pub logspace: &'a LogspaceName,
    /// Its number there.
    pub number: RecordNumber,
    /// The record.
    pub record: RecordRef<'a>,
}

impl Batch {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The record at a place, counted from 0.
    pub fn get(&self, place: usize) -> Option<Item<'_>> {
        let row = self.rows.get(place)?;
        Some(Item {
            logspace: &self.logspace,
            number: row.number,
            record: self.records.get(row.index as usize)?,
        })
    }

    /// The records in order.
    pub fn iter(&self) -> impl Iterator<Item = Item<'_>> {
        (0..self.rows.len()).filter_map(|place| self.get(place))
    }

    /// The records at some places.
    pub(crate) fn only(&self, places: &[usize]) -> Self {
        let rows = places.iter().filter_map(|place| self.rows.get(*place));
        Self {
            logspace: self.logspace.clone(),
            records: Arc::clone(&self.records),
            rows: rows.copied().collect(),
        }
    }
}

/// What became of a batch. A record that is neither refused nor left is where it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Those that the other side refuses for good, by their place in the batch.
    pub rejected: Vec<Rejected>,
    /// The places of those that are to be tried again, in order.
    pub left: Vec<usize>,
    /// Why some are left; nothing where they are to be tried at once, as when only so many go at a time.
    pub failure: Option<Failure>,
    /// Bytes that went out.
    pub bytes: u64,
}

/// A record that is refused for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Its place in the batch.
    pub place: usize,
    /// Why.
    pub reason: String,
}

impl Outcome {
    /// All are delivered, with so many bytes.
    pub fn delivered(bytes: u64) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }

    /// Those from a place on are to be tried again.
    pub fn left_from(place: usize, batch: &Batch, failure: Failure) -> Self {
        Self {
            left: (place..batch.len()).collect(),
            failure: Some(failure),
            ..Self::default()
        }
    }

    /// One is refused.
    pub fn reject(&mut self, place: usize, reason: impl Into<String>) {
        let mut reason = reason.into();
        reason.truncate(reason.floor_char_boundary(REASON_BYTES_MAX));
        self.rejected.push(Rejected { place, reason });
    }
}

/// Why something did not work that may work later.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Failure {
    /// What failed, on what, and why.
    pub what: String,
    /// How long the other side asks to be left alone.
    pub after: Option<Duration>,
}

impl Failure {
    /// What failed, on what, and why.
    pub fn new(what: impl Into<String>) -> Self {
        let mut what = what.into();
        what.truncate(what.floor_char_boundary(ERROR_BYTES_MAX));
        Self { what, after: None }
    }

    /// The other side wants to be left alone for so long.
    #[must_use]
    pub fn after(mut self, after: Duration) -> Self {
        self.after = Some(after);
        self
    }
}

/// What would be sent for a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// Where to: a file, an address, an index.
    pub to: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Something that the options name and that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The key of the section that names it.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: Option<String>,
    /// Whether the destination cannot work like that.
    pub is_error: bool,
}
