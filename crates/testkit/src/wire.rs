//! Sending bytes to a server, as plainly as can be.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use anyhow::{Context, Result};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Connects; reads and writes give up after a minute.
pub fn connect(address: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, TIMEOUT)
        .with_context(|| format!("cannot connect to {address}"))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    Ok(stream)
}

/// Sends bytes over one connection of their own and closes it.
pub fn send_stream(address: SocketAddr, bytes: &[u8]) -> Result<()> {
    connect(address)?
        .write_all(bytes)
        .with_context(|| format!("{address} did not take {} bytes", bytes.len()))
}

/// Sends each item as one datagram.
pub fn send_datagrams(address: SocketAddr, datagrams: &[&[u8]]) -> Result<()> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    for datagram in datagrams {
        socket
            .send_to(datagram, address)
            .with_context(|| format!("cannot send {} bytes to {address}", datagram.len()))?;
    }
    Ok(())
}

/// A message with its length in front (RFC 6587 section 3.4.1).
pub fn octet_counted(message: &[u8]) -> Vec<u8> {
    [format!("{} ", message.len()).as_bytes(), message].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_of_octets() {
        assert_eq!(octet_counted("\u{e9}".as_bytes()), b"2 \xc3\xa9");
    }
}
