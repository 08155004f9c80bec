//! Where messages go.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::str::FromStr;

use crate::Error;

/// Where messages go, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `udp://HOST:PORT`
    Udp(HostPort),
    /// `tcp://HOST:PORT`
    Tcp(HostPort),
    /// `tls://HOST:PORT`
    Tls(HostPort),
    /// `relp://HOST:PORT`
    Relp(HostPort),
    /// `relps://HOST:PORT`: RELP inside TLS.
    Relps(HostPort),
    /// `unix:PATH`: a stream socket of the file system.
    Unix(PathBuf),
    /// `unixgram:PATH`: a datagram socket of the file system, such as the one at `/dev/log`.
    Unixgram(PathBuf),
    /// `file:PATH`: lines are appended.
    File(PathBuf),
    /// `file:-`: standard output.
    StandardOutput,
}

/// A host by name or address, and its port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    /// The name or address, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl Target {
    /// Whether it takes datagrams, so that no frame is needed.
    pub fn is_datagram(&self) -> bool {
        matches!(self, Self::Udp(_) | Self::Unixgram(_))
    }

    /// Whether it answers each message.
    pub fn is_relp(&self) -> bool {
        matches!(self, Self::Relp(_) | Self::Relps(_))
    }

    /// Whether it is encrypted.
    pub fn is_tls(&self) -> bool {
        matches!(self, Self::Tls(_) | Self::Relps(_))
    }

    /// Whether lines go to a file or standard output.
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(_) | Self::StandardOutput)
    }

    /// The host, where it has one.
    pub(super) fn host_port(&self) -> Option<&HostPort> {
        match self {
            Self::Udp(host)
            | Self::Tcp(host)
            | Self::Tls(host)
            | Self::Relp(host)
            | Self::Relps(host) => Some(host),
            Self::Unix(_) | Self::Unixgram(_) | Self::File(_) | Self::StandardOutput => None,
        }
    }

    /// Looks the host up. `None` where there is none.
    pub(super) fn resolve(&self) -> Result<Option<SocketAddr>, Error> {
        let Some(host) = self.host_port() else {
            return Ok(None);
        };
        let failed = |source| Error::Resolve {
            target: self.to_string(),
            source,
        };
        let mut addresses = (host.host.as_str(), host.port)
            .to_socket_addrs()
            .map_err(failed)?;
        match addresses.next() {
            Some(address) => Ok(Some(address)),
            None => Err(failed(std::io::ErrorKind::NotFound.into())),
        }
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let invalid = || Error::InvalidTarget {
            text: text.to_owned(),
        };
        let (scheme, rest) = text.split_once(':').ok_or_else(invalid)?;
        let path = || {
            // Both `unix:/run/x` and `unix:///run/x` are written.
            let path = rest.strip_prefix("//").unwrap_or(rest);
            (!path.is_empty())
                .then(|| PathBuf::from(path))
                .ok_or_else(invalid)
        };
        let host = || HostPort::parse(rest).ok_or_else(invalid);
        Ok(match scheme {
            "udp" => Self::Udp(host()?),
            "tcp" => Self::Tcp(host()?),
            "tls" => Self::Tls(host()?),
            "relp" => Self::Relp(host()?),
            "relps" => Self::Relps(host()?),
            "unix" => Self::Unix(path()?),
            "unixgram" => Self::Unixgram(path()?),
            "file" if rest == "-" => Self::StandardOutput,
            "file" => Self::File(path()?),
            _ => return Err(invalid()),
        })
    }
}

impl HostPort {
    /// Reads `//HOST:PORT`, with brackets around an IPv6 address.
    fn parse(rest: &str) -> Option<Self> {
        let (host, port) = rest.strip_prefix("//")?.rsplit_once(':')?;
        let port = port.strip_suffix('/').unwrap_or(port);
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let is_bare_v6 = bare.is_none() && host.contains(':');
        let host = bare.unwrap_or(host);
        if host.is_empty() || is_bare_v6 || host.contains('/') {
            return None;
        }
        Some(Self {
            host: host.to_owned(),
            port: port.parse().ok().filter(|port| *port > 0)?,
        })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Udp(host) => write!(f, "udp://{host}"),
            Self::Tcp(host) => write!(f, "tcp://{host}"),
            Self::Tls(host) => write!(f, "tls://{host}"),
            Self::Relp(host) => write!(f, "relp://{host}"),
            Self::Relps(host) => write!(f, "relps://{host}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Unixgram(path) => write!(f, "unixgram:{}", path.display()),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::StandardOutput => write!(f, "file:-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written() {
        for text in [
            "udp://127.0.0.1:514",
            "tcp://[::1]:601",
            "tls://logs.example.org:6514",
            "relp://h:2514",
            "relps://h:2514",
            "unix:/run/log.sock",
            "unixgram:run/log",
            "file:out.log",
            "file:-",
        ] {
            let target: Target = text.parse().expect(text);
            assert_eq!(target.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_target_is_refused() {
        for text in [
            "",
            "h:1",
            "tcp:h:1",
            "tcp://h",
            "tcp://:1",
            "tcp://h:0",
            "tcp://h:99999",
            "tcp://::1:601",
            "http://h:1",
            "unix:",
            "tcp://h/x:1",
        ] {
            let target: Result<Target, _> = text.parse();
            assert!(target.is_err(), "{text}");
        }
    }
}
