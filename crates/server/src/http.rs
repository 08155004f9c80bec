//! The listener: routes, shutdown, and what happens to whoever asks for something else.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, OriginalUri};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::app::App;
use crate::assets;
use crate::limits::{INGEST_BYTES_MAX, SHUTDOWN_TIME};
use crate::problem::Refusal;
use crate::routes::{admin, check, export, ingest, query, saved, state, tail};

/// The HTTP interface cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address is taken or not allowed.
    #[error("cannot listen on http://{address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
}

/// A running HTTP interface.
pub struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// What a route is given.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) app: Arc<App>,
    /// Turns true when the server stops; endless answers end then.
    pub(crate) stop: watch::Receiver<bool>,
}

impl Server {
    /// Opens the interface on an address; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn start(address: SocketAddr, app: Arc<App>) -> Result<Self, Error> {
        let listen = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let (stop, stopped) = watch::channel(false);
        let router = router(Context {
            app,
            stop: stopped.clone(),
        });
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let serve = axum::serve(listener, service).with_graceful_shutdown(turned_true(stopped));
        let task = tokio::spawn(async move {
            if let Err(error) = serve.await {
                tracing::error!(%error, "the HTTP interface failed");
            }
        });
        Ok(Self {
            address,
            stop,
            task,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends endless answers, lets the others finish, and closes.
    pub async fn shutdown(self) {
        _ = self.stop.send(true);
        let abort = self.task.abort_handle();
        if tokio::time::timeout(SHUTDOWN_TIME, self.task)
            .await
            .is_err()
        {
            abort.abort();
        }
    }
}

async fn turned_true(mut signal: watch::Receiver<bool>) {
    // An error means that the server was dropped, which is a reason to stop as well.
    _ = signal.wait_for(|stopped| *stopped).await;
}

fn router(context: Context) -> Router {
    let api = Router::new()
        .route("/search", get(query::search))
        .route("/count", get(query::count))
        .route("/histogram", get(query::histogram))
        .route("/stats", get(query::stats))
        .route("/fields", get(query::fields))
        .route("/query", get(query::query))
        .route("/complete", get(query::complete))
        .route("/records/{id}", get(query::record))
        .route("/query/parse", get(query::parse))
        .route("/export", get(export::export))
        .route("/tail", get(tail::tail))
        .route("/status", get(state::status))
        .route("/explain", post(check::explain))
        .route("/config", get(check::effective))
        .route("/config/check", post(check::check))
        .route("/searches", get(saved::list))
        .route("/searches/{name}", put(saved::put).delete(saved::delete))
        .route("/sources/{name}/senders", get(state::senders))
        .route(
            "/ingest",
            post(ingest::ingest).layer(DefaultBodyLimit::max(INGEST_BYTES_MAX)),
        )
        .route(
            "/import",
            post(ingest::import).layer(DefaultBodyLimit::disable()),
        )
        .route("/admin/backup", post(admin::backup))
        .fallback(unknown_endpoint);
    Router::new()
        .nest("/api/v1", api)
        .route("/healthz", get(state::healthz))
        .route("/readyz", get(state::readyz))
        .route("/metrics", get(state::metrics))
        .fallback(get(page))
        .with_state(context)
        .layer(axum::middleware::map_response(harden))
}

/// Nothing under `/api` is a page.
async fn unknown_endpoint(OriginalUri(uri): OriginalUri) -> Refusal {
    let detail = format!("there is no {uri} in this version of the API");
    api::Problem::new(404, "endpoint-unknown", "no such endpoint", detail).into()
}

/// The page and its files. Paths without a dot are the page's own places, such as `/search`.
async fn page(uri: Uri, headers: HeaderMap) -> Response {
    if let Some(file) = assets::file(uri.path(), &headers) {
        return file;
    }
    if uri.path().contains('.') {
        let detail = format!("there is no {}", uri.path());
        let problem = api::Problem::new(404, "page-unknown", "no such page", detail);
        return Refusal::from(problem).into_response();
    }
    assets::index()
}

/// Headers that every answer carries.
async fn harden(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    response
}
