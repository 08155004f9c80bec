//! A collector that is as picky as Splunk's: it takes the events in front of a wrong one and says which that was,
//! acknowledges for each channel and once, and has every answer that Splunk has.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::Read as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};

pub(super) const TOKEN: &str = "11111111-2222-3333-4444-555555555555";

/// A collector on a port of its own.
#[derive(Clone)]
pub(super) struct Double {
    pub(super) state: Arc<Mutex<Collector>>,
    pub(super) address: SocketAddr,
    _runtime: Arc<tokio::runtime::Runtime>,
}

/// What it has taken, and what it is to do.
#[derive(Default)]
pub(super) struct Collector {
    pub(super) events: Vec<Value>,
    pub(super) lines: Vec<String>,
    /// Queries of requests with lines.
    pub(super) queries: Vec<HashMap<String, String>>,
    pub(super) requests: usize,
    pub(super) health_requests: usize,
    /// Indexes that the token has; any where there is none.
    pub(super) indexes: Vec<&'static str>,
    pub(super) bytes_max: Option<usize>,
    pub(super) is_disabled: bool,
    pub(super) is_unhealthy: bool,
    /// Answers in place of its own, one for a request; nothing is taken then.
    pub(super) answers: VecDeque<(u16, Value)>,
    pub(super) acknowledges: bool,
    /// How often an identifier is asked for in vain.
    pub(super) polls_in_vain: usize,
    /// Identifiers that are lost, with their events.
    pub(super) loses: usize,
    channels: HashMap<String, Channel>,
}

#[derive(Default)]
struct Channel {
    next: u64,
    open: HashMap<u64, usize>,
    lost: HashSet<u64>,
}

type Shared = State<Arc<Mutex<Collector>>>;

impl Double {
    pub(super) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let state = Arc::new(Mutex::new(Collector::default()));
        let routes = Router::new()
            .route("/services/collector/event", post(event))
            .route("/services/collector/raw", post(raw))
            .route("/services/collector/ack", post(ack))
            .route("/services/collector/health", get(health))
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&state));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("binds");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, routes).await });
        Self {
            state,
            address,
            _runtime: Arc::new(runtime),
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Collector> {
        self.state.lock().expect("whole")
    }

    /// What the events say.
    pub(super) fn texts(&self) -> Vec<String> {
        let state = self.lock();
        let texts = state.events.iter().map(|event| &event["event"]);
        texts
            .map(|text| text.as_str().expect("a text").to_owned())
            .collect()
    }
}

/// A status and a body.
type Answer = (u16, Value);

fn respond((status, body): Answer) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, body.to_string()).into_response()
}

fn refuse(status: u16, code: u32, text: &str) -> Answer {
    (status, json!({ "text": text, "code": code }))
}

fn refuse_event(code: u32, text: &str, number: usize) -> Answer {
    let body = json!({ "text": text, "code": code, "invalid-event-number": number });
    (400, body)
}

impl Collector {
    /// Whether a request may come in: its token, its channel, and what it is told to answer.
    fn admit(&mut self, headers: &HeaderMap) -> Result<(), Answer> {
        self.requests += 1;
        if let Some((status, body)) = self.answers.pop_front() {
            return Err((status, body));
        }
        let Some(authorization) = headers.get("authorization") else {
            return Err(refuse(401, 2, "Token is required"));
        };
        let authorization = authorization.to_str().expect("a text");
        let Some(token) = authorization.strip_prefix("Splunk ") else {
            return Err(refuse(401, 3, "Invalid authorization"));
        };
        if token != TOKEN {
            return Err(refuse(403, 4, "Invalid token"));
        }
        if self.is_disabled {
            return Err(refuse(403, 1, "Token disabled"));
        }
        if self.acknowledges {
            let channel =
                channel(headers).ok_or_else(|| refuse(400, 10, "Data channel is missing"))?;
            let groups: Vec<_> = channel.split('-').map(str::len).collect();
            if groups != [8, 4, 4, 4, 12] {
                return Err(refuse(400, 11, "Invalid data channel"));
            }
        }
        Ok(())
    }

    fn body(&self, headers: &HeaderMap, body: &[u8]) -> Result<Vec<u8>, Answer> {
        let mut plain = Vec::new();
        match headers.get("content-encoding") {
            Some(encoding) => {
                assert_eq!(encoding, "gzip");
                let mut decoder = flate2::read::GzDecoder::new(body);
                decoder.read_to_end(&mut plain).expect("gzip");
            }
            None => plain = body.to_vec(),
        }
        match self.bytes_max {
            Some(bytes_max) if plain.len() > bytes_max => {
                Err(refuse(413, 27, "Content-Length is too large"))
            }
            _ if plain.iter().all(u8::is_ascii_whitespace) => Err(refuse(400, 5, "No data")),
            _ => Ok(plain),
        }
    }

