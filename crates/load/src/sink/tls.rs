//! The sink's side of TLS: a certificate that was given, or one made for the occasion.

use std::path::Path;
use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

use crate::sink::error::Error;
use crate::sink::options::SinkOptions;

/// Makes an acceptor; clients are not asked for certificates.
pub(crate) fn acceptor(options: &SinkOptions) -> Result<TlsAcceptor, Error> {
    let (certificates, key) = match &options.identity {
        Some((certificate, key)) => (read_certificates(certificate)?, read_key(key)?),
        None => made()?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(certificates, key)
        })
        .map_err(|error| certificate_error(&error))?;
    // Senders that never read close with the tickets unread; their system then resets the
    // connection, and what we have not read yet is lost: 212 of 1,000 messages of loggen.
    config.send_tls13_tickets = 0;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn made() -> Result<Identity, Error> {
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let key = KeyPair::generate().map_err(|error| certificate_error(&error))?;
    let params = CertificateParams::new(names).map_err(|error| certificate_error(&error))?;
    let certificate = params
        .self_signed(&key)
        .map_err(|error| certificate_error(&error))?;
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    Ok((vec![certificate.der().clone()], PrivateKeyDer::from(key)))
}

fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let text = read(path)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    certificates.map_err(|error| certificate_error(&error))
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, Error> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| certificate_error(&error))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::File {
        action: "read",
        path: path.to_owned(),
        source,
    })
}

fn certificate_error(error: &impl ToString) -> Error {
    Error::Certificate {
        reason: error.to_string(),
    }
}
