//! Reads the PROXY header of a connection, and not a byte more.

use std::io::{self, ErrorKind};
use std::net::IpAddr;

use syslog::limits::PROXY_V2_BYTES_MAX;
use syslog::proxy::{self, decode};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// Who sends over a connection from a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// The one with this address.
    Peer(IpAddr),
    /// The proxy itself, or somebody it does not know.
    Proxy,
    /// Nobody: the connection was closed without a byte, as health checks do.
    Nobody,
}

/// Why nobody knows who sends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The connection broke.
    #[error("cannot read the PROXY header: {0}")]
    Io(#[from] io::Error),
    /// There is none, or none that is understood.
    #[error("{0}")]
    Header(#[from] proxy::Error),
}

/// Takes the header off the connection. What comes behind it, a TLS handshake perhaps, is left.
///
/// The bytes are looked at before they are read: while the header is not complete all of them
/// belong to it, so what has been looked at can be read, and waiting does not turn in circles.
pub(crate) async fn read_sender(stream: &mut TcpStream) -> Result<Sender, Error> {
    let mut taken = Vec::new();
    // Not on the stack: every connection would carry it along for ever.
    let mut seen = vec![0; PROXY_V2_BYTES_MAX];
    loop {
        let seen_len = stream.peek(&mut seen).await?;
        if seen_len == 0 {
            return match taken.is_empty() {
                true => Ok(Sender::Nobody),
                false => Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
            };
        }
        let taken_len = taken.len();
        taken.extend_from_slice(seen.get(..seen_len).unwrap_or_default());
        let header = decode(&taken)?;
        let own_len = header.map_or(taken.len(), |header| header.len) - taken_len;
        stream
            .read_exact(seen.get_mut(..own_len).unwrap_or_default())
            .await?;
        if let Some(header) = header {
            let sender = header.sender.map(|sender| sender.to_canonical());
            return Ok(sender.map_or(Sender::Proxy, Sender::Peer));
        }
    }
}
