//! Why a sink cannot start or go on.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a sink cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No address was given.
    #[error("a sink needs an address to listen on")]
    NoAddress,
    /// The address cannot be had.
    #[error("cannot listen on {address} ({transport}): {source}")]
    Listen {
        /// What was to be spoken there.
        transport: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The certificate or the key is of no use.
    #[error("cannot use the certificate: {reason}")]
    Certificate {
        /// Why.
        reason: String,
    },
}
