//! Records that are handed in rather than received, over HTTP.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use model::{BatchFull, LogspaceName, RecordBatch, Tag, Timestamp};
use syslog::Parser;
use tokio::sync::oneshot::error::TryRecvError;

use crate::assembler::{Assembler, template};
use crate::budget::Permit;
use crate::error::SubmitError;
use crate::ingest::Ingest;
use crate::limits::READ_BUDGET_BYTES;
use crate::options::HttpOptions;
use crate::sink::{Destination, Durable, Gathered, Sink};
use crate::source::{DropReason, Source};

/// Records on their way, of somebody who hands them in bit by bit. What it holds is covered by a
/// share of the byte budget; [`Submission::hand_over`] gives it away before a wait.
pub struct Submission<'a> {
    sink: &'a Sink,
    source: Arc<Source>,
    options: HttpOptions,
    logspace: Option<LogspaceName>,
    peer: Option<IpAddr>,
    assembler: Assembler,
    permit: Option<Permit>,
    received: Timestamp,
    /// Batches that may not be durable yet, with how many records they have.
    pending: VecDeque<(Durable, u64)>,
    stored: u64,
    is_failed: bool,
}

impl Ingest {
    /// Takes lines as messages of the source `http`, and resolves when all of them are durable:
    /// how many there were. Empty lines are passed over. With a logspace they go there, past the
    /// routes.
    ///
    /// # Errors
    /// When not all of them are durable; some may be. Whoever sent them must send them again.
    pub async fn submit_lines<'a>(
        &self,
        lines: impl IntoIterator<Item = &'a [u8]>,
        logspace: Option<&LogspaceName>,
        peer: Option<IpAddr>,
    ) -> Result<u64, SubmitError> {
        submit_all(self.submission(logspace.cloned(), peer)?, lines).await
    }

    /// Takes lines that this program says about itself as messages of the source `internal`, to a
    /// logspace, past the routes; resolves when all of them are durable: how many there were.
    ///
    /// # Errors
    /// As for [`Ingest::submit_lines`].
    pub async fn submit_internal<'a>(
        &self,
        lines: impl IntoIterator<Item = &'a [u8]>,
        logspace: &LogspaceName,
    ) -> Result<u64, SubmitError> {
        let source = self.internal().ok_or(SubmitError::ShutDown)?;
        let options = HttpOptions::default();
        let submission = self.submission_as(source, options, Some(logspace.clone()), None)?;
        submit_all(submission, lines).await
    }

    /// Takes records of the source `http` bit by bit. With a logspace they go there, past the
    /// routes.
    ///
    /// # Errors
    /// When there is no such logspace, or nothing is taken any more.
    pub fn submission(
        &self,
        logspace: Option<LogspaceName>,
        peer: Option<IpAddr>,
    ) -> Result<Submission<'_>, SubmitError> {
        let (source, options) = self.http().ok_or(SubmitError::ShutDown)?;
        self.submission_as(source, options, logspace, peer)
    }

    fn submission_as(
        &self,
        source: Arc<Source>,
        options: HttpOptions,
        logspace: Option<LogspaceName>,
        peer: Option<IpAddr>,
    ) -> Result<Submission<'_>, SubmitError> {
        self.check_logspace(logspace.as_ref())?;
        let template = template(source.name());
        Ok(Submission {
            sink: self.sink(),
            source,
            assembler: Assembler::new(Parser::new(options.parse.clone()), template),
            options,
            logspace,
            peer,
            permit: None,
            received: self.sink().now(),
            pending: VecDeque::new(),
            stored: 0,
            is_failed: false,
        })
    }

    pub(crate) fn check_logspace(
        &self,
        logspace: Option<&LogspaceName>,
    ) -> Result<(), SubmitError> {
        let unknown = |name: &&LogspaceName| self.sink().store().snapshot(name).is_none();
        match logspace.filter(unknown) {
            Some(name) => Err(SubmitError::UnknownLogspace(name.clone())),
            None => Ok(()),
        }
    }
}

