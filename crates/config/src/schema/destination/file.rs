//! Files.

use super::super::{DAY, GIB, KIB, KeySpec, Kind, SectionSpec, key};
use super::{
    FROM, MATCH, ON_REJECT, RETRY_MAX, RETRY_MIN, START, TEMPLATE, UNDELIVERED, batch_bytes,
    batch_records, batch_wait, format,
};

const KEYS: &[KeySpec] = &[
    key(
        "path",
        Kind::PathTemplate,
        None,
        "The file, such as `/var/log/hosts/${HOST}/${YEAR}-${MONTH}-${DAY}.log`. What stands for a value is one \
         part of the path whatever its bytes: slashes and control characters become `_`, and so do `.`, `..` and \
         nothing.",
    )
    .required()
    .also(&["file", "filename", "dynafile", "template_path"]),
    FROM,
    MATCH,
    START,
    format("\"raw\""),
    TEMPLATE,
    key(
        "compression",
        Kind::Choice(&["none", "gzip", "zstd"]),
        Some("\"none\""),
        "Whether files are compressed. Each batch is a member or frame of its own, so that the file can be read \
         at any time, and after a crash; a longer `batch_wait` makes it smaller.",
    )
    .also(&["compress", "gzip", "zip", "ziplevel"]),
    key(
        "compression_level",
        Kind::Integer(1..=19),
        Some("3"),
        "Level of gzip (9 at the most) or zstd.",
    )
    .also(&["level", "zlevel"]),
    key(
        "mode",
        Kind::Mode,
        Some("\"0640\""),
        "Mode of files that are made.",
    )
    .also(&["perm", "permissions", "filecreatemode"]),
    key(
        "owner",
        Kind::Account,
        None,
        "User that files and directories belong to which are made. Not set: the one that Logwood runs as.",
    )
    .also(&["user", "uid", "fileowner"]),
    key(
        "group",
        Kind::Account,
        None,
        "Group that they belong to. Not set: that of Logwood.",
    )
    .also(&["gid", "filegroup"]),
    key(
        "create_directories",
        Kind::Bool,
        Some("true"),
        "Whether directories are made that are not there.",
    )
    .also(&["create_dirs", "createdirs", "mkdir"]),
    key(
        "directory_mode",
        Kind::Mode,
        Some("\"0750\""),
        "Mode of directories that are made.",
    )
    .also(&["dir_perm", "dircreatemode", "dir_mode"]),
    key(
        "rotate_size",
        Kind::Bytes((64 * KIB)..=(1024 * GIB)),
        None,
        "Size at which a file is renamed, with the time behind its name, and another one begun. It may get a few \
         batches larger. Not set: never.",
    )
    .also(&["max_size", "size_max", "rotation_size_limit", "logrotate"]),
    key(
        "rotate_every",
        Kind::Duration(60..=(366 * DAY)),
        None,
        "Period after which a file is renamed, counted in UTC: with `1d` at midnight. Not set: never.",
    )
    .also(&["rotate", "rotation", "interval"]),
    key(
        "rotate_keep",
        Kind::Integer(1..=10_000),
        None,
        "How many renamed files are kept; the oldest are removed. Not set: all.",
    )
    .also(&["keep", "backups", "count", "rotate_count"]),
    key(
        "open_max",
        Kind::Integer(1..=10_000),
        Some("256"),
        "Most files that are open at a time; the one that was not written to for longest is closed.",
    )
    .also(&["max_open_files", "dynafilecachesize"]),
    key(
        "idle_close",
        Kind::Duration(1..=DAY),
        Some("\"1m\""),
        "How long a file stays open that nothing is written to.",
    )
    .also(&["time_reap", "closetimeout"]),
    key(
        "sync",
        Kind::Bool,
        Some("true"),
        "Whether the disk has a record before it counts as delivered. `false` leaves that to the system: a power \
         cut may take what it has not written.",
    )
    .also(&["fsync", "sync_on_write"]),
    batch_records("5000"),
    batch_bytes("\"4MiB\""),
    batch_wait("\"100ms\""),
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// Files by a template.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "file"],
    doc: "Files, by a template of their path. Each record is there once, also after a crash. A file that \
          somebody renames or removes is begun anew.",
    named: true,
    keys: KEYS,
};
