//! What to do about an error.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::path::Path;

use crate::error::{Error, TlsError};

impl Error {
    /// What to do about it; `None` where the error says so itself.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Bind {
                address, source, ..
            } => Some(bind_remedy(address.internet()?, source)),
            Self::SocketFile { source, .. } => Some(source.remedy()),
            Self::Tls { source, .. } => source.remedy(),
            Self::Passed { .. } => {
                Some("compare the socket units with the sources of the configuration".to_owned())
            }
            _ => None,
        }
    }

    /// Whether the same may go well at another moment or for another user.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Bind { source, .. } => is_passing(source),
            Self::SocketFile { source, .. } => source.is_passing(),
            _ => false,
        }
    }
}

/// Whether listening may go well at another moment or for another user: somebody has the address,
/// or the port needs a right.
pub fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AddrInUse | ErrorKind::PermissionDenied
    )
}

/// What to do where the system does not let us listen on an address.
pub fn bind_remedy(address: SocketAddr, error: &io::Error) -> String {
    let (ip, port) = (address.ip(), address.port());
    match error.kind() {
        ErrorKind::AddrInUse => format!(
            "stop the program that `ss -lntup 'sport = :{port}'` shows there, or choose another port \
             in `listen`"
        ),
        ErrorKind::PermissionDenied => format!(
            "port {port} needs CAP_NET_BIND_SERVICE, which packaging/systemd/logwood.service gives; \
             for every program: `sysctl net.ipv4.ip_unprivileged_port_start={port}`"
        ),
        ErrorKind::AddrNotAvailable => format!(
            "this machine has no address {ip}: name one of those that `ip address` shows, or {} for all",
            if ip.is_ipv6() { "[::]" } else { "0.0.0.0" }
        ),
        _ => "choose another address in `listen`".to_owned(),
    }
}

impl TlsError {
    /// What to do about it; `None` where the error says so itself.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            Self::Io { path, source, .. } => file_remedy(path, source),
            Self::TooLarge { .. } | Self::HalfIdentity { .. } => return None,
            Self::NotPem { path, expected } => format!(
                "the file has to hold `-----BEGIN {}-----`; one in DER form becomes PEM by \
                 `openssl {} -inform DER -in {} -out PEM_FILE`",
                expected.to_ascii_uppercase(),
                openssl_command(expected),
                path.display()
            ),
            Self::Name { .. } => "write a name as logs.example.com, *.example.com or 192.0.2.1".to_owned(),
            Self::EncryptedKey { path } => format!(
                "decrypt it, Logwood has nobody to ask for a password: \
                 `openssl pkey -in {} -out PLAIN_KEY`",
                path.display()
            ),
            Self::OtherKey { certificate, key } => format!(
                "`openssl x509 -in {} -noout -pubkey` and `openssl pkey -in {} -pubout` must print the \
                 same; the server's certificate comes first in its file, those of its authorities behind",
                certificate.display(),
                key.display()
            ),
            Self::Identity { .. } => {
                "take an RSA key of 2048 bits or more, or one of the elliptic curves P-256, P-384 and \
                 Ed25519"
                    .to_owned()
            }
            Self::Generate(_) => "name a certificate and key of your own".to_owned(),
            Self::Revoked { .. } => {
                "ask the authority for lists of version 2, each with a number (RFC 5280)".to_owned()
            }
            Self::Authorities { .. } => {
                "name the certificates of the authorities that sign those of the clients".to_owned()
            }
        })
    }
}

fn openssl_command(expected: &str) -> &'static str {
    match expected {
        "certificate" => "x509",
        "private key" => "pkey",
        _ => "crl",
    }
}

/// What to do about a file that cannot be read.
fn file_remedy(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "name a file that is there".to_owned(),
        ErrorKind::PermissionDenied => format!(
            "let the user that runs Logwood read it, as by `chgrp logwood {path}` and \
             `chmod 640 {path}`, and enter the directories above it",
            path = path.display()
        ),
        ErrorKind::IsADirectory => "name the file in that directory".to_owned(),
        ErrorKind::ReadOnlyFilesystem => format!(
            "the file system is read-only; under systemd, name {} in ReadWritePaths= of the unit",
            path.display()
        ),
        _ => "see that the disk it is on is there and can be read".to_owned(),
    }
}
