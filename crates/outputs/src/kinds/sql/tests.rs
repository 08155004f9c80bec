//! What is in the tables of real servers, as their own clients print it.

use std::time::Duration;

use testkit::peers::{MariaDb, Postgres};

use super::*;
use crate::tests::{House, assert_adds_up, hasty, messages, only, until};
use crate::{Destinations, State};

/// A server of either kind.
enum Server {
    Postgres(Postgres),
    MariaDb(MariaDb),
}

impl Server {
    /// One of each, as far as this machine has them.
    fn each() -> impl Iterator<Item = Self> {
        let postgres = testkit::need(Postgres::find()).expect("can be told");
        let mariadb = testkit::need(MariaDb::find()).expect("can be told");
        let postgres = postgres.map(|_| Self::Postgres(Postgres::start(&[], &[]).expect("starts")));
        let small = ["--max-allowed-packet=1M"];
        let mariadb = mariadb.map(|_| Self::MariaDb(MariaDb::start(&small, &[]).expect("starts")));
        postgres.into_iter().chain(mariadb)
    }

    fn query(&self, sql: &str) -> Vec<String> {
        match self {
            Self::Postgres(server) => server.query(sql).expect(sql),
            Self::MariaDb(server) => server.query(&format!("USE logs; {sql}")).expect(sql),
        }
    }

    fn kill(&mut self) {
        match self {
            Self::Postgres(server) => server.kill().expect("is killed"),
            Self::MariaDb(server) => server.kill().expect("is killed"),
        }
    }

    fn go_on(&mut self) {
        match self {
            Self::Postgres(server) => server.go_on().expect("starts again"),
            Self::MariaDb(server) => server.go_on().expect("starts again"),
        }
    }

    fn kind(&self) -> Sql {
        let (url, password) = match self {
            Self::Postgres(server) => (
                format!("postgresql://postgres@127.0.0.1:{}/postgres", server.port()),
                Postgres::PASSWORD,
            ),
            Self::MariaDb(server) => (
                format!("mysql://logwood@127.0.0.1:{}/logs", server.port()),
                MariaDb::PASSWORD,
            ),
        };
        let address = SqlAddress::parse(&url).expect("is one");
        Sql {
            columns: Column::defaults(address.engine),
            address,
            password: Some(Secret::Text(password.to_owned())),
            tls: None,
            schema: None,
            table: template("logs"),
            id_column: "id".to_owned(),
            creates: true,
            timeout: Duration::from_secs(20),
        }
    }
}

fn template(text: &str) -> Rendering {
    Rendering::template(text).expect("is one")
}

fn column(name: &str, value: &str) -> Column {
    Column {
        name: name.to_owned(),
        sql_type: None,
        value: template(value),
    }
}

fn delivered(destinations: &Destinations, count: u64) {
    until("all are delivered", || {
        let status = destinations.status();
        assert_adds_up(only(&status));
        only(&status).totals.delivered == count
    });
}

#[test]
fn every_record_is_there_once_also_when_the_server_is_killed_and_records_are_sent_again() {
    for mut server in Server::each() {
        let dir = tempfile::tempdir().expect("makes one");
        let house = House::open(dir.path());
        let kind = server.kind();
        let mut options = hasty(kind.clone());
        options.workers = 2;
        options.batch.records_max = 300;
        let destinations = house.destinations(vec![options]);
        let texts = messages(0..6_000);
        for (round, part) in texts.chunks(2_000).enumerate() {
            house.put("main", part);
            until("it has begun", || {
                only(&destinations.status()).totals.delivered > round as u64 * 2_000
            });
            server.kill();
            server.go_on();
        }
        delivered(&destinations, 6_000);
        destinations.shutdown(Duration::from_secs(10));
        // Another destination sends all of them again.
        let mut options = hasty(kind);
        options.name = "again".to_owned();
        let destinations = house.destinations(vec![options]);
        delivered(&destinations, 6_000);
        destinations.shutdown(Duration::from_secs(10));
        let mut found = server.query("SELECT message FROM logs");
        found.sort();
        let mut expected = texts;
        expected.sort();
        assert_eq!(found, expected);
        let ids = server.query("SELECT id FROM logs ORDER BY message LIMIT 1");
        let (store, record) = ids[0].split_once(':').expect("an id");
        assert_eq!((store.len(), record), (16, "main:1"));
    }
}

