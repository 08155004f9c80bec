//! A cluster as strict as the real ones with what a bulk request is: lines in pairs, only `create`, an identifier
//! once.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};

/// A node on a port of its own; several share one cluster.
#[derive(Clone)]
pub(super) struct Double {
    pub(super) cluster: Arc<Mutex<Cluster>>,
    pub(super) address: SocketAddr,
    _runtime: Arc<tokio::runtime::Runtime>,
}

/// What it has taken, and what it is to do.
#[derive(Default)]
pub(super) struct Cluster {
    /// Documents by index and identifier.
    pub(super) documents: BTreeMap<(String, String), Value>,
    pub(super) queries: Vec<HashMap<String, String>>,
    pub(super) headers: Vec<HeaderMap>,
    pub(super) conflicts: usize,
    /// Answers in place of its own, one for a request; nothing is taken then.
    pub(super) answers: VecDeque<(u16, Value)>,
    /// Takes a request, and answers as if it had not.
    pub(super) forgets: usize,
    /// Errors for documents whose message has a word: so many times.
    pub(super) errors: Vec<(&'static str, usize, u16, &'static str, &'static str)>,
    pub(super) bytes_max: Option<usize>,
}

impl Double {
    pub(super) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let cluster = Arc::new(Mutex::new(Cluster::default()));
        let routes = Router::new()
            .route("/_bulk", post(bulk))
            .route("/", get(|| async { "{}" }))
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&cluster));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("binds");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, routes).await });
        Self {
            cluster,
            address,
            _runtime: Arc::new(runtime),
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Cluster> {
        self.cluster.lock().expect("whole")
    }

    /// The messages of all documents, sorted.
    pub(super) fn messages(&self) -> Vec<String> {
        let cluster = self.lock();
        let messages = cluster
            .documents
            .values()
            .map(|document| &document["message"]);
        let mut messages: Vec<_> = messages
            .map(|message| message.as_str().expect("a text").to_owned())
            .collect();
        messages.sort();
        messages
    }
}

type Shared = State<Arc<Mutex<Cluster>>>;

fn answer(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, body.to_string()).into_response()
}

fn refuse(status: u16, kind: &str, reason: &str) -> Response {
    answer(
        status,
        &json!({ "error": { "type": kind, "reason": reason }, "status": status }),
    )
}

async fn bulk(
    State(cluster): Shared,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut cluster = cluster.lock().expect("whole");
    cluster.queries.push(query);
    if headers
        .get("content-type")
        .is_none_or(|kind| kind != "application/x-ndjson")
    {
        return refuse(406, "content_type", "Content-Type header is not supported");
    }
    cluster.headers.push(headers);
    if let Some((status, body)) = cluster.answers.pop_front() {
        return answer(status, &body);
    }
    if cluster
        .bytes_max
        .is_some_and(|bytes_max| body.len() > bytes_max)
    {
        return answer(413, &json!("too large"));
    }
    let Some(body) = body.strip_suffix(b"\n") else {
        let reason = "The bulk request must be terminated by a newline [\\n]";
        return refuse(400, "illegal_argument_exception", reason);
    };
    let lines: Vec<_> = body.split(|byte| *byte == b'\n').collect();
    let mut items = Vec::new();
    for pair in lines.chunks(2) {
        let [action, document] = pair else {
            return refuse(
                400,
                "illegal_argument_exception",
                "Malformed action/metadata line",
            );
        };
        match cluster.take(action, document) {
            Ok(item) => items.push(json!({ "create": item })),
            Err(reason) => return refuse(400, "illegal_argument_exception", &reason),
        }
    }
    if cluster.forgets > 0 {
        cluster.forgets -= 1;
        return answer(500, &json!({}));
    }
    answer(200, &json!({ "items": items }))
}

impl Cluster {
    fn take(&mut self, action: &[u8], document: &[u8]) -> Result<Value, String> {
        let action: Value = serde_json::from_slice(action).map_err(|error| error.to_string())?;
        let action = action.as_object().ok_or("no object")?;
        let create = action.get("create").filter(|_| action.len() == 1);
        let create = create.ok_or("only write ops with an op_type of create are allowed")?;
        let part = |name: &str| {
            create[name]
                .as_str()
                .map(str::to_owned)
                .ok_or(name.to_owned())
        };
        let (index, id) = (part("_index")?, part("_id")?);
        if index.chars().any(char::is_uppercase) || id.len() > 512 {
            return Ok(item_error(
                400,
                "invalid_index_name_exception",
                "must be lowercase",
            ));
        }
        let Ok(document) = serde_json::from_slice::<Value>(document) else {
            return Ok(item_error(
                400,
                "mapper_parsing_exception",
                "failed to parse",
            ));
        };
        let message = document["message"].as_str().unwrap_or_default();
        for (word, times, status, kind, reason) in &mut self.errors {
            if message.contains(*word) && *times > 0 {
                *times -= 1;
                return Ok(item_error(*status, kind, reason));
            }
        }
        if self.documents.contains_key(&(index.clone(), id.clone())) {
            self.conflicts += 1;
            let kind = "version_conflict_engine_exception";
            return Ok(item_error(409, kind, "document already exists"));
        }
        self.documents.insert((index, id), document);
        Ok(json!({ "status": 201 }))
    }
}

fn item_error(status: u16, kind: &str, reason: &str) -> Value {
    json!({ "status": status, "error": { "type": kind, "reason": reason } })
}
