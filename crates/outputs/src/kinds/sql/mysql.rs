//! MariaDB and MySQL: one statement a batch, with all rows as parameters.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use jiff::tz::TimeZone;
use mysql_async::prelude::Queryable as _;
use mysql_async::{ClientIdentity, Conn, Error, Opts, OptsBuilder, Params, SslOpts, Value};
use tokio::time::timeout;

use super::connection::NotInserted;
use super::rows::{Rows, quoted};
use super::{Engine, Sql};
use crate::limits::{SQL_PARAMETERS_MAX, SQL_TABLES_MAX};
use crate::sink::Failure;
use crate::tls::{TlsOptions, system_authorities};

/// A connection, and what is known of the tables that were written to.
pub(super) struct Connection {
    conn: Conn,
    tables: HashMap<String, Table>,
    /// Most bytes of a statement with its values.
    packet_bytes_max: usize,
}

/// A table: its columns, the id first.
struct Table {
    name: String,
    columns: Vec<ColumnType>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ColumnType {
    is_time: bool,
    is_text: bool,
    chars_max: Option<u64>,
    bytes_max: Option<u64>,
}

const COLUMNS: &str = "SELECT column_name, data_type, character_maximum_length, character_octet_length \
                       FROM information_schema.columns \
                       WHERE table_schema = database() AND table_name = ?";

/// Times are written in UTC; nothing is cut or changed without a word.
const SESSION: &str =
    "SET time_zone = '+00:00', sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES')";

/// What these say is wrong with values: NULL and no default, duplicates, foreign keys, doubtful and wrong values, too
/// long, out of range, checks (MariaDB's and MySQL's), JSON.
const REFUSED: &[u16] = &[
    1048, 1062, 1216, 1264, 1265, 1292, 1300, 1364, 1366, 1406, 1411, 1452, 1690, 3140, 3819, 4025,
];

/// A statement or packet that is too large, too many parameters.
const TOO_LARGE: &[u16] = &[1153, 1301, 1390];

impl Connection {
    pub(super) async fn open(options: &Sql) -> Result<Self, Failure> {
        let address = &options.address;
        let mut builder = OptsBuilder::default()
            .user(Some(&address.user))
            .db_name(Some(&address.database))
            .prefer_socket(false)
            .stmt_cache_size(8)
            .setup(vec![SESSION]);
        builder = match address.is_socket() {
            true => builder.socket(Some(&address.host)),
            false => builder.ip_or_hostname(&address.host).tcp_port(address.port),
        };
        if let Some(password) = &options.password {
            builder = builder.pass(Some(password.read()?));
        }
        if let Some(tls) = &options.tls {
            builder = builder.ssl_opts(ssl(tls)?);
        }
        let opening = open(Opts::from(builder));
        let opened = timeout(options.timeout, opening).await;
        opened
            .map_err(|_| silent(options))?
            .map_err(|error| failure(options, &error))
    }

    /// Inserts rows that are not there yet.
    pub(super) async fn insert(
        &mut self,
        options: &Sql,
        rows: &Rows,
        range: Range<usize>,
    ) -> Result<(), NotInserted> {
        let patience = options.timeout;
        let inserted = timeout(patience, self.insert_now(options, rows, range)).await;
        match inserted {
            Ok(inserted) => inserted,
            Err(_) => Err(NotInserted::Failed(silent(options))),
        }
    }

