//! The listener: routes, shutdown, and what happens to whoever asks for something else.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, OriginalUri};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post, put};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::app::App;
use crate::assets;
use crate::guard::guard;
use crate::limits::{INGEST_BYTES_MAX, SHUTDOWN_TIME};
use crate::openapi;
use crate::problem::Refusal;
use crate::routes::{admin, check, export, histogram, ingest, query, saved, state, tail};
use crate::unknown;

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

/// The routes under `/api/v1`. The OpenAPI document describes the same.
pub(crate) fn api_routes() -> Vec<(&'static str, MethodRouter<Context>)> {
    let of_records = DefaultBodyLimit::max(INGEST_BYTES_MAX);
    vec![
        ("/search", get(query::search)),
        ("/count", get(query::count)),
        ("/histogram", get(histogram::histogram)),
        ("/stats", get(query::stats)),
        ("/fields", get(query::fields)),
        ("/patterns", get(query::patterns)),
        ("/query", get(query::query)),
        ("/complete", get(query::complete)),
        ("/records/{id}", get(query::record)),
        ("/query/parse", get(query::parse)),
        ("/export", get(export::export)),
        ("/tail", get(tail::tail)),
        ("/status", get(state::status)),
        ("/explain", post(check::explain)),
        ("/config", get(check::effective)),
        ("/config/check", post(check::check)),
        ("/searches", get(saved::list)),
        ("/searches/{name}", put(saved::put).delete(saved::delete)),
        ("/sources/{name}/senders", get(state::senders)),
        ("/ingest", post(ingest::ingest).layer(of_records)),
        (
            "/import",
            post(ingest::import).layer(DefaultBodyLimit::disable()),
        ),
        ("/admin/backup", post(admin::backup)),
        ("/openapi.json", get(openapi::openapi)),
    ]
}

/// The routes for monitoring.
pub(crate) fn health_routes() -> Vec<(&'static str, MethodRouter<Context>)> {
    vec![
        ("/healthz", get(state::healthz)),
        ("/readyz", get(state::readyz)),
        ("/metrics", get(state::metrics)),
    ]
}

fn router(context: Context) -> Router {
    let with_all = |router: Router<Context>, routes: Vec<(&str, MethodRouter<Context>)>| {
        let add = |router: Router<Context>, (path, route)| router.route(path, route);
        routes.into_iter().fold(router, add)
    };
    let api = with_all(Router::new(), api_routes()).fallback(unknown_endpoint);
    with_all(Router::new().nest("/api/v1", api), health_routes())
        .fallback(get(page))
        .with_state(context.clone())
        .layer(from_fn(unknown::refuse))
        .layer(from_fn_with_state(context, guard))
        .layer(map_response(harden))
}

/// Nothing under `/api` is a page.
async fn unknown_endpoint(OriginalUri(uri): OriginalUri) -> Refusal {
    let detail = format!("there is no {uri} in this version of the API");
    api::Problem::new(404, "endpoint-unknown", "no such endpoint", detail).into()
}

/// The places of the page, whose script tells them apart.
const PLACES: [&str; 4] = ["/", "/search", "/overview", "/check"];

/// The page and its files.
async fn page(uri: Uri, headers: HeaderMap) -> Response {
    if PLACES.contains(&uri.path()) {
        return assets::index();
    }
    if let Some(file) = assets::file(uri.path(), &headers) {
        return file;
    }
    let detail = format!("there is no {}", uri.path());
    let hint = format!("the pages are {}", PLACES.join(", "));
    let problem = api::Problem::new(404, "page-unknown", "no such page", detail).with_hint(hint);
    Refusal::from(problem).into_response()
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
    // What no page may read, none may embed either: browsers without Sec-Fetch-Site obey this.
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    response
}
