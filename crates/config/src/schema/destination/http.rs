//! Keys that all destinations over HTTP share.

use super::super::{KIB, KeySpec, Kind, MIB, key};

/// The URLs, with an example of a kind.
pub(super) const fn url(doc: &'static str) -> KeySpec {
    key("url", Kind::Urls, None, doc).required().also(&[
        "urls",
        "endpoint",
        "endpoints",
        "uri",
        "hosts",
        "nodes",
        "address",
    ])
}

pub(super) const CA: KeySpec = key(
    "ca",
    Kind::Path,
    None,
    "File with the certificates of the authorities (PEM) that the server's certificate must come from. Not set: \
     those of the system.",
)
.also(&["ca_file", "cacert", "ca_cert", "ca_path", "tls_ca"]);

pub(super) const CERTIFICATE: KeySpec = key(
    "certificate",
    Kind::Path,
    None,
    "File with our certificate (PEM), where the server asks for one. With `key`.",
)
.also(&["cert", "cert_file", "crt_file", "client_certificate"]);

pub(super) const KEY: KeySpec = key(
    "key",
    Kind::Path,
    None,
    "File with the private key of `certificate` (PEM).",
)
.also(&["key_file", "private_key", "client_key"]);

pub(super) const FINGERPRINTS: KeySpec = key(
    "fingerprints",
    Kind::Fingerprints,
    Some("[]"),
    "SHA-256 fingerprints of server certificates that are taken, and no others: for servers with a certificate of \
     their own making. With `ca` the certificate must come from there as well. A certificate is always checked.",
)
.also(&["fingerprint", "pinned", "verify", "tls_verify", "verify_certificate", "insecure"]);

pub(super) const SERVER_NAME: KeySpec = key(
    "server_name",
    Kind::Host,
    None,
    "Name that the server's certificate must have. Not set: the host of `url`.",
)
.also(&["sni", "verify_hostname"]);

pub(super) const TIMEOUT: KeySpec = key(
    "timeout",
    Kind::Duration(1..=3_600),
    Some("\"30s\""),
    "How long a request may take, with its answer.",
)
.also(&["request_timeout", "http_timeout"]);

pub(super) const COMPRESSION: KeySpec = key(
    "compression",
    Kind::Choice(&["none", "gzip"]),
    Some("\"none\""),
    "Whether bodies are compressed: less to send, and more to compute.",
)
.also(&[
    "compress",
    "gzip",
    "http_compression",
    "content_compression",
]);

pub(super) const COMPRESSION_LEVEL: KeySpec = key(
    "compression_level",
    Kind::Integer(1..=9),
    Some("1"),
    "Level of gzip.",
)
.also(&["level"]);

/// Most bytes of a request, with the default of a kind.
pub(super) const fn request_bytes(default: &'static str) -> KeySpec {
    key(
        "request_bytes",
        Kind::Bytes(KIB..=(64 * MIB)),
        Some(default),
        "Most bytes of a request before compression, but one record at least. A batch goes in as many requests as \
         it takes, a few at a time.",
    )
    .also(&["max_request_bytes", "bulk_size", "body_max"])
}
