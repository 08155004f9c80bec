//! A listener: its sockets, and the tasks that serve them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ServerConfig;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::control::{Controller, control};
use crate::error::Error;
use crate::hosts::HostLists;
use crate::limits::UDP_SOCKETS_MAX;
use crate::listening::Listening;
use crate::options::{ListenerOptions, Transport};
use crate::udp::UdpReceiver;
use crate::{accept, socket, tls, udp, watch};

/// A listener that runs.
pub(crate) struct Listener {
    listening: Arc<Listening>,
    sockets: Sockets,
    address: SocketAddr,
    controller: Controller,
    tasks: Vec<JoinHandle<()>>,
}

/// What is bound. Cloned when another listener takes over the same address.
#[derive(Clone)]
pub(crate) enum Sockets {
    Udp(Vec<Arc<UdpReceiver>>),
    Stream(Arc<TcpListener>),
}

/// Where and how a listener listens, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerStatus {
    /// Name of its source.
    pub source: String,
    /// How bytes come.
    pub transport: Transport,
    /// Where it listens, the port as bound.
    pub address: SocketAddr,
}

impl Listener {
    /// Starts the tasks. Needs a runtime.
    pub(crate) fn start(listening: Arc<Listening>, sockets: Sockets, address: SocketAddr) -> Self {
        let (controller, control) = control(listening.options.hosts.clone());
        let of_watch = control.clone();
        let mut tasks: Vec<_> = match &sockets {
            Sockets::Udp(receivers) => receivers
                .iter()
                .map(|receiver| {
                    let run = udp::run(
                        Arc::clone(&listening),
                        Arc::clone(receiver),
                        control.clone(),
                    );
                    tokio::spawn(run)
                })
                .collect(),
            Sockets::Stream(listener) => {
                let run = accept::run(Arc::clone(&listening), Arc::clone(listener), control);
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
            address: self.address,
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
        if let Sockets::Udp(receivers) = &self.sockets {
            for receiver in receivers {
                receiver.count_kernel_drops(&self.listening.source);
            }
        }
    }

    /// The sockets, where another listener can go on with them.
    pub(crate) fn reusable_sockets(
        &self,
        options: &ListenerOptions,
    ) -> Option<(Sockets, SocketAddr)> {
        let own = self.options();
        let is_udp = |options: &ListenerOptions| options.transport == Transport::Udp;
        let same_place = own.address == options.address || self.address == options.address;
        let same_kind = is_udp(own) == is_udp(options);
        let same_count = !is_udp(own) || own.udp_sockets == options.udp_sockets;
        (same_place && same_kind && same_count).then(|| (self.sockets.clone(), self.address))
    }

    /// Whether a UDP socket of this listener has the port.
    pub(crate) fn has_udp_port(&self, address: SocketAddr) -> bool {
        self.options().transport == Transport::Udp && self.address.port() == address.port()
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
    ) -> Result<(Self, SocketAddr), Error> {
        let bound = match options.transport {
            Transport::Udp => bind_udp(options, is_shared),
            Transport::Tcp | Transport::Tls | Transport::Relp => bind_stream(options),
        };
        bound.map_err(|source| Error::Bind {
            listener: options.name.clone(),
            transport: options.transport.name(),
            address: options.address,
            source,
        })
    }

    /// Sets the receive buffers, and says what to do where the system gives less.
    pub(crate) fn set_receive_buffers(&self, options: &ListenerOptions) {
        let Some(wanted) = options.receive_buffer_bytes else {
            return;
        };
        let granted = match self {
            Self::Stream(listener) => socket::set_receive_buffer(listener.as_ref(), wanted),
            Self::Udp(receivers) => receivers
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

fn bind_udp(options: &ListenerOptions, is_shared: bool) -> io::Result<(Sockets, SocketAddr)> {
    let count = options.udp_sockets.clamp(1, UDP_SOCKETS_MAX);
    let sockets = socket::bind_udp(options.address, count, is_shared)?;
    let address = sockets
        .first()
        .map_or(Ok(options.address), std::net::UdpSocket::local_addr)?;
    let receivers = sockets
        .into_iter()
        .map(|socket| UdpReceiver::new(socket).map(Arc::new));
    Ok((Sockets::Udp(receivers.collect::<io::Result<_>>()?), address))
}

fn bind_stream(options: &ListenerOptions) -> io::Result<(Sockets, SocketAddr)> {
    let listener = TcpListener::from_std(socket::listen(options.address)?)?;
    let address = listener.local_addr()?;
    Ok((Sockets::Stream(Arc::new(listener)), address))
}

/// Reads the certificates that a listener asks for.
pub(crate) fn load_tls(options: &ListenerOptions) -> Result<Option<Arc<ServerConfig>>, Error> {
    let Some(settings) = &options.tls else {
        return Ok(None);
    };
    let loaded = tls::load(settings).map_err(|source| Error::Tls {
        listener: options.name.clone(),
        source: Box::new(source),
    })?;
    Ok(Some(loaded))
}
