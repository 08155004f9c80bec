//! Typed client of Logwood's HTTP API, used by the CLI and the end-to-end tests.
//!
//! Blocking; streams are iterators that read as they go. Dropping a stream closes its connection,
//! which cancels the query on the server.

mod error;
mod greeting;
mod parameters;
mod stream;
mod upload;

use std::io::{BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api::{
    Accepted, BackupAnswer, BackupRequest, CompleteAnswer, CountAnswer, DestinationRequest,
    DestinationStatus, DestinationsAnswer, FieldsAnswer, HistogramAnswer, Imported, ParseAnswer,
    PatternsAnswer, Problem, QueryAnswer, Row, SavedSearch, SavedSearches, SavedView,
    SendersAnswer, StatsAnswer, StatusAnswer, StreamLine,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;

pub use error::Error;
pub use parameters::{ImportTime, Parameters};
pub use stream::Stream;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A server, by its URL.
#[derive(Clone, Debug)]
pub struct Client {
    base: String,
    agent: ureq::Agent,
}

impl Client {
    /// A client of the server at a URL such as `http://127.0.0.1:8514`; `http://` may be left out, and
    /// a port alone, such as `8514`, is one of this machine.
    pub fn new(url: &str) -> Self {
        let trimmed = url.trim().trim_end_matches('/');
        let port = trimmed.strip_prefix(':').unwrap_or(trimmed);
        let base = if trimmed.contains("://") {
            trimmed.to_owned()
        } else if port.parse::<u16>().is_ok() {
            format!("http://127.0.0.1:{port}")
        } else {
            format!("http://{trimmed}")
        };
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .build();
        Self {
            base,
            agent: config.into(),
        }
    }

    /// The server's URL, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.base
    }

    /// The records that match, one page of them.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub fn search(&self, parameters: &Parameters) -> Result<Stream, Error> {
        self.stream("search", parameters)
    }

    /// Every record that matches, the oldest first.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn export(&self, parameters: &Parameters) -> Result<Stream, Error> {
        self.stream("export", parameters)
    }

    /// Records as they arrive, without end.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn tail(&self, parameters: &Parameters) -> Result<Stream, Error> {
        self.stream("tail", parameters)
    }

    /// How many records match.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn count(&self, parameters: &Parameters) -> Result<CountAnswer, Error> {
        self.json("count", parameters)
    }

    /// How many records match over time.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn histogram(&self, parameters: &Parameters) -> Result<HistogramAnswer, Error> {
        self.json("histogram", parameters)
    }

    /// The most frequent values of a field.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn stats(&self, parameters: &Parameters) -> Result<StatsAnswer, Error> {
        self.json("stats", parameters)
    }

    /// The fields that the matching records have.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn fields(&self, parameters: &Parameters) -> Result<FieldsAnswer, Error> {
        self.json("fields", parameters)
    }

    /// The most frequent patterns of the messages of matching records.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn patterns(&self, parameters: &Parameters) -> Result<PatternsAnswer, Error> {
        self.json("patterns", parameters)
    }

    /// A table of what the pipe of a question makes of the records that match.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn query(&self, parameters: &Parameters) -> Result<QueryAnswer, Error> {
        self.json("query", parameters)
    }

    /// What can stand at a place of a query.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn complete(&self, parameters: &Parameters) -> Result<CompleteAnswer, Error> {
        self.json("complete", parameters)
    }

    /// What the server makes of a query.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn parse(&self, query: &str) -> Result<ParseAnswer, Error> {
        self.json("query/parse", &Parameters::query(query))
    }

    /// One record, with its bytes; `None` where there is none of that id.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn record(&self, id: &str) -> Result<Option<Row>, Error> {
        let path = format!("records/{id}");
        match self.json::<StreamLine>(&path, &Parameters::default()) {
            Ok(StreamLine::Row(row)) => Ok(Some(*row)),
            Ok(_) => Err(Error::Unexpected {
                what: "no row in the answer".to_owned(),
            }),
            Err(Error::Refused(problem)) if problem.status == 404 => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The state of the server.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn status(&self) -> Result<StatusAnswer, Error> {
        self.json("status", &Parameters::default())
    }

    /// The senders of a source, by address.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn senders(&self, source: &str) -> Result<SendersAnswer, Error> {
        self.json(&format!("sources/{source}/senders"), &Parameters::default())
    }

    /// Where records are sent, and how far each destination is.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn destinations(&self) -> Result<DestinationsAnswer, Error> {
        self.json("destinations", &Parameters::default())
    }

    /// Tells a destination what to do: `pause`, `resume`, `rewind`, `skip` or `test`; how it is then. Only the
    /// server's own machine may.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn tell_destination(
        &self,
        name: &str,
        action: &str,
        request: &DestinationRequest,
    ) -> Result<DestinationStatus, Error> {
        let body = serde_json::to_vec(request).map_err(|error| Error::Unexpected {
            what: error.to_string(),
        })?;
        let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
        let request = self
            .agent
            .post(self.endpoint(&format!("destinations/{name}/{action}")));
        let response = request
            .content_type("application/json")
            .send(&body[..])
            .map_err(|source| self.unreachable(source))?;
        Self::decode(&mut checked(response)?)
    }

    /// The searches that people saved, by name.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn saved_searches(&self) -> Result<SavedSearches, Error> {
        self.json("searches", &Parameters::default())
    }

    /// Saves a search under a name, in the place of the one that has it.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn save_search(&self, name: &str, view: &SavedView) -> Result<SavedSearch, Error> {
        let body = serde_json::to_vec(view).map_err(|error| Error::Unexpected {
            what: error.to_string(),
        })?;
        let request = self.agent.put(self.endpoint(&saved_search(name)));
        let response = request
            .content_type("application/json")
            .send(&body[..])
            .map_err(|source| self.unreachable(source))?;
        Self::decode(&mut checked(response)?)
    }

    /// Deletes the saved search of a name.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn delete_search(&self, name: &str) -> Result<(), Error> {
        let request = self.agent.delete(self.endpoint(&saved_search(name)));
        let response = request.call().map_err(|source| self.unreachable(source))?;
        checked(response).map(|_| ())
    }

    /// The text of a path such as `/metrics`, with its HTTP status.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn text(&self, path: &str) -> Result<(u16, String), Error> {
        let mut response = self
            .agent
            .get(format!("{}{path}", self.base))
            .call()
            .map_err(|source| self.unreachable(source))?;
        let status = response.status().as_u16();
        let text = response
            .body_mut()
            .read_to_string()
            .map_err(|source| self.unreachable(source))?;
        Ok((status, text))
    }

    /// Sends messages, one a line; they are durable on return.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn ingest(&self, parameters: &Parameters, lines: &[u8]) -> Result<Accepted, Error> {
        self.post("ingest", parameters, lines)
    }

    /// Imports messages, one a line; they are durable on return.
    ///
    /// # Errors
    /// As for [`Client::search`], and when the messages cannot be read.
    pub fn import(&self, parameters: &Parameters, lines: impl Read) -> Result<Imported, Error> {
        let (agent, is_refused) = upload::agent(self.agent.config().clone());
        let failure = Arc::new(Mutex::new(None));
        let mut upload = upload::Upload::new(lines, is_refused, Arc::clone(&failure));
        let request = parameters.apply(agent.post(self.endpoint("import")));
        let sent = request.send(ureq::SendBody::from_reader(&mut upload));
        let failed = failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(source) = failed {
            return Err(Error::Input { source });
        }
        let response = sent.map_err(|source| self.unreachable(source))?;
        Self::decode(&mut checked(response)?)
    }

    /// Makes a backup in a directory on the server's machine, which must be this one; it is durable
    /// on return.
    ///
    /// # Errors
    /// As for [`Client::search`].
    pub fn backup(&self, directory: &str) -> Result<BackupAnswer, Error> {
        let directory = directory.to_owned();
        let body = serde_json::to_vec(&BackupRequest { directory });
        let body = body.map_err(|error| Error::Unexpected {
            what: error.to_string(),
        })?;
        let request = self.agent.post(self.endpoint("admin/backup"));
        let response = request
            .content_type("application/json")
            .send(&body[..])
            .map_err(|source| self.unreachable(source))?;
        Self::decode(&mut checked(response)?)
    }

    fn post<T: DeserializeOwned>(
        &self,
        endpoint: &str,
        parameters: &Parameters,
        body: &[u8],
    ) -> Result<T, Error> {
        let request = parameters.apply(self.agent.post(self.endpoint(endpoint)));
        let response = request
            .send(body)
            .map_err(|source| self.unreachable(source))?;
        Self::decode(&mut checked(response)?)
    }

    fn json<T: DeserializeOwned>(
        &self,
        endpoint: &str,
        parameters: &Parameters,
    ) -> Result<T, Error> {
        let request = parameters.apply(self.agent.get(self.endpoint(endpoint)));
        let response = request.call().map_err(|source| self.unreachable(source))?;
        Self::decode(&mut checked(response)?)
    }

    fn decode<T: DeserializeOwned>(
        response: &mut ureq::http::Response<ureq::Body>,
    ) -> Result<T, Error> {
        let reader = response.body_mut().as_reader();
        serde_json::from_reader(reader).map_err(|error| Error::Unexpected {
            what: error.to_string(),
        })
    }

    fn stream(&self, endpoint: &str, parameters: &Parameters) -> Result<Stream, Error> {
        let request = parameters.apply(self.agent.get(self.endpoint(endpoint)));
        let response = request.call().map_err(|source| self.unreachable(source))?;
        let (_, body) = checked(response)?.into_parts();
        Ok(Stream::new(BufReader::new(body.into_reader())))
    }

    fn endpoint(&self, path: &str) -> String {
        format!("{}/api/v1/{path}", self.base)
    }

    fn unreachable(&self, source: ureq::Error) -> Error {
        Error::Unreachable {
            url: self.base.clone(),
            source: Box::new(source),
        }
    }
}

