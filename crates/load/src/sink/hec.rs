//! An HTTP event collector as Splunk's, as far as senders of logs can see.
//!
//! Answers are those of Fluent Bit's Splunk input where it answers at all, with Splunk's own codes
//! for the rest. A request is taken as a whole or not at all.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use crate::sink::account::{Account, Tally};
use crate::sink::limits::{ACKS_MAX, BODY_BYTES_MAX, CHANNELS_MAX};
use crate::sink::options::SinkOptions;
use crate::sink::trouble::Trouble;

/// What all requests share.
#[derive(Clone, Debug)]
struct Collector {
    account: Arc<Account>,
    trouble: Trouble,
    tokens: Arc<Vec<String>>,
    has_acks: bool,
    channels: Arc<Mutex<HashMap<String, Channel>>>,
}

/// The acknowledgements of a client.
#[derive(Debug, Default)]
struct Channel {
    next: u64,
    /// Those not asked for yet.
    open: std::collections::HashSet<u64>,
}

/// What is answered.
#[derive(Debug, Serialize)]
struct Answer {
    text: &'static str,
    code: u16,
    #[serde(rename = "ackId", skip_serializing_if = "Option::is_none")]
    ack_id: Option<u64>,
}

/// Reads the messages of a body.
type Reading = fn(&[u8]) -> Result<Vec<Vec<u8>>, Refusal>;

