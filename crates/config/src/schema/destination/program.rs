//! Programs.

use super::super::{DAY, KeySpec, Kind, SectionSpec, key};
use super::{
    FROM, MATCH, ON_REJECT, ORDER_BY, RETRY_MAX, RETRY_MIN, START, TEMPLATE, UNDELIVERED,
    batch_bytes, batch_records, batch_wait, format, workers,
};

const KEYS: &[KeySpec] = &[
    key(
        "command",
        Kind::Command,
        None,
        "The program and its arguments, such as `[\"/usr/local/bin/alert\", \"--verbose\"]`. No shell is in \
         between. Its standard output is thrown away, what it writes to standard error is that of Logwood.",
    )
    .required()
    .also(&["program", "binary", "exec", "cmd"]),
    FROM,
    MATCH,
    START,
    format("\"raw\""),
    TEMPLATE,
    key(
        "timeout",
        Kind::Duration(1..=DAY),
        Some("\"30s\""),
        "How long it may leave its input unread; then it is ended and started again.",
    ),
    key(
        "stop_timeout",
        Kind::Duration(0..=600),
        Some("\"5s\""),
        "How long it may take to end when its input is closed, before it gets SIGTERM, and as long again before \
         SIGKILL.",
    )
    .also(&["kill_timeout", "closetimeout"]),
    batch_records("1000"),
    batch_bytes("\"1MiB\""),
    batch_wait("\"0ms\""),
    workers("1"),
    ORDER_BY,
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// A program that reads records.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "program"],
    doc: "Lines to the standard input of a program, which is started with the first record, and again when it \
          has ended. What it has not read when it ends may be lost.",
    named: true,
    keys: KEYS,
};