#[test]
fn values_that_a_column_does_not_take_are_cut_empty_or_refused_and_nothing_else_is() {
    for server in Server::each() {
        let (integer, charset) = match server {
            Server::Postgres(_) => ("integer CHECK (number < 1000)", ""),
            Server::MariaDb(_) => ("integer, CHECK (number < 1000)", "CHARACTER SET utf8mb4"),
        };
        server.query(&format!(
            "CREATE TABLE odd (id varchar(190) PRIMARY KEY, short varchar(8), number {integer}, day timestamp NULL) {charset}"
        ));
        let dir = tempfile::tempdir().expect("makes one");
        let house = House::open(dir.path());
        let mut kind = server.kind();
        kind.table = template("odd");
        kind.columns = vec![
            column("short", "${MESSAGE}"),
            column("number", "$(if (\"${HOST}\" eq \"none\") \"\" \"${HOST}\")"),
            column("day", "2026-01-31T01:30:00+02:00"),
        ];
        let destinations = house.destinations(vec![hasty(kind)]);
        let mut texts: Vec<_> = (1..900).map(|number| format!("{number} one")).collect();
        for odd in [
            "none \0 NUL",
            "7000 checked",
            "x no number",
            "none '; DROP TABLE odd --",
            "5 \u{e4}h\u{f6}\u{fc}\u{1f600} long",
        ] {
            texts.insert(texts.len() / 2, odd.to_owned());
        }
        house.put("main", &texts);
        until("all are settled", || {
            let status = destinations.status();
            let totals = &only(&status).totals;
            totals.delivered == 902 && totals.dropped.rejected == 2
        });
        destinations.shutdown(Duration::from_secs(10));
        let nul = match server {
            Server::Postgres(_) => "none \u{fffd} N\tNULL",
            Server::MariaDb(_) => "none \\0 N\tNULL",
        };
        let found = server.query(
            "SELECT short, coalesce(cast(number AS char(5)), 'NULL') FROM odd \
             WHERE number IS NULL OR short LIKE '5 %' ORDER BY short",
        );
        let found: Vec<_> = found.iter().map(|line| line.trim_end()).collect();
        let mut expected = vec![
            "5 one\t5",
            "5 \u{e4}h\u{f6}\u{fc}\u{1f600} \t5",
            nul,
            "none '; \tNULL",
        ];
        expected.sort_unstable();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected);
        let (utc, day) = match server {
            Server::Postgres(_) => ("", "2026-01-31 01:30:00"),
            Server::MariaDb(_) => ("SET time_zone = '+00:00';", "2026-01-30 23:30:00"),
        };
        assert_eq!(
            server.query(&format!("{utc} SELECT DISTINCT day FROM odd")),
            [day]
        );
    }
}