    async fn insert_now(
        &mut self,
        options: &Sql,
        rows: &Rows,
        range: Range<usize>,
    ) -> Result<(), NotInserted> {
        let bytes: usize = range
            .clone()
            .map(|row| rows.row_bytes(row) + 8 * rows.width())
            .sum();
        if rows.width() * range.len() > SQL_PARAMETERS_MAX || bytes + 4096 > self.packet_bytes_max {
            return Err(NotInserted::TooLarge(format!(
                "it is larger than `max_allowed_packet`, {} bytes",
                self.packet_bytes_max
            )));
        }
        if !self.tables.contains_key(&rows.table) {
            self.look_up(options, &rows.table).await?;
        }
        let Some(table) = self.tables.get(&rows.table) else {
            return Ok(());
        };
        let sql = insert(options, &table.name, range.len());
        let mut values = vec![Value::NULL; range.len() * rows.width()];
        for (index, column) in table.columns.iter().enumerate() {
            let of_column = values.iter_mut().skip(index).step_by(rows.width());
            for (value, text) in of_column.zip(rows.column(index, range.clone())) {
                *value = column.value(text);
            }
        }
        let done = self.conn.exec_drop(sql, Params::Positional(values)).await;
        done.map_err(|error| not_inserted(options, &error))
    }

    /// Looks at the columns of a table, which is made where it may.
    async fn look_up(&mut self, options: &Sql, table: &str) -> Result<(), NotInserted> {
        let failed = |error: Error| NotInserted::Failed(failure(options, &error));
        let name = quoted(table, Engine::Mysql);
        let mut found = self.columns(table).await.map_err(failed)?;
        if found.is_empty() && options.creates {
            let create = create(options, &name);
            self.conn.query_drop(create).await.map_err(failed)?;
            found = self.columns(table).await.map_err(failed)?;
        }
        let columns = known(options, &name, &found).map_err(NotInserted::Failed)?;
        if self.tables.len() >= SQL_TABLES_MAX {
            self.tables.clear();
        }
        self.tables
            .insert(table.to_owned(), Table { name, columns });
        Ok(())
    }

    async fn columns(&mut self, table: &str) -> Result<HashMap<String, ColumnType>, Error> {
        type Row = (String, String, Option<u64>, Option<u64>);
        let rows: Vec<Row> = self.conn.exec(COLUMNS, (table,)).await?;
        let column = |(name, data_type, chars_max, bytes_max): Row| {
            let is_short = data_type.ends_with("char");
            let of_column = ColumnType {
                is_time: matches!(data_type.as_str(), "datetime" | "timestamp"),
                is_text: chars_max.is_some() && !matches!(data_type.as_str(), "enum" | "set"),
                // Those of type `text` and the like are measured in bytes.
                chars_max: chars_max.filter(|_| is_short),
                bytes_max: bytes_max.filter(|_| !is_short),
            };
            (name, of_column)
        };
        Ok(rows.into_iter().map(column).collect())
    }

    pub(super) async fn close(self) {
        _ = self.conn.disconnect().await;
    }
}

impl ColumnType {
    /// A text as this column takes it: cut, in UTC, or NULL.
    fn value(&self, text: &str) -> Value {
        if text.is_empty() && !self.is_text {
            return Value::NULL;
        }
        if self.is_time
            && let Ok(time) = text.parse::<jiff::Timestamp>()
        {
            let time = time.to_zoned(TimeZone::UTC);
            return Value::from(time.strftime("%Y-%m-%d %H:%M:%S.%6f").to_string());
        }
        Value::from(self.cut(text))
    }

    fn cut<'t>(&self, text: &'t str) -> &'t str {
        if !self.is_text {
            return text;
        }
        let size = |max: Option<u64>| max.and_then(|max| usize::try_from(max).ok());
        let bytes_max = size(self.bytes_max).unwrap_or(usize::MAX);
        let text = text
            .get(..text.floor_char_boundary(bytes_max))
            .unwrap_or(text);
        match size(self.chars_max) {
            Some(max) if text.len() > max => {
                let end = text
                    .char_indices()
                    .nth(max)
                    .map_or(text.len(), |(end, _)| end);
                text.get(..end).unwrap_or(text)
            }
            _ => text,
        }
    }
}

async fn open(opts: Opts) -> Result<Connection, Error> {
    let mut conn = Conn::new(opts).await?;
    let found: Option<usize> = conn.query_first("SELECT @@max_allowed_packet").await?;
    Ok(Connection {
        conn,
        tables: HashMap::new(),
        packet_bytes_max: found.unwrap_or(1024 * 1024),
    })
}

