//! HDFS, by WebHDFS.

use super::super::{KeySpec, Kind, SectionSpec, key};
use super::http::{CA, CERTIFICATE, FINGERPRINTS, KEY, SERVER_NAME, TIMEOUT, url};
use super::{
    FROM, MATCH, ON_REJECT, RETRY_MAX, RETRY_MIN, START, TEMPLATE, UNDELIVERED, batch_bytes,
    batch_records, batch_wait, format,
};

const KEYS: &[KeySpec] = &[
    url(
        "A name node with WebHDFS, such as `http://namenode.example.com:9870`, or a list of several, of which the active \
         one is used.",
    ),
    key(
        "user",
        Kind::Text,
        None,
        "User that we say we are, whose files they will be. There is no Kerberos.",
    )
    .also(&["username", "user_name", "hdfs_user"]),
    key(
        "path",
        Kind::PathTemplate,
        Some("\"/logs/${YEAR}/${MONTH}/${DAY}\""),
        "Directory of files that are made, such as `/logs/${HOST}/${YEAR}-${MONTH}-${DAY}`. What stands for a value is one component. Let it say \
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
        "How files are compressed.",
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

/// HDFS.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "hdfs"],
    doc: "Files of HDFS, by WebHDFS. A batch makes a file in each directory that `path` makes of its records. Each \
          record is there once, whatever happens.",
    named: true,
    keys: KEYS,
};
