//! PostgreSQL: one statement a batch, whose parameters are an array for each column.
//!
//! That is nearly as fast as `COPY`, which cannot leave alone what is there already.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Error, NoTls, Socket, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::NotInserted;
use super::rows::{Rows, quoted};
use super::{Engine, Sql};
use crate::limits::SQL_TABLES_MAX;
use crate::sink::Failure;

/// A connection, and the statements of the tables that were written to.
pub(super) struct Connection {
    client: Client,
    /// What moves bytes between client and socket.
    carrier: JoinHandle<()>,
    statements: HashMap<String, Statement>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.carrier.abort();
    }
}

const COLUMNS: &str = "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute \
                       WHERE attrelid = to_regclass($1)::oid AND attnum > 0 AND NOT attisdropped";

impl Connection {
    pub(super) async fn open(options: &Sql) -> Result<Self, Failure> {
        let address = &options.address;
        let mut config = Config::new();
        config.user(&address.user).dbname(&address.database);
        match address.is_socket() {
            true => config.host_path(&address.host),
            false => config.host(&address.host),
        };
        config.port(address.port).connect_timeout(options.timeout);
        config.application_name("logwood");
        if let Some(password) = &options.password {
            config.password(password.read()?);
        }
        let connecting = connect(&config, options);
        let connected = timeout(options.timeout, connecting).await;
        let (client, carrier) = connected.map_err(|_| silent(options))??;
        let connection = Self {
            client,
            carrier,
            statements: HashMap::new(),
        };
        // What a connection that is lost was doing must not go on for ever.
        let limit = format!("SET statement_timeout = {}", options.timeout.as_millis());
        let done = timeout(options.timeout, connection.client.batch_execute(&limit)).await;
        done.map_err(|_| silent(options))?
            .map_err(|error| failure(options, &error))?;
        Ok(connection)
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
        let statement = match self.statements.get(&rows.table) {
            Some(statement) => statement.clone(),
            None => self.prepare(options, &rows.table).await?,
        };
        let columns: Vec<Vec<&str>> = (0..rows.width())
            .map(|column| rows.column(column, range.clone()).collect())
            .collect();
        let parameters: Vec<&(dyn ToSql + Sync)> = columns
            .iter()
            .map(|column| column as &(dyn ToSql + Sync))
            .collect();
        match self.client.execute(&statement, &parameters).await {
            Ok(_) => Ok(()),
            Err(error) => Err(not_inserted(options, &error)),
        }
    }

    /// Prepares the statement of a table, and makes that where it may.
    async fn prepare(&mut self, options: &Sql, table: &str) -> Result<Statement, NotInserted> {
        let failed = |error: Error| NotInserted::Failed(failure(options, &error));
        let name = full_name(options, table);
        let mut types = self.types(&name).await.map_err(failed)?;
        if types.is_empty() && options.creates {
            let create = create(options, &name);
            self.client.batch_execute(&create).await.map_err(failed)?;
            types = self.types(&name).await.map_err(failed)?;
        }
        let sql = insert(options, &name, &types).map_err(NotInserted::Failed)?;
        let arrays = vec![Type::TEXT_ARRAY; options.columns.len() + 1];
        let statement = self
            .client
            .prepare_typed(&sql, &arrays)
            .await
            .map_err(failed)?;
        if self.statements.len() >= SQL_TABLES_MAX {
            self.statements.clear();
        }
        self.statements.insert(table.to_owned(), statement.clone());
        Ok(statement)
    }

    /// The columns of a table and their types; none where it is not there.
    async fn types(&self, name: &str) -> Result<HashMap<String, String>, Error> {
        let found = self
            .client
            .query_typed(COLUMNS, &[(&name, Type::TEXT)])
            .await?;
        found
            .iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
            .collect()
    }
}

async fn connect(config: &Config, options: &Sql) -> Result<(Client, JoinHandle<()>), Failure> {
    let failed = |error: Error| failure(options, &error);
    let mut config = config.clone();
    let Some(tls) = &options.tls else {
        config.ssl_mode(SslMode::Disable);
        let (client, connection) = config.connect(NoTls).await.map_err(failed)?;
        return Ok((client, carry(connection)));
    };
    config.ssl_mode(SslMode::Require);
    let tls = MakeRustlsConnect::new(ClientConfig::clone(&*tls.config()?));
    let (client, connection) = config.connect(tls).await.map_err(failed)?;
    Ok((client, carry(connection)))
}

/// Moves bytes until the connection is over. Whoever waits for an answer is told why.
fn carry<T>(connection: tokio_postgres::Connection<Socket, T>) -> JoinHandle<()>
where
    T: tokio_postgres::tls::TlsStream + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        _ = connection.await;
    })
}

fn full_name(options: &Sql, table: &str) -> String {
    let table = quoted(table, Engine::Postgres);
    match &options.schema {
        Some(schema) => format!("{}.{table}", quoted(schema, Engine::Postgres)),
        None => table,
    }
}

fn create(options: &Sql, name: &str) -> String {
    let id = quoted(&options.id_column, Engine::Postgres);
    let mut sql = format!("CREATE TABLE IF NOT EXISTS {name} ({id} text PRIMARY KEY");
    for column in &options.columns {
        let sql_type = column.sql_type.as_deref().unwrap_or("text");
        sql += &format!(", {} {sql_type}", quoted(&column.name, Engine::Postgres));
    }
    sql + ")"
}

/// The statement for rows of a table whose columns are known.
fn insert(options: &Sql, name: &str, types: &HashMap<String, String>) -> Result<String, Failure> {
    if types.is_empty() {
        return Err(Failure::new(format!(
            "there is no table {name} in {}: make it, or set `create = true`",
            options.address
        )));
    }
    let columns = options.columns.iter().map(|column| &column.name);
    let (mut names, mut values, mut arrays, mut letters) = (vec![], vec![], vec![], vec![]);
    for (index, column) in [&options.id_column].into_iter().chain(columns).enumerate() {
        let sql_type = types.get(column).ok_or_else(|| {
            let column = quoted(column, Engine::Postgres);
            Failure::new(format!(
                "the table {name} has no column {column}: add it there"
            ))
        })?;
        names.push(quoted(column, Engine::Postgres));
        values.push(match sql_type.as_str() {
            "text" => format!("v{index}"),
            // A cast cuts what is too long.
            text if text.starts_with("character") => format!("v{index}::{text}"),
            other => format!("nullif(v{index}, '')::{other}"),
        });
        arrays.push(format!("${}::text[]", index + 1));
        letters.push(format!("v{index}"));
    }
    Ok(format!(
        "INSERT INTO {name} ({}) SELECT {} FROM unnest({}) AS u({}) ON CONFLICT ({}) DO NOTHING",
        names.join(", "),
        values.join(", "),
        arrays.join(", "),
        letters.join(", "),
        quoted(&options.id_column, Engine::Postgres),
    ))
}

/// What went wrong with a statement that has values: classes 22 and 23 are of those, and 54 of their size.
fn not_inserted(options: &Sql, error: &Error) -> NotInserted {
    let code = error.code().map_or("", |code| code.code());
    match (code.get(..2), error.as_db_error()) {
        (Some("22" | "23" | "54"), Some(error)) => {
            NotInserted::Refused(format!("{}: {}", error.code().code(), error.message()))
        }
        _ => NotInserted::Failed(failure(options, error)),
    }
}

fn failure(options: &Sql, error: &Error) -> Failure {
    let mut what = format!("{}: {error}", options.address);
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        what += &format!(": {cause}");
        source = cause.source();
    }
    if options.tls.is_some() && what.contains("does not support TLS") {
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
