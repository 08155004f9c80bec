//! Tables of a relational database: PostgreSQL, MariaDB and MySQL.
//!
//! Each row has an id of its own, made of the store, the logspace and the number of the record. A row that is there
//! already is left alone, so that a batch can be sent again whatever became of it: every record is there once.
#![cfg_attr(
    not(all(feature = "mysql", feature = "postgres")),
    allow(dead_code, reason = "some of it is for one of the two languages")
)]

mod address;
mod connection;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
mod rows;
mod sink;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::render::{Rendering, Scene};
use crate::secret::Secret;
use crate::sink::{Failure, Item, Kind, Opening, Preview, Sink, Trouble};
use crate::tls::TlsOptions;
pub use address::{BadAddress, Engine, SqlAddress};
use rows::name_of;
use sink::SqlSink;

/// A table by a template, with columns by templates.
#[derive(Clone, Debug)]
pub struct Sql {
    /// The server and the database.
    pub address: SqlAddress,
    /// The password of the user.
    pub password: Option<Secret>,
    /// Whom to trust; `None` sends everything in clear.
    pub tls: Option<TlsOptions>,
    /// The schema that the tables are in; the first of the user's search path where there is none. PostgreSQL only.
    pub schema: Option<String>,
    /// The table; what is made of a record is one name, whatever its bytes.
    pub table: Rendering,
    /// The column of the id. It has to be unique.
    pub id_column: String,
    /// The other columns.
    pub columns: Vec<Column>,
    /// Whether tables are made that are not there.
    pub creates: bool,
    /// How long connecting, and each statement, may take.
    pub timeout: Duration,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type where the table is made; text where there is none.
    pub sql_type: Option<String>,
    /// What is in it.
    pub value: Rendering,
}

/// A time with microseconds and its offset, which databases read.
const TIME: &str = "${YEAR}-${MONTH}-${DAY}T${HOUR}:${MIN}:${SEC}.${USEC}${TZOFFSET}";
const RECEIVED: &str =
    "${R_YEAR}-${R_MONTH}-${R_DAY}T${R_HOUR}:${R_MIN}:${R_SEC}.${R_USEC}${R_TZOFFSET}";

impl Column {
    /// The columns that there are where the author names none.
    pub fn defaults(engine: Engine) -> Vec<Self> {
        let time = match engine {
            Engine::Postgres => "timestamptz",
            Engine::Mysql => "datetime(6)",
        };
        let columns = [
            ("time", Some(time), TIME),
            ("received", Some(time), RECEIVED),
            ("host", None, "${HOST}"),
            ("program", None, "${PROGRAM}"),
            ("pid", None, "${PID}"),
            ("facility", None, "${FACILITY}"),
            ("severity", None, "${SEVERITY}"),
            ("message", None, "${MESSAGE}"),
        ];
        let column = |(name, sql_type, value): (&str, Option<&str>, &str)| {
            Some(Self {
                name: name.to_owned(),
                sql_type: sql_type.map(str::to_owned),
                value: Rendering::template(value).ok()?,
            })
        };
        columns.into_iter().filter_map(column).collect()
    }
}

impl Kind for Sql {
    fn name(&self) -> &'static str {
        "sql"
    }

    fn open(&self, opening: Opening) -> Result<Box<dyn Sink>, Failure> {
        Ok(Box::new(SqlSink::new(self.clone(), &opening)))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let scene = Scene::now();
        let table = name_of(&self.table, record, &scene, self.address.engine);
        let mut bytes = Vec::new();
        for column in &self.columns {
            bytes.extend_from_slice(format!("{} = ", column.name).as_bytes());
            if let Err(reason) = column.value.render(record, &scene, &mut bytes) {
                bytes.extend_from_slice(reason.as_bytes());
            }
            bytes.push(b'\n');
        }
        let table = table.unwrap_or_else(|reason| reason);
        Preview {
            to: format!("{} table {table}", self.address),
            bytes,
        }
    }

    fn examine(&self) -> Vec<Trouble> {
        let password = self.password.as_ref().map(Secret::read);
        let password = password.and_then(Result::err).map(|failure| Trouble {
            key: "password_file",
            message: failure.what,
            remedy: Some("write the password into that file, readable for Logwood".to_owned()),
            is_error: true,
        });
        let tls = self.tls.as_ref().and_then(TlsOptions::examine);
        password.into_iter().chain(tls).collect()
    }
}