/// TLS with files that the library reads by itself; it cannot go by fingerprints.
fn ssl(tls: &TlsOptions) -> Result<SslOpts, Failure> {
    let trusted = match &tls.authorities {
        Some(path) => vec![path.clone().into()],
        None => {
            let found = system_authorities()?.into_iter();
            found
                .map(|certificate| certificate.to_vec().into())
                .collect()
        }
    };
    let identity = tls.certificate.clone().zip(tls.key.clone());
    let identity =
        identity.map(|(certificate, key)| ClientIdentity::new(certificate.into(), key.into()));
    Ok(SslOpts::default()
        .with_root_certs(trusted)
        .with_disable_built_in_roots(true)
        .with_client_identity(identity))
}

fn create(options: &Sql, name: &str) -> String {
    let id = quoted(&options.id_column, Engine::Mysql);
    // Ids of logspaces that differ in case differ.
    let mut sql = format!(
        "CREATE TABLE IF NOT EXISTS {name} ({id} varchar(190) CHARACTER SET ascii COLLATE ascii_bin \
         NOT NULL PRIMARY KEY"
    );
    for column in &options.columns {
        let sql_type = column.sql_type.as_deref().unwrap_or("mediumtext");
        sql += &format!(", {} {sql_type}", quoted(&column.name, Engine::Mysql));
    }
    sql + ") DEFAULT CHARACTER SET utf8mb4"
}

/// The columns that are written, in their order.
fn known(
    options: &Sql,
    name: &str,
    found: &HashMap<String, ColumnType>,
) -> Result<Vec<ColumnType>, Failure> {
    if found.is_empty() {
        return Err(Failure::new(format!(
            "there is no table {name} in {}: make it, or set `create = true`",
            options.address
        )));
    }
    let columns = options.columns.iter().map(|column| &column.name);
    let names = [&options.id_column].into_iter().chain(columns);
    names
        .map(|column| {
            found.get(column).copied().ok_or_else(|| {
                let column = quoted(column, Engine::Mysql);
                Failure::new(format!(
                    "the table {name} has no column {column}: add it there"
                ))
            })
        })
        .collect()
}

/// `IGNORE` would also let pass what is wrong with values; setting the id to itself changes nothing.
fn insert(options: &Sql, name: &str, rows: usize) -> String {
    let id = quoted(&options.id_column, Engine::Mysql);
    let mut names = id.clone();
    for column in &options.columns {
        names += ", ";
        names += &quoted(&column.name, Engine::Mysql);
    }
    let row = format!("({})", vec!["?"; options.columns.len() + 1].join(","));
    let rows = vec![row.as_str(); rows].join(",");
    format!("INSERT INTO {name} ({names}) VALUES {rows} ON DUPLICATE KEY UPDATE {id} = {name}.{id}")
}

fn not_inserted(options: &Sql, error: &Error) -> NotInserted {
    match error {
        Error::Server(error) if REFUSED.contains(&error.code) => {
            NotInserted::Refused(format!("{}: {}", error.code, error.message))
        }
        Error::Server(error) if TOO_LARGE.contains(&error.code) => {
            NotInserted::TooLarge(format!("{}: {}", error.code, error.message))
        }
        _ => NotInserted::Failed(failure(options, error)),
    }
}

fn failure(options: &Sql, error: &Error) -> Failure {
    let mut what = format!("{}: {error}", options.address);
    if options.tls.is_some() && what.contains("server does not have this capability") {
        what += "; `tls = false` sends everything in clear";
    }
    Failure::new(what)
}

fn silent(options: &Sql) -> Failure {
    let seconds = Duration::as_secs_f32(&options.timeout);
    Failure::new(format!(
        "{} has not answered for {seconds} s",
        options.address
    ))
}
