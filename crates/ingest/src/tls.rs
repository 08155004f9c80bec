//! Certificates and keys into what the TLS library needs.

use std::fs::File;
use std::io::{self, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::certificate::{self, CertificateFiles};
use crate::certificate_facts::CertificateFacts;
use crate::error::TlsError;
use crate::limits::PEM_BYTES_MAX;
use crate::options::{ClientCertificates, TlsIdentity, TlsOptions};
use crate::verifier::Verifier;

/// The certificates in use. Replaced as a whole; connections keep those they began with.
#[derive(Debug)]
pub(crate) struct TlsSlot(RwLock<Arc<ServerConfig>>);

impl TlsSlot {
    pub(crate) fn new(config: Arc<ServerConfig>) -> Self {
        Self(RwLock::new(config))
    }

    /// Takes other certificates for the handshakes to come.
    pub(crate) fn set(&self, config: Arc<ServerConfig>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = config;
    }

    /// What the next handshake uses.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let config = self.0.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&config))
    }
}

/// Reads certificates and keys; makes a self-signed one, for the names of this machine and these
/// addresses, where that is configured and none is there.
pub(crate) fn load(
    options: &TlsOptions,
    addresses: &[IpAddr],
) -> Result<Arc<ServerConfig>, TlsError> {
    let files = match &options.identity {
        TlsIdentity::SelfSigned { directory } => certificate::find_or_make(directory, addresses)?,
        TlsIdentity::Files { certificate, key } => CertificateFiles {
            certificate: certificate.clone(),
            key: key.clone(),
        },
    };
    let (chain, key) = (
        read_certificates(&files.certificate)?,
        read_key(&files.key)?,
    );
    let provider = provider();
    let identity = Identity::new(&files, chain, key, &provider)?;
    identity.with_clients(client_verifier(options, provider)?)
}

pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// A certificate and its key, which fit.
pub(crate) struct Identity<'a> {
    files: &'a CertificateFiles,
    resolver: SingleCertAndKey,
    provider: Arc<CryptoProvider>,
}

impl<'a> Identity<'a> {
    pub(crate) fn new(
        files: &'a CertificateFiles,
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, TlsError> {
        let certified = CertifiedKey::from_der(chain, key, provider);
        let certified = certified.map_err(|source| match source {
            rustls::Error::InconsistentKeys(_) => TlsError::OtherKey {
                certificate: files.certificate.clone(),
                key: files.key.clone(),
            },
            source => unusable(files, source),
        })?;
        Ok(Self {
            files,
            resolver: certified.into(),
            provider: Arc::clone(provider),
        })
    }

    fn with_clients(self, verifier: Option<Verifier>) -> Result<Arc<ServerConfig>, TlsError> {
        let builder = ServerConfig::builder_with_provider(self.provider)
            .with_safe_default_protocol_versions()
            .map_err(|source| unusable(self.files, source))?;
        let builder = match verifier {
            Some(verifier) => builder.with_client_cert_verifier(Arc::new(verifier)),
            None => builder.with_no_client_auth(),
        };
        let mut config = builder.with_cert_resolver(Arc::new(self.resolver));
        // A sender that only writes never reads the tickets of TLS 1.3. With them unread, closing
        // its socket resets the connection, and the kernel throws away what it sent and we had not
        // read.
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }
}

fn unusable(files: &CertificateFiles, source: rustls::Error) -> TlsError {
    TlsError::Identity {
        certificate: files.certificate.clone(),
        key: files.key.clone(),
        source,
    }
}

fn client_verifier(
    options: &TlsOptions,
    provider: Arc<CryptoProvider>,
) -> Result<Option<Verifier>, TlsError> {
    let (authorities, is_required) = match &options.clients {
        ClientCertificates::None => return Ok(None),
        ClientCertificates::Optional { authorities } => (Some(authorities), false),
        ClientCertificates::Required { authorities } => (Some(authorities), true),
        ClientCertificates::OptionalUntrusted => (None, false),
        ClientCertificates::RequiredUntrusted => (None, true),
    };
    let checks = &options.checks;
    let trusted = authorities
        .map(|path| trusted_by(path, checks.revoked.as_deref(), &provider))
        .transpose()?;
    Ok(Some(Verifier::new(trusted, is_required, provider, checks)))
}

/// Who checks that a certificate comes from one of these authorities and is not revoked.
pub(crate) fn trusted_by(
    authorities: &Path,
    revoked: Option<&Path>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let unusable = |reason: String| TlsError::Authorities {
        path: authorities.to_owned(),
        reason,
    };
    let mut roots = RootCertStore::empty();
    for certificate in read_certificates(authorities)? {
        roots
            .add(certificate)
            .map_err(|error| unusable(error.to_string()))?;
    }
    let builder =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    let Some(path) = revoked else {
        return builder.build().map_err(|error| unusable(error.to_string()));
    };
    // Authorities without a list are taken at their word; a list that is out of date still holds.
    builder
        .with_crls(read_revoked(path)?)
        .allow_unknown_revocation_status()
        .build()
        .map_err(|error| TlsError::Revoked {
            path: path.to_owned(),
            reason: format!("{error}; each must be of version 2, with a number (RFC 5280)"),
        })
}

fn read_revoked(path: &Path) -> Result<Vec<CertificateRevocationListDer<'static>>, TlsError> {
    let not_pem = || TlsError::NotPem {
        path: path.to_owned(),
        expected: "revocation list",
    };
    let pem = read(path)?;
    let lists: Result<Vec<_>, _> = CertificateRevocationListDer::pem_slice_iter(&pem).collect();
    let lists = lists.map_err(|_| not_pem())?;
    if lists.is_empty() {
        return Err(not_pem());
    }
    Ok(lists)
}

