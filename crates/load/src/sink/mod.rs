//! A receiver that counts, and that can stand in for a destination.
//!
//! [`Sink::open`] listens for datagrams, streams, TLS, RELP and the requests of an HTTP event
//! collector; [`Sink::run`] takes what comes until it is told to stop, and says what arrived. It
//! can look for gaps in numbered messages, write them to a file, be slow, and fail on request.
//!
//! What must stay true: a message counts once, and only if it was not failed on request; every
//! queue and set is bounded by [`limits`].

mod account;
mod datagram;
mod error;
mod hec;
pub mod limits;
mod options;
mod relp;
mod sequence;
mod stream;
mod tls;
mod trouble;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use account::Account;
pub use account::SinkReport;
pub use error::Error;
pub use options::{Mode, SinkOptions};
use trouble::Trouble;

/// A connection that could not be accepted for want of files may be in a moment.
const ACCEPT_RETRY: std::time::Duration = std::time::Duration::from_millis(20);

/// Where a sink listens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkAddresses {
    /// Datagrams.
    pub udp: Option<SocketAddr>,
    /// Streams.
    pub tcp: Option<SocketAddr>,
    /// Streams over TLS.
    pub tls: Option<SocketAddr>,
    /// RELP.
    pub relp: Option<SocketAddr>,
    /// The event collector.
    pub http: Option<SocketAddr>,
}

/// A receiver that listens.
pub struct Sink {
    options: SinkOptions,
    addresses: SinkAddresses,
    account: Arc<Account>,
    trouble: Trouble,
    udp: Option<UdpSocket>,
    tcp: Option<TcpListener>,
    tls: Option<(TcpListener, TlsAcceptor)>,
    relp: Option<TcpListener>,
    http: Option<TcpListener>,
}

/// What is spoken on a connection.
#[derive(Clone)]
enum Speech {
    Stream,
    Tls(TlsAcceptor),
    Relp,
}

impl Sink {
    /// Opens all sockets and files; nothing is read yet.
    pub async fn open(options: SinkOptions) -> Result<Self, Error> {
        let udp = match options.udp {
            Some(address) => Some(open_udp(address)?),
            None => None,
        };
        let tcp = listen("TCP", options.tcp).await?;
        let relp = listen("RELP", options.relp).await?;
        let http = listen("HTTP", options.http).await?;
        let tls = match listen("TLS", options.tls).await? {
            Some(listener) => Some((listener, tls::acceptor(&options)?)),
            None => None,
        };
        let local = |listener: Option<&TcpListener>| listener.and_then(|l| l.local_addr().ok());
        let addresses = SinkAddresses {
            udp: udp.as_ref().and_then(|socket| socket.local_addr().ok()),
            tcp: local(tcp.as_ref()),
            tls: local(tls.as_ref().map(|(listener, _)| listener)),
            relp: local(relp.as_ref()),
            http: local(http.as_ref()),
        };
        if addresses == SinkAddresses::default() {
            return Err(Error::NoAddress);
        }
        let file = match &options.write {
            Some(path) => Some(std::fs::File::create(path).map_err(|source| Error::File {
                action: "write",
                path: path.clone(),
                source,
            })?),
            None => None,
        };
        let account = Arc::new(Account::new(&options, file));
        Ok(Self {
            trouble: Trouble::new(&options, &account),
            options,
            addresses,
            account,
            udp,
            tcp,
            tls,
            relp,
            http,
        })
    }

    /// Where it listens.
    pub fn addresses(&self) -> SinkAddresses {
        self.addresses
    }

