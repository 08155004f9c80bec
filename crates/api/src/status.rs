//! The state of the server.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::destination::DestinationStatus;

/// Answer of `status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusAnswer {
    /// The program's version.
    pub version: String,
    /// Seconds since the start.
    pub uptime_seconds: u64,
    /// Where it listens.
    pub listeners: Vec<ListenerStatus>,
    /// What came in.
    pub sources: Vec<SourceStatus>,
    /// What is kept.
    pub logspaces: Vec<LogspaceStatus>,
    /// Where records are sent.
    #[serde(default)]
    pub destinations: Vec<DestinationStatus>,
    /// What the steps of routes did since the configuration was read.
    #[serde(default)]
    pub steps: Vec<StepStatus>,
    /// Searches and exports that are being answered, the oldest first.
    #[serde(default)]
    pub searches: Vec<RunningSearch>,
    /// The disk.
    pub storage: StorageStatus,
}

/// What a step of a route did: `seen` = `skipped` + `done` + `unmatched` + `failed` + `dropped`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepStatus {
    /// The route.
    pub route: String,
    /// Where it stands there: `2`, or `2.else.1` for the first step of the other branch of the second.
    pub place: String,
    /// What it does: `kv`.
    pub kind: String,
    /// Records that came to it.
    pub seen: u64,
    /// Records that its `when` does not match.
    pub skipped: u64,
    /// Records on which it did what it is for.
    pub done: u64,
    /// Records that it, or a step in it, rejected.
    pub unmatched: u64,
    /// Records on which it failed.
    pub failed: u64,
    /// Records that it dropped.
    pub dropped: u64,
}

/// A listening socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListenerStatus {
    /// The source it belongs to.
    pub source: String,
    /// `udp`, `tcp`, `tls`, `relp`, `unix-datagram` or `unix-stream`.
    pub transport: String,
    /// Address and port, or a path.
    pub address: String,
}

/// A search that is being answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunningSearch {
    /// The query; of a long one the first 1,000 bytes.
    pub query: String,
    /// How long it has been running, in seconds.
    pub seconds: f64,
    /// Records of an export that were written so far; 0 of a search.
    #[serde(default)]
    pub records: u64,
    /// What the request of an export called itself (`mark`); empty where it did not.
    #[serde(default)]
    pub mark: String,
}

/// A source: received = stored + dropped + in flight, at every moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceStatus {
    /// Its name.
    pub name: String,
    /// Messages read.
    pub received: u64,
    /// Messages made durable.
    pub stored: u64,
    /// Messages given up, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Messages on their way.
    pub in_flight: u64,
    /// How long the oldest of these has been on its way, in seconds.
    #[serde(default)]
    pub lag_seconds: f64,
    /// What waits in the kernel to be read, in bytes: memory of datagrams, bytes of connections.
    #[serde(default)]
    pub kernel_queue_bytes: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Open connections.
    pub connections: u64,
    /// Connections turned away since the start.
    pub connections_refused: u64,
    /// Connections of peers that may not send, since the start.
    #[serde(default)]
    pub connections_denied: u64,
    /// How many messages came in the last period: `usual`, `low` or `high`.
    #[serde(default)]
    pub level: String,
    /// Addresses that have sent something.
    #[serde(default)]
    pub senders: u64,
    /// Those of them that sent too few messages in the last period.
    #[serde(default)]
    pub senders_low: u64,
    /// Those that sent too many.
    #[serde(default)]
    pub senders_high: u64,
    /// Messages that did not come, by the numbers of those that did.
    #[serde(default)]
    pub missing: u64,
}

/// The senders of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendersAnswer {
    /// The source.
    pub source: String,
    /// Its senders, by address.
    pub senders: Vec<SenderStatus>,
}

/// A sender of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SenderStatus {
    /// Its address.
    pub peer: String,
    /// Messages that came from it, those that were dropped included.
    pub received: u64,
    /// Messages of it that were dropped as they came; who sent what the kernel drops is not known.
    #[serde(default)]
    pub dropped: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// When the first came.
    pub first: String,
    /// When the last came.
    pub last: String,
    /// How many messages came in the last period: `usual`, `low` or `high`.
    pub level: String,
}

/// A logspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogspaceStatus {
    /// Its name.
    pub name: String,
    /// Records.
    pub records: u64,
    /// Segments.
    pub segments: u64,
    /// Bytes on disk, the journal not counted.
    pub bytes: u64,
    /// How long records are kept, in seconds; for ever where it is missing.
    #[serde(default)]
    pub keep_seconds: Option<u64>,
    /// How many bytes of segments are kept, those in the archive not counted; all where it is
    /// missing.
    #[serde(default)]
    pub keep_bytes: Option<u64>,
    /// What the records in segments come to.
    #[serde(default)]
    pub sealed: SealedStatus,
    /// Records deleted since the start because they need not be kept.
    #[serde(default)]
    pub expired: u64,
    /// Segments in the archive.
    #[serde(default)]
    pub archived_segments: u64,
    /// Bytes of their files; those of `bytes` are the others.
    #[serde(default)]
    pub archived_bytes: u64,
    /// Why segments that are due cannot be archived, or archived ones not be read.
    #[serde(default)]
    pub archive_failure: Option<String>,
    /// Segments that were compacted, or would not get smaller by it.
    #[serde(default)]
    pub compacted_segments: u64,
    /// Bytes that compacting has saved since the start.
    #[serde(default)]
    pub compaction_saved_bytes: u64,
    /// Why a segment that is due cannot be compacted.
    #[serde(default)]
    pub compaction_failure: Option<String>,
    /// When the oldest record was received.
    pub first: Option<String>,
    /// When the newest record was received.
    pub last: Option<String>,
    /// How often since the start times of receipt went back, because the clock had been ahead.
    #[serde(default)]
    pub clock_steps_back: u64,
    /// What cannot be read.
    pub damages: Vec<String>,
}

/// The records of a logspace that are in segments; the newest are in the journal only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SealedStatus {
    /// How many.
    pub records: u64,
    /// Bytes of them as they arrived.
    pub raw_bytes: u64,
    /// Bytes on disk of the records themselves.
    pub data_bytes: u64,
    /// Bytes on disk of what finds them.
    pub index_bytes: u64,
}

/// The disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageStatus {
    /// `ok`, or `stalled` when records cannot be made durable.
    pub state: String,
    /// Why it is stalled.
    pub reason: Option<String>,
    /// Where the data lies.
    pub data_dir: String,
    /// Bytes that can still be written.
    pub free_bytes: Option<u64>,
    /// Whether that is less than `store.free_warn`.
    #[serde(default)]
    pub is_low: bool,
    /// Bytes of journal that hold unsealed records.
    pub journal_bytes: u64,
    /// Bytes of journal that are acknowledged and not yet synced.
    #[serde(default)]
    pub unsynced_bytes: u64,
}
