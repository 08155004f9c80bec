//! Connections: accepted up to a number, served within time, refused in words, ended.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1::{Builder, Parts};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::body::holding;
use crate::connections::{AtWork, Connections, Place};
use crate::http::stopping;
use crate::limits::{
    ACCEPT_PAUSE, HEAD_BYTES_MAX, HEAD_TIME, LINGER_BYTES, LINGER_TIME, REFUSALS_MAX,
};
use crate::patient::Patient;
use crate::problem::Refusal;

/// Accepts and serves until the server stops, and returns when all connections have ended.
pub(crate) async fn run(
    listener: TcpListener,
    router: Router,
    connections: Arc<Connections>,
    mut stop: watch::Receiver<bool>,
) {
    let stopped = stop.clone();
    let (mut open, mut refusing) = (JoinSet::new(), JoinSet::new());
    let mut is_failing = false;
    loop {
        select! {
            biased;
            () = stopping(&mut stop) => break,
            Some(_) = open.join_next() => {}
            Some(_) = refusing.join_next() => {}
            // What cannot even be refused waits in the kernel.
            accepted = listener.accept(), if refusing.len() < REFUSALS_MAX => match accepted {
                Ok((stream, peer)) => {
                    is_failing = false;
                    match connections.admit() {
                        Some(place) => {
                            let (router, stop) = (router.clone(), stopped.clone());
                            open.spawn(serve(stream, peer, router, place, stop));
                        }
                        None => _ = refusing.spawn(refuse(stream, connections.max())),
                    }
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        tracing::warn!(%error, "cannot accept an HTTP connection");
                    }
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// Serves one connection to its end.
async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    place: Arc<Place>,
    mut stop: watch::Receiver<bool>,
) {
    // Answers are written whole; waiting for more to send would only delay them.
    _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let of_service = Arc::clone(&place);
    let service = service_fn(move |mut request: Request<Incoming>| {
        let at_work = of_service.work();
        request.extensions_mut().insert(ConnectInfo(peer));
        let answering = router.call(request.map(Body::new));
        let answer = async move { answering.await.map(|answer| held(answer, at_work)) };
        Box::pin(answer) as Pin<Box<dyn Future<Output = _> + Send>>
    });
    let mut connection = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(Patient::new(stream)), service);
    let mut is_ending = false;
    let ended = loop {
        select! {
            ended = poll_fn(|context| connection.poll_without_shutdown(context)) => break ended,
            () = stopping(&mut stop), if !is_ending => {}
            () = place.closing(), if !is_ending => {}
        }
        // The server stops, or another needs the place: after the request that is at work.
        if place.is_waiting() {
            return;
        }
        is_ending = true;
        Pin::new(&mut connection).graceful_shutdown();
    };
    let Parts { io, read_buf, .. } = connection.into_parts();
    let mut stream = io.into_inner().into_inner();
    match ended {
        Ok(()) => {}
        Err(error) if error.is_timeout() && !read_buf.is_empty() => {
            let refusal = Refusal::slow("the head of a request did not come in time");
            _ = stream.write_all(&as_bytes(refusal).await).await;
        }
        Err(_) => return,
    }
    select! {
        () = linger(&mut stream) => {}
        () = place.closing() => {}
    }
}

/// An answer whose request is at work until its body has been sent.
fn held(answer: Response, guard: AtWork) -> Response {
    answer.map(|body| holding(body, guard))
}

/// Tells a client that there is no room for it.
async fn refuse(mut stream: TcpStream, connections_max: usize) {
    let detail = format!("{connections_max} connections are at work already");
    let answer = as_bytes(Refusal::busy(detail, "http.connections_max")).await;
    let telling = async {
        if stream.write_all(&answer).await.is_ok() {
            linger(&mut stream).await;
        }
    };
    _ = timeout(LINGER_TIME, telling).await;
}

/// Closes, and reads for a while what a client is still sending: it would not see its answer where
/// the connection is reset.
async fn linger(stream: &mut TcpStream) {
    let discarding = async {
        _ = stream.shutdown().await;
        let mut sink = vec![0; 16 * 1024];
        let mut left = LINGER_BYTES;
        while let Ok(read) = stream.read(&mut sink).await {
            if read == 0 || read > left {
                break;
            }
            left -= read;
        }
    };
    _ = timeout(LINGER_TIME, discarding).await;
}

/// A refusal as it stands on a connection that has read no request.
async fn as_bytes(refusal: Refusal) -> Vec<u8> {
    let (parts, body) = refusal.into_response().into_parts();
    let body = axum::body::to_bytes(body, HEAD_BYTES_MAX).await;
    let body = body.unwrap_or_default();
    let mut answer = format!("HTTP/1.1 {}\r\n", parts.status).into_bytes();
    for (name, value) in &parts.headers {
        answer.extend_from_slice(name.as_str().as_bytes());
        answer.extend_from_slice(b": ");
        answer.extend_from_slice(value.as_bytes());
        answer.extend_from_slice(b"\r\n");
    }
    let length = format!(
        "connection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    answer.extend_from_slice(length.as_bytes());
    answer.extend_from_slice(&body);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn start(connections_max: usize) -> (SocketAddr, watch::Sender<bool>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = watch::channel(false);
        let never = axum::routing::get(std::future::pending::<&'static str>);
        let now = axum::routing::get(async || "now");
        let router = Router::new().route("/never", never).route("/now", now);
        let connections = Connections::new(connections_max);
        tokio::spawn(run(listener, router, connections, stopped));
        (address, stop)
    }

    async fn send(address: SocketAddr, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.expect("connects");
        let written = stream.write_all(bytes.as_bytes()).await;
        written.expect("is taken");
        stream
    }

    /// All that comes until the connection is closed.
    async fn rest(stream: &mut TcpStream) -> String {
        let mut answer = Vec::new();
        // A reset is an end too.
        _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[tokio::test(start_paused = true)]
    async fn silent_connections_end_and_slow_heads_are_told_so() {
        let (address, _stop) = start(8).await;
        let mut silent = send(address, "").await;
        assert_eq!(rest(&mut silent).await, "");
        let mut slow = send(address, "GET /now HTTP/1.1\r\nhost:").await;
        let answer = rest(&mut slow).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(answer.contains("\"request-slow\""), "{answer}");
    }

    #[tokio::test]
    async fn the_oldest_silent_connection_makes_room_and_requests_at_work_do_not() {
        let (address, stop) = start(2).await;
        let mut oldest = send(address, "GET /now HTTP/1.1\r\nhos").await;
        let _at_work = send(address, "GET /never HTTP/1.1\r\nhost: x\r\n\r\n").await;
        let asked = "GET /now HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        loop {
            let answer = rest(&mut send(address, asked).await).await;
            if answer.ends_with("now") {
                break;
            }
        }
        assert_eq!(rest(&mut oldest).await, "");
        // One whose request is not read yet makes room as well, so several are sent.
        let mut others = Vec::new();
        let refused = loop {
            let never = "GET /never HTTP/1.1\r\nhost: x\r\n\r\n";
            others.push(send(address, never).await);
            let answer = rest(&mut send(address, asked).await).await;
            if !answer.ends_with("now") && !answer.is_empty() {
                break answer;
            }
        };
        assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
        assert!(refused.contains("retry-after: 5\r\n"), "{refused}");
        assert!(refused.contains("\"code\":\"busy\""), "{refused}");
        drop(stop);
    }
}
