//! A bucket, a name node and a data node in one.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

#[derive(Default)]
pub(super) struct Inside {
    /// What is kept, by path.
    pub(super) objects: BTreeMap<String, Vec<u8>>,
    /// Path, query and headers of requests.
    pub(super) asked: Vec<(String, String, HeaderMap)>,
    /// Statuses in place of its own, one for a request; nothing is taken then.
    pub(super) answers: VecDeque<u16>,
    /// Takes an object, and answers as if it had not.
    pub(super) forgets: usize,
    /// How often an object took the place of another.
    pub(super) replaced: usize,
    /// Whether it is a name node that is not active.
    pub(super) stands_by: bool,
}

pub(super) struct Double {
    inside: Arc<Mutex<Inside>>,
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

impl Double {
    pub(super) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("binds");
        let address = listener.local_addr().expect("an address");
        let inside = Arc::new(Mutex::new(Inside::default()));
        let routes = Router::new()
            .fallback(answer)
            .layer(DefaultBodyLimit::disable())
            .with_state((Arc::clone(&inside), address));
        runtime.spawn(async move { axum::serve(listener, routes).await });
        Self {
            inside,
            address,
            _runtime: runtime,
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().expect("whole")
    }
}

type Shared = State<(Arc<Mutex<Inside>>, SocketAddr)>;

async fn answer(
    State((inside, address)): Shared,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut inside = inside.lock().expect("whole");
    let query = uri.query().unwrap_or_default().to_owned();
    let path = uri.path().to_owned();
    let say = |status: u16, text: String| {
        let status = StatusCode::from_u16(status).expect("a status");
        (status, text).into_response()
    };
    inside.asked.push((path.clone(), query.clone(), headers));
    if method != Method::PUT {
        return say(405, String::new());
    }
    if let Some(file) = path.strip_prefix("/webhdfs/v1/") {
        if inside.stands_by {
            let told = json!({ "RemoteException": { "exception": "StandbyException" } });
            return say(403, told.to_string());
        }
        assert!(body.is_empty() && query.contains("op=CREATE&overwrite=true&noredirect=true"));
        let location = format!("http://{address}/data/{file}?token=x");
        return say(200, json!({ "Location": location }).to_string());
    }
    if let Some(status) = inside.answers.pop_front() {
        return say(status, "<Error><Code>SlowDown</Code></Error>".to_owned());
    }
    if inside.objects.insert(path, body.to_vec()).is_some() {
        inside.replaced += 1;
    }
    if inside.forgets > 0 {
        inside.forgets -= 1;
        return say(500, String::new());
    }
    let is_file = query == "token=x";
    say(if is_file { 201 } else { 200 }, String::new())
}
