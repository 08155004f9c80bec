//! Records that are imported: batches are built into segments beside each other, and published in order.

use std::sync::Arc;

use model::{LogspaceName, RecordBatch};
use store::Store;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

use crate::error::SubmitError;
use crate::ingest::Ingest;
use crate::source::{InFlight, Source};
use crate::submit::raw_bytes;

/// An import on its way, as of the source `http`. Batches are as large as the byte budget of all receivers, so
/// they are no part of it; all imports together have a bound of their own.
pub struct Import {
    store: Arc<Store>,
    source: Arc<Source>,
    logspace: LogspaceName,
    /// One for each batch that is under way, of all imports.
    permits: Arc<Semaphore>,
    batches: UnboundedSender<Batch>,
    publisher: JoinHandle<(u64, Result<(), SubmitError>)>,
}

/// A batch that is being built.
struct Batch {
    import: store::Import,
    in_flight: InFlight,
    _permit: OwnedSemaphorePermit,
}

/// How many batches of imports are under way at a time: those that are built, and one that is published
/// meanwhile.
pub(crate) fn permits(store: &Store) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(store.imports_max().saturating_add(1)))
}

impl Ingest {
    /// Begins to import records under the times of receipt that they carry; see [`Store::start_import`].
    ///
    /// # Errors
    /// When there is no such logspace, or nothing is taken any more.
    pub fn import(&self, logspace: &LogspaceName) -> Result<Import, SubmitError> {
        let (source, _) = self.http().ok_or(SubmitError::ShutDown)?;
        self.check_logspace(Some(logspace))?;
        let (batches, built) = unbounded_channel();
        Ok(Import {
            store: Arc::clone(self.sink().store()),
            source,
            logspace: logspace.clone(),
            permits: Arc::clone(self.sink().imports()),
            batches,
            publisher: tokio::task::spawn_blocking(move || publish_all(built)),
        })
    }
}

impl Import {
    /// Takes a batch, when earlier ones are done.
    ///
    /// # Errors
    /// When it cannot be imported, or an earlier one could not: then [`Import::finish`] says why.
    pub async fn push(&self, batch: RecordBatch) -> Result<(), SubmitError> {
        let records = batch.len() as u64;
        self.source.receive(records, raw_bytes(&batch));
        let in_flight = InFlight::new(Arc::clone(&self.source), records, 0);
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let batch = Batch {
            _permit: permit.map_err(|_| SubmitError::ShutDown)?,
            import: self
                .store
                .start_import(&self.logspace, batch)
                .map_err(|error| not_imported(&error))?,
            in_flight,
        };
        self.batches.send(batch).map_err(|_| SubmitError::NotStored)
    }

    /// Waits until all batches are sealed and durable, or one could not be, behind which none is: how many
    /// records are.
    pub async fn finish(self) -> (u64, Result<(), SubmitError>) {
        drop(self.batches);
        self.publisher
            .await
            .unwrap_or((0, Err(SubmitError::NotStored)))
    }
}

/// Publishes batches in their order, up to the first one that fails.
fn publish_all(mut built: UnboundedReceiver<Batch>) -> (u64, Result<(), SubmitError>) {
    let mut stored = 0;
    while let Some(batch) = built.blocking_recv() {
        let records = batch.import.records() as u64;
        if let Err(error) = batch.import.finish() {
            return (stored, Err(not_imported(&error)));
        }
        batch.in_flight.store();
        stored += records;
    }
    (stored, Ok(()))
}

fn not_imported(error: &store::Error) -> SubmitError {
    tracing::error!(%error, "records could not be imported");
    match error {
        store::Error::NoRoom(why) => SubmitError::NoRoom(why.clone()),
        _ => SubmitError::NotStored,
    }
}
