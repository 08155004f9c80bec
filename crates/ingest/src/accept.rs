//! Connections: accepted, turned away, encrypted, served, ended.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::input::End;
use crate::limits::ACCEPT_PAUSE;
use crate::listening::Listening;
use crate::options::Transport;
use crate::source::OpenConnection;
use crate::stop::Stop;
use crate::stream::Stream;
use crate::{lines, relp, socket};

/// Accepts connections until told to stop, and returns when all of them have ended.
pub(crate) async fn run(listening: Arc<Listening>, listener: Arc<TcpListener>, mut stop: Stop) {
    let mut connections = JoinSet::new();
    loop {
        select! {
            biased;
            () = stop.given() => break,
            Some(ended) = connections.join_next() => tell_panic(&listening, ended),
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) if connections.len() >= listening.options.connections_max => {
                    drop(stream);
                    refuse(&listening, peer.ip(), &"there are as many connections as may be");
                }
                Ok((stream, peer)) => {
                    let serving = serve(Arc::clone(&listening), stream, peer, stop.clone());
                    connections.spawn(serving);
                }
                Err(error) => pause(&listening, &error).await,
            },
        }
    }
    while let Some(ended) = connections.join_next().await {
        tell_panic(&listening, ended);
    }
}

/// Serves one connection to its end.
async fn serve(listening: Arc<Listening>, stream: TcpStream, peer: SocketAddr, stop: Stop) {
    let peer = peer.ip().to_canonical();
    let source = listening.source.name();
    let _open = OpenConnection::new(&listening.source);
    if let Err(error) = socket::set_keepalive(&stream) {
        tracing::debug!(source, %peer, %error, "cannot set keep-alive");
    }
    let Some(stream) = open(&listening, stream, peer, stop.clone()).await else {
        return;
    };
    tracing::debug!(source, %peer, "connection opened");
    let end = match listening.options.transport {
        Transport::Relp => relp::run(&listening, &stream, peer, stop).await,
        Transport::Udp | Transport::Tcp | Transport::Tls => {
            lines::run(&listening, &stream, peer, stop).await
        }
    };
    tell_end(&listening, peer, &end);
    stream.close().await;
}

/// Does the handshake where there is one.
async fn open(
    listening: &Listening,
    stream: TcpStream,
    peer: IpAddr,
    mut stop: Stop,
) -> Option<Stream> {
    let Some(tls) = &listening.tls else {
        return Some(Stream::Plain(stream));
    };
    let handshake = tls.acceptor().accept(stream);
    let handshake = timeout(listening.options.handshake_timeout, handshake);
    let result = select! {
        biased;
        () = stop.given() => return None,
        result = handshake => result,
    };
    match result {
        Ok(Ok(stream)) => return Some(Stream::tls(stream)),
        Ok(Err(error)) => refuse(listening, peer, &error),
        Err(_) => refuse(listening, peer, &"the TLS handshake took too long"),
    }
    None
}

fn refuse(listening: &Listening, peer: IpAddr, why: &dyn fmt::Display) {
    listening.source.refuse_connection();
    let source = listening.source.name();
    match listening.refusals.note() {
        Some(unsaid) => tracing::warn!(source, %peer, why = %why, unsaid, "connection refused"),
        None => tracing::debug!(source, %peer, why = %why, "connection refused"),
    }
}

/// Waits a little after a failed accept: without file descriptors it would fail at once again.
async fn pause(listening: &Listening, error: &io::Error) {
    if let Some(unsaid) = listening.trouble.note() {
        let source = listening.source.name();
        tracing::warn!(source, %error, unsaid, "cannot accept a connection");
    }
    sleep(ACCEPT_PAUSE).await;
}

fn tell_end(listening: &Listening, peer: IpAddr, end: &End) {
    let source = listening.source.name();
    match end {
        End::Closed => tracing::debug!(source, %peer, "connection closed"),
        End::Idle => tracing::debug!(source, %peer, "connection closed: idle"),
        End::Stopped => tracing::debug!(source, %peer, "connection closed: stopping"),
        End::Broken(error) => tracing::debug!(source, %peer, %error, "connection broken"),
        End::Violation(violation) => {
            if let Some(unsaid) = listening.trouble.note() {
                tracing::warn!(source, %peer, %violation, unsaid, "connection closed");
            }
        }
        // The store's error has been logged where it happened.
        End::NotStored => tracing::debug!(source, %peer, "connection closed: not stored"),
    }
}

fn tell_panic(listening: &Listening, ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        let source = listening.source.name();
        tracing::error!(source, %error, "the task of a connection panicked");
    }
}
