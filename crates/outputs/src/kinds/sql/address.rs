//! The URL of a database: `postgresql://user@host:port/database`.

use std::fmt;
use std::ops::Range;

use percent_encoding::percent_decode_str;

/// Whose language the database speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// PostgreSQL.
    Postgres,
    /// MariaDB and MySQL.
    Mysql,
}

/// A server and a database of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlAddress {
    /// Whose language it speaks.
    pub engine: Engine,
    /// Who logs in.
    pub user: String,
    /// The host, or the directory of a unix socket, which begins with `/`.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The database.
    pub database: String,
}

/// Why a URL names no database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadAddress {
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

const EXAMPLE: &str = "write such as \"postgresql://logwood@db.example.com/logs\"";

impl Engine {
    /// The names in URLs.
    const SCHEMES: [(&'static str, Self); 4] = [
        ("postgresql", Self::Postgres),
        ("postgres", Self::Postgres),
        ("mysql", Self::Mysql),
        ("mariadb", Self::Mysql),
    ];

    /// Whether this build has it.
    pub fn is_built(self) -> bool {
        match self {
            Self::Postgres => cfg!(feature = "postgres"),
            Self::Mysql => cfg!(feature = "mysql"),
        }
    }

    /// The cargo feature that brings it.
    pub fn feature(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Mysql => "mysql",
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Postgres => 5432,
            Self::Mysql => 3306,
        }
    }
}

impl SqlAddress {
    /// Reads a URL.
    ///
    /// # Errors
    /// When it is none, or has a password in it.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let bad = |span: Range<usize>, message: String, hint: &str| BadAddress {
            span,
            message,
            hint: hint.to_owned(),
        };
        let Some((scheme, rest)) = text.split_once("://") else {
            let message = "this is no URL".to_owned();
            return Err(bad(0..text.len(), message, EXAMPLE));
        };
        let known = Engine::SCHEMES.iter().find(|(name, _)| *name == scheme);
        let Some((_, engine)) = known else {
            let message = format!("{scheme:?} is no database that is known here");
            let hint = "known are postgresql, mysql and mariadb";
            return Err(bad(0..scheme.len(), message, hint));
        };
        if let Some(at) = text.find(['?', '#']) {
            let hint = "leave it out; `tls`, `schema` and `timeout` are keys of their own";
            return Err(bad(
                at..text.len(),
                "options in a URL are not read".to_owned(),
                hint,
            ));
        }
        let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, host) = place.rsplit_once('@').unwrap_or(("", place));
        let start = scheme.len() + 3;
        if let Some(at) = user.find(':') {
            let message = "a password in a URL is shown wherever the configuration is".to_owned();
            let hint = "write it into a file, and name that by `password_file`";
            return Err(bad(start + at..start + user.len(), message, hint));
        }
        let host_start = start + place.len() - host.len();
        let (host, port) = host_and_port(host, engine.port()).ok_or_else(|| {
            bad(
                host_start..start + place.len(),
                "this is no host".to_owned(),
                EXAMPLE,
            )
        })?;
        if user.is_empty() || database.is_empty() || database.contains('/') {
            let message = "it needs a user and a database".to_owned();
            return Err(bad(0..text.len(), message, EXAMPLE));
        }
        let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        Ok(Self {
            engine: *engine,
            user: decode(user),
            host: decode(&host),
            port,
            database: decode(database),
        })
    }

    /// Whether what is sent stays on this machine.
    pub fn is_local(&self) -> bool {
        let ip = self.host.parse::<std::net::IpAddr>();
        self.is_socket() || self.host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
    }

    /// Whether it is a unix socket.
    pub(crate) fn is_socket(&self) -> bool {
        self.host.starts_with('/')
    }
}

/// `host`, `host:port`, `[::1]:port`, or a percent-encoded path; `None` for anything else.
fn host_and_port(text: &str, default: u16) -> Option<(String, u16)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, behind) = rest.split_once(']')?;
            (host, behind.strip_prefix(':'))
        }
        None => match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    let port = port.map_or(Some(default), |port| port.parse().ok())?;
    let is_host = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || c == ',');
    is_host.then(|| (host.to_owned(), port))
}

impl fmt::Display for SqlAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.engine {
            Engine::Postgres => "postgresql",
            Engine::Mysql => "mysql",
        };
        let (host, database) = (&self.host, &self.database);
        write!(f, "{scheme}://{host}:{}/{database}", self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_servers_ports_and_sockets() {
        let read = |text| SqlAddress::parse(text).expect("is one");
        let one = read("postgresql://log%40wood@db.example.com/logs");
        assert_eq!((one.engine, one.port), (Engine::Postgres, 5432));
        assert_eq!((&*one.user, &*one.host), ("log@wood", "db.example.com"));
        assert!(!one.is_local());
        let one = read("mariadb://u@[::1]:3307/logs");
        assert_eq!(
            (one.engine, &*one.host, one.port),
            (Engine::Mysql, "::1", 3307)
        );
        assert!(one.is_local());
        assert!(read("postgres://u@%2Frun%2Fpostgresql/logs").is_socket());
    }

    #[test]
    fn what_is_wrong_with_a_url_is_told_at_its_place() {
        for (text, place, message) in [
            ("db.example.com", "db.example.com", "this is no URL"),
            (
                "oracle://u@h/d",
                "oracle",
                "\"oracle\" is no database that is known here",
            ),
            (
                "mysql://u:secret@h/d",
                ":secret",
                "a password in a URL is shown wherever the configuration is",
            ),
            ("mysql://u@h:x/d", "h:x", "this is no host"),
            (
                "mysql://u@h",
                "mysql://u@h",
                "it needs a user and a database",
            ),
            (
                "mysql://h/d",
                "mysql://h/d",
                "it needs a user and a database",
            ),
            (
                "mysql://u@h/d?ssl=off",
                "?ssl=off",
                "options in a URL are not read",
            ),
        ] {
            let bad = SqlAddress::parse(text).expect_err(text);
            assert_eq!(&text[bad.span], place);
            assert_eq!(bad.message, message);
        }
    }
}