/// The certificates of a file, at least one.
pub(crate) fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let not_pem = || TlsError::NotPem {
        path: path.to_owned(),
        expected: "certificate",
    };
    let pem = read(path)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let certificates = certificates.map_err(|_| not_pem())?;
    if certificates.is_empty() {
        return Err(not_pem());
    }
    Ok(certificates)
}

/// The first certificate of a file, as others see it.
pub(crate) fn read_facts(path: &Path) -> Result<CertificateFacts, TlsError> {
    let chain = read_certificates(path)?;
    let facts = chain
        .first()
        .and_then(|first| CertificateFacts::read(first));
    facts.ok_or_else(|| TlsError::NotPem {
        path: path.to_owned(),
        expected: "certificate",
    })
}

pub(crate) fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let pem = read(path)?;
    PrivateKeyDer::from_pem_slice(&pem).map_err(|_| match is_encrypted(&pem) {
        true => TlsError::EncryptedKey {
            path: path.to_owned(),
        },
        false => TlsError::NotPem {
            path: path.to_owned(),
            expected: "private key",
        },
    })
}

/// Whether a key needs a password: in the form of PKCS #8, or in that of openssl before 1.0.
fn is_encrypted(pem: &[u8]) -> bool {
    let marks: [&[u8]; 2] = [b"BEGIN ENCRYPTED PRIVATE KEY", b"Proc-Type: 4,ENCRYPTED"];
    marks
        .iter()
        .any(|mark| pem.windows(mark.len()).any(|window| window == *mark))
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    let mut pem = Vec::new();
    let file = File::open(path).map_err(TlsError::io("open", path))?;
    let read = file.take(PEM_BYTES_MAX + 1).read_to_end(&mut pem);
    let len = read.map_err(TlsError::io("read", path))?;
    if len as u64 > PEM_BYTES_MAX {
        return Err(TlsError::TooLarge {
            path: path.to_owned(),
        });
    }
    Ok(pem)
}

impl TlsError {
    /// Wraps an I/O error with what was tried on what.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::options::ClientChecks;

    fn self_signed(directory: &Path) -> TlsOptions {
        TlsOptions {
            identity: TlsIdentity::SelfSigned {
                directory: directory.to_owned(),
            },
            clients: ClientCertificates::None,
            checks: ClientChecks::default(),
        }
    }

    fn check(options: &TlsOptions, expected: &str) {
        let error = load(options, &[]).expect_err("unusable").to_string();
        assert!(error.contains(expected), "{error:?} has no {expected:?}");
    }

    #[test]
    fn unusable_files_are_told_by_name() {
        let directory = tempfile::tempdir().expect("makes one");
        let path = |name: &str| directory.path().join(name);
        load(&self_signed(directory.path()), &[]).expect("makes one");
        fs::write(path("text.pem"), "no certificate").expect("writes");
        fs::write(path("huge.pem"), vec![b'x'; 5 * 1024 * 1024]).expect("writes");
        let other = tempfile::tempdir().expect("makes one");
        load(&self_signed(other.path()), &[]).expect("makes one");

        let files = |certificate: &str, key: PathBuf| TlsOptions {
            identity: TlsIdentity::Files {
                certificate: path(certificate),
                key,
            },
            clients: ClientCertificates::None,
            checks: ClientChecks::default(),
        };
        check(&files("none.pem", path("key.pem")), "cannot open");
        check(
            &files("text.pem", path("key.pem")),
            "text.pem holds no certificate",
        );
        check(&files("huge.pem", path("key.pem")), "huge.pem is too large");
        check(
            &files("certificate.pem", path("text.pem")),
            "text.pem holds no private key",
        );
        check(
            &files("certificate.pem", other.path().join("key.pem")),
            "is not that of the certificate",
        );

        let mut options = self_signed(directory.path());
        options.clients = ClientCertificates::Required {
            authorities: path("text.pem"),
        };
        check(&options, "text.pem holds no certificate");
        options.clients = ClientCertificates::Optional {
            authorities: path("certificate.pem"),
        };
        load(&options, &[]).expect("a certificate is an authority for itself");
        options.checks.revoked = Some(path("text.pem"));
        check(&options, "text.pem holds no revocation list");
    }
}