/// Where the saved search of a name is: names have spaces, slashes and what not.
fn saved_search(name: &str) -> String {
    format!("searches/{}", utf8_percent_encode(name, NON_ALPHANUMERIC))
}

/// Turns an answer that is an error into one.
fn checked(
    mut response: ureq::http::Response<ureq::Body>,
) -> Result<ureq::http::Response<ureq::Body>, Error> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let text = response.body_mut().read_to_string().unwrap_or_default();
    let problem = serde_json::from_str(&text).unwrap_or_else(|_| {
        let title = status.canonical_reason().unwrap_or("an error");
        Problem::new(
            status.as_u16(),
            "unknown",
            title,
            format!("{status}: {text}"),
        )
    });
    Err(Error::Refused(Box::new(problem)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_people_write_them() {
        for (typed, url) in [
            ("http://127.0.0.1:8514", "http://127.0.0.1:8514"),
            ("http://localhost:8514/", "http://localhost:8514"),
            ("localhost:8514", "http://localhost:8514"),
            (" logs.example.com ", "http://logs.example.com"),
            ("8514", "http://127.0.0.1:8514"),
            (":8514", "http://127.0.0.1:8514"),
            ("[::1]:8514", "http://[::1]:8514"),
            ("http://proxy/logs/", "http://proxy/logs"),
        ] {
            assert_eq!(Client::new(typed).url(), url, "{typed}");
        }
    }
}
