//! What is uploaded behind the position that is kept: for each logspace from one record to another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::sink::{Batch, Failure};

/// Records by logspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    uploaded: BTreeMap<String, Stretch>,
}

/// Numbers from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stretch {
    first: u64,
    last: u64,
}

impl State {
    /// What was kept; nothing where that cannot be understood: then objects are uploaded again.
    pub(super) fn restore(value: Option<Value>) -> Self {
        let read = value.and_then(|value| serde_json::from_value(value).ok());
        read.unwrap_or_default()
    }

    pub(super) fn to_value(&self) -> Result<Value, Failure> {
        serde_json::to_value(self).map_err(|error| Failure::new(error.to_string()))
    }

    /// The first batch of a logspace after a start: up to which number its records are there. If it begins with another
    /// record than was kept, somebody has moved the destination or changed what it takes, and all come again.
    pub(super) fn take(&mut self, batch: &Batch) -> Option<u64> {
        let stretch = self.uploaded.remove(batch.logspace.as_str())?;
        let begins = batch.rows.first()?.number.0;
        (begins == stretch.first).then_some(stretch.last)
    }

    /// Notes that all records from one to another are uploaded.
    pub(super) fn add(&mut self, logspace: &str, first: u64, last: u64) {
        let stretch = self.uploaded.entry(logspace.to_owned());
        stretch.or_insert(Stretch { first, last }).last = last;
    }

    /// The position has come that far.
    pub(super) fn clear(&mut self) {
        self.uploaded.clear();
    }
}
