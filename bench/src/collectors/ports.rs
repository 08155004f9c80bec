//! Free ports for programs that cannot choose one themselves.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};

use anyhow::{Context, Result, bail};
use testkit::{Process, wait_for};

use super::{LIMIT, Transport};

/// A port that was free a moment ago, for both protocols.
pub(super) fn free() -> Result<SocketAddr> {
    for _ in 0..100 {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = tcp.local_addr()?;
        if UdpSocket::bind(address).is_ok() {
            return Ok(address);
        }
    }
    bail!("no port is free for both TCP and UDP")
}

/// Waits until a process listens: a connection is taken, or the kernel lists the datagram socket.
pub(super) fn wait_until_listening(
    process: &mut Process,
    transport: Transport,
    address: SocketAddr,
) -> Result<()> {
    let ready = wait_for("it listened", LIMIT, || {
        if let Some(status) = process.ended()? {
            bail!("it ended with {status}");
        }
        let is_listening = match transport {
            Transport::Udp => UdpSocket::bind(address).is_err(),
            Transport::Tcp | Transport::Tls | Transport::Relp => {
                TcpStream::connect(address).is_ok()
            }
        };
        Ok(is_listening.then_some(()))
    });
    ready.with_context(|| format!("it said: {}", process.errors().join("\n")))
}
