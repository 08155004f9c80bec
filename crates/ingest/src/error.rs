//! Why listening cannot start or change, in words for whoever has to mend it.

use std::io;
use std::path::PathBuf;

use crate::address::Address;
use crate::limits::{HOST_LIST_MAX, UDP_SOCKETS_MAX};
use crate::socket_file::SocketFileError;

/// The receivers cannot be started or changed. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two listeners would count under one name.
    #[error("two listeners are called {name:?}: their sources could not be told apart")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A name that no source can have.
    #[error(
        "a listener cannot be called {name:?}: a name has 1 to {max} bytes and is not http or internal",
        max = model::limits::NAME_BYTES_MAX
    )]
    InvalidName {
        /// The name.
        name: String,
    },
    /// A message length that is not supported.
    #[error(
        "listener {listener}: message length {bytes} is not between 1 and {max}",
        max = model::limits::MESSAGE_BYTES_MAX
    )]
    MessageLength {
        /// The listener.
        listener: String,
        /// What was asked for.
        bytes: usize,
    },
    /// A number of UDP sockets that is not supported.
    #[error("listener {listener}: {sockets} sockets are not between 1 and {UDP_SOCKETS_MAX}")]
    UdpSockets {
        /// The listener.
        listener: String,
        /// What was asked for.
        sockets: usize,
    },
    /// More networks in a host list than are looked through.
    #[error(
        "listener {listener}: a host list has {networks} networks, {HOST_LIST_MAX} are possible"
    )]
    HostList {
        /// The listener.
        listener: String,
        /// How many there are.
        networks: usize,
    },
    /// A path where there must be an IP address, or the other way round.
    #[error("listener {listener}: transport {transport} cannot listen on {address}")]
    Address {
        /// The listener.
        listener: String,
        /// Its transport.
        transport: &'static str,
        /// Where it was to listen.
        address: Address,
    },
    /// A socket that was passed to us cannot be used.
    #[error("the passed socket {name:?} cannot be used: {reason}")]
    Passed {
        /// The name it came under.
        name: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// Encryption where there is none, or none where there must be.
    #[error("listener {listener}: transport {transport} {} TLS settings", if *.is_missing { "needs" } else { "takes no" })]
    TlsSettings {
        /// The listener.
        listener: String,
        /// Its transport.
        transport: &'static str,
        /// Whether they are missing or too many.
        is_missing: bool,
    },
    /// The operating system does not let us listen.
    #[error("listener {listener} cannot listen on {transport} {address}: {source}")]
    Bind {
        /// The listener.
        listener: String,
        /// Its transport.
        transport: &'static str,
        /// Where it was to listen.
        address: Address,
        /// Why it cannot.
        source: io::Error,
    },
    /// No socket can be made at a path.
    #[error("listener {listener} cannot listen on {transport} {address}: {source}")]
    SocketFile {
        /// The listener.
        listener: String,
        /// Its transport.
        transport: &'static str,
        /// Where it was to listen.
        address: Address,
        /// Why it cannot.
        source: SocketFileError,
    },
    /// The certificates cannot be used.
    #[error("listener {listener}: {source}")]
    Tls {
        /// The listener.
        listener: String,
        /// What is wrong with them.
        source: Box<TlsError>,
    },
    /// A logspace that records would go to cannot be made.
    #[error("cannot create logspace {logspace}: {source}")]
    Logspace {
        /// The logspace.
        logspace: model::LogspaceName,
        /// Why not.
        source: Box<store::Error>,
    },
    /// The receivers have been shut down.
    #[error("the receivers have been shut down")]
    ShutDown,
}

/// Certificates and keys that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The operating system refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried, such as `read`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is larger than any certificate.
    #[error("{path} is too large for a certificate or key")]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file holds something else.
    #[error("{path} holds no {expected} in PEM form")]
    NotPem {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        expected: &'static str,
    },
    /// Only one of certificate and key is there.
    #[error(
        "{present} is there but {missing} is not: restore it, or remove both to have new ones made"
    )]
    HalfIdentity {
        /// The file that is there.
        present: PathBuf,
        /// The file that is not.
        missing: PathBuf,
    },
    /// A certificate could not be made.
    #[error("cannot make a self-signed certificate: {0}")]
    Generate(#[from] rcgen::Error),
    /// A name that cannot stand in a certificate.
    #[error("{name:?} is neither a DNS name nor an IP address")]
    Name {
        /// The name.
        name: String,
    },
    /// The key is encrypted.
    #[error("the private key in {path} is encrypted")]
    EncryptedKey {
        /// The file.
        path: PathBuf,
    },
    /// The key is that of another certificate.
    #[error("the private key in {key} is not that of the certificate in {certificate}")]
    OtherKey {
        /// The certificate.
        certificate: PathBuf,
        /// The key.
        key: PathBuf,
    },
    /// Certificate and key do not work together.
    #[error("certificate {certificate} and key {key} cannot be used: {source}")]
    Identity {
        /// The certificate.
        certificate: PathBuf,
        /// The key.
        key: PathBuf,
        /// Why not.
        source: rustls::Error,
    },
    /// Lists of revoked certificates cannot be used.
    #[error("the revocation lists in {path} cannot be used: {reason}")]
    Revoked {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A certificate of an authority cannot be used.
    #[error("the authorities in {path} cannot be used: {reason}")]
    Authorities {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

/// Records that were handed in and are not durable. They must not be acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// The store refused them or could not write them.
    #[error("the records could not be stored")]
    NotStored,
    /// The disk has less room than is to be kept.
    #[error("{0}")]
    NoRoom(String),
    /// A batch cannot hold that many or such large messages.
    #[error("a message is too large to be stored")]
    TooLarge,
    /// There is no such logspace.
    #[error("there is no logspace {0}")]
    UnknownLogspace(model::LogspaceName),
    /// The receivers have been shut down.
    #[error("the receivers have been shut down")]
    ShutDown,
}
