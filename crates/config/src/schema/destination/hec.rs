//! Splunk's HTTP event collector.

use super::super::{KeySpec, Kind, SectionSpec, key};
use super::http::{
    CA, CERTIFICATE, COMPRESSION, COMPRESSION_LEVEL, FINGERPRINTS, KEY, SERVER_NAME, TIMEOUT,
    request_bytes, url,
};
use super::{
    FROM, MATCH, ON_REJECT, ORDER_BY, RETRY_MAX, RETRY_MIN, START, TEMPLATE, UNDELIVERED,
    batch_bytes, batch_records, batch_wait, format, workers,
};

const KEYS: &[KeySpec] = &[
    url(
        "The collector, such as `https://splunk.example.com:8088`, or a list of several, to which requests go in \
         turn; one that fails is left alone until it says that it is well. Without a path it is \
         `/services/collector`.",
    ),
    key(
        "token",
        Kind::Secret,
        None,
        "The token of the collector. A file or a variable keeps it out of the configuration.",
    )
    .also(&["hec_token", "password", "api_key", "default_token"]),
    key(
        "token_file",
        Kind::Path,
        None,
        "File with the token. It is read for each batch, so that a new one holds at once.",
    ),
    key(
        "token_env",
        Kind::Variable,
        None,
        "Variable of the environment with the token.",
    ),
    FROM,
    MATCH,
    START,
    key(
        "endpoint",
        Kind::Choice(&["event", "raw"]),
        Some("\"event\""),
        "`event` sends each record as JSON with its own metadata; `raw` sends lines, which Splunk cuts itself, with \
         the same metadata for all.",
    )
    .also(&["mode", "path", "uri_path"]),
    format("\"raw\""),
    TEMPLATE,
    key(
        "host",
        Kind::Template,
        Some("\"${HOST}\""),
        "Host of the event. As for the keys below, nothing is sent where it is empty, and Splunk takes its own default.",
    )
    .also(&["hostname", "default_host"]),
    key(
        "source",
        Kind::Template,
        Some("\"\""),
        "Source of the event.",
    )
    .also(&["default_source"]),
    key(
        "sourcetype",
        Kind::Template,
        Some("\"syslog\""),
        "Source type of the event.",
    )
    .also(&["default_sourcetype", "source_type"]),
    key(
        "index",
        Kind::Template,
        Some("\"\""),
        "Index of the event. The token must have it among its indexes.",
    )
    .also(&["default_index"]),
    key(
        "time",
        Kind::Template,
        Some("\"\""),
        "Time of the event in seconds since 1970, such as `${R_UNIXTIME}`. Empty, or no number: the time of the \
         record, with microseconds.",
    )
    .also(&["timestamp", "time_key"]),
    key(
        "fields",
        Kind::Templates,
        Some("{}"),
        "Indexed fields, such as `{ facility = \"${FACILITY}\", severity = \"${SEVERITY}\" }`.",
    )
    .also(&["indexed_fields", "extra_fields"]),
    key(
        "all_fields",
        Kind::Bool,
        Some("false"),
        "Whether the fields of the record are indexed fields too.",
    ),
    key(
        "acknowledge",
        Kind::Bool,
        Some("false"),
        "Whether a record counts as delivered only when Splunk's indexers have it on disk. The token has to have \
         indexer acknowledgement switched on.",
    )
    .also(&["ack", "acknowledgement", "indexer_acknowledgements", "use_ack"]),
    key(
        "acknowledge_timeout",
        Kind::Duration(1..=3_600),
        Some("\"5m\""),
        "How long it waits for that, before records are sent again.",
    )
    .also(&["ack_timeout"]),
    key(
        "acknowledge_poll",
        Kind::Duration(0..=60),
        Some("\"1s\""),
        "How often it asks for that.",
    )
    .also(&["ack_poll", "query_interval"]),
    request_bytes("\"1MiB\""),
    COMPRESSION,
    COMPRESSION_LEVEL,
    TIMEOUT,
    CA,
    CERTIFICATE,
    KEY,
    FINGERPRINTS,
    SERVER_NAME,
    batch_records("5000"),
    batch_bytes("\"4MiB\""),
    batch_wait("\"300ms\""),
    workers("4"),
    ORDER_BY,
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// Splunk.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "hec"],
    doc: "Splunk's HTTP event collector, and whatever takes the same. Records may be there twice after a failure, \
          since Splunk cannot tell.",
    named: true,
    keys: KEYS,
};
