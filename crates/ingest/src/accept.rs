//! Connections: accepted, turned away, encrypted, served, ended.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::select;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;

use crate::control::{Control, Order};
use crate::input::End;
use crate::limits::ACCEPT_PAUSE;
use crate::listening::Listening;
use crate::options::Transport;
use crate::peer::Peer;
use crate::proxy::{Sender, read_sender, read_sender_inside, starts_tls};
use crate::socket_file::SocketFile;
use crate::source::OpenConnection;
use crate::stream::Stream;
use crate::{handshake, lines, relp, socket};

/// A socket that waits for connections.
pub(crate) enum Door {
    Tcp(TcpListener),
    /// With its file, where we have made it.
    Unix(UnixListener, Option<SocketFile>),
}

/// A connection as it is accepted.
enum Accepted {
    Tcp(TcpStream, IpAddr),
    Unix(UnixStream, Peer),
}

impl Door {
    async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                Ok(Accepted::Tcp(stream, peer.ip().to_canonical()))
            }
            Self::Unix(listener, _) => {
                let (stream, _) = listener.accept().await?;
                let peer = stream.peer_cred().map(|found| Peer::Process {
                    pid: found.pid(),
                    uid: found.uid(),
                });
                Ok(Accepted::Unix(stream, peer.unwrap_or(Peer::Unknown)))
            }
        }
    }
}

