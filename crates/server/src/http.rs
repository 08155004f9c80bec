//! The listener: routes, shutdown, and what happens to whoever asks for something else.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, FromRequestParts, OriginalUri};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post, put};
use config::ClientLimits;
use socket2::{Domain, Socket, Type};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::admission::Admission;
use crate::app::App;
use crate::assets;
use crate::connections::Connections;
use crate::guard::guard;
use crate::limits::{ACCEPT_BACKLOG, SHUTDOWN_TIME, SOCKET_BUFFER_BYTES, TAIL_LOOKS_MAX};
use crate::listener;
use crate::openapi;
use crate::problem::Refusal;
use crate::routes::{
    admin, check, destinations, export, histogram, ingest, query, saved, state, tail,
};
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
    /// Who may work now.
    pub(crate) admission: Arc<Admission>,
    /// Who is connected.
    pub(crate) connections: Arc<Connections>,
    /// Which tails may look at what is new.
    pub(crate) looks: Arc<Semaphore>,
    /// Whose request it is.
    pub(crate) peer: IpAddr,
}

impl FromRequestParts<Self> for Context {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, context: &Self) -> Result<Self, Infallible> {
        let peer = peer(parts);
        Ok(Self {
            peer,
            ..context.clone()
        })
    }
}

/// The address that a request comes from.
pub(crate) fn peer(parts: &Parts) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|ConnectInfo(peer)| peer.ip().to_canonical());
    peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

impl Server {
    /// Opens the interface on an address; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn start(
        address: SocketAddr,
        clients: ClientLimits,
        app: Arc<App>,
    ) -> Result<Self, Error> {
        let listen = |source| Error::Listen { address, source };
        let listener = bind(address).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let (stop, stopped) = watch::channel(false);
        let connections = Connections::new(clients.connections_max);
        let router = router(Context {
            app,
            stop: stopped.clone(),
            admission: Arc::new(Admission::new(&clients)),
            connections: Arc::clone(&connections),
            looks: Arc::new(Semaphore::new(TAIL_LOOKS_MAX)),
            peer: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        });
        let task = tokio::spawn(listener::run(listener, router, connections, stopped));
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

/// Resolves when the server stops.
pub(crate) async fn stopping(stop: &mut watch::Receiver<bool>) {
    // An error means that the server was dropped, which is a reason to stop as well.
    _ = stop.wait_for(|stopped| *stopped).await;
}

/// Opens a socket whose connections hold little in the kernel.
fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    // Connections have those of the socket that they come from.
    socket.set_recv_buffer_size(SOCKET_BUFFER_BYTES)?;
    socket.set_send_buffer_size(SOCKET_BUFFER_BYTES)?;
    socket.bind(&address.into())?;
    socket.listen(ACCEPT_BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// The routes under `/api/v1`. The OpenAPI document describes the same.
pub(crate) fn api_routes() -> Vec<(&'static str, MethodRouter<Context>)> {
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
        ("/destinations", get(destinations::list)),
        ("/destinations/{name}/{action}", post(destinations::act)),
        ("/sources/{name}/senders", get(state::senders)),
        ("/ingest", post(ingest::ingest)),
        ("/import", post(ingest::import)),
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
