//! Opening connections: sockets, handshakes, everything up to the first message.

use std::fs::OpenOptions;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd as _;

use nix::sys::socket::{setsockopt, sockopt};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UdpSocket, UnixDatagram, UnixStream};
use tokio_rustls::TlsConnector;

use super::Options;
use super::datagram::Datagrams;
use super::proxy;
use super::relp::Session;
use super::target::Target;
use super::tls;
use crate::Error;
use crate::limits::{
    BATCH_BYTES, BATCH_BYTES_MIN, BATCHES_BYTES_MAX, FILE_BATCH_BYTES, OPEN_TIMEOUT,
    UDP_SEND_BUFFER_BYTES,
};

/// Bytes in both directions.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// A stream of bytes.
pub(super) struct Stream {
    pub(super) bytes: Box<dyn Duplex>,
    /// Whether written bytes may still be ours until they are flushed.
    pub(super) is_buffered: bool,
    /// Whether the peer may send bytes that nobody reads, which would make closing lose ours.
    pub(super) is_talkative: bool,
    /// Bytes that are worth a write.
    pub(super) batch_bytes: usize,
}

/// A connection that is ready for its first message.
pub(super) enum Opened {
    Stream(Stream),
    Datagrams(Datagrams),
    Relp(Box<Session>),
}

/// Opens the connections of a run.
pub(super) struct Connector {
    target: Target,
    address: Option<SocketAddr>,
    tls: Option<TlsConnector>,
    proxy: Option<proxy::ProxyHeader>,
    batch_bytes: usize,
}

impl Connector {
    /// Looks the host up and reads the certificates.
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let is_tls = options.target.is_tls();
        Ok(Self {
            address: options.target.resolve()?,
            tls: is_tls.then(|| tls::connector(&options.tls)).transpose()?,
            proxy: options.proxy,
            batch_bytes: batch_bytes(options.connections as usize),
            target: options.target.clone(),
        })
    }

    /// Opens a connection.
    pub(super) async fn open(&self, connection: u32) -> Result<Opened, Error> {
        let opened = tokio::time::timeout(OPEN_TIMEOUT, self.try_open(connection)).await;
        let opened = opened.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        opened.map_err(|source| Error::Open {
            connection,
            target: self.target.to_string(),
            source,
        })
    }

    async fn try_open(&self, connection: u32) -> io::Result<Opened> {
        Ok(match &self.target {
            Target::Udp(_) => Opened::Datagrams(Datagrams::udp(udp(self.address()?).await?)),
            Target::Tcp(_) | Target::Tls(_) => Opened::Stream(self.tcp(connection).await?),
            Target::Relp(_) | Target::Relps(_) => {
                let stream = self.tcp(connection).await?;
                Opened::Relp(Box::new(Session::open(stream).await?))
            }
            Target::Unix(path) => Opened::Stream(Stream {
                bytes: Box::new(
                    self.greet(UnixStream::connect(path).await?, connection)
                        .await?,
                ),
                is_buffered: false,
                is_talkative: false,
                batch_bytes: self.batch_bytes,
            }),
            Target::Unixgram(path) => {
                let socket = UnixDatagram::unbound()?;
                socket.connect(path)?;
                Opened::Datagrams(Datagrams::unix(socket))
            }
            Target::File(path) => {
                let file = OpenOptions::new().append(true).create(true).open(path)?;
                Opened::Stream(file_stream(file))
            }
            Target::StandardOutput => {
                let output = io::stdout().as_fd().try_clone_to_owned()?;
                Opened::Stream(file_stream(output.into()))
            }
        })
    }

    async fn tcp(&self, connection: u32) -> io::Result<Stream> {
        let socket = TcpStream::connect(self.address()?).await?;
        socket.set_nodelay(true)?;
        let socket = self.greet(socket, connection).await?;
        let (Some(tls), Some(host)) = (&self.tls, self.target.host_port()) else {
            return Ok(Stream {
                bytes: Box::new(socket),
                is_buffered: false,
                is_talkative: false,
                batch_bytes: self.batch_bytes,
            });
        };
        let name = ServerName::try_from(host.host.clone()).map_err(io::Error::other)?;
        Ok(Stream {
            bytes: Box::new(tls.connect(name, socket).await?),
            is_buffered: true,
            is_talkative: true,
            batch_bytes: self.batch_bytes,
        })
    }

    /// Writes the header of the PROXY protocol, if there is to be one.
    async fn greet<T: Duplex>(&self, mut socket: T, connection: u32) -> io::Result<T> {
        if let Some(header) = self.proxy {
            let mut bytes = Vec::new();
            let family = match self.address {
                Some(SocketAddr::V6(_)) => proxy::Family::Ipv6,
                _ => proxy::Family::Ipv4,
            };
            proxy::write(header, family, connection, &mut bytes);
            socket.write_all(&bytes).await?;
        }
        Ok(socket)
    }

    fn address(&self) -> io::Result<SocketAddr> {
        self.address
            .ok_or_else(|| io::ErrorKind::AddrNotAvailable.into())
    }
}

fn batch_bytes(connections: usize) -> usize {
    (BATCHES_BYTES_MAX / connections.max(1)).clamp(BATCH_BYTES_MIN, BATCH_BYTES)
}

async fn udp(address: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(address).await?;
    // The kernel gives what it allows; less only means waiting more often.
    _ = setsockopt(&socket, sockopt::SndBuf, &UDP_SEND_BUFFER_BYTES);
    Ok(socket)
}

fn file_stream(file: std::fs::File) -> Stream {
    let file = tokio::fs::File::from_std(file);
    Stream {
        bytes: Box::new(file),
        is_buffered: true,
        is_talkative: false,
        batch_bytes: FILE_BATCH_BYTES,
    }
}
