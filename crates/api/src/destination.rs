//! Destinations: how far they are, and what they are told to do.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Answer of `destinations`: all of them, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DestinationsAnswer {
    /// The destinations.
    pub destinations: Vec<DestinationStatus>,
}

/// A destination as it is now. At every moment matched = delivered + dropped + pending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DestinationStatus {
    /// Its name with its kind in front: `syslog.central`.
    pub name: String,
    /// `working`; `failing` while it is tried again and again; `paused`; `broken` where it could not be started.
    pub state: String,
    /// Why it could not be started; null where it could.
    pub reason: Option<String>,
    /// Records that its query takes, over restarts; and those that were gone before they could be asked.
    pub matched: u64,
    /// Records that are where they should be.
    pub delivered: u64,
    /// Records that are never delivered, by reason: `rejected`, `deleted`, `damaged`, `lost`, `skipped`.
    pub dropped: BTreeMap<String, u64>,
    /// Matched records that are under way.
    pub pending: u64,
    /// Memory of these, in bytes.
    pub pending_bytes: u64,
    /// Records that were not asked yet whether they match.
    pub unread: u64,
    /// When the oldest record was received that is pending or unread; null where there is none.
    pub oldest: Option<String>,
    /// Bytes that went out.
    pub bytes: u64,
    /// How often records were tried again since the start of the server.
    pub retries: u64,
    /// What did not work last, since the start; null where all did.
    pub last_error: Option<String>,
    /// When that was.
    pub last_error_at: Option<String>,
    /// When something was delivered last, since the start.
    pub last_delivered: Option<String>,
    /// How far it is in each logspace.
    pub positions: Vec<DestinationPosition>,
}

/// How far a destination is in a logspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DestinationPosition {
    /// The logspace.
    pub logspace: String,
    /// The number of the last record that is settled.
    pub settled: u64,
    /// Records behind that one.
    pub behind: u64,
}

/// What a destination is told to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DestinationRequest {
    /// With `rewind` and `skip`: `beginning`, `now`, a time, or the number of the record to go on with.
    pub to: Option<String>,
    /// With these: of which logspace; all where none is named.
    pub logspace: Option<String>,
    /// With `test`: the message to deliver.
    pub message: Option<String>,
}

/// What a destination would send of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedSending {
    /// Its name with its kind in front.
    pub destination: String,
    /// The logspace that it would take it from.
    pub logspace: String,
    /// `takes`, or `no_match`.
    pub verdict: String,
    /// Where to: a file, a server; empty where it would not take it.
    pub to: String,
    /// What would be sent. Bytes that are not UTF-8 are replaced.
    pub text: String,
}
