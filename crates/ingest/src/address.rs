//! Where a listener listens: an address of the network, or a path of the file system.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// An IP address and a port. Port 0 stands for any free one.
    Internet(SocketAddr),
    /// A unix socket.
    Unix(PathBuf),
}

impl Address {
    /// The IP address and port, where it has them.
    pub fn internet(&self) -> Option<SocketAddr> {
        match self {
            Self::Internet(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// The path, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Internet(_) => None,
            Self::Unix(path) => Some(path),
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self::Internet(address)
    }
}

impl From<PathBuf> for Address {
    fn from(path: PathBuf) -> Self {
        Self::Unix(path)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Internet(address) => address.fmt(f),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}
