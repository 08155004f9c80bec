//! What an administrator can set.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use model::LogspaceName;
use model::limits::{MESSAGE_BYTES_DEFAULT, MESSAGE_BYTES_MAX, NAME_BYTES_MAX};
use store::Durability;
use syslog::frame::Framing;
use syslog::{Encoding, ParseOptions};

use crate::address::Address;
use crate::error::Error;
use crate::expected::Expected;
use crate::fingerprint::Fingerprint;
use crate::hosts::HostLists;
use crate::ingest::{HTTP_SOURCE, INTERNAL_SOURCE};
use crate::limits::{
    BUDGET_BYTES_DEFAULT, CONNECTIONS_DEFAULT, HANDSHAKE_TIMEOUT, HOST_LIST_MAX,
    SOCKET_MODE_DEFAULT, UDP_RECEIVE_BUFFER_BYTES, UDP_SOCKETS_MAX,
};
use crate::passed::PassedSocket;
use crate::sink::Destination;

/// Settings of all receivers.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is listened to. The name of each is the name of its source.
    pub listeners: Vec<ListenerOptions>,
    /// How lines handed in over HTTP are read; see [`crate::Ingest::submission`].
    pub http: HttpOptions,
    /// Most bytes of records that may wait for the disk. Taken at the start only.
    pub budget_bytes: usize,
    /// Most connections of all listeners together: what the process has file descriptors for, with
    /// some left for the store. Taken at the start only.
    pub connections_max: usize,
    /// Sockets that are open already, for the sources whose names they have. Taken at the start
    /// only.
    pub passed: Vec<PassedSocket>,
}

impl Options {
    /// The defaults, with listeners.
    pub fn new(listeners: Vec<ListenerOptions>) -> Self {
        Self {
            listeners,
            http: HttpOptions::default(),
            budget_bytes: BUDGET_BYTES_DEFAULT,
            connections_max: usize::MAX,
            passed: Vec::new(),
        }
    }

    /// Where connections with a certificate of our own making are awaited.
    pub fn encrypted_addresses(&self) -> Vec<IpAddr> {
        let is_made = |listener: &&ListenerOptions| {
            let identity = listener.tls.as_ref().map(|tls| &tls.identity);
            matches!(identity, Some(TlsIdentity::SelfSigned { .. }))
        };
        let made = self.listeners.iter().filter(is_made);
        made.filter_map(|listener| Some(listener.address.internet()?.ip()))
            .collect()
    }

    /// Looks for what contradicts itself.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for (index, listener) in self.listeners.iter().enumerate() {
            listener.check()?;
            let before = self.listeners.get(..index).unwrap_or(&[]);
            if before.iter().any(|other| other.name == listener.name) {
                return Err(Error::DuplicateName {
                    name: listener.name.clone(),
                });
            }
        }
        Ok(())
    }
}

/// Settings of one listener.
#[derive(Clone, Debug, PartialEq)]
pub struct ListenerOptions {
    /// Name of the source, such as `udp`; it stands on every record. Not `http` or `internal`.
    pub name: String,
    /// How bytes come.
    pub transport: Transport,
    /// Where to listen.
    pub address: Address,
    /// Who may use the socket's file. Only for unix sockets.
    pub socket_file: SocketFileOptions,
    /// Longest message in bytes; the rest of a longer one is cut off. At most
    /// [`model::limits::MESSAGE_BYTES_MAX`].
    pub message_bytes_max: usize,
    /// How messages are told apart. Only for TCP and TLS.
    pub framing: Framing,
    /// Whether compressed streams and messages are told by their start and unpacked.
    pub unpacks: bool,
    /// The encoding of messages that are not UTF-8; `None` where they are kept as they are.
    pub encoding: Option<Encoding>,
    /// Who may send, and who speaks for others.
    pub hosts: HostLists,
    /// How many messages are usual.
    pub expected: Expected,
    /// How messages are read.
    pub parse: ParseOptions,
    /// Whether peers have their names by DNS where the rule for hosts has their addresses; those
    /// whose names are not known yet, or not at all, have their addresses.
    pub resolves: bool,
    /// Where records go that no route takes.
    pub logspace: LogspaceName,
    /// What an acknowledgement promises; how soon records are on the disk, for senders that get
    /// none.
    pub durability: Durability,
    /// Whether senders wait while the byte budget is used up; otherwise what they send is dropped
    /// and counted. RELP always waits.
    pub flow_control: bool,
    /// Connections at a time; more are turned away. Not for UDP.
    pub connections_max: usize,
    /// Time without a byte after which a connection is closed; `None` for never. Not for UDP.
    pub idle_timeout: Option<Duration>,
    /// How long a TLS handshake may take, and a PROXY header to come.
    pub handshake_timeout: Duration,
    /// Receive buffer of each socket in bytes; `None` leaves it to the kernel.
    pub receive_buffer_bytes: Option<usize>,
    /// Sockets that share the port, 1 to [`crate::limits::UDP_SOCKETS_MAX`]. Only for UDP.
    pub udp_sockets: usize,
    /// Whether the kernel may hand over several datagrams of one sender together. It counts those that
    /// it drops together as one. Only for UDP.
    pub gro: bool,
    /// Encryption: required for [`Transport::Tls`], possible for [`Transport::Relp`]; for
    /// [`Transport::Tcp`], connections that begin with a TLS handshake are encrypted. Not for the
    /// others.
    pub tls: Option<TlsOptions>,
}

