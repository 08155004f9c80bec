//! The client's side of TLS.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_rustls::TlsConnector;

use crate::Error;
use crate::limits::PEM_BYTES_MAX;

/// Whom to trust, and who we are.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// Certificates of the authorities that the server's must come from.
    pub authorities: Option<PathBuf>,
    /// Our certificate and its key, where the server wants to know.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// Trust any server.
    pub is_insecure: bool,
}

/// Reads the files.
pub(super) fn connector(options: &TlsOptions) -> Result<TlsConnector, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|source| Error::Tls { source })?;
    let builder = match &options.authorities {
        _ if options.is_insecure => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyServer(provider))),
        Some(path) => builder.with_root_certificates(roots(path)?),
        None => {
            return Err(Error::Contradiction {
                what: "TLS".to_owned(),
                with: "nobody to trust".to_owned(),
                remedy: "name the authorities with --ca, or trust any server with --insecure",
            });
        }
    };
    let config = match &options.identity {
        Some((certificate, key)) => builder
            .with_client_auth_cert(certificates(certificate)?, private_key(key)?)
            .map_err(|source| Error::Tls { source })?,
        None => builder.with_no_client_auth(),
    };
    Ok(TlsConnector::from(Arc::new(config)))
}

fn roots(path: &Path) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots
            .add(certificate)
            .map_err(|source| Error::Tls { source })?;
    }
    Ok(roots)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let pem = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(Error::NotPem {
            path: path.to_owned(),
            expected: "certificate",
        }),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Error> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|_| Error::NotPem {
        path: path.to_owned(),
        expected: "private key",
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::File {
        action: "read",
        path: path.to_owned(),
        source,
    };
    let mut pem = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(PEM_BYTES_MAX)
        .read_to_end(&mut pem)
        .map_err(failed)?;
    Ok(pem)
}

/// Takes any certificate, as loggen does. Signatures are still checked: the server has the key.
#[derive(Debug)]
struct AnyServer(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
