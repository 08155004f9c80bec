//! A listener: its sockets, and the tasks that serve them.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use socket2::Type;
use tokio::net::{TcpListener, UdpSocket, UnixDatagram, UnixListener};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::accept::Door;
use crate::address::Address;
use crate::control::{Controller, control};
use crate::datagrams::{DatagramSocket, Receiver};
use crate::error::Error;
use crate::hosts::HostLists;
use crate::limits::UDP_SOCKETS_MAX;
use crate::listening::Listening;
use crate::options::{ListenerOptions, Transport};
use crate::socket_file::SocketFileError;
use crate::{accept, datagrams, socket, socket_file, tls, watch};

/// A listener that runs.
pub(crate) struct Listener {
    listening: Arc<Listening>,
    sockets: Sockets,
    address: Address,
    controller: Controller,
    tasks: Vec<JoinHandle<()>>,
}

/// What is bound. Cloned when another listener takes over the same address.
#[derive(Clone)]
pub(crate) enum Sockets {
    Datagrams(Vec<Arc<Receiver>>),
    Stream(Arc<Door>),
}

/// Where and how a listener listens, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerStatus {
    /// Name of its source.
    pub source: String,
    /// How bytes come.
    pub transport: Transport,
    /// Where it listens, the port as bound.
    pub address: Address,
}

impl Listener {
    /// Starts the tasks. Needs a runtime.
    pub(crate) fn start(listening: Arc<Listening>, sockets: Sockets, address: Address) -> Self {
        let (controller, control) = control(listening.options.hosts.clone());
        let of_watch = control.clone();
        let mut tasks: Vec<_> = match &sockets {
            Sockets::Datagrams(receivers) => receivers
                .iter()
                .map(|receiver| {
                    let run = datagrams::run(
                        Arc::clone(&listening),
                        Arc::clone(receiver),
                        control.clone(),
                    );
                    tokio::spawn(run)
                })
                .collect(),
            Sockets::Stream(door) => {
                let run = accept::run(Arc::clone(&listening), Arc::clone(door), control);
                vec![tokio::spawn(run)]
            }
        };
        if listening.options.expected.is_any() {
            tasks.push(tokio::spawn(watch::run(Arc::clone(&listening), of_watch)));
        }
        Self {
            listening,
            sockets,
            address,
            controller,
            tasks,
        }
    }

    pub(crate) fn options(&self) -> &ListenerOptions {
        &self.listening.options
    }

    pub(crate) fn status(&self) -> ListenerStatus {
        ListenerStatus {
            source: self.options().name.clone(),
            transport: self.options().transport,
            address: self.address.clone(),
        }
    }

    /// Takes other certificates for the handshakes to come.
    pub(crate) fn set_tls(&self, config: Option<Arc<ServerConfig>>) {
        if let (Some(slot), Some(config)) = (&self.listening.tls, config) {
            slot.set(config);
        }
    }

    /// Takes other host lists, for connections that are open too.
    pub(crate) fn set_hosts(&self, hosts: &HostLists) {
        self.controller.set_hosts(hosts);
    }

    /// Counts what the kernel has dropped.
    pub(crate) fn count_kernel_drops(&self) {
        if let Sockets::Datagrams(receivers) = &self.sockets {
            for receiver in receivers {
                receiver.count_kernel_drops(&self.listening.source);
            }
        }
    }

    /// What has arrived and waits in the kernel to be read, in bytes: memory of datagrams, bytes of
    /// connections.
    pub(crate) fn kernel_queue_bytes(&self) -> u64 {
        let Sockets::Datagrams(receivers) = &self.sockets else {
            return self.listening.connections.kernel_queue_bytes();
        };
        let bytes = |receiver: &Arc<Receiver>| socket::kernel_queue_bytes(receiver.socket());
        receivers.iter().flat_map(bytes).map(u64::from).sum()
    }

    /// The sockets, where another listener can go on with them.
    pub(crate) fn reusable_sockets(&self, options: &ListenerOptions) -> Option<(Sockets, Address)> {
        let own = self.options();
        let kind = |options: &ListenerOptions| {
            (options.transport.is_unix(), options.transport.is_datagram())
        };
        let same_place = own.address == options.address || self.address == options.address;
        let shape = |options: &ListenerOptions| (options.udp_sockets, options.gro);
        let same_shape = own.transport != Transport::Udp || shape(own) == shape(options);
        (same_place && kind(own) == kind(options) && same_shape)
            .then(|| (self.sockets.clone(), self.address.clone()))
    }

    /// Whether a UDP socket of this listener has the port.
    pub(crate) fn has_udp_port(&self, address: &Address) -> bool {
        let port = |address: &Address| address.internet().map(|address| address.port());
        self.options().transport == Transport::Udp && port(&self.address) == port(address)
    }

    /// Tells the tasks to end.
    pub(crate) fn stop(&self) {
        self.controller.stop();
    }

    /// Waits until the tasks have ended, until the deadline at most.
    pub(crate) async fn ended(self, deadline: Instant, late: Late) {
        for mut task in self.tasks {
            match timeout_at(deadline, &mut task).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    let source = self.listening.source.name();
                    tracing::error!(source, %error, "the task of a listener panicked");
                }
                Err(_) if late == Late::Abort => task.abort(),
                Err(_) => {}
            }
        }
    }
}

/// What becomes of tasks that do not end in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// They end by themselves when the disk or their peers let them.
    Leave,
    /// They are ended, and with them their connections.
    Abort,
}

