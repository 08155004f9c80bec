//! Which client certificates are taken: whose authority is trusted, or any, and of these those that
//! a list names.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError, SignatureScheme,
};

use crate::client_names::ClientNames;
use crate::fingerprint::Fingerprint;
use crate::options::ClientChecks;

/// Checks what clients show.
#[derive(Debug)]
pub(crate) struct Verifier {
    /// Who checks where it comes from; nobody where any is taken.
    authorities: Option<Arc<dyn ClientCertVerifier>>,
    is_required: bool,
    provider: Arc<CryptoProvider>,
    names: Vec<String>,
    fingerprints: Vec<Fingerprint>,
}

/// A certificate that no list names.
#[derive(thiserror::Error)]
#[error(
    "neither `client_names` nor `client_fingerprints` has the certificate of {names} ({fingerprint})"
)]
pub(crate) struct NotListed {
    names: String,
    fingerprint: Fingerprint,
}

/// What rustls shows of it.
impl fmt::Debug for NotListed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Verifier {
    pub(crate) fn new(
        authorities: Option<Arc<dyn ClientCertVerifier>>,
        is_required: bool,
        provider: Arc<CryptoProvider>,
        checks: &ClientChecks,
    ) -> Self {
        Self {
            authorities,
            is_required,
            provider,
            names: checks.names.clone(),
            fingerprints: checks.fingerprints.clone(),
        }
    }

    /// Whether a list names it; without any list, it need not be named.
    fn check_lists(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        if self.names.is_empty() && self.fingerprints.is_empty() {
            return Ok(());
        }
        let fingerprint = Fingerprint::of(certificate);
        if self.fingerprints.contains(&fingerprint) {
            return Ok(());
        }
        let names = ClientNames::read(certificate).ok_or(CertificateError::BadEncoding)?;
        if self.names.iter().any(|pattern| names.meet(pattern)) {
            return Ok(());
        }
        let names = names.describe();
        let refusal = NotListed { names, fingerprint };
        Err(CertificateError::Other(OtherError(Arc::new(refusal))).into())
    }
}

impl ClientCertVerifier for Verifier {
    fn client_auth_mandatory(&self) -> bool {
        self.is_required
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        let authorities = self.authorities.as_ref();
        authorities.map_or(&[], |authorities| authorities.root_hint_subjects())
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if let Some(authorities) = &self.authorities {
            authorities.verify_client_cert(end_entity, intermediates, now)?;
        }
        self.check_lists(end_entity)?;
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