impl ListenerOptions {
    /// The defaults of a transport.
    pub fn new(name: &str, transport: Transport, address: impl Into<Address>) -> Self {
        let receive_buffer_bytes =
            (transport == Transport::Udp).then_some(UDP_RECEIVE_BUFFER_BYTES);
        Self {
            name: name.to_owned(),
            transport,
            address: address.into(),
            socket_file: SocketFileOptions::default(),
            message_bytes_max: MESSAGE_BYTES_DEFAULT,
            framing: Framing::Auto,
            unpacks: true,
            encoding: None,
            hosts: HostLists::default(),
            expected: Expected::default(),
            parse: ParseOptions::default(),
            resolves: false,
            logspace: LogspaceName::main(),
            durability: Durability::Strict,
            flow_control: true,
            connections_max: CONNECTIONS_DEFAULT,
            idle_timeout: None,
            handshake_timeout: HANDSHAKE_TIMEOUT,
            receive_buffer_bytes,
            udp_sockets: 2,
            gro: false,
            tls: None,
        }
    }

    /// Whether a listener with the other options could go on with these: what it keeps between
    /// its tasks is the same, and host lists and certificates can be told to it.
    pub(crate) fn is_same_but_told(&self, other: &Self) -> bool {
        let hosts = other.hosts.clone();
        let tls = match (&self.tls, &other.tls) {
            (Some(_), Some(new)) => Some(new.clone()),
            (own, _) => own.clone(),
        };
        Self {
            hosts,
            tls,
            ..self.clone()
        } == *other
    }

    fn check(&self) -> Result<(), Error> {
        let listener = || self.name.clone();
        let is_reserved = [HTTP_SOURCE, INTERNAL_SOURCE].contains(&self.name.as_str());
        if self.name.is_empty() || self.name.len() > NAME_BYTES_MAX || is_reserved {
            return Err(Error::InvalidName { name: listener() });
        }
        if !(1..=MESSAGE_BYTES_MAX).contains(&self.message_bytes_max) {
            return Err(Error::MessageLength {
                listener: listener(),
                bytes: self.message_bytes_max,
            });
        }
        if !(1..=UDP_SOCKETS_MAX).contains(&self.udp_sockets) {
            return Err(Error::UdpSockets {
                listener: listener(),
                sockets: self.udp_sockets,
            });
        }
        let HostLists {
            allow,
            deny,
            proxies,
        } = &self.hosts;
        for list in [allow, deny, proxies] {
            if list.len() > HOST_LIST_MAX {
                return Err(Error::HostList {
                    listener: listener(),
                    networks: list.len(),
                });
            }
        }
        if self.transport.is_unix() != self.address.path().is_some() {
            return Err(Error::Address {
                listener: listener(),
                transport: self.transport.name(),
                address: self.address.clone(),
            });
        }
        self.check_tls()
    }

