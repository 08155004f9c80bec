//! TLS towards the other side: whom to believe, and who we are. Nothing here turns checking off.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ring::digest::{SHA256, digest};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};

use crate::limits::PEM_BYTES_MAX;
use crate::sink::{Failure, Trouble};

/// Where distributions keep the authorities that everybody believes.
const SYSTEM_AUTHORITIES: [&str; 3] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

/// Whom to believe, and who we are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// PEM file with the authorities that the server's certificate must come from; those of the system where it
    /// is not set and no fingerprint is either.
    pub authorities: Option<PathBuf>,
    /// PEM file with our certificate and the chain behind it.
    pub certificate: Option<PathBuf>,
    /// PEM file with its private key.
    pub key: Option<PathBuf>,
    /// SHA-256 fingerprints of server certificates that are taken, as `SHA256:AB:01:...`; with authorities
    /// both have to fit, without them the fingerprint alone.
    pub fingerprints: Vec<String>,
    /// The name that the server's certificate must have, where that is another than the one we connect to.
    pub server_name: Option<String>,
}

impl TlsOptions {
    /// Reads the files. They are read anew for each connection that is opened, so that a new certificate needs no
    /// reload.
    ///
    /// # Errors
    /// When a file cannot be read or is not what it should be.
    pub fn config(&self) -> Result<Arc<ClientConfig>, Failure> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| Failure::new(format!("TLS cannot be set up: {error}")))?;
        let verifier = Arc::new(Verifier {
            authorities: self.authorities(&provider)?,
            fingerprints: { self.fingerprints.iter() }
                .map(|text| plain(text))
                .collect(),
            provider,
        });
        let builder = builder
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let config = match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => {
                let chain = certificates(certificate)?;
                let key = PrivateKeyDer::from_pem_slice(&read(key)?)
                    .map_err(|error| unusable(key, "private key", &error))?;
                let config = builder.with_client_auth_cert(chain, key);
                config.map_err(|error| unusable(certificate, "certificate", &error))?
            }
            _ => builder.with_no_client_auth(),
        };
        Ok(Arc::new(config))
    }

    /// What is wrong with the files.
    pub fn examine(&self) -> Option<Trouble> {
        let failure = self.config().err()?;
        let names = |path: &Option<PathBuf>| {
            path.as_ref()
                .is_some_and(|path| failure.what.contains(&path.display().to_string()))
        };
        let key = match () {
            () if names(&self.key) => "key",
            () if names(&self.certificate) => "certificate",
            () => "ca",
        };
        Some(Trouble {
            key,
            message: failure.what.clone(),
            remedy: Some("name a PEM file that the user who runs Logwood can read".to_owned()),
            is_error: true,
        })
    }

    /// The name to check for a host.
    ///
    /// # Errors
    /// When it can be the name of no server.
    pub fn name_for(&self, host: &str) -> Result<ServerName<'static>, Failure> {
        let name = self.server_name.as_deref().unwrap_or(host);
        ServerName::try_from(name.to_owned())
            .map_err(|_| Failure::new(format!("{name:?} can be the name of no server")))
    }

    fn authorities(
        &self,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Option<Arc<WebPkiServerVerifier>>, Failure> {
        let path = match &self.authorities {
            Some(path) => path.clone(),
            None if !self.fingerprints.is_empty() => return Ok(None),
            None => system_list()?,
        };
        let mut roots = RootCertStore::empty();
        // Lists of systems have some that are too odd to be used.
        let (added, _) = roots.add_parsable_certificates(certificates(&path)?);
        if added == 0 {
            let what = format!("{} has no certificate that can be used", path.display());
            return Err(Failure::new(what));
        }
        let provider = Arc::clone(provider);
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let verifier = verifier
            .build()
            .map_err(|error| unusable(&path, "authority", &error))?;
        Ok(Some(verifier))
    }
}

/// The authorities that everybody believes on this machine and that can be used.
#[cfg(any(feature = "kafka", feature = "mysql"))]
pub(crate) fn system_authorities() -> Result<Vec<CertificateDer<'static>>, Failure> {
    let found = certificates(&system_list()?)?.into_iter();
    let is_usable = |certificate: &CertificateDer<'static>| {
        RootCertStore::empty().add(certificate.clone()).is_ok()
    };
    Ok(found.filter(is_usable).collect())
}

fn system_list() -> Result<PathBuf, Failure> {
    let mut known = SYSTEM_AUTHORITIES.iter().map(Path::new);
    let found = known.find(|path| path.exists()).map(Path::to_owned);
    found.ok_or_else(|| Failure::new("this machine has no list of authorities: name one in `ca`"))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: &dyn fmt::Display| {
        Failure::new(format!("{} cannot be read: {error}", path.display()))
    };
    let length = path.metadata().map_err(|error| failed(&error))?.len();
    if length > PEM_BYTES_MAX {
        return Err(failed(&format!("it has more than {PEM_BYTES_MAX} bytes")));
    }
    std::fs::read(path).map_err(|error| failed(&error))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let pem = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let found = found.map_err(|error| unusable(path, "certificate", &error))?;
    match found.is_empty() {
        true => Err(unusable(path, "certificate", &"there is none in it")),
        false => Ok(found),
    }
}

fn unusable(path: &Path, what: &str, error: &dyn fmt::Display) -> Failure {
    Failure::new(format!("{} is no usable {what}: {error}", path.display()))
}

/// A fingerprint as lower-case digits alone.
fn plain(text: &str) -> String {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.rsplit(['=']).next().unwrap_or_default();
    let digits = digits.strip_prefix("sha256:").unwrap_or(digits);
    digits.chars().filter(char::is_ascii_hexdigit).collect()
}

/// Checks what a server shows.
#[derive(Debug)]
struct Verifier {
    authorities: Option<Arc<WebPkiServerVerifier>>,
    fingerprints: Vec<String>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        if !self.fingerprints.is_empty() {
            let found = digest(&SHA256, end_entity);
            let found: String = { found.as_ref().iter() }
                .map(|byte| format!("{byte:02x}"))
                .collect();
            if !self.fingerprints.contains(&found) {
                return Err(CertificateError::ApplicationVerificationFailure.into());
            }
        }
        match &self.authorities {
            Some(authorities) => authorities.verify_server_cert(
                end_entity,
                intermediates,
                server_name,
                ocsp_response,
                now,
            ),
            // Only where a fingerprint has fitted.
            None => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_compared_by_their_digits() {
        for text in ["SHA256:AB:01", "sha256 Fingerprint=AB:01", "ab01", " AB01 "] {
            assert_eq!(plain(text), "ab01", "{text}");
        }
    }
}
