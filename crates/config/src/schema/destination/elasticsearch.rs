//! Elasticsearch and OpenSearch.

use super::super::{KeySpec, Kind, SectionSpec, key};
use super::http::{
    CA, CERTIFICATE, COMPRESSION, COMPRESSION_LEVEL, FINGERPRINTS, KEY, SERVER_NAME, TIMEOUT,
    request_bytes, url,
};
use super::{
    FROM, MATCH, ON_REJECT, ORDER_BY, RETRY_MAX, RETRY_MIN, START, UNDELIVERED, batch_bytes,
    batch_records, batch_wait, workers,
};

const KEYS: &[KeySpec] = &[
    url(
        "A node, such as `https://search.example.com:9200`, or a list of several, to which requests go in turn; one \
         that fails is left alone for a while.",
    ),
    key(
        "index",
        Kind::IndexTemplate,
        None,
        "Index, alias or data stream, such as `logs-${YEAR}.${MONTH}.${DAY}`. What values make of it is put into \
         small letters, and characters that no index can have become `_`.",
    )
    .required()
    .also(&["data_stream", "logstash_prefix", "searchindex", "index_name"]),
    key(
        "user",
        Kind::Text,
        None,
        "Name for basic authentication, with a password.",
    )
    .also(&["username", "uid", "http_user"]),
    key("password", Kind::Secret, None, "Password of `user`.").also(&["pwd", "http_passwd"]),
    key(
        "password_file",
        Kind::Path,
        None,
        "File with the password. It is read for each batch, so that a new one holds at once.",
    ),
    key(
        "password_env",
        Kind::Variable,
        None,
        "Variable of the environment with the password.",
    ),
    key(
        "api_key",
        Kind::Secret,
        None,
        "API key in place of `user`: as it is given out in base64, or as `id:key`.",
    )
    .also(&["apikey", "token"]),
    key("api_key_file", Kind::Path, None, "File with the API key."),
    key(
        "api_key_env",
        Kind::Variable,
        None,
        "Variable of the environment with the API key.",
    ),
    FROM,
    MATCH,
    START,
    key(
        "format",
        Kind::Choice(&["json", "ecs"]),
        Some("\"json\""),
        "Names of the fields of a document: `json`, those of the HTTP API, and the time of the record as \
         `@timestamp` too; `ecs`, those of the Elastic Common Schema. `template` goes before.",
    )
    .also(&["encoding", "schema", "mode"]),
    key(
        "template",
        Kind::Template,
        None,
        "The document, an object in JSON, such as `$(format-json --scope rfc5424 @timestamp=$ISODATE)`. Not set: by \
         `format`.",
    )
    .also(&["body", "document"]),
    key(
        "pipeline",
        Kind::Text,
        None,
        "Ingest pipeline that documents go through. Not set: that of the index.",
    )
    .also(&["pipelinename"]),
    request_bytes("\"4MiB\""),
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
    workers("2"),
    ORDER_BY,
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// Elasticsearch and OpenSearch.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "elasticsearch"],
    doc: "Elasticsearch and OpenSearch, by their bulk API. Each record is there once, whatever fails: its document \
          has an identifier of its own.",
    named: true,
    keys: KEYS,
};
