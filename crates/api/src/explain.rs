//! How bytes that arrive are read, and where they would go.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::destination::ExplainedSending;
use crate::row::Row;

/// Answer of `explain`: what a source would make of what arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainAnswer {
    /// The name of the source.
    pub source: String,
    /// How bytes come to it: `udp`, `tcp`, `tls`, `relp`, `unix-datagram`, `unix-stream`, `http`.
    pub transport: String,
    /// The messages, in their order.
    pub messages: Vec<ExplainedMessage>,
    /// Whether there are more of them than are told.
    pub more: bool,
}

/// A message as it would be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedMessage {
    /// How it was told from what is before and behind it.
    pub framing: ExplainedFraming,
    /// How its header was read: `rfc5424`, `rfc3164`, `none`.
    pub header: String,
    /// What was decided where the header could be read in another way.
    pub decisions: Vec<ExplainedDecision>,
    /// The record, with its bytes; its id and logspace are empty. Its places have those of `facility`,
    /// `severity` and `time` too.
    pub row: Row,
    /// Where its time comes from.
    pub time: ExplainedTime,
    /// Where its host comes from: `message`, `peer`, `source`; null where it has none.
    pub host_from: Option<String>,
    /// Whether the source takes messages of this peer.
    pub admitted: bool,
    /// What each route says of it, in their order.
    pub routes: Vec<ExplainedRoute>,
    /// Where it would go.
    pub destinations: Vec<ExplainedDestination>,
    /// Which destinations would take it from there, and what they would send.
    #[serde(default)]
    pub sent: Vec<ExplainedSending>,
}

/// How a message was told from what is before and behind it. Offsets are of the bytes that were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedFraming {
    /// By what: `octet_count`, `line_feed`, `nul`, `end` of the input, `length` of a datagram or of a
    /// RELP frame, `limit` where it was too long.
    pub by: String,
    /// The octet count with the space behind it, or empty.
    pub count: String,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its last byte, as far as it is kept.
    pub end: usize,
    /// What ended it, or empty.
    pub terminator: String,
    /// Whether it was compressed by itself; the record is of what was in it.
    pub compressed: bool,
}

/// A decision of the parser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedDecision {
    /// Its name, such as `inner_header`.
    pub name: String,
    /// The decision and its reason, as a sentence.
    pub reason: String,
}

/// Where the time of a record comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedTime {
    /// `stamp`, or `receipt` where there is none, or one of no date that exists.
    pub from: String,
    /// The time stamp as it stands there; null where there is none.
    pub stamp: Option<String>,
    /// How the stamp is written: `month_first`, `year_first`, `iso`, `slashes`, `epoch`. Null where there
    /// is none.
    pub form: Option<String>,
    /// Where the year comes from: `stamp`, or `receipt`: the latest year that puts it at most a week
    /// ahead of its receipt. Null where the time is that of receipt.
    pub year_from: Option<String>,
    /// Where the zone comes from: `stamp`, or `source`. Null where the time is that of receipt.
    pub zone_from: Option<String>,
    /// The zone of the source, such as `Europe/Budapest`.
    pub source_zone: String,
}

/// What a route says of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedRoute {
    /// Its name.
    pub name: String,
    /// `takes`; or why not: `other_source`, `no_match`, `rejects` by a step, `drops` by a step,
    /// `not_reached` behind a final one.
    pub verdict: String,
    /// Where its records go; empty where it changes them for the routes behind it.
    pub logspace: String,
    /// What its steps did, those in steps behind the one that they stand in.
    #[serde(default)]
    pub steps: Vec<ExplainedStep>,
}

/// What a step of a route did with a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedStep {
    /// Where it stands in its route: `2`, or `2.else.1`.
    pub place: String,
    /// What it does: `kv`.
    pub kind: String,
    /// `done`; or `skipped` by its `when`, `rejects`, `failed`, `drops`.
    pub verdict: String,
    /// Why it failed, in words; empty where it did not.
    pub reason: String,
    /// Parts and fields that it changed, with their new values; an empty value is one that is gone.
    pub changes: Vec<ExplainedChange>,
}

/// What a step changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedChange {
    /// The part or field.
    pub name: String,
    /// What it is now.
    pub value: String,
}

/// Where a record would go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedDestination {
    /// The logspace.
    pub logspace: String,
    /// The tags it would have there.
    pub tags: Vec<String>,
    /// The record as it would be there, without its bytes and id.
    #[serde(default)]
    pub row: Row,
}
