//! The header that a proxy puts in front of a connection: who really sent it.
//!
//! Both versions of the PROXY protocol of HAProxy, told apart by their first bytes. The header is
//! believed word by word, so only a caller who knows that the peer is a proxy may ask for it.
//!
//! What must stay true: any split of the header gives the same; a header that is not complete is
//! never longer than [`PROXY_V1_BYTES_MAX`] or [`PROXY_V2_BYTES_MAX`]; what is not understood is an
//! error and never skipped, because what follows would be taken for messages of the wrong sender.

#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use memchr::memchr;

use crate::limits::{PROXY_V1_BYTES_MAX, PROXY_V2_BYTES_MAX};

/// What version 1 starts with.
const V1_START: &[u8] = b"PROXY ";

/// What version 2 starts with: no text and no TLS handshake does.
const V2_START: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// Bytes of version 2 in front of its addresses: the start, version and command, family, length.
const V2_HEAD_BYTES: usize = V2_START.len() + 4;

/// Why what a proxy sent is no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It starts with something else.
    #[error("the connection does not start with a PROXY header")]
    Missing,
    /// A line of version 1 that has no end where it must.
    #[error("the PROXY line has no end within {PROXY_V1_BYTES_MAX} bytes")]
    LineTooLong,
    /// A line of version 1 with other words than it may have.
    #[error("the PROXY line does not name a protocol, two addresses and two ports")]
    InvalidLine,
    /// A version other than 2, or a command that there is not.
    #[error("the PROXY header has version and command {0:#04x}, known are 0x20 and 0x21")]
    UnknownCommand(u8),
    /// A version 2 with more behind its addresses than is read.
    #[error("the PROXY header has {0} bytes, {PROXY_V2_BYTES_MAX} are possible")]
    TooLong(usize),
    /// A version 2 too short for the addresses of its family.
    #[error("the PROXY header is too short for its addresses")]
    NoAddresses,
}

/// A header that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes that belong to it; what the sender sent comes behind them.
    pub len: usize,
    /// Who opened the connection to the proxy; `None` where the proxy speaks for itself (a health
    /// check) or does not know.
    pub sender: Option<IpAddr>,
}

/// Reads the header that a connection starts with; `None` where more bytes are needed.
///
/// # Errors
/// When the bytes are no header, whatever comes behind them.
pub fn decode(start: &[u8]) -> Result<Option<Header>, Error> {
    if is_begun(start, V2_START) {
        return decode_v2(start);
    }
    if is_begun(start, V1_START) {
        return decode_v1(start);
    }
    Err(Error::Missing)
}

/// Whether the bytes and the text are the same as far as both go.
fn is_begun(start: &[u8], text: &[u8]) -> bool {
    start
        .iter()
        .zip(text)
        .all(|(found, wanted)| found == wanted)
}

/// `PROXY TCP4 192.0.2.1 198.51.100.1 56324 514`, ended by CR LF. loggen sends LF alone.
fn decode_v1(start: &[u8]) -> Result<Option<Header>, Error> {
    let window = start.get(..PROXY_V1_BYTES_MAX).unwrap_or(start);
    let Some(line_feed) = memchr(b'\n', window) else {
        let is_too_long = window.len() == PROXY_V1_BYTES_MAX;
        return if is_too_long {
            Err(Error::LineTooLong)
        } else {
            Ok(None)
        };
    };
    let line = window.get(V1_START.len()..line_feed).unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = std::str::from_utf8(line).map_err(|_| Error::InvalidLine)?;
    Ok(Some(Header {
        len: line_feed + 1,
        sender: sender_in_line(line)?,
    }))
}

fn sender_in_line(line: &str) -> Result<Option<IpAddr>, Error> {
    let mut words = line.split(' ');
    let sender = match words.next() {
        // Whatever follows is to be ignored, says the specification.
        Some("UNKNOWN") => return Ok(None),
        Some("TCP4") => two_addresses::<Ipv4Addr>(&mut words).map(IpAddr::V4),
        Some("TCP6") => two_addresses::<Ipv6Addr>(&mut words).map(IpAddr::V6),
        _ => None,
    };
    let mut is_port = || words.next().is_some_and(|word| word.parse::<u16>().is_ok());
    let has_ports = is_port() && is_port();
    let sender = sender.filter(|_| has_ports && words.next().is_none());
    sender.map(Some).ok_or(Error::InvalidLine)
}

/// The first of two addresses of one family.
fn two_addresses<'a, A: FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<A> {
    let sender = words.next()?.parse().ok()?;
    words.next()?.parse::<A>().ok()?;
    Some(sender)
}

/// Version 2: fixed head, addresses, and more that is skipped (certificates, names, checksums).
fn decode_v2(start: &[u8]) -> Result<Option<Header>, Error> {
    let Some((head, rest)) = start.split_at_checked(V2_HEAD_BYTES) else {
        return Ok(None);
    };
    let [.., command, family, len_high, len_low] = *head else {
        return Ok(None);
    };
    if !matches!(command, 0x20 | 0x21) {
        return Err(Error::UnknownCommand(command));
    }
    let body_len = usize::from(u16::from_be_bytes([len_high, len_low]));
    let len = V2_HEAD_BYTES + body_len;
    if len > PROXY_V2_BYTES_MAX {
        return Err(Error::TooLong(len));
    }
    let Some(body) = rest.get(..body_len) else {
        return Ok(None);
    };
    // The low half is the transport, which makes no difference here.
    let sender = match (command, family >> 4) {
        (0x21, 1) => Some(first_of::<4>(body, 12)?.into()),
        (0x21, 2) => Some(first_of::<16>(body, 36)?.into()),
        _ => None,
    };
    Ok(Some(Header { len, sender }))
}

/// The address in front, where addresses and ports are all there.
fn first_of<const BYTES: usize>(body: &[u8], all: usize) -> Result<[u8; BYTES], Error> {
    let address = body.first_chunk().filter(|_| body.len() >= all);
    address.copied().ok_or(Error::NoAddresses)
}
