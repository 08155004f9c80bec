//! A TLS client, and certificates for both ends.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::harness::Server;

/// An authority, to be trusted by name of its file.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, in PEM form.
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    /// Makes one.
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("valid");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("makes one");
        Self(CertifiedIssuer::self_signed(params, key).expect("signs"))
    }

    /// Its own certificate, in PEM form.
    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// Signs a certificate for a name.
    pub(crate) fn sign(&self, name: &str) -> Identity {
        let params = CertificateParams::new(vec![name.to_owned()]).expect("valid");
        let key = KeyPair::generate().expect("makes one");
        let certificate = params.signed_by(&key, &self.0).expect("signs");
        Identity {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}

impl Identity {
    /// Writes `certificate.pem` and `key.pem`.
    pub(crate) fn write(&self, directory: &Path) {
        fs::write(directory.join("certificate.pem"), &self.certificate).expect("writes");
        fs::write(directory.join("key.pem"), &self.key).expect("writes");
    }
}

/// Connects as a name to the listener `tls`, trusting the certificates of a PEM text.
pub(crate) async fn connect(
    server: &Server,
    name: &str,
    trusted: &str,
    identity: Option<&Identity>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(server.address("tls")).await?;
    connect_over(stream, name, trusted, identity).await
}

/// The same over a connection that is open.
pub(crate) async fn connect_over(
    stream: TcpStream,
    name: &str,
    trusted: &str,
    identity: Option<&Identity>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(trusted.as_bytes()) {
        roots.add(certificate.expect("valid")).expect("valid");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("valid")
        .with_root_certificates(roots);
    let config = match identity {
        None => builder.with_no_client_auth(),
        Some(Identity { certificate, key }) => {
            let chain = CertificateDer::pem_slice_iter(certificate.as_bytes());
            let chain = chain.collect::<Result<_, _>>().expect("valid");
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("valid");
            builder.with_client_auth_cert(chain, key).expect("valid")
        }
    };
    let name = ServerName::try_from(name.to_owned()).expect("valid");
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}
