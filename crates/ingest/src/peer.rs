//! Who is at the other end of a connection.

use std::fmt;
use std::net::IpAddr;

/// The other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// Somebody with this address.
    Address(IpAddr),
    /// A process of this machine, as the kernel knows it. It may have sent on behalf of another.
    Process { pid: Option<i32>, uid: u32 },
    /// A process of this machine that the kernel does not tell.
    Unknown,
}

impl Peer {
    /// The address, where it has one.
    pub(crate) fn address(self) -> Option<IpAddr> {
        match self {
            Self::Address(address) => Some(address),
            Self::Process { .. } | Self::Unknown => None,
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Process {
                pid: Some(pid),
                uid,
            } => write!(f, "process {pid} of user {uid}"),
            Self::Process { pid: None, uid } => write!(f, "a process of user {uid}"),
            Self::Unknown => f.write_str("a process"),
        }
    }
}
