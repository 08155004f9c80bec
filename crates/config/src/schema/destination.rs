//! The keys of destinations: those that all kinds share, and one file for each kind.

pub(super) mod elasticsearch;
pub(super) mod file;
pub(super) mod hdfs;
pub(super) mod hec;
mod http;
pub(super) mod kafka;
pub(super) mod program;
pub(super) mod push;
pub(super) mod s3;
pub(super) mod sql;
pub(super) mod syslog;

use super::{DAY, KIB, KeySpec, Kind, MIB, key};

pub(super) const FROM: KeySpec = key(
    "from",
    Kind::Logspaces,
    Some("[\"main\"]"),
    "Logspaces whose records are sent.",
)
.also(&[
    "logspace",
    "logspaces",
    "source",
    "sources",
    "input",
    "inputs",
]);

pub(super) const MATCH: KeySpec = key(
    "match",
    Kind::Query,
    Some("\"\""),
    "Search expression that a record must match; empty matches every record.",
)
.also(&["filter", "query", "when", "if"]);

pub(super) const START: KeySpec = key(
    "start",
    Kind::Start,
    Some("\"now\""),
    "Where a new destination begins: `now`, with what is received from then on; `beginning`, with the \
     oldest record that is kept; or a time such as `2026-01-31T00:00:00Z`. Later it goes on where it is; \
     `logwood destinations rewind` and `skip` move it.",
)
.also(&["read_from", "begin", "position"]);

/// Most records of a batch, with the default of a kind.
pub(super) const fn batch_records(default: &'static str) -> KeySpec {
    key(
        "batch_records",
        Kind::Integer(1..=100_000),
        Some(default),
        "Most records that are delivered together.",
    )
    .also(&["batch_lines", "batch_size", "flush_lines", "batch"])
}

/// Most bytes of a batch, with the default of a kind.
pub(super) const fn batch_bytes(default: &'static str) -> KeySpec {
    key(
        "batch_bytes",
        Kind::Bytes((4 * KIB)..=(64 * MIB)),
        Some(default),
        "Most bytes of memory of a batch. It is less where many destinations share the memory: all together \
         have an eighth of `store.memory_max`, and 32 MiB at least.",
    )
    .also(&["batch_size_bytes", "max_batch_bytes"])
}

/// How long a batch waits for more records, with the default of a kind.
pub(super) const fn batch_wait(default: &'static str) -> KeySpec {
    key(
        "batch_wait",
        Kind::Duration(0..=3_600),
        Some(default),
        "How long the first record of a batch waits for others.",
    )
    .also(&["batch_timeout", "flush_timeout", "flush_interval", "linger"])
}

/// How many batches are delivered at a time, with the default of a kind.
pub(super) const fn workers(default: &'static str) -> KeySpec {
    key(
        "workers",
        Kind::Integer(1..=outputs::limits::WORKERS_MAX as u64),
        Some(default),
        "How many batches are delivered at a time, each over a connection of its own. With more than one, \
         records stay in order only as far as `order_by` says.",
    )
    .also(&["threads", "parallel", "connections"])
}

pub(super) const ORDER_BY: KeySpec = key(
    "order_by",
    Kind::Choice(&["nothing", "host", "program", "host-program", "source", "peer"]),
    Some("\"nothing\""),
    "What records have in common that stay in order where there are several workers: they go to the same \
     one. With `nothing` batches overtake each other.",
)
.also(&["worker_partition_key", "partition_by", "order"]);

pub(super) const RETRY_MIN: KeySpec = key(
    "retry_min",
    Kind::Duration(0..=DAY),
    Some("\"500ms\""),
    "How long it waits before it tries again for the first time. The wait is doubled each time, and a random \
     part of it is left out.",
)
.also(&["time_reopen", "retry", "backoff", "retry_initial"]);

pub(super) const RETRY_MAX: KeySpec = key(
    "retry_max",
    Kind::Duration(1..=DAY),
    Some("\"1m\""),
    "The longest of these waits. It is tried for ever: records wait in the store.",
)
.also(&["backoff_max", "max_backoff"]);

pub(super) const UNDELIVERED: KeySpec = key(
    "undelivered",
    Kind::Choice(&["keep", "delete"]),
    Some("\"keep\""),
    "What becomes of records that `keep_age` or `keep_size` of their logspace would delete before they are \
     delivered: `keep`, they stay until they are, whatever the disk that takes; `delete`, they go, and are \
     counted and logged.",
)
.also(&["on_retention", "keep_undelivered"]);

pub(super) const ON_REJECT: KeySpec = key(
    "on_reject",
    Kind::Logspace,
    None,
    "Logspace for records that the other side refuses for good. They are kept there as they are, with the tag \
     `rejected` and fields that say who refused them and why. Not set: they are counted, and logged now and \
     then.",
)
.also(&["dead_letter", "dead_letter_queue", "reject_to", "rejected"]);

/// What is written of a record, with the default of a kind.
pub(super) const fn format(default: &'static str) -> KeySpec {
    key(
        "format",
        Kind::Choice(outputs::Rendering::FORMATS),
        Some(default),
        "What is written of a record: `raw`, the message as it arrived; the others are made of its parts, \
         whatever it was. `template` goes before.",
    )
    .also(&["encoding", "codec", "formatter"])
}

pub(super) const TEMPLATE: KeySpec = key(
    "template",
    Kind::Template,
    None,
    "What is written of a record, such as `${ISODATE} ${HOST} ${MSGHDR}${MSG}`. Not set: by `format`.",
)
.also(&["body", "message_template", "layout"]);
