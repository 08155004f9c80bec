//! Another syslog server, over UDP, TCP, TLS or RELP.
//!
//! What a record counts as delivered by differs: over RELP, the answer of the other side; over TCP and TLS, that the
//! kernel of the other side has acknowledged all bytes of it; over UDP, that it was sent.

mod connection;
mod relp;
mod sink;
mod stream;
mod unacked;

use std::fmt;
use std::time::Duration;

use crate::render::{Rendering, Scene};
use crate::sink::{Failure, Item, Kind, Opening, Preview, Sink, Trouble};
use crate::tls::TlsOptions;
use sink::SyslogSink;

/// Another syslog server, or several.
#[derive(Clone, Debug)]
pub struct Syslog {
    /// The servers.
    pub targets: Vec<Target>,
    /// Which of them are used.
    pub spread: Spread,
    /// How they are spoken to.
    pub transport: Transport,
    /// TLS, with [`Transport::Tls`] and [`Transport::Relp`] alone.
    pub tls: Option<TlsOptions>,
    /// What is written of each record.
    pub rendering: Rendering,
    /// How records are told apart on a stream.
    pub framing: Framing,
    /// How long connecting may take, the handshake included.
    pub connect_timeout: Duration,
    /// How long the other side may take for nothing.
    pub timeout: Duration,
}

/// A server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl Target {
    /// Reads `host:port`, with an IPv6 address in brackets.
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let is_name = !host.is_empty() && !host.contains([':', '/', '[', ']', '@', ' ']);
        let host = match bare {
            Some(address) => address.parse::<std::net::Ipv6Addr>().ok()?.to_string(),
            None if is_name => host.to_owned(),
            None => return None,
        };
        let port = port.parse().ok().filter(|port| *port > 0)?;
        Some(Self { host, port })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

/// Which of several servers are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// The first that works; those in front of it are tried again after a while.
    #[default]
    Failover,
    /// All that work, batch by batch.
    Balance,
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// A datagram for each record.
    Udp,
    /// A connection.
    #[default]
    Tcp,
    /// An encrypted connection.
    Tls,
    /// A connection on which each record is answered.
    Relp,
}

/// How records are told apart on a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// By a line feed behind each; those inside are written as `#012`.
    #[default]
    Lines,
    /// By the number of their bytes in front (RFC 6587, RFC 5425).
    Octets,
}

impl Kind for Syslog {
    fn name(&self) -> &'static str {
        "syslog"
    }

    fn open(&self, opening: Opening) -> Result<Box<dyn Sink>, Failure> {
        Ok(Box::new(SyslogSink::new(self.clone(), opening.worker)))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let mut bytes = Vec::new();
        if let Err(reason) = self.rendering.render(record, &Scene::now(), &mut bytes) {
            bytes = reason.into_bytes();
        }
        let targets: Vec<_> = self.targets.iter().map(Target::to_string).collect();
        Preview {
            to: targets.join(", "),
            bytes,
        }
    }

    fn examine(&self) -> Vec<Trouble> {
        self.tls.iter().filter_map(TlsOptions::examine).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_hosts_with_ports() {
        for text in ["127.0.0.1:514", "[::1]:6514", "logs.example.com:601"] {
            let target = Target::parse(text).expect(text);
            assert_eq!(target.to_string(), text);
        }
        for text in [
            "",
            "host",
            ":514",
            "::1:514",
            "a:0",
            "a:70000",
            "a/b:1",
            "tcp://a:1",
            "[a]:1",
        ] {
            assert_eq!(Target::parse(text), None, "{text}");
        }
    }
}