    fn check_tls(&self) -> Result<(), Error> {
        let is_right = match self.transport {
            Transport::Udp | Transport::UnixDatagram | Transport::UnixStream => self.tls.is_none(),
            Transport::Tls => self.tls.is_some(),
            Transport::Tcp | Transport::Relp => true,
        };
        if !is_right {
            return Err(Error::TlsSettings {
                listener: self.name.clone(),
                transport: self.transport.name(),
                is_missing: self.tls.is_none(),
            });
        }
        Ok(())
    }
}

/// How messages are framed on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// RFC 5426: a datagram is a message.
    Udp,
    /// RFC 6587: lines or counted octets, told apart per message.
    Tcp,
    /// RFC 5425: the same over TLS.
    Tls,
    /// RELP: every message is acknowledged when it is durable.
    Relp,
    /// A unix socket as `/dev/log` is: a datagram is a message.
    UnixDatagram,
    /// A unix socket for connections: lines or counted octets, as over TCP.
    UnixStream,
}

impl Transport {
    /// Its name: `udp`, `tcp`, `tls`, `relp`, `unix-datagram`, `unix-stream`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Relp => "relp",
            Self::UnixDatagram => "unix-datagram",
            Self::UnixStream => "unix-stream",
        }
    }

    /// Whether it listens on a path.
    pub fn is_unix(self) -> bool {
        matches!(self, Self::UnixDatagram | Self::UnixStream)
    }

    /// Whether a message comes as a datagram, and not over a connection.
    pub(crate) fn is_datagram(self) -> bool {
        matches!(self, Self::Udp | Self::UnixDatagram)
    }
}

/// Who may use the file of a unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketFileOptions {
    /// Its mode. To send, one needs the right to write.
    pub mode: u32,
    /// The user it belongs to, by name or number; `None` for our own.
    pub owner: Option<String>,
    /// The group it belongs to, by name or number; `None` for our own.
    pub group: Option<String>,
}

impl Default for SocketFileOptions {
    fn default() -> Self {
        Self {
            mode: SOCKET_MODE_DEFAULT,
            owner: None,
            group: None,
        }
    }
}

/// How a listener encrypts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsOptions {
    /// Who we are.
    pub identity: TlsIdentity,
    /// What we ask of clients.
    pub clients: ClientCertificates,
    /// Which of their certificates we take.
    pub checks: ClientChecks,
}

/// Which client certificates are taken, of those that are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientChecks {
    /// Patterns of names, as [`crate::check_client_pattern`] takes them. Where there are names or
    /// fingerprints, one of them must fit.
    pub names: Vec<String>,
    /// Fingerprints of certificates.
    pub fingerprints: Vec<Fingerprint>,
    /// Lists of revoked certificates, in PEM form. Only with authorities.
    pub revoked: Option<PathBuf>,
}

/// Certificate and key of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsIdentity {
    /// `certificate.pem` and `key.pem` in a directory, made where they are not there.
    SelfSigned {
        /// The directory, created when needed.
        directory: PathBuf,
    },
    /// Files of one's own, in PEM form.
    Files {
        /// The certificate and those between it and its authority.
        certificate: PathBuf,
        /// The private key.
        key: PathBuf,
    },
}

/// Whether clients must say who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientCertificates {
    /// They are not asked.
    None,
    /// A certificate must be of one of these authorities, but need not be there.
    Optional {
        /// Certificates of the authorities, in PEM form.
        authorities: PathBuf,
    },
    /// A certificate of one of these authorities must be there.
    Required {
        /// Certificates of the authorities, in PEM form.
        authorities: PathBuf,
    },
    /// A certificate is asked for, and taken whoever has issued it.
    OptionalUntrusted,
    /// A certificate must be there, whoever has issued it.
    RequiredUntrusted,
}

/// How lines handed in over HTTP are read.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Longest message in bytes; the rest of a longer one is cut off.
    pub message_bytes_max: usize,
    /// How messages are read.
    pub parse: ParseOptions,
    /// Where records go that no route takes.
    pub logspace: LogspaceName,
    /// What the answer 200 promises.
    pub durability: Durability,
}

impl HttpOptions {
    pub(crate) fn destination(&self) -> Destination<'_> {
        Destination {
            logspace: &self.logspace,
            durability: self.durability,
        }
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            message_bytes_max: MESSAGE_BYTES_DEFAULT,
            parse: ParseOptions::default(),
            logspace: LogspaceName::main(),
            durability: Durability::Strict,
        }
    }
}
