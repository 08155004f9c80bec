//! Backups.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Body of `admin/backup`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupRequest {
    /// Where to, on the server's machine: an absolute path.
    pub directory: String,
}

/// Answer of `admin/backup`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackupAnswer {
    /// Where it is.
    pub directory: String,
    /// Whether everything could be read.
    pub complete: bool,
    /// What it holds.
    pub logspaces: Vec<LogspaceBackup>,
    /// What could not be read.
    pub damages: Vec<String>,
}

/// What a backup holds of a logspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogspaceBackup {
    /// Its name.
    pub name: String,
    /// Records.
    pub records: u64,
    /// The number of the newest record; null where there are none.
    pub last: Option<u64>,
    /// Segments that an older backup had already.
    pub kept: u64,
    /// Segments that were linked.
    pub linked: u64,
    /// Segments that were copied.
    pub copied: u64,
    /// Bytes that were copied.
    pub copied_bytes: u64,
    /// Files of an older backup that are gone.
    pub removed: u64,
}
