//! Other syslog servers.

use super::super::{DAY, KeySpec, Kind, SectionSpec, key};
use super::{
    FROM, MATCH, ON_REJECT, ORDER_BY, RETRY_MAX, RETRY_MIN, START, TEMPLATE, UNDELIVERED,
    batch_bytes, batch_records, batch_wait, format, workers,
};

const KEYS: &[KeySpec] = &[
    key(
        "target",
        Kind::Targets,
        None,
        "Host and port of the server, or a list of them. An address of IPv6 stands in brackets.",
    )
    .required()
    .also(&["host", "server", "address", "targets", "ip", "destination"]),
    key(
        "transport",
        Kind::Choice(&["tcp", "udp", "tls", "relp"]),
        Some("\"tcp\""),
        "How the server is spoken to. With `relp` a record is delivered when the server has answered it; with \
         `tcp` and `tls`, when the kernel of the other side has all bytes of it, so that what a broken connection \
         has not brought there is sent again; with `udp`, when it was sent.",
    )
    .also(&["protocol", "proto"]),
    FROM,
    MATCH,
    START,
    format("\"rfc5424\""),
    TEMPLATE,
    key(
        "framing",
        Kind::Choice(&["auto", "lines", "octets"]),
        Some("\"auto\""),
        "How records are told apart over `tcp` and `tls`: `lines`, by a line feed behind each, those inside \
         written as `#012`; `octets`, by the number of bytes in front (RFC 6587); `auto`, octets with `tls`, \
         as RFC 5425 asks, and lines with `tcp`.",
    )
    .also(&["tcp_framing", "octet_counting", "frame"]),
    key(
        "spread",
        Kind::Choice(&["failover", "balance"]),
        Some("\"failover\""),
        "Which of several servers are used: `failover`, the first that works, and again those in front of it \
         after half a minute; `balance`, all that work, batch by batch.",
    )
    .also(&["failover", "load_balance", "balance", "mode"]),
    key(
        "tls",
        Kind::Bool,
        Some("false"),
        "Whether `relp` is encrypted.",
    ),
    key(
        "ca",
        Kind::Path,
        None,
        "PEM file with the authorities that the server's certificate must come from. Not set: those of this \
         system, or none where `fingerprints` are listed.",
    )
    .also(&["ca_file", "ca_dir", "trusted_ca"]),
    key(
        "certificate",
        Kind::Path,
        None,
        "PEM file with our own certificate and the chain behind it, where the server asks for one.",
    )
    .also(&["cert", "cert_file", "client_certificate"]),
    key(
        "key",
        Kind::Path,
        None,
        "PEM file with the private key of `certificate`.",
    )
    .also(&["key_file", "private_key"]),
    key(
        "fingerprints",
        Kind::Fingerprints,
        Some("[]"),
        "SHA-256 fingerprints of server certificates that are taken, and no others. With `ca` the certificate must \
         come from there as well, and have the name.",
    )
    .also(&["trusted_keys", "permitted_peer", "fingerprint"]),
    key(
        "server_name",
        Kind::Host,
        None,
        "Name that the server's certificate must have. Not set: the host of `target`.",
    )
    .also(&["sni", "verify_hostname"]),
    key(
        "connect_timeout",
        Kind::Duration(1..=600),
        Some("\"10s\""),
        "How long connecting may take.",
    ),
    key(
        "timeout",
        Kind::Duration(1..=DAY),
        Some("\"30s\""),
        "How long the server may take nothing, or answer nothing, before the connection is given up.",
    )
    .also(&["time_reopen", "write_timeout"]),
    batch_records("2000"),
    batch_bytes("\"1MiB\""),
    batch_wait("\"0ms\""),
    workers("1"),
    ORDER_BY,
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// Another syslog server.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "syslog"],
    doc: "Another syslog server, over UDP, TCP, TLS or RELP. The keys from `ca` to `server_name` are for \
          encrypted connections.",
    named: true,
    keys: KEYS,
};
