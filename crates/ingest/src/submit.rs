//! Records that are handed in rather than received: over HTTP, and by import.

use std::net::IpAddr;
use std::sync::Arc;

use model::{BatchFull, LogspaceName, RecordBatch, Tag, Timestamp};
use syslog::Parser;

use crate::assembler::{Assembler, template};
use crate::budget::Permit;
use crate::error::SubmitError;
use crate::ingest::Ingest;
use crate::limits::READ_BUDGET_BYTES;
use crate::options::HttpOptions;
use crate::sink::{Destination, Durable, Gathered, Sink};
use crate::source::{DropReason, InFlight, Source};

/// Lines on their way.
struct Lines<'a> {
    sink: &'a Sink,
    source: Arc<Source>,
    options: HttpOptions,
    logspace: Option<&'a LogspaceName>,
    peer: Option<IpAddr>,
    assembler: Assembler,
    permit: Option<Permit>,
    received: Timestamp,
    pending: Vec<Durable>,
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
        let (source, options) = self.http().ok_or(SubmitError::ShutDown)?;
        self.submit_as(source, options, lines, logspace, peer).await
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
        self.submit_as(source, options, lines, Some(logspace), None)
            .await
    }

    async fn submit_as<'a>(
        &self,
        source: Arc<Source>,
        options: HttpOptions,
        lines: impl IntoIterator<Item = &'a [u8]>,
        logspace: Option<&LogspaceName>,
        peer: Option<IpAddr>,
    ) -> Result<u64, SubmitError> {
        self.check_logspace(logspace)?;
        let template = template(source.name());
        let mut taken = Lines {
            sink: self.sink(),
            source,
            assembler: Assembler::new(Parser::new(options.parse.clone()), template),
            options,
            logspace,
            peer,
            permit: None,
            received: self.sink().now(),
            pending: Vec::new(),
        };
        let mut count = 0;
        for line in lines.into_iter().filter(|line| !line.is_empty()) {
            taken.add(line).await?;
            count += 1;
        }
        taken.hand_over();
        for durable in taken.pending {
            durable.await.map_err(|_| SubmitError::NotStored)?;
        }
        Ok(count)
    }

    /// Takes records that the caller has made, as of the source `http`, and resolves when they
    /// are durable. With a logspace they go there, past the routes.
    ///
    /// # Errors
    /// When they are not durable; with routes to several logspaces some may be.
    pub async fn submit_batch(
        &self,
        batch: RecordBatch,
        logspace: Option<&LogspaceName>,
    ) -> Result<(), SubmitError> {
        let (source, options) = self.http().ok_or(SubmitError::ShutDown)?;
        self.check_logspace(logspace)?;
        if batch.is_empty() {
            return Ok(());
        }
        let sink = self.sink();
        let permit = sink.budget().acquire(batch.memory_bytes()).await;
        let raw_bytes = raw_bytes(&batch);
        let gathered = Gathered {
            batch,
            raw_bytes,
            numbers: Vec::new(),
        };
        let durable = match logspace {
            Some(logspace) => {
                let destination = Destination {
                    logspace,
                    ..options.destination()
                };
                sink.hand_over_to(&source, destination, gathered, permit)
            }
            None => sink.hand_over(&source, options.destination(), gathered, permit),
        };
        durable.await.map_err(|_| SubmitError::NotStored)
    }

    /// Imports records under the times of receipt that they carry, as of the source `http`; see
    /// [`store::Store::import`]. They are durable and sealed when it resolves.
    ///
    /// # Errors
    /// When they are not.
    pub async fn import(
        &self,
        batch: RecordBatch,
        logspace: &LogspaceName,
    ) -> Result<(), SubmitError> {
        let (source, _) = self.http().ok_or(SubmitError::ShutDown)?;
        self.check_logspace(Some(logspace))?;
        let sink = self.sink();
        let permit = sink.budget().acquire(batch.memory_bytes()).await;
        let messages = batch.len() as u64;
        source.receive(messages, raw_bytes(&batch));
        let in_flight = InFlight::new(source, messages, 0);
        let (store, logspace) = (sink.store().clone(), logspace.clone());
        let imported = tokio::task::spawn_blocking(move || {
            let result = store.import(&logspace, batch);
            if result.is_ok() {
                in_flight.store();
            }
            drop(permit);
            result
        });
        match imported.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::error!(%error, "records could not be imported");
                Err(SubmitError::NotStored)
            }
            Err(_) => Err(SubmitError::NotStored),
        }
    }

    fn check_logspace(&self, logspace: Option<&LogspaceName>) -> Result<(), SubmitError> {
        let unknown = |name: &&LogspaceName| self.sink().store().snapshot(name).is_none();
        match logspace.filter(unknown) {
            Some(name) => Err(SubmitError::UnknownLogspace(name.clone())),
            None => Ok(()),
        }
    }
}

impl Lines<'_> {
    async fn add(&mut self, line: &[u8]) -> Result<(), SubmitError> {
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

    fn push(&mut self, raw: &[u8], tags: u64) -> Result<(), BatchFull> {
        self.assembler.push(raw, tags, self.received, self.peer)
    }

    fn hand_over(&mut self) {
        let Some(permit) = self.permit.take() else {
            return;
        };
        if self.assembler.is_empty() {
            return;
        }
        let gathered = self.assembler.take();
        let destination = self.options.destination();
        let durable = match self.logspace {
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
        self.pending.push(durable);
    }
}

fn raw_bytes(batch: &RecordBatch) -> u64 {
    batch
        .heads()
        .iter()
        .map(|head| u64::from(head.raw_len))
        .sum()
}