impl Sockets {
    /// Binds what the options ask for. `is_shared` where one of our own listeners has the port.
    pub(crate) fn bind(
        options: &ListenerOptions,
        is_shared: bool,
    ) -> Result<(Self, Address), Error> {
        match (&options.address, options.transport.is_datagram()) {
            (Address::Internet(address), true) => bind_udp(options, *address, is_shared),
            (Address::Internet(address), false) => bind_tcp(*address),
            (Address::Unix(path), _) => {
                return bind_unix(options, path).map_err(|error| socket_file_error(options, error));
            }
        }
        .map_err(|error| bind_error(options, error))
    }

    /// Gives the file of a unix socket that is taken over the rights of these options.
    pub(crate) fn set_rights(&self, options: &ListenerOptions) {
        let has_file = match self {
            Self::Stream(door) => matches!(**door, Door::Unix(_, Some(_))),
            Self::Datagrams(receivers) => receivers
                .iter()
                .any(|receiver| matches!(receiver.socket(), DatagramSocket::Unix(_, Some(_)))),
        };
        let Some(path) = options.address.path().filter(|_| has_file) else {
            return;
        };
        if let Err(error) = socket_file::change_rights(path, &options.socket_file) {
            let source = options.name.as_str();
            tracing::warn!(source, %error, "cannot change the owner and mode of the socket");
        }
    }

    /// Lets the kernel hand over several datagrams together where the options say so.
    pub(crate) fn set_gro(&self, options: &ListenerOptions) {
        let (Self::Datagrams(receivers), Transport::Udp) = (self, options.transport) else {
            return;
        };
        for receiver in receivers {
            if let Err(error) = socket::set_gro(receiver.socket(), options.gro)
                && options.gro
            {
                let source = options.name.as_str();
                tracing::warn!(source, %error, "the kernel cannot join datagrams (`gro`)");
            }
        }
    }

    /// Sets the receive buffers, and says what to do where the system gives less.
    pub(crate) fn set_receive_buffers(&self, options: &ListenerOptions) {
        let Some(wanted) = options.receive_buffer_bytes else {
            return;
        };
        let granted = match self {
            Self::Stream(door) => match door.as_ref() {
                Door::Tcp(listener) => socket::set_receive_buffer(listener, wanted),
                Door::Unix(..) => return,
            },
            Self::Datagrams(receivers) => receivers
                .iter()
                .map(|receiver| socket::set_receive_buffer(receiver.socket(), wanted))
                .try_fold(usize::MAX, |least, granted| {
                    granted.map(|granted| granted.min(least))
                }),
        };
        let source = options.name.as_str();
        match granted {
            Ok(granted) if granted < wanted => tracing::warn!(
                source,
                wanted,
                granted,
                remedy = %format_args!(
                    "sysctl -w net.core.rmem_max={wanted}, or give the process CAP_NET_ADMIN"
                ),
                "the receive buffer is smaller than configured"
            ),
            Ok(_) => {}
            Err(error) => tracing::warn!(source, %error, "cannot set the receive buffer"),
        }
    }
}

pub(crate) fn bind_error(options: &ListenerOptions, source: io::Error) -> Error {
    Error::Bind {
        listener: options.name.clone(),
        transport: options.transport.name(),
        address: options.address.clone(),
        source,
    }
}

pub(crate) fn socket_file_error(options: &ListenerOptions, source: SocketFileError) -> Error {
    Error::SocketFile {
        listener: options.name.clone(),
        transport: options.transport.name(),
        address: options.address.clone(),
        source,
    }
}

fn bind_udp(
    options: &ListenerOptions,
    address: SocketAddr,
    is_shared: bool,
) -> io::Result<(Sockets, Address)> {
    let count = options.udp_sockets.clamp(1, UDP_SOCKETS_MAX);
    let sockets = socket::bind_udp(address, count, is_shared)?;
    let address = sockets
        .first()
        .map_or(Ok(address), std::net::UdpSocket::local_addr)?;
    let receiver = |socket| {
        let socket = DatagramSocket::Udp(UdpSocket::from_std(socket)?);
        Ok(Arc::new(Receiver::new(socket)))
    };
    let receivers = sockets.into_iter().map(receiver);
    let receivers = receivers.collect::<io::Result<_>>()?;
    Ok((Sockets::Datagrams(receivers), address.into()))
}

fn bind_tcp(address: SocketAddr) -> io::Result<(Sockets, Address)> {
    let listener = TcpListener::from_std(socket::listen(address)?)?;
    let address = listener.local_addr()?;
    Ok((
        Sockets::Stream(Arc::new(Door::Tcp(listener))),
        address.into(),
    ))
}

fn bind_unix(
    options: &ListenerOptions,
    path: &Path,
) -> Result<(Sockets, Address), SocketFileError> {
    let rights = &options.socket_file;
    let sockets = if options.transport.is_datagram() {
        let (socket, file) = socket_file::bind(path, Type::DGRAM, rights)?;
        let socket = UnixDatagram::from_std(socket.into())?;
        let receiver = Receiver::new(DatagramSocket::Unix(socket, Some(file)));
        Sockets::Datagrams(vec![Arc::new(receiver)])
    } else {
        let (socket, file) = socket_file::bind(path, Type::STREAM, rights)?;
        let listener = UnixListener::from_std(socket.into())?;
        Sockets::Stream(Arc::new(Door::Unix(listener, Some(file))))
    };
    Ok((sockets, path.to_owned().into()))
}

/// Reads the certificates that a listener asks for; one that is made names these addresses.
pub(crate) fn load_tls(
    options: &ListenerOptions,
    addresses: &[IpAddr],
) -> Result<Option<Arc<ServerConfig>>, Error> {
    let Some(settings) = &options.tls else {
        return Ok(None);
    };
    let loaded = tls::load(settings, addresses).map_err(|source| Error::Tls {
        listener: options.name.clone(),
        source: Box::new(source),
    })?;
    Ok(Some(loaded))
}