impl Submission<'_> {
    /// Longest message that is kept whole, in bytes.
    pub fn message_bytes_max(&self) -> usize {
        self.options.message_bytes_max
    }

    /// Takes a line as a message; an empty one is passed over. Waits for room in the budget, with
    /// none of it in hand.
    ///
    /// # Errors
    /// When no batch can hold it.
    pub async fn add(&mut self, line: &[u8]) -> Result<(), SubmitError> {
        if line.is_empty() {
            return Ok(());
        }
        let (raw, tags) = match line.split_at_checked(self.options.message_bytes_max) {
            Some((kept, cut)) if !cut.is_empty() => (kept, Tag::Truncated.bit()),
            _ => (line, 0),
        };
        let bytes = Assembler::message_bytes(raw.len());
        let share = self.permit.as_ref().map_or(0, Permit::bytes);
        let is_covered = self.assembler.memory_bytes() + bytes <= share;
        if is_covered && self.push(raw, tags).is_ok() {
            return Ok(());
        }
        self.hand_over();
        let budget = self.sink.budget();
        self.permit = Some(budget.acquire(bytes.max(READ_BUDGET_BYTES)).await);
        self.received = self.sink.now();
        self.push(raw, tags).map_err(|_| {
            let bytes = raw.len() as u64;
            self.source
                .drop_from(self.peer, DropReason::TooLarge, bytes, self.received);
            SubmitError::TooLarge
        })
    }

    /// Takes records that the caller has made, when there is room in the budget.
    pub async fn add_batch(&mut self, batch: RecordBatch) {
        self.hand_over();
        if batch.is_empty() {
            return;
        }
        let permit = self.sink.budget().acquire(batch.memory_bytes()).await;
        let gathered = Gathered {
            raw_bytes: raw_bytes(&batch),
            batch,
            numbers: Vec::new(),
        };
        self.send(gathered, permit);
    }

    /// Hands over what is gathered, so that nothing is held while more is waited for.
    pub fn hand_over(&mut self) {
        let Some(permit) = self.permit.take() else {
            return;
        };
        if !self.assembler.is_empty() {
            let gathered = self.assembler.take();
            self.send(gathered, permit);
        }
    }

    /// Waits until all of it is durable, or never will be: how many records are, and whether those
    /// are all.
    pub async fn finish(mut self) -> (u64, Result<(), SubmitError>) {
        self.hand_over();
        while let Some((durable, records)) = self.pending.pop_front() {
            let result = durable.await.ok();
            self.settle(result.is_some(), records);
        }
        match self.is_failed {
            false => (self.stored, Ok(())),
            true => (self.stored, Err(SubmitError::NotStored)),
        }
    }

    fn push(&mut self, raw: &[u8], tags: u64) -> Result<(), BatchFull> {
        self.assembler.push(raw, tags, self.received, self.peer)
    }

    fn send(&mut self, gathered: Gathered, permit: Permit) {
        let records = gathered.batch.len() as u64;
        let destination = self.options.destination();
        let durable = match &self.logspace {
            Some(logspace) => {
                let destination = Destination {
                    logspace,
                    ..destination
                };
                self.sink
                    .hand_over_to(&self.source, destination, gathered, permit)
            }
            None => self
                .sink
                .hand_over(&self.source, destination, gathered, permit),
        };
        self.pending.push_back((durable, records));
        self.settle_done();
    }

    /// Forgets batches that are settled, so that a long body keeps no trace of them.
    fn settle_done(&mut self) {
        while let Some((durable, records)) = self.pending.front_mut() {
            let (is_stored, records) = match durable.try_recv() {
                Ok(()) => (true, *records),
                Err(TryRecvError::Closed) => (false, *records),
                Err(TryRecvError::Empty) => return,
            };
            self.pending.pop_front();
            self.settle(is_stored, records);
        }
    }

    fn settle(&mut self, is_stored: bool, records: u64) {
        if is_stored {
            self.stored += records;
        } else {
            self.is_failed = true;
        }
    }
}

/// Takes all lines, and resolves when they are durable: how many there were.
async fn submit_all<'a>(
    mut submission: Submission<'_>,
    lines: impl IntoIterator<Item = &'a [u8]>,
) -> Result<u64, SubmitError> {
    for line in lines {
        submission.add(line).await?;
    }
    let (stored, result) = submission.finish().await;
    result.map(|()| stored)
}

pub(crate) fn raw_bytes(batch: &RecordBatch) -> u64 {
    batch
        .heads()
        .iter()
        .map(|head| u64::from(head.raw_len))
        .sum()
}