/// Accepts connections until told to stop, and returns when all of them have ended.
pub(crate) async fn run(listening: Arc<Listening>, door: Arc<Door>, mut control: Control) {
    let mut connections = JoinSet::new();
    loop {
        select! {
            biased;
            _ = control.order() => break,
            Some(ended) = connections.join_next() => tell_panic(&listening, ended),
            accepted = door.accept() => match accepted {
                Ok(accepted) => {
                    let open = connections.len();
                    if let Some(place) = may_open(&listening, &control, &accepted, open) {
                        let listening = Arc::clone(&listening);
                        connections.spawn(serve(listening, accepted, control.clone(), place));
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

/// A place for another connection of a peer, if it may have one. Whom a proxy speaks for is not known yet. Those who
/// may not send take no place from those who may.
fn may_open(
    listening: &Listening,
    control: &Control,
    accepted: &Accepted,
    open: usize,
) -> Option<OwnedSemaphorePermit> {
    let peer = match accepted {
        Accepted::Tcp(_, peer) => {
            let hosts = control.hosts();
            if !hosts.is_proxy(*peer) && !hosts.admits(*peer) {
                deny(listening, Peer::Address(*peer));
                return None;
            }
            Peer::Address(*peer)
        }
        Accepted::Unix(_, peer) => *peer,
    };
    if open >= listening.options.connections_max {
        refuse(listening, peer, &"there are as many connections as may be");
        return None;
    }
    let place = listening.sink.place();
    if place.is_none() {
        refuse(
            listening,
            peer,
            &"no file descriptor is left for another connection",
        );
    }
    place
}

/// Serves one connection to its end.
async fn serve(
    listening: Arc<Listening>,
    accepted: Accepted,
    mut control: Control,
    _place: OwnedSemaphorePermit,
) {
    let _open = OpenConnection::new(&listening.source);
    let opened = match accepted {
        Accepted::Tcp(stream, peer) => admit(&listening, stream, peer, &mut control).await,
        Accepted::Unix(stream, peer) => Some((Stream::Unix(stream), peer)),
    };
    let Some((stream, peer)) = opened else {
        return;
    };
    let stream = Arc::new(stream);
    let _known = listening.connections.add(&stream);
    let source = listening.source.name();
    tracing::debug!(source, %peer, "connection opened");
    let end = match listening.options.transport {
        Transport::Relp => relp::run(&listening, &stream, peer, control).await,
        Transport::Udp
        | Transport::Tcp
        | Transport::Tls
        | Transport::UnixDatagram
        | Transport::UnixStream => lines::run(&listening, &stream, peer, control).await,
    };
    tell_end(&listening, peer, &end);
    stream.close().await;
}

/// Learns who sends over a TCP connection, and makes it ready to be read.
async fn admit(
    listening: &Listening,
    stream: TcpStream,
    peer: IpAddr,
    control: &mut Control,
) -> Option<(Stream, Peer)> {
    if let Err(error) = socket::set_keepalive(&stream) {
        let source = listening.source.name();
        tracing::debug!(source, %peer, %error, "cannot set keep-alive");
    }
    if control.hosts().is_proxy(peer) {
        return admit_proxy(listening, stream, peer, control).await;
    }
    *control = control.clone().for_peer(peer);
    let peer = Peer::Address(peer);
    let stream = match is_encrypted(listening, &stream, peer, control).await? {
        true => Stream::tls(encrypt(listening, stream, peer, control).await?),
        false => Stream::Plain(stream),
    };
    Some((stream, peer))
}

/// The same where a proxy must say who sends: in front of TLS or inside of it.
async fn admit_proxy(
    listening: &Listening,
    mut stream: TcpStream,
    proxy: IpAddr,
    control: &mut Control,
) -> Option<(Stream, Peer)> {
    const HEADER: &str = "the PROXY header";
    let peer = Peer::Address(proxy);
    let may_be_inside = listening.tls.is_some();
    if may_be_inside && in_time(listening, peer, control, HEADER, starts_tls(&stream)).await? {
        let mut stream = encrypt(listening, stream, peer, control).await?;
        let reading = read_sender_inside(&mut stream);
        let sender = in_time(listening, peer, control, HEADER, reading).await?;
        let peer = believe(listening, sender, proxy, control)?;
        return Some((Stream::tls(stream), peer));
    }
    let reading = read_sender(&mut stream);
    let sender = in_time(listening, peer, control, HEADER, reading).await?;
    let peer = believe(listening, sender, proxy, control)?;
    let stream = match is_encrypted(listening, &stream, peer, control).await? {
        true => Stream::tls(encrypt(listening, stream, peer, control).await?),
        false => Stream::Plain(stream),
    };
    Some((stream, peer))
}

/// Who sends, by the word of a proxy; `None` where it may not.
fn believe(
    listening: &Listening,
    sender: Sender,
    proxy: IpAddr,
    control: &mut Control,
) -> Option<Peer> {
    match sender {
        Sender::Peer(sender) if control.hosts().admits(sender) => {
            *control = control.clone().for_peer(sender);
            Some(Peer::Address(sender))
        }
        Sender::Peer(sender) => {
            deny(listening, Peer::Address(sender));
            None
        }
        Sender::Proxy => Some(Peer::Address(proxy)),
        Sender::Nobody => None,
    }
}

/// Whether a TLS handshake is to be done; `None` where the connection has ended.
async fn is_encrypted(
    listening: &Listening,
    stream: &TcpStream,
    peer: Peer,
    control: &Control,
) -> Option<bool> {
    if listening.tls.is_none() || listening.options.transport != Transport::Tcp {
        return Some(listening.tls.is_some());
    }
    let mut control = control.clone();
    // Whoever opens a connection long before it sends may: only what it sends can tell.
    let starting = async {
        match listening.options.idle_timeout {
            Some(limit) => timeout(limit, starts_tls(stream)).await.ok(),
            None => Some(starts_tls(stream).await),
        }
    };
    select! {
        biased;
        // First: what has arrived is read even when the listener ends.
        found = starting => found?.ok(),
        order = control.order() => {
            if order == Order::Deny {
                deny(listening, peer);
            }
            None
        }
    }
}

/// Does the TLS handshake.
async fn encrypt(
    listening: &Listening,
    stream: TcpStream,
    peer: Peer,
    control: &Control,
) -> Option<TlsStream<TcpStream>> {
    let handshake = listening.tls.as_ref()?.acceptor().accept(stream);
    let handshake = async { handshake.await.map_err(handshake::Failure) };
    in_time(listening, peer, control, "the TLS handshake", handshake).await
}

/// Waits for what a peer has to send before anything else, for as long as it may take.
async fn in_time<T, E: fmt::Display>(
    listening: &Listening,
    peer: Peer,
    control: &Control,
    what: &str,
    doing: impl Future<Output = Result<T, E>>,
) -> Option<T> {
    let mut control = control.clone();
    let result = select! {
        biased;
        order = control.order() => {
            if order == Order::Deny {
                deny(listening, peer);
            }
            return None;
        }
        result = timeout(listening.options.handshake_timeout, doing) => result,
    };
    match result {
        Ok(Ok(done)) => return Some(done),
        Ok(Err(error)) => refuse(listening, peer, &error),
        Err(_) => refuse(listening, peer, &format_args!("{what} took too long")),
    }
    None
}

fn deny(listening: &Listening, peer: Peer) {
    listening.source.deny_connection();
    let source = listening.source.name();
    match listening.refusals.note() {
        Some(unsaid) => tracing::warn!(source, %peer, unsaid, "connection denied by host lists"),
        None => tracing::debug!(source, %peer, "connection denied by host lists"),
    }
}

fn refuse(listening: &Listening, peer: Peer, why: &dyn fmt::Display) {
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

fn tell_end(listening: &Listening, peer: Peer, end: &End) {
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
