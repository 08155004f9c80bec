//! What is kept of files beside the position: how long they were there.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::{STATE_FILES_MAX, STATE_PATH_BYTES_MAX};
use crate::sink::Failure;

/// Files by their path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    files: BTreeMap<String, Known>,
}

/// A file as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) device: u64,
    pub(super) inode: u64,
    /// Its length in bytes. What is behind that is delivered again.
    pub(super) len: u64,
}

impl State {
    /// Notes a file, unless there are too many to be kept: those may have records twice after a crash.
    pub(super) fn add(&mut self, path: &str, known: Known) -> bool {
        let bytes: usize = self.files.keys().map(String::len).sum();
        let has_room =
            self.files.len() < STATE_FILES_MAX && bytes + path.len() <= STATE_PATH_BYTES_MAX;
        if has_room {
            self.files.insert(path.to_owned(), known);
        }
        has_room
    }

    /// Whether it knows this very file.
    pub(super) fn knows(&self, path: &str, file: Known) -> bool {
        let same = |known: &Known| (known.device, known.inode) == (file.device, file.inode);
        self.files.get(path).is_some_and(same)
    }

    /// The length that is kept of a file.
    pub(super) fn len_of(&self, path: &str) -> Option<u64> {
        self.files.get(path).map(|known| known.len)
    }

    pub(super) fn to_value(&self) -> Result<Value, Failure> {
        serde_json::to_value(self).map_err(|error| Failure::new(error.to_string()))
    }

    /// Cuts off what was written behind the position that is kept: it is delivered again.
    pub(super) fn restore(value: Option<Value>) -> Result<Self, Failure> {
        let Some(value) = value else {
            return Ok(Self::default());
        };
        let state: Self = serde_json::from_value(value)
            .map_err(|error| Failure::new(format!("the kept state is damaged: {error}")))?;
        for (path, known) in &state.files {
            cut(path, *known).map_err(|error| Failure::new(format!("{path}: {error}")))?;
        }
        Ok(state)
    }
}

fn cut(path: &str, known: Known) -> std::io::Result<()> {
    let file = match OpenOptions::new().write(true).open(path) {
        // Somebody has taken it away, and what was in it.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        result => result?,
    };
    let metadata = file.metadata()?;
    let is_same = (metadata.dev(), metadata.ino()) == (known.device, known.inode);
    if is_same && metadata.is_file() && metadata.len() > known.len {
        let bytes = metadata.len() - known.len;
        tracing::info!(path, bytes, "cut off what is delivered again");
        file.set_len(known.len)?;
        file.sync_data()?;
    }
    Ok(())
}
