//! Databases.

use super::super::{KeySpec, Kind, SectionSpec, key};
use super::http::{CA, CERTIFICATE, FINGERPRINTS, KEY};
use super::{
    FROM, MATCH, ON_REJECT, ORDER_BY, RETRY_MAX, RETRY_MIN, START, UNDELIVERED, batch_bytes,
    batch_records, batch_wait, workers,
};

const KEYS: &[KeySpec] = &[
    key(
        "url",
        Kind::Database,
        None,
        "User, server and database: `postgresql://USER@HOST:PORT/DATABASE`, or `mysql://` for MariaDB and MySQL. The \
         host may be the directory of a unix socket (of MySQL the socket), with `%2F` for each slash.",
    )
    .required()
    .also(&["host", "server", "dsn", "database", "address"]),
    key(
        "password",
        Kind::Secret,
        None,
        "The password of the user. A file or a variable keeps it out of the configuration.",
    ),
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
    FROM,
    MATCH,
    START,
    key(
        "table",
        Kind::Template,
        Some("\"logs\""),
        "The table, such as `logs_${YEAR}_${MONTH}`. What is made of a record is one name, cut to what the database \
         takes.",
    ),
    key(
        "schema",
        Kind::Identifier,
        None,
        "Schema of the tables, of PostgreSQL. Not set: the first of the user's search path.",
    ),
    key(
        "id_column",
        Kind::Identifier,
        Some("\"id\""),
        "Column for the id of the record, a text of up to 166 characters. It has to be unique: a row whose id is there \
         is not inserted again.",
    )
    .also(&["id", "key_column", "primary_key"]),
    key(
        "columns",
        Kind::Templates,
        Some("{}"),
        "The other columns and what is in them, such as `{ host = \"${HOST}\", message = \"${MESSAGE}\" }`. Empty: \
         `time`, `received`, `host`, `program`, `pid`, `facility`, `severity` and `message`. A column that is no text \
         is NULL where the template makes nothing.",
    )
    .also(&["values", "fields"]),
    key(
        "types",
        Kind::Templates,
        Some("{}"),
        "Types of columns where `create` makes the table, such as `{ time = \"timestamptz\" }`; those that are not \
         named are texts.",
    ),
    key(
        "create",
        Kind::Bool,
        Some("false"),
        "Whether a table is made that is not there.",
    )
    .also(&["create_table", "create_tables"]),
    key(
        "tls",
        Kind::Bool,
        Some("true"),
        "Whether the connection is encrypted, and the server has to show a certificate that is trusted. `false` sends \
         everything in clear; a unix socket needs that.",
    )
    .also(&["ssl", "sslmode", "use_tls"]),
    CA,
    CERTIFICATE,
    KEY,
    FINGERPRINTS,
    key(
        "timeout",
        Kind::Duration(1..=600),
        Some("\"30s\""),
        "How long connecting, and each statement, may take.",
    ),
    batch_records("1000"),
    batch_bytes("\"4MiB\""),
    batch_wait("\"300ms\""),
    workers("1"),
    ORDER_BY,
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// Databases.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "sql"],
    doc: "Tables of PostgreSQL, MariaDB and MySQL. Each record is there once, whatever happens: its row has an id, and \
          one that is there already is left alone. Texts get U+FFFD for bytes that are no UTF-8, and in PostgreSQL for \
          NUL; what is too long for its column is cut.",
    named: true,
    keys: KEYS,
};