    /// Takes what comes until `stop` ends, or the time or the count of the options is reached.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<SinkReport, Error> {
        let account = Arc::clone(&self.account);
        let (duration, write) = (self.options.duration, self.options.write.clone());
        let end = async move {
            match duration {
                Some(duration) => sleep(duration).await,
                None => std::future::pending().await,
            }
        };
        // Dropping the set ends its tasks.
        let mut tasks = self.spawn();
        tokio::select! {
            () = stop => {}
            () = end => {}
            () = account.enough() => {}
            () = async { while tasks.join_next().await.is_some() {} } => {}
        }
        tasks.shutdown().await;
        let report = account.report();
        match write {
            Some(path) if account.has_write_failed() => Err(Error::File {
                action: "write",
                path,
                source: io::Error::other("some messages are missing"),
            }),
            _ => Ok(report),
        }
    }

    fn spawn(self) -> JoinSet<()> {
        let (account, trouble) = (self.account, self.trouble);
        let mut tasks = JoinSet::new();
        let room = Arc::new(Semaphore::new(limits::CONNECTIONS_MAX));
        let listeners = [
            self.tcp.map(|listener| (listener, Speech::Stream)),
            self.tls
                .map(|(listener, acceptor)| (listener, Speech::Tls(acceptor))),
            self.relp.map(|listener| (listener, Speech::Relp)),
        ];
        for (listener, speech) in listeners.into_iter().flatten() {
            let (account, trouble) = (Arc::clone(&account), trouble.clone());
            tasks.spawn(accept(
                listener,
                speech,
                account,
                trouble,
                Arc::clone(&room),
            ));
        }
        if let Some(listener) = self.http {
            let routes = hec::routes(&self.options, &account, &trouble);
            tasks.spawn(async move {
                // It ends with its task only.
                _ = axum::serve(listener, routes).await;
            });
        }
        if let Some(socket) = self.udp {
            tasks.spawn(async move {
                _ = datagram::take(socket, account, trouble).await;
            });
        }
        tasks
    }
}

/// Accepts connections until its task is ended; those it accepted end with it.
async fn accept(
    listener: TcpListener,
    speech: Speech,
    account: Arc<Account>,
    trouble: Trouble,
    room: Arc<Semaphore>,
) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((stream, _)) = accepted else {
            sleep(ACCEPT_RETRY).await;
            continue;
        };
        account.connected();
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            continue;
        };
        if trouble.refuses() {
            continue;
        }
        let (speech, account, trouble) = (speech.clone(), Arc::clone(&account), trouble.clone());
        connections.spawn(async move {
            // A connection that breaks is the sender's matter; what arrived is counted.
            _ = speak(stream, speech, account, trouble).await;
            drop(place);
        });
    }
}

async fn speak(
    stream: TcpStream,
    speech: Speech,
    account: Arc<Account>,
    trouble: Trouble,
) -> io::Result<()> {
    match speech {
        Speech::Stream => stream::take(stream, account, trouble).await,
        Speech::Tls(acceptor) => {
            let stream = acceptor.accept(stream).await?;
            stream::take(stream, account, trouble).await
        }
        Speech::Relp => {
            stream.set_nodelay(true)?;
            relp::take(stream, account, trouble).await
        }
    }
}

async fn listen(
    transport: &'static str,
    address: Option<SocketAddr>,
) -> Result<Option<TcpListener>, Error> {
    let Some(address) = address else {
        return Ok(None);
    };
    match TcpListener::bind(address).await {
        Ok(listener) => Ok(Some(listener)),
        Err(source) => Err(Error::Listen {
            transport,
            address,
            source,
        }),
    }
}

/// A datagram socket with as large a buffer as the system gives.
fn open_udp(address: SocketAddr) -> Result<UdpSocket, Error> {
    const BUFFER_BYTES: usize = 32 * 1024 * 1024;
    let open = || {
        let domain = socket2::Domain::for_address(address);
        let socket = socket2::Socket::new(domain, socket2::Type::DGRAM, None)?;
        // Less than was asked for is given silently.
        socket.set_recv_buffer_size(BUFFER_BYTES)?;
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        UdpSocket::from_std(socket.into())
    };
    open().map_err(|source| Error::Listen {
        transport: "UDP",
        address,
        source,
    })
}

#[cfg(test)]
mod tests;