    fn check(&self, event: &Value, number: usize) -> Result<(), Answer> {
        match &event["event"] {
            Value::Null => Err(refuse_event(12, "Event field is required", number)),
            Value::String(text) if text.is_empty() => {
                Err(refuse_event(13, "Event field cannot be blank", number))
            }
            _ => Ok(()),
        }?;
        let is_flat = |value: &Value| match value {
            Value::Array(items) => items
                .iter()
                .all(|item| !item.is_object() && !item.is_array()),
            value => !value.is_object(),
        };
        if let Some(fields) = event.get("fields")
            && !fields
                .as_object()
                .is_some_and(|fields| fields.values().all(is_flat))
        {
            let text = "Error in handling indexed fields";
            return Err(refuse_event(15, text, number));
        }
        let is_allowed = event.get("index").is_none_or(|index| {
            self.indexes.is_empty() || self.indexes.iter().any(|known| index == *known)
        });
        match is_allowed {
            true => Ok(()),
            false => Err(refuse_event(7, "Incorrect index", number)),
        }
    }

    fn taken(&mut self, headers: &HeaderMap) -> Answer {
        let mut body = json!({ "text": "Success", "code": 0 });
        if self.acknowledges {
            let name = channel(headers).expect("checked");
            let channel = self.channels.entry(name).or_default();
            body["ackId"] = channel.next.into();
            if self.loses > 0 {
                self.loses -= 1;
                channel.lost.insert(channel.next);
            }
            channel.open.insert(channel.next, self.polls_in_vain);
            channel.next += 1;
        }
        (200, body)
    }
}

fn channel(headers: &HeaderMap) -> Option<String> {
    let channel = headers.get("x-splunk-request-channel")?;
    Some(channel.to_str().ok()?.to_owned())
}

async fn event(State(state): Shared, headers: HeaderMap, body: Bytes) -> Response {
    let mut state = state.lock().expect("whole");
    let taken = state
        .admit(&headers)
        .and_then(|()| state.body(&headers, &body));
    let body = match taken {
        Ok(body) => body,
        Err(refusal) => return respond(refusal),
    };
    let events = serde_json::Deserializer::from_slice(&body).into_iter::<Value>();
    for (number, event) in events.enumerate() {
        let checked = match event {
            Ok(event) => state.check(&event, number).map(|()| event),
            Err(_) => Err(refuse_event(6, "Invalid data format", number)),
        };
        match checked {
            Ok(event) => state.events.push(event),
            Err(refusal) => return respond(refusal),
        }
    }
    respond(state.taken(&headers))
}

async fn raw(
    State(state): Shared,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut state = state.lock().expect("whole");
    let taken = state
        .admit(&headers)
        .and_then(|()| state.body(&headers, &body));
    let body = match taken {
        Ok(body) => body,
        Err(refusal) => return respond(refusal),
    };
    let lines = String::from_utf8(body).expect("text");
    state.lines.extend(lines.lines().map(str::to_owned));
    state.queries.push(query);
    respond(state.taken(&headers))
}

async fn ack(State(state): Shared, headers: HeaderMap, body: Bytes) -> Response {
    let mut state = state.lock().expect("whole");
    if !state.acknowledges {
        return respond(refuse(400, 14, "ACK is disabled"));
    }
    let Some(channel) = channel(&headers) else {
        return respond(refuse(400, 10, "Data channel is missing"));
    };
    let asked: Value = serde_json::from_slice(&body).expect("JSON");
    let asked = asked["acks"].as_array().expect("a list");
    let channel = state.channels.entry(channel).or_default();
    let mut acks = serde_json::Map::new();
    for id in asked {
        let id = id.as_u64().expect("a number");
        let is_there = match channel.open.get_mut(&id) {
            _ if channel.lost.contains(&id) => false,
            None => false,
            Some(0) => channel.open.remove(&id).is_some(),
            Some(in_vain) => {
                *in_vain -= 1;
                false
            }
        };
        acks.insert(id.to_string(), is_there.into());
    }
    respond((200, json!({ "acks": acks })))
}

async fn health(State(state): Shared) -> Response {
    let mut state = state.lock().expect("whole");
    state.health_requests += 1;
    respond(match state.is_unhealthy {
        true => refuse(503, 18, "HEC is unhealthy, queues are full"),
        false => refuse(200, 17, "HEC is healthy"),
    })
}
