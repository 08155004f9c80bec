//! Connections: accepted, turned away, encrypted, served, ended.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::control::{Control, Order};
use crate::input::End;
use crate::limits::ACCEPT_PAUSE;
use crate::listening::Listening;
use crate::options::Transport;
use crate::proxy::{Sender, read_sender};
use crate::source::OpenConnection;
use crate::stream::Stream;
use crate::{lines, relp, socket};

/// Accepts connections until told to stop, and returns when all of them have ended.
pub(crate) async fn run(
    listening: Arc<Listening>,
    listener: Arc<TcpListener>,
    mut control: Control,
) {
    let mut connections = JoinSet::new();
    loop {
        select! {
            biased;
            _ = control.order() => break,
            Some(ended) = connections.join_next() => tell_panic(&listening, ended),
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let peer = peer.ip().to_canonical();
                    if may_open(&listening, &control, peer, connections.len()) {
                        let serving = serve(Arc::clone(&listening), stream, peer, control.clone());
                        connections.spawn(serving);
                    }
                }
                Err(error) => pause(&listening, &error).await,
            },
        }
    }
    while let Some(ended) = connections.join_next().await {
        tell_panic(&listening, ended);
    }
}

/// Whether a peer may have another connection. Whom a proxy speaks for is not known yet. Those who
/// may not send take no place from those who may.
fn may_open(listening: &Listening, control: &Control, peer: IpAddr, open: usize) -> bool {
    let hosts = control.hosts();
    if !hosts.is_proxy(peer) && !hosts.admits(peer) {
        deny(listening, peer);
        return false;
    }
    if open >= listening.options.connections_max {
        refuse(listening, peer, &"there are as many connections as may be");
        return false;
    }
    true
}

/// Serves one connection to its end.
async fn serve(
    listening: Arc<Listening>,
    mut stream: TcpStream,
    mut peer: IpAddr,
    mut control: Control,
) {
    let source = listening.source.name();
    let _open = OpenConnection::new(&listening.source);
    if let Err(error) = socket::set_keepalive(&stream) {
        tracing::debug!(source, %peer, %error, "cannot set keep-alive");
    }
    if control.hosts().is_proxy(peer) {
        match sender(&listening, &mut stream, peer, &mut control).await {
            Some(Sender::Peer(sender)) if control.hosts().admits(sender) => {
                peer = sender;
                control = control.for_peer(sender);
            }
            Some(Sender::Peer(sender)) => return deny(&listening, sender),
            Some(Sender::Proxy) => {}
            Some(Sender::Nobody) | None => return,
        }
    } else {
        control = control.for_peer(peer);
    }
    let Some(stream) = open(&listening, stream, peer, control.clone()).await else {
        return;
    };
    tracing::debug!(source, %peer, "connection opened");
    let end = match listening.options.transport {
        Transport::Relp => relp::run(&listening, &stream, peer, control).await,
        Transport::Udp | Transport::Tcp | Transport::Tls => {
            lines::run(&listening, &stream, peer, control).await
        }
    };
    tell_end(&listening, peer, &end);
    stream.close().await;
}

/// Learns from a proxy who sends; `None` where it does not say so.
async fn sender(
    listening: &Listening,
    stream: &mut TcpStream,
    proxy: IpAddr,
    control: &mut Control,
) -> Option<Sender> {
    let reading = timeout(listening.options.handshake_timeout, read_sender(stream));
    let result = select! {
        biased;
        _ = control.order() => return None,
        result = reading => result,
    };
    match result {
        Ok(Ok(sender)) => return Some(sender),
        Ok(Err(error)) => refuse(listening, proxy, &error),
        Err(_) => refuse(listening, proxy, &"the PROXY header took too long"),
    }
    None
}

/// Does the handshake where there is one.
async fn open(
    listening: &Listening,
    stream: TcpStream,
    peer: IpAddr,
    mut control: Control,
) -> Option<Stream> {
    let Some(tls) = &listening.tls else {
        return Some(Stream::Plain(stream));
    };
    let handshake = tls.acceptor().accept(stream);
    let handshake = timeout(listening.options.handshake_timeout, handshake);
    let result = select! {
        biased;
        order = control.order() => {
            if order == Order::Deny {
                deny(listening, peer);
            }
            return None;
        }
        result = handshake => result,
    };
    match result {
        Ok(Ok(stream)) => return Some(Stream::tls(stream)),
        Ok(Err(error)) => refuse(listening, peer, &error),
        Err(_) => refuse(listening, peer, &"the TLS handshake took too long"),
    }
    None
}

fn deny(listening: &Listening, peer: IpAddr) {
    listening.source.deny_connection();
    let source = listening.source.name();
    match listening.refusals.note() {
        Some(unsaid) => tracing::warn!(source, %peer, unsaid, "connection denied by host lists"),
        None => tracing::debug!(source, %peer, "connection denied by host lists"),
    }
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
        End::Denied => deny(listening, peer),
        End::Broken(error) => tracing::debug!(source, %peer, %error, "connection broken"),
        End::Packed(error) => {
            if let Some(unsaid) = listening.trouble.note() {
                tracing::warn!(source, %peer, %error, unsaid, "connection closed");
            }
        }
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
