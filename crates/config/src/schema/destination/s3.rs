//! Amazon S3, and what speaks its language.

use super::super::{KeySpec, Kind, SectionSpec, key};
use super::http::{CA, CERTIFICATE, FINGERPRINTS, KEY, SERVER_NAME, TIMEOUT};
use super::{
    FROM, MATCH, ON_REJECT, RETRY_MAX, RETRY_MIN, START, TEMPLATE, UNDELIVERED, batch_bytes,
    batch_records, batch_wait, format,
};

const KEYS: &[KeySpec] = &[
    key(
        "bucket",
        Kind::Text,
        None,
        "The bucket. It has to be there.",
    )
    .required()
    .also(&["bucket_name", "container"]),
    key(
        "region",
        Kind::Text,
        Some("\"us-east-1\""),
        "The region of the bucket.",
    )
    .also(&["aws_region"]),
    key(
        "endpoint",
        Kind::Urls,
        None,
        "Where the bucket is, such as `https://s3.example.com`; for Google Cloud Storage \
         `https://storage.googleapis.com`. Not set: Amazon's in `region`.",
    )
    .also(&["url", "endpoint_url", "host"]),
    key(
        "addressing",
        Kind::Choice(&["auto", "path", "host"]),
        Some("\"auto\""),
        "Whether the name of the bucket is a part of the path or of the host. `auto`: of the path where `endpoint` is \
         set.",
    )
    .also(&["path_style", "force_path_style", "force_path_style_addressing"]),
    key(
        "access_key",
        Kind::Text,
        None,
        "Name of the key that may write to the bucket.",
    )
    .required()
    .also(&["access_key_id", "aws_access_key_id", "key_id"]),
    key("secret_key", Kind::Secret, None, "The key.").also(&[
        "secret",
        "secret_access_key",
        "aws_secret_access_key",
    ]),
    key(
        "secret_key_file",
        Kind::Path,
        None,
        "File with the key. It is read for each upload, so that a new one holds at once.",
    ),
    key(
        "secret_key_env",
        Kind::Variable,
        None,
        "Variable of the environment with the key.",
    ),
    key(
        "storage_class",
        Kind::Text,
        None,
        "Class that objects are stored in, such as `STANDARD_IA`. Not set: that of the bucket.",
    ),
    key(
        "path",
        Kind::PathTemplate,
        Some("\"logwood/${YEAR}/${MONTH}/${DAY}\""),
        "Directory of objects that are made, such as `logs/${HOST}/${YEAR}-${MONTH}-${DAY}`. What stands for a value is one component. Let it say \
         the same of a record each time: by its own time, and not by `C_` dates.",
    )
    .also(&["prefix", "key_prefix", "object_key", "directory"]),
    FROM,
    MATCH,
    START,
    format("\"json\""),
    TEMPLATE,
    key(
        "compression",
        Kind::Choice(&["none", "gzip", "zstd"]),
        Some("\"gzip\""),
        "How objects are compressed.",
    )
    .also(&["compress", "gzip", "zip"]),
    key(
        "compression_level",
        Kind::Integer(1..=19),
        Some("3"),
        "Level of gzip (9 at the most) or zstd.",
    )
    .also(&["level"]),
    TIMEOUT,
    CA,
    CERTIFICATE,
    KEY,
    FINGERPRINTS,
    SERVER_NAME,
    batch_records("100000"),
    batch_bytes("\"64MiB\""),
    batch_wait("\"5m\""),
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// Amazon S3, and what speaks its language.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "s3"],
    doc: "Objects of Amazon S3, or of what speaks its language (Ceph, SeaweedFS, Google Cloud Storage). A batch makes \
          an object in each directory that `path` makes of its records. Each record is there once, whatever happens.",
    named: true,
    keys: KEYS,
};
