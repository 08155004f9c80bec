//! A connection to a database of either language.

use std::ops::Range;

use super::Sql;
use super::rows::Rows;
use crate::sink::Failure;

/// Why rows were not inserted.
#[derive(Debug)]
pub(super) enum NotInserted {
    /// Something in the values of these rows; others may be fine.
    Refused(String),
    /// Too many at a time.
    TooLarge(String),
    /// Anything else; the connection is not used any more.
    Failed(Failure),
}

/// A connection.
pub(super) enum Connection {
    /// To PostgreSQL.
    #[cfg(feature = "postgres")]
    Postgres(super::postgres::Connection),
    /// To MariaDB or MySQL.
    #[cfg(feature = "mysql")]
    Mysql(super::mysql::Connection),
}

impl Connection {
    /// Connects and logs in.
    pub(super) async fn open(options: &Sql) -> Result<Self, Failure> {
        let engine = options.address.engine;
        match engine {
            #[cfg(feature = "postgres")]
            super::Engine::Postgres => {
                let connection = super::postgres::Connection::open(options).await?;
                Ok(Self::Postgres(connection))
            }
            #[cfg(feature = "mysql")]
            super::Engine::Mysql => {
                let connection = super::mysql::Connection::open(options).await?;
                Ok(Self::Mysql(connection))
            }
            #[cfg(not(all(feature = "mysql", feature = "postgres")))]
            engine => Err(Failure::new(format!(
                "this Logwood was built without `{}`",
                engine.feature()
            ))),
        }
    }

    /// Inserts rows that are not there yet, all of them or none.
    pub(super) async fn insert(
        &mut self,
        options: &Sql,
        rows: &Rows,
        range: Range<usize>,
    ) -> Result<(), NotInserted> {
        // By value, since a reference to nothing at all still has to be matched.
        match *self {
            #[cfg(feature = "postgres")]
            Self::Postgres(ref mut connection) => connection.insert(options, rows, range).await,
            #[cfg(feature = "mysql")]
            Self::Mysql(ref mut connection) => connection.insert(options, rows, range).await,
        }
    }

    /// Says good-bye.
    pub(super) async fn close(self) {
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => drop(connection),
            #[cfg(feature = "mysql")]
            Self::Mysql(connection) => connection.close().await,
        }
    }
}
