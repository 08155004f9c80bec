//! Sockets that whoever started us has opened and passed to us, as systemd does.
//!
//! They come as descriptors from 3 on, with names; a source takes those that have its name, and
//! nothing is bound for it. What waits in them from before the start is received.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::Arc;

use socket2::{Domain, Socket, Type};
use tokio::net::{TcpListener, UdpSocket, UnixDatagram, UnixListener};

use crate::accept::Door;
use crate::address::Address;
use crate::datagrams::{DatagramSocket, Receiver};
use crate::error::Error;
use crate::listener::Sockets;
use crate::options::Transport;
use crate::socket;

/// The first descriptor that is passed.
const FIRST_DESCRIPTOR: RawFd = 3;

/// A socket and the name it came under.
#[derive(Clone, Debug)]
pub struct PassedSocket {
    name: String,
    descriptor: Arc<OwnedFd>,
}

impl PassedSocket {
    /// Takes over the descriptors from 3 on, one for each name. To be called once, and before
    /// anything else is opened.
    ///
    /// # Errors
    /// When a descriptor is not open.
    pub fn take_all(names: &[String]) -> io::Result<Vec<Self>> {
        let take = |(name, descriptor): (&String, RawFd)| {
            Ok(Self {
                name: name.clone(),
                descriptor: Arc::new(socket::take_passed(descriptor)?),
            })
        };
        names.iter().zip(FIRST_DESCRIPTOR..).map(take).collect()
    }

    /// The name it came under.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Makes sockets to listen with of those that came under the name of a source.
pub(crate) fn sockets_for(
    name: &str,
    transport: Transport,
    passed: &[PassedSocket],
) -> Result<Option<(Sockets, Address)>, Error> {
    let refused = |reason: String| Error::Passed {
        name: name.to_owned(),
        reason,
    };
    let io = |error: io::Error| refused(error.to_string());
    let mut found = Vec::new();
    for own in passed.iter().filter(|passed| passed.name == name) {
        let socket = Socket::from(own.descriptor.try_clone().map_err(io)?);
        check(&socket, transport).map_err(refused)?;
        socket.set_nonblocking(true).map_err(io)?;
        found.push(socket);
    }
    let Some(first) = found.first() else {
        return Ok(None);
    };
    let address = address(first).map_err(io)?;
    if transport.is_datagram() {
        let receivers = found.into_iter().map(|socket| receiver(socket, transport));
        let receivers = receivers.collect::<io::Result<_>>().map_err(io)?;
        return Ok(Some((Sockets::Datagrams(receivers), address)));
    }
    if found.len() > 1 {
        let reason = "a source takes one socket for connections: name the others differently, each \
                      after a source of its own";
        return Err(refused(reason.to_owned()));
    }
    let door = found.pop().map(|socket| door(socket, transport));
    let door = door.transpose().map_err(io)?;
    Ok(door.map(|door| (Sockets::Stream(Arc::new(door)), address)))
}

/// Says what is wrong with a socket for a transport.
fn check(socket: &Socket, transport: Transport) -> Result<(), String> {
    let kind = socket.r#type().map_err(|_| "it is no socket".to_owned())?;
    let is_unix = socket.domain().ok() == Some(Domain::UNIX);
    let expected = match (transport.is_unix(), transport.is_datagram()) {
        (false, true) => "ListenDatagram= with an IP address or port",
        (false, false) => "ListenStream= with an IP address or port",
        (true, true) => "ListenDatagram= with a path",
        (true, false) => "ListenStream= with a path",
    };
    let wanted = match transport.is_datagram() {
        true => Type::DGRAM,
        false => Type::STREAM,
    };
    if kind != wanted || is_unix != transport.is_unix() {
        let transport = transport.name();
        return Err(format!("a source of {transport} needs one from {expected}"));
    }
    if !transport.is_datagram() && !socket.is_listener().unwrap_or(false) {
        return Err("it does not wait for connections: use Accept=no".to_owned());
    }
    Ok(())
}

fn address(socket: &Socket) -> io::Result<Address> {
    let address = socket.local_addr()?;
    let internet = address
        .as_socket()
        .map(|address: SocketAddr| Address::Internet(address));
    let path = || {
        address
            .as_pathname()
            .map_or_else(PathBuf::new, PathBuf::from)
    };
    Ok(internet.unwrap_or_else(|| Address::Unix(path())))
}

fn receiver(socket: Socket, transport: Transport) -> io::Result<Arc<Receiver>> {
    let socket = match transport.is_unix() {
        true => DatagramSocket::Unix(UnixDatagram::from_std(socket.into())?, None),
        false => DatagramSocket::Udp(UdpSocket::from_std(socket.into())?),
    };
    Ok(Arc::new(Receiver::new(socket)))
}

fn door(socket: Socket, transport: Transport) -> io::Result<Door> {
    Ok(match transport.is_unix() {
        true => Door::Unix(UnixListener::from_std(socket.into())?, None),
        false => Door::Tcp(TcpListener::from_std(socket.into())?),
    })
}
