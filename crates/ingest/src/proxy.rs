//! Reads the PROXY header of a connection, and not a byte more, and finds out whether TLS follows.

use std::io::{self, ErrorKind};
use std::net::IpAddr;

use syslog::limits::PROXY_V2_BYTES_MAX;
use syslog::proxy::{self, decode};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::limits::{DETECT_LOOKS, DETECT_PAUSE};

/// A TLS record of the kind `handshake`, of whatever version.
const TLS_START: [u8; 2] = [0x16, 0x03];

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

/// The same inside of TLS, where one byte after the other has been decrypted already.
pub(crate) async fn read_sender_inside(
    stream: &mut (impl AsyncRead + Unpin),
) -> Result<Sender, Error> {
    let mut taken = Vec::new();
    loop {
        let mut byte = [0];
        if stream.read(&mut byte).await? == 0 {
            return match taken.is_empty() {
                true => Ok(Sender::Nobody),
                false => Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
            };
        }
        taken.extend_from_slice(&byte);
        if let Some(header) = decode(&taken)? {
            let sender = header.sender.map(|sender| sender.to_canonical());
            return Ok(sender.map_or(Sender::Proxy, Sender::Peer));
        }
    }
}

/// Whether a connection begins with a TLS handshake. Waits for its first bytes and leaves them
/// there; no message begins like this, with a control character and another. Whoever sends the
/// first byte alone and then nothing is not taken for one.
pub(crate) async fn starts_tls(stream: &TcpStream) -> io::Result<bool> {
    let mut seen = [0; TLS_START.len()];
    for _ in 0..DETECT_LOOKS {
        let len = stream.peek(&mut seen).await?;
        let start = seen.get(..len).unwrap_or_default();
        if len == seen.len() || start.is_empty() || !TLS_START.starts_with(start) {
            return Ok(start == TLS_START);
        }
        // The kernel says that there is something to read, and would say so at once again.
        sleep(DETECT_PAUSE).await;
    }
    Ok(false)
}
