//! Topics of Kafka.

use super::super::{KeySpec, Kind, SectionSpec, key};
use super::http::{CA, CERTIFICATE};
use super::{
    FROM, MATCH, ON_REJECT, ORDER_BY, RETRY_MAX, RETRY_MIN, START, TEMPLATE, UNDELIVERED,
    batch_bytes, batch_records, batch_wait, format, workers,
};

const KEYS: &[KeySpec] = &[
    key(
        "servers",
        Kind::Targets,
        None,
        "A broker, such as `kafka.example.com:9092`, or a list of several, which say where the others are.",
    )
    .required()
    .also(&["bootstrap_servers", "brokers", "bootstrap.servers", "broker", "hosts"]),
    key(
        "topic",
        Kind::TopicTemplate,
        Some("\"logs\""),
        "The topic, such as `logs-${HOST}`. Of what values make, characters that no topic can have become `_`.",
    )
    .also(&["topics", "topic_name"]),
    key(
        "key",
        Kind::Template,
        None,
        "What decides the partition, such as `${HOST}`: records with the same key stay in order. Not set, or empty of a \
         record: any partition.",
    )
    .also(&["message_key", "partition_key"]),
    FROM,
    MATCH,
    START,
    format("\"json\""),
    TEMPLATE,
    key(
        "compression",
        Kind::Choice(&["none", "gzip", "snappy", "lz4", "zstd"]),
        Some("\"lz4\""),
        "How batches are compressed.",
    )
    .also(&["compression_type", "compression.codec"]),
    key(
        "sasl",
        Kind::Choice(&["none", "plain", "scram-sha-256", "scram-sha-512"]),
        Some("\"none\""),
        "How we say who we are, with `user` and a password.",
    )
    .also(&["sasl_mechanism", "mechanism", "sasl.mechanism"]),
    key("user", Kind::Text, None, "Our name.").also(&["username", "sasl_username"]),
    key("password", Kind::Secret, None, "Password of `user`.").also(&["sasl_password"]),
    key(
        "password_file",
        Kind::Path,
        None,
        "File with the password, read for each connection.",
    ),
    key(
        "password_env",
        Kind::Variable,
        None,
        "Variable of the environment with the password.",
    ),
    key(
        "tls",
        Kind::Bool,
        Some("true"),
        "Whether connections are encrypted, and brokers have to show a certificate that is trusted. `false` sends \
         everything in clear.",
    )
    .also(&["ssl", "use_tls", "security_protocol"]),
    CA,
    CERTIFICATE,
    key(
        "certificate_key",
        Kind::Path,
        None,
        "File with the private key of `certificate` (PEM).",
    )
    .also(&["key_file", "private_key", "client_key"]),
    key(
        "timeout",
        Kind::Duration(1..=600),
        Some("\"30s\""),
        "How long a record may take until all replicas in sync have it.",
    )
    .also(&["delivery_timeout", "request_timeout"]),
    batch_records("5000"),
    batch_bytes("\"4MiB\""),
    batch_wait("\"100ms\""),
    workers("1"),
    ORDER_BY,
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// Topics of Kafka.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "kafka"],
    doc: "Topics of Kafka, 3.9 or later. A record counts as delivered when all replicas that are in sync have it; it has \
          a header `id`, which is the same whenever it is sent.",
    named: true,
    keys: KEYS,
};
