//! The HTTP API as tests use it.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::http::{Answer, Connection, encode};
use crate::wait::{wait_for, wait_until};

/// How long a record may take from its sender to an answer, on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The API of one server.
#[derive(Clone, Copy, Debug)]
pub struct Api {
    address: SocketAddr,
}

/// The conservation counters of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Messages taken from the network.
    pub received: u64,
    /// Messages that are durable.
    pub stored: u64,
    /// Messages given up, over all reasons.
    pub dropped: u64,
    /// Messages on their way.
    pub in_flight: u64,
}

impl Api {
    /// The API at an address.
    pub fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    /// `GET` of a path, whatever the status.
    pub fn get(&self, path: &str) -> Result<Answer> {
        Connection::open(self.address)?.get(path)
    }

    /// `POST` of a body, whatever the status.
    pub fn post(&self, path: &str, body: &[u8]) -> Result<Answer> {
        Connection::open(self.address)?.post(path, body)
    }

    /// `GET /api/v1/ENDPOINT` with parameters; a status other than 200 is an error.
    pub fn ask(&self, endpoint: &str, parameters: &[(&str, &str)]) -> Result<Answer> {
        self.get(&path(endpoint, parameters))?.ok()
    }

    /// The lines of an endpoint that never ends, as they come.
    pub fn stream(
        &self,
        endpoint: &str,
        parameters: &[(&str, &str)],
    ) -> Result<impl Iterator<Item = std::io::Result<String>> + use<>> {
        Connection::open(self.address)?.stream(&path(endpoint, parameters))
    }

    /// One page of rows, newest first, with `raw`; the answer must be complete.
    pub fn search(&self, query: &str, more: &[(&str, &str)]) -> Result<Vec<Value>> {
        Ok(self.search_page(query, more)?.0)
    }

    /// One page of rows, and the line that ends it.
    pub fn search_page(&self, query: &str, more: &[(&str, &str)]) -> Result<(Vec<Value>, Value)> {
        let mut parameters = vec![("q", query), ("raw", "true"), ("limit", "10000")];
        parameters.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
        parameters.extend_from_slice(more);
        let mut lines = self.ask("search", &parameters)?.lines()?;
        let last = lines.pop().context("the answer is empty")?;
        let Some(end) = last.get("end") else {
            bail!("the answer ends with {last}");
        };
        if end["complete"] != true {
            bail!("the answer is not complete: {end}");
        }
        Ok((rows(lines)?, end.clone()))
    }

    /// Everything that matches, oldest first, without limit.
    pub fn export(&self, query: &str, more: &[(&str, &str)]) -> Result<Vec<Value>> {
        let mut parameters = vec![("q", query), ("raw", "true"), ("format", "ndjson")];
        parameters.extend_from_slice(more);
        let mut lines = self.ask("export", &parameters)?.lines()?;
        lines.retain(|line| line.get("end").is_none());
        rows(lines)
    }

    /// How many records match.
    pub fn count(&self, query: &str) -> Result<u64> {
        let answer = self.ask("count", &[("q", query)])?.json()?;
        answer["count"]
            .as_u64()
            .with_context(|| format!("no count in {answer}"))
    }

    /// Waits until exactly this many records match; more is an error at once.
    pub fn wait_for_count(&self, query: &str, expected: u64) -> Result<()> {
        let mut last = 0;
        let waited = wait_until("the records were found", LIMIT, || {
            last = self.count(query).unwrap_or(0);
            last >= expected
        });
        if waited.is_err() || last != expected {
            bail!("`{query}` finds {last} records, expected {expected}");
        }
        Ok(())
    }

    /// Waits until exactly this many records match, and returns them, oldest first.
    pub fn wait_for_rows(&self, query: &str, expected: u64) -> Result<Vec<Value>> {
        self.wait_for_count(query, expected)?;
        self.export(query, &[])
    }

    /// The server's state.
    pub fn status(&self) -> Result<Value> {
        self.ask("status", &[])?.json()
    }

    /// The counters of a source.
    pub fn source(&self, name: &str) -> Result<SourceCounts> {
        let status = self.status()?;
        let sources = status["sources"].as_array();
        let source = sources
            .and_then(|sources| sources.iter().find(|source| source["name"] == name))
            .with_context(|| format!("no source {name} in {status}"))?;
        let number = |key: &str| source[key].as_u64().with_context(|| format!("no {key}"));
        let reasons = source["dropped"].as_object().context("no reasons")?;
        Ok(SourceCounts {
            received: number("received")?,
            stored: number("stored")?,
            dropped: reasons.values().filter_map(Value::as_u64).sum(),
            in_flight: number("in_flight")?,
        })
    }

    /// Waits until nothing of a source is on its way, and asserts that nothing vanished.
    pub fn conserved(&self, name: &str) -> Result<SourceCounts> {
        let report = wait_for("nothing was in flight", LIMIT, || {
            let report = self.source(name)?;
            Ok((report.in_flight == 0).then_some(report))
        })?;
        if report.received != report.stored + report.dropped {
            bail!("records of {name} vanished: {report:?}");
        }
        Ok(report)
    }
}

/// The bytes of a row as they arrived; it must have been asked for with `raw`.
pub fn raw(row: &Value) -> Result<Vec<u8>> {
    match (&row["raw"], &row["raw_base64"]) {
        (Value::String(raw), _) => Ok(raw.clone().into_bytes()),
        (_, Value::String(encoded)) => Ok(STANDARD.decode(encoded)?),
        _ => bail!("no raw in {row}"),
    }
}

/// A member of a row as text; empty where it is missing or no text.
pub fn text<'a>(row: &'a Value, member: &str) -> &'a str {
    row[member].as_str().unwrap_or_default()
}

fn path(endpoint: &str, parameters: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)))
        .collect();
    format!("/api/v1/{endpoint}?{}", pairs.join("&"))
}

fn rows(lines: Vec<Value>) -> Result<Vec<Value>> {
    lines
        .into_iter()
        .map(|mut line| match line.get_mut("row") {
            Some(row) => Ok(row.take()),
            None => bail!("not a row: {line}"),
        })
        .collect()
}