/// Why a request is not taken: the status, the text and the code.
type Refusal = (StatusCode, &'static str, u16);

const NO_TOKEN: Refusal = (StatusCode::UNAUTHORIZED, "Token is required", 2);
const NO_SCHEME: Refusal = (StatusCode::UNAUTHORIZED, "Invalid authorization", 3);
const BAD_TOKEN: Refusal = (StatusCode::FORBIDDEN, "Invalid token", 4);
const NO_DATA: Refusal = (StatusCode::BAD_REQUEST, "No data", 5);
const BAD_DATA: Refusal = (StatusCode::BAD_REQUEST, "Invalid data format", 6);
const BUSY: Refusal = (StatusCode::SERVICE_UNAVAILABLE, "Server is busy", 9);
const NO_CHANNEL: Refusal = (StatusCode::BAD_REQUEST, "Data channel is missing", 10);
const NO_EVENT: Refusal = (StatusCode::BAD_REQUEST, "Event field is required", 12);
const BLANK_EVENT: Refusal = (StatusCode::BAD_REQUEST, "Event field cannot be blank", 13);
const NO_ACKS: Refusal = (StatusCode::BAD_REQUEST, "ACK is disabled", 14);

/// The routes of a collector.
pub(crate) fn routes(options: &SinkOptions, account: &Arc<Account>, trouble: &Trouble) -> Router {
    let collector = Collector {
        account: Arc::clone(account),
        trouble: trouble.clone(),
        tokens: Arc::new(options.tokens.clone()),
        has_acks: options.has_acks,
        channels: Arc::default(),
    };
    let mut router = Router::new()
        .route("/services/collector", post(event))
        .route("/services/collector/ack", post(ack));
    for version in ["", "/1.0"] {
        router = router
            .route(&format!("/services/collector/event{version}"), post(event))
            .route(&format!("/services/collector/raw{version}"), post(raw))
            .route(
                &format!("/services/collector/health{version}"),
                get(health).post(health),
            );
    }
    router
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(collector)
}

async fn health(State(collector): State<Collector>) -> Response {
    match collector.trouble.refuses() {
        true => refuse(BUSY),
        false => answer(StatusCode::OK, "Success", 200, None),
    }
}

async fn event(
    State(collector): State<Collector>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    collector.take(&query, &headers, &body, events).await
}

async fn raw(
    State(collector): State<Collector>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    collector.take(&query, &headers, &body, lines).await
}

/// The acknowledgements that a client asks for.
#[derive(Debug, Deserialize)]
struct Asked {
    acks: Vec<u64>,
}

async fn ack(
    State(collector): State<Collector>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(refusal) = collector.check_token(&headers) {
        return refuse(refusal);
    }
    if !collector.has_acks {
        return refuse(NO_ACKS);
    }
    let Some(name) = channel_name(&query, &headers) else {
        return refuse(NO_CHANNEL);
    };
    let Ok(asked) = serde_json::from_slice::<Asked>(&body) else {
        return refuse(BAD_DATA);
    };
    let mut channels = lock(&collector.channels);
    let mut channel = channels.get_mut(&name);
    // Each is told once, as Splunk does.
    let acks: HashMap<String, bool> = asked
        .acks
        .iter()
        .map(|id| {
            let is_there = channel
                .as_mut()
                .is_some_and(|channel| channel.open.remove(id));
            (id.to_string(), is_there)
        })
        .collect();
    axum::Json(serde_json::json!({ "acks": acks })).into_response()
}

impl Collector {
    async fn take(
        &self,
        query: &HashMap<String, String>,
        headers: &HeaderMap,
        body: &[u8],
        messages: Reading,
    ) -> Response {
        self.trouble.hold_up(body.len()).await;
        match self.taken(query, headers, body, messages) {
            Ok(ack_id) => answer(StatusCode::OK, "Success", 0, ack_id),
            Err(refusal) => refuse(refusal),
        }
    }

    fn taken(
        &self,
        query: &HashMap<String, String>,
        headers: &HeaderMap,
        body: &[u8],
        messages: Reading,
    ) -> Result<Option<u64>, Refusal> {
        self.check_token(headers)?;
        if self.trouble.refuses() || self.account.fails() {
            return Err(BUSY);
        }
        let unpacked = unpacked(headers, body)?;
        let messages = messages(&unpacked)?;
        if messages.is_empty() {
            return Err(NO_DATA);
        }
        let ack_id = match self.has_acks {
            true => Some(self.next_ack(channel_name(query, headers).ok_or(NO_CHANNEL)?)?),
            false => None,
        };
        let mut tally = Tally::new(&self.account);
        for message in &messages {
            tally.take(message, true);
        }
        tally.settle(body.len());
        Ok(ack_id)
    }

    /// Checks the header, which may be anything where no token is asked for.
    fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if self.tokens.is_empty() {
            return Ok(());
        }
        let header = headers.get("authorization").ok_or(NO_TOKEN)?;
        let text = header.to_str().map_err(|_| NO_SCHEME)?;
        let token = text.strip_prefix("Splunk ").ok_or(NO_SCHEME)?.trim();
        match self.tokens.iter().any(|known| known == token) {
            true => Ok(()),
            false => Err(BAD_TOKEN),
        }
    }

    fn next_ack(&self, name: String) -> Result<u64, Refusal> {
        let mut channels = lock(&self.channels);
        if channels.len() >= CHANNELS_MAX && !channels.contains_key(&name) {
            return Err(BUSY);
        }
        let channel = channels.entry(name).or_default();
        if channel.open.len() >= ACKS_MAX {
            return Err(BUSY);
        }
        let id = channel.next;
        channel.next += 1;
        channel.open.insert(id);
        Ok(id)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn channel_name(query: &HashMap<String, String>, headers: &HeaderMap) -> Option<String> {
    let header = headers.get("x-splunk-request-channel");
    let header = header.and_then(|value| value.to_str().ok());
    header
        .or(query.get("channel").map(String::as_str))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}

/// The body as it was before it was packed.
fn unpacked(headers: &HeaderMap, body: &[u8]) -> Result<Vec<u8>, Refusal> {
    let encoding = headers.get("content-encoding");
    if encoding.is_none_or(|encoding| encoding.as_bytes() != b"gzip") {
        return Ok(body.to_vec());
    }
    let mut unpacked = Vec::new();
    let limit = BODY_BYTES_MAX as u64 + 1;
    let mut limited = MultiGzDecoder::new(body).take(limit);
    let read = limited.read_to_end(&mut unpacked);
    if read.is_err() || unpacked.len() as u64 == limit {
        return Err(BAD_DATA);
    }
    Ok(unpacked)
}

/// The events of a body: objects one behind the other. An event that is no text is kept as JSON.
fn events(body: &[u8]) -> Result<Vec<Vec<u8>>, Refusal> {
    let mut messages = Vec::new();
    for object in serde_json::Deserializer::from_slice(body).into_iter::<serde_json::Value>() {
        let object = object.map_err(|_| BAD_DATA)?;
        let event = object.as_object().ok_or(BAD_DATA)?.get("event");
        messages.push(match event {
            None | Some(serde_json::Value::Null) => return Err(NO_EVENT),
            Some(serde_json::Value::String(text)) if text.is_empty() => return Err(BLANK_EVENT),
            Some(serde_json::Value::String(text)) => text.clone().into_bytes(),
            Some(other) => other.to_string().into_bytes(),
        });
    }
    Ok(messages)
}

/// The lines of a body.
fn lines(body: &[u8]) -> Result<Vec<Vec<u8>>, Refusal> {
    let lines = body.split(|byte| *byte == b'\n');
    Ok(lines
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.is_empty())
        .map(<[u8]>::to_vec)
        .collect())
}

fn refuse((status, text, code): Refusal) -> Response {
    answer(status, text, code, None)
}

fn answer(status: StatusCode, text: &'static str, code: u16, ack_id: Option<u64>) -> Response {
    let answer = Answer { text, code, ack_id };
    (status, axum::Json(answer)).into_response()
}