#[test]
fn tables_are_made_by_values_whatever_those_are() {
    for server in Server::each() {
        let dir = tempfile::tempdir().expect("makes one");
        let house = House::open(dir.path());
        let mut kind = server.kind();
        kind.table = template("logs ${HOST}");
        let destinations = house.destinations(vec![hasty(kind)]);
        let hosts = ["a", "b\"`", "c';--", "../d"];
        let texts: Vec<_> = hosts.iter().map(|host| format!("{host} one")).collect();
        house.put("main", &texts);
        delivered(&destinations, 4);
        destinations.shutdown(Duration::from_secs(10));
        let schema = match server {
            Server::Postgres(_) => "current_schema()",
            Server::MariaDb(_) => "database()",
        };
        let mut found = server.query(&format!(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = {schema}"
        ));
        found.sort();
        let mut expected = hosts.map(|host| format!("logs {host}"));
        expected.sort();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_wrong_password_a_missing_table_and_missing_tls_are_told_and_records_wait() {
    for server in Server::each() {
        let dir = tempfile::tempdir().expect("makes one");
        let house = House::open(&dir.path().join("store"));
        let password = dir.path().join("password");
        std::fs::write(&password, "wrong").expect("writes");
        let mut kind = server.kind();
        let right = kind
            .password
            .as_ref()
            .expect("has one")
            .read()
            .expect("reads");
        kind.password = Some(Secret::File(password.clone()));
        kind.creates = false;
        let mut secured = kind.clone();
        secured.tls = Some(TlsOptions::default());
        let destinations = house.destinations(vec![hasty(kind)]);
        house.put("main", &messages(0..10));
        tells(
            &destinations,
            &["password authentication failed", "Access denied"],
        );
        std::fs::write(&password, right).expect("writes");
        tells(&destinations, &["there is no table"]);
        destinations.shutdown(Duration::from_secs(10));
        let destinations = house.destinations(vec![hasty(secured)]);
        tells(&destinations, &["`tls = false` sends everything in clear"]);
        assert_eq!(only(&destinations.status()).totals.delivered, 0);
        destinations.shutdown(Duration::from_secs(10));
    }
}

/// Waits until it fails for one of these reasons.
fn tells(destinations: &Destinations, reasons: &[&str]) {
    until(&format!("it tells of {reasons:?}"), || {
        let status = destinations.status();
        let one = only(&status);
        let error = one.last_error.as_ref().map_or("", |(_, error)| error);
        one.state == State::Failing && reasons.iter().any(|reason| error.contains(reason))
    });
}

#[test]
fn tls_takes_the_authority_that_is_named_and_no_other() {
    let dir = tempfile::tempdir().expect("makes one");
    let key = rcgen::KeyPair::generate().expect("a key");
    let mut authority = rcgen::CertificateParams::default();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority_pem = authority.self_signed(&key).expect("signs").pem();
    let issuer = rcgen::Issuer::new(authority, key);
    let key = rcgen::KeyPair::generate().expect("a key");
    let names = vec!["127.0.0.1".to_owned()];
    let server = rcgen::CertificateParams::new(names).expect("names");
    let server = server.signed_by(&key, &issuer).expect("signs").pem();
    let key = key.serialize_pem();
    let files: [(&str, &str); 2] = [("server.crt", &server), ("server.key", &key)];
    let mariadb = [
        "--ssl-cert={folder}/server.crt",
        "--ssl-key={folder}/server.key",
    ];
    let mut servers = Vec::new();
    if testkit::need(Postgres::find())
        .expect("can be told")
        .is_some()
    {
        let server = Postgres::start(&["ssl=on"], &files).expect("starts");
        servers.push(Server::Postgres(server));
    }
    if testkit::need(MariaDb::find())
        .expect("can be told")
        .is_some()
    {
        let server = MariaDb::start(&mariadb, &files).expect("starts");
        servers.push(Server::MariaDb(server));
    }
    let ca = dir.path().join("ca.pem");
    std::fs::write(&ca, authority_pem).expect("writes");
    for (index, server) in servers.into_iter().enumerate() {
        let house = House::open(&dir.path().join(index.to_string()));
        house.put("main", &messages(0..10));
        let mut kind = server.kind();
        kind.tls = Some(TlsOptions::default());
        let destinations = house.destinations(vec![hasty(kind.clone())]);
        tells(&destinations, &["certificate"]);
        destinations.shutdown(Duration::from_secs(10));
        let authorities = Some(ca.clone());
        kind.tls = Some(TlsOptions {
            authorities,
            ..TlsOptions::default()
        });
        let destinations = house.destinations(vec![hasty(kind)]);
        delivered(&destinations, 10);
        destinations.shutdown(Duration::from_secs(10));
    }
}
