//! Why messages cannot be made or sent, in words for whoever typed the command.

use std::io;
use std::path::PathBuf;

/// A run that cannot start, or that ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A target that is no URL of ours.
    #[error(
        "{text:?} is no target: write udp://HOST:PORT, tcp://, tls://, relp://, relps://, \
         unix:PATH, unixgram:PATH or file:PATH"
    )]
    InvalidTarget {
        /// What was written.
        text: String,
    },
    /// A name that has no address.
    #[error("cannot find the address of {target}: {source}")]
    Resolve {
        /// The target.
        target: String,
        /// Why not.
        source: io::Error,
    },
    /// Options that do not go together.
    #[error("{what} cannot be used with {with}: {remedy}")]
    Contradiction {
        /// One option.
        what: String,
        /// The other.
        with: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A number outside its bounds.
    #[error("{what} is {found}, it must be {min} to {max}")]
    OutOfRange {
        /// The option.
        what: &'static str,
        /// Its value.
        found: u64,
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// A message that has to be longer than was asked for.
    #[error(
        "messages of this format have at least {bytes_min} bytes before their line end, not {bytes}"
    )]
    TooShort {
        /// The asked for size.
        bytes: usize,
        /// The smallest size.
        bytes_min: usize,
    },
    /// A file that cannot be read or written.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file that holds something else than a certificate or key.
    #[error("{path} holds no {expected} in PEM form")]
    NotPem {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        expected: &'static str,
    },
    /// Certificates that do not work.
    #[error("TLS cannot be set up: {source}")]
    Tls {
        /// Why not.
        source: rustls::Error,
    },
    /// A connection that could not be opened.
    #[error("connection {connection} to {target} cannot be opened: {source}")]
    Open {
        /// Its index.
        connection: u32,
        /// Where to.
        target: String,
        /// Why not.
        source: io::Error,
    },
    /// Not enough files may be open.
    #[error("{wanted} open files are needed: raise the limit (ulimit -n)")]
    OpenFiles {
        /// How many.
        wanted: u64,
    },
    /// Threads or timers cannot be had.
    #[error("cannot start the senders: {source}")]
    Runtime {
        /// Why not.
        source: io::Error,
    },
}
