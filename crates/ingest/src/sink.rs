//! From a batch of messages to the store, with an account of what became of each.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use model::{LogspaceName, RecordBatch, Timestamp};
use pipeline::Pipeline;
use store::{AppendError, Clock, Durability, Store};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::budget::{Budget, Permit};
use crate::import;
use crate::limits::UNPACK_BYTES_MAX;
use crate::log_limit::LogLimit;
use crate::names::Names;
use crate::source::{InFlight, Source};

/// Where all batches go.
pub(crate) struct Sink {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    budget: Budget,
    unpacking: Budget,
    names: Names,
    pipeline: RwLock<Arc<Pipeline>>,
    log_limit: Arc<LogLimit>,
    /// Places for connections, of all listeners together.
    places: Arc<Semaphore>,
    imports: Arc<Semaphore>,
}

/// Messages of one source, gathered.
pub(crate) struct Gathered {
    /// The records.
    pub(crate) batch: RecordBatch,
    /// Bytes of their messages.
    pub(crate) raw_bytes: u64,
    /// Numbers of messages whose senders count them.
    pub(crate) numbers: Vec<(u64, u32)>,
}

/// Where records go that no route takes, and what their acknowledgement promises.
#[derive(Clone, Copy)]
pub(crate) struct Destination<'a> {
    pub(crate) logspace: &'a LogspaceName,
    pub(crate) durability: Durability,
}

/// Resolves when a batch is durable, with an error when it never will be.
pub(crate) type Durable = oneshot::Receiver<()>;

/// A batch on its way, shared by the parts it was split into.
struct Delivery {
    is_failed: AtomicBool,
    done: Mutex<Option<oneshot::Sender<()>>>,
    /// Given back with the last part.
    permit: Option<Permit>,
}

/// One part on its way. Whatever becomes of it, it is settled once.
struct Ticket {
    in_flight: Option<InFlight>,
    delivery: Arc<Delivery>,
}

impl Sink {
    pub(crate) fn new(
        store: Arc<Store>,
        clock: Arc<dyn Clock>,
        budget_bytes: usize,
        connections_max: usize,
        pipeline: Pipeline,
    ) -> Self {
        let places = connections_max.min(Semaphore::MAX_PERMITS);
        let imports = import::permits(&store);
        Self {
            store,
            clock,
            budget: Budget::new(budget_bytes),
            unpacking: Budget::new(UNPACK_BYTES_MAX),
            names: Names::default(),
            pipeline: RwLock::new(Arc::new(pipeline)),
            log_limit: Arc::default(),
            places: Arc::new(Semaphore::new(places)),
            imports,
        }
    }

    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Places for batches of imports.
    pub(crate) fn imports(&self) -> &Arc<Semaphore> {
        &self.imports
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// A place for one more connection, where there is one.
    pub(crate) fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// Memory for unpacking compressed streams.
    pub(crate) fn unpacking(&self) -> &Budget {
        &self.unpacking
    }

    /// Names of senders by DNS.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// The time that a message read now is stamped with.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Takes other routes for the batches to come.
    pub(crate) fn set_pipeline(&self, pipeline: Pipeline) {
        *self
            .pipeline
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(pipeline);
    }

    /// The routes in force.
    pub(crate) fn pipeline(&self) -> Arc<Pipeline> {
        let pipeline = self.pipeline.read();
        Arc::clone(&pipeline.unwrap_or_else(PoisonError::into_inner))
    }

    /// Routes a batch and hands it to the store; records that no route takes go to `otherwise`.
    pub(crate) fn hand_over(
        &self,
        source: &Arc<Source>,
        otherwise: Destination<'_>,
        gathered: Gathered,
        permit: Permit,
    ) -> Durable {
        self.deliver(source, &self.pipeline(), otherwise, gathered, permit)
    }

    /// Hands a batch to one logspace, past the routes.
    pub(crate) fn hand_over_to(
        &self,
        source: &Arc<Source>,
        destination: Destination<'_>,
        gathered: Gathered,
        permit: Permit,
    ) -> Durable {
        self.deliver(source, &Pipeline::default(), destination, gathered, permit)
    }

    fn deliver(
        &self,
        source: &Arc<Source>,
        pipeline: &Pipeline,
        otherwise: Destination<'_>,
        gathered: Gathered,
        mut permit: Permit,
    ) -> Durable {
        let Gathered {
            batch, raw_bytes, ..
        } = gathered;
        permit.shrink_to(batch.memory_bytes());
        source.receive(batch.len() as u64, raw_bytes);
        let (done, durable) = oneshot::channel();
        let delivery = Arc::new(Delivery {
            is_failed: AtomicBool::new(false),
            done: Mutex::new(Some(done)),
            permit: Some(permit),
        });
        let split = pipeline.split(batch, otherwise.logspace);
        if split.dropped > 0 {
            source.drop_by_rule(split.dropped as u64);
        }
        for part in split.parts {
            let (firsts, all) = (part.firsts as u64, part.batch.len() as u64);
            let ticket = Ticket {
                in_flight: Some(InFlight::new(Arc::clone(source), firsts, all - firsts)),
                delivery: Arc::clone(&delivery),
            };
            let log_limit = Arc::clone(&self.log_limit);
            let on_durable = move |result: Result<_, AppendError>| match result {
                Ok(_) => ticket.store(),
                Err(error) => ticket.fail(&error, &log_limit),
            };
            let (logspace, on_durable) = (part.logspace, Box::new(on_durable));
            self.store
                .append(logspace, part.batch, otherwise.durability, on_durable);
        }
        durable
    }
}

impl Ticket {
    fn store(mut self) {
        if let Some(in_flight) = self.in_flight.take() {
            in_flight.store();
        }
    }

    fn fail(self, error: &AppendError, log_limit: &LogLimit) {
        if let Some(unsaid) = log_limit.note() {
            tracing::error!(%error, unsaid, "records could not be stored");
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // Still here: not stored, or the store has lost the callback.
        if self.in_flight.take().is_some() {
            self.delivery.is_failed.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        // First, so that whoever is told finds the budget as it should be.
        drop(self.permit.take());
        let done = self.done.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(done) = done.take()
            && !self.is_failed.load(Ordering::Relaxed)
        {
            // Most senders wait for nothing and have let go of the other end.
            _ = done.send(());
        }
    }
}
