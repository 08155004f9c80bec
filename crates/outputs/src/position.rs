//! The document of a destination in the store: how far it is, its figures, and what its sinks need to go on.
//!
//! All of it is replaced at once, so that position, figures and state are always of one moment.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{DocumentName, Store};

use crate::account::Totals;
use crate::error::Error;
use crate::sink::{Failure, KeepState};

/// What is kept of a destination.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Kept {
    /// The number of the last record that is settled, by logspace.
    pub(crate) positions: BTreeMap<String, u64>,
    /// Records that were received before then are passed over, in nanoseconds of UNIX time, by logspace.
    pub(crate) since: BTreeMap<String, i64>,
    /// The figures there.
    pub(crate) totals: Totals,
    /// What sinks need, by worker.
    pub(crate) states: BTreeMap<usize, Value>,
    /// Whether somebody has it rest.
    pub(crate) is_paused: bool,
}

/// The document of one destination.
pub(crate) struct Position {
    store: Arc<Store>,
    name: DocumentName,
    now: Mutex<Now>,
}

struct Now {
    kept: Kept,
    /// Its version in the store; `None` where that has to be asked, after the disk has refused.
    version: Option<u64>,
}

impl Position {
    /// Which store it is of.
    pub(crate) fn store_id(&self) -> String {
        self.store.id()
    }

    /// Reads it, or begins one.
    pub(crate) fn open(store: Arc<Store>, destination: &str) -> Result<Self, Error> {
        let name = DocumentName::parse(&format!("destination.{destination}"))?;
        let found = store.document(&name)?;
        let (kept, version) = match found {
            None => (Kept::default(), 0),
            Some(document) => {
                let kept = serde_json::from_slice(&document.bytes);
                let kept = kept.map_err(|error| {
                    Error::Position(format!("the document {name} cannot be understood: {error}"))
                })?;
                (kept, document.version)
            }
        };
        Ok(Self {
            store,
            name,
            now: Mutex::new(Now {
                kept,
                version: Some(version),
            }),
        })
    }

    /// What is kept.
    pub(crate) fn kept(&self) -> Kept {
        self.lock().kept.clone()
    }

    /// Changes it, durably.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Kept)) -> Result<(), Error> {
        let mut now = self.lock();
        let mut kept = now.kept.clone();
        change(&mut kept);
        let version = match now.version {
            Some(version) => version,
            None => { self.store.document(&self.name)? }.map_or(0, |document| document.version),
        };
        let text = serde_json::to_vec(&kept).map_err(|error| Error::Position(error.to_string()))?;
        // Which version is there is not known when the disk refuses.
        now.version = None;
        now.version = Some(self.store.put_document(&self.name, &text, version)?);
        now.kept = kept;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the state of one worker's sink.
pub(crate) struct Keeper {
    pub(crate) position: Arc<Position>,
    pub(crate) worker: usize,
}

impl KeepState for Keeper {
    fn keep(&self, state: Value) -> Result<(), Failure> {
        let changed = self
            .position
            .change(|kept| _ = kept.states.insert(self.worker, state));
        changed.map_err(|error| Failure::new(format!("the position cannot be kept: {error}")))
    }
}

/// Keeps nothing: for a record that is sent to try.
pub(crate) struct Forget;

impl KeepState for Forget {
    fn keep(&self, _: Value) -> Result<(), Failure> {
        Ok(())
    }
}
