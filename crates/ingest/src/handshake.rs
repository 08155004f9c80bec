//! Why a TLS handshake failed, in words for whoever runs the server or the sender.

use std::fmt;
use std::io;

use rustls::{AlertDescription, CertificateError, Error};

/// Shows the failure of a handshake.
pub(crate) struct Failure(pub(crate) io::Error);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.0.get_ref();
        let Some(error) = inner.and_then(|inner| inner.downcast_ref::<Error>()) else {
            return write!(f, "the TLS handshake broke off: {}", self.0);
        };
        match error {
            Error::InvalidCertificate(error) => {
                f.write_str("the client's certificate is not taken: ")?;
                certificate(error, f)
            }
            Error::NoCertificatesPresented => f.write_str(
                "the client shows no certificate, and `client_certificates` requires one",
            ),
            Error::AlertReceived(AlertDescription::UnknownCA) => f.write_str(
                "the client does not trust our certificate: give it the authority that signed \
                 `certificate`",
            ),
            Error::AlertReceived(alert) => {
                write!(f, "the client broke the TLS handshake off: {alert:?}")
            }
            Error::InvalidMessage(_) => {
                write!(f, "what the client sends is no TLS handshake: {error}")
            }
            _ => write!(f, "the TLS handshake failed: {error}"),
        }
    }
}

fn certificate(error: &CertificateError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error {
        CertificateError::UnknownIssuer => f.write_str(
            "no authority of `client_ca` has issued it, or the client does not send the \
             certificates between",
        ),
        CertificateError::Revoked => f.write_str("it is revoked by a list of `client_crl`"),
        CertificateError::BadEncoding => f.write_str("it is damaged or of a kind that is not read"),
        CertificateError::BadSignature => {
            f.write_str("a signature in its chain is wrong, or of too small a key")
        }
        CertificateError::UnsupportedSignatureAlgorithmContext { .. } => f.write_str(
            "it, or a certificate above it, is signed in a way that is not safe, such as with SHA-1",
        ),
        CertificateError::Other(other) => match other.0.downcast_ref::<webpki::Error>() {
            Some(error) => chain(error, f),
            None => write!(f, "{:?}", other.0),
        },
        other => write!(f, "{other}"),
    }
}

/// What is wrong with it and the certificates above it.
fn chain(error: &webpki::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    use webpki::Error;
    let text = match error {
        Error::CaUsedAsEndEntity => "it is that of an authority, not of a client",
        Error::EndEntityUsedAsCa => "what signed it is not the certificate of an authority",
        Error::PathLenConstraintViolated => "there are more authorities above it than one allows",
        Error::NameConstraintViolation => "an authority above it may not sign for its name",
        Error::UnsupportedCriticalExtension => "it has a critical extension that is not understood",
        other => return write!(f, "{other}"),
    };
    f.write_str(text)
}
