//! A server that keeps what it is asked, and answers as it is told.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};

/// A request that came.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Asked {
    pub(super) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("a text"))
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a text")
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// What it says to a request.
type Judge = Box<dyn FnMut(&Asked) -> (u16, String) + Send>;

#[derive(Default)]
pub(super) struct Inside {
    /// All that came to any path but `/token`.
    pub(super) asked: Vec<Asked>,
    /// Those of them that were answered with success.
    pub(super) taken: Vec<Asked>,
    /// Those that came to `/token`.
    pub(super) tokens: Vec<Asked>,
    /// Answers of `/token`, the last again and again.
    pub(super) grants: VecDeque<(u16, String)>,
    judge: Option<Judge>,
}

#[derive(Clone)]
pub(super) struct Double {
    inside: Arc<Mutex<Inside>>,
    address: SocketAddr,
    _runtime: Arc<tokio::runtime::Runtime>,
}

impl Double {
    pub(super) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let inside = Arc::new(Mutex::new(Inside::default()));
        let routes = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&inside));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("binds");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, routes).await });
        Self {
            inside,
            address,
            _runtime: Arc::new(runtime),
        }
    }

    /// Answers with what a function says; without one it is 200 and nothing.
    pub(super) fn judged(
        self,
        judge: impl FnMut(&Asked) -> (u16, String) + Send + 'static,
    ) -> Self {
        self.lock().judge = Some(Box::new(judge));
        self
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().expect("whole")
    }
}

async fn answer(
    State(inside): State<Arc<Mutex<Inside>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = Asked {
        method,
        path: uri.path_and_query().expect("a path").to_string(),
        headers,
        body: body.to_vec(),
    };
    let mut inside = inside.lock().expect("whole");
    if asked.path == "/token" {
        inside.tokens.push(asked);
        let (status, body) = match inside.grants.len() {
            1 => inside.grants.front().cloned(),
            _ => inside.grants.pop_front(),
        }
        .expect("a grant");
        return respond(status, body);
    }
    let (status, body) = match &mut inside.judge {
        Some(judge) => judge(&asked),
        None => (200, String::new()),
    };
    inside.asked.push(asked.clone());
    if (200..300).contains(&status) {
        inside.taken.push(asked);
    }
    respond(status, body)
}

fn respond(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, body).into_response()
}
