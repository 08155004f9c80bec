//! Requests over TLS, and other sides that do not answer as they should.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rcgen::{CertificateParams, KeyPair};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::sink::Failure;
use crate::tls::TlsOptions;

/// A server certificate with its key, signed by itself.
struct Identity {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

fn identity() -> Identity {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let certificate = params.self_signed(&key).expect("signs");
    Identity { certificate, key }
}

/// Answers each connection with the same bytes, once it has read a request.
async fn serve(identity: &Identity, answer: &'static [u8]) -> String {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![identity.certificate.der().clone()],
            rustls::pki_types::PrivateKeyDer::try_from(identity.key.serialize_der())
                .expect("a key"),
        );
    let acceptor = TlsAcceptor::from(Arc::new(config.expect("an identity")));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    return;
                };
                let mut buffer = [0; 4096];
                _ = stream.read(&mut buffer).await;
                _ = stream.write_all(answer).await;
                _ = stream.shutdown().await;
            });
        }
    });
    format!("https://localhost:{port}")
}

async fn ask(url: &str, tls: TlsOptions, timeout: Duration) -> Result<Answer, Failure> {
    let options = ClientOptions {
        urls: vec![Url::parse(url).expect("a URL")],
        tls,
        timeout,
        gzip: None,
    };
    let client = Client::new(&options, 100)?;
    let request = Request::post("/", "text/plain", Bytes::from_static(b"x"));
    client.send(request).await
}

const LONG: Duration = Duration::from_secs(30);
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn a_certificate_is_checked_by_authority_or_fingerprint_and_never_not_at_all() {
    let identity = identity();
    let url = serve(&identity, OK).await;
    let refused = ask(&url, TlsOptions::default(), LONG)
        .await
        .expect_err("refused");
    assert!(refused.what.contains("certificate"), "{refused}");
    let digest = ring::digest::digest(&ring::digest::SHA256, identity.certificate.der());
    let digits: Vec<_> = digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    let pinned = TlsOptions {
        fingerprints: vec![format!("SHA256:{}", digits.join(":"))],
        ..TlsOptions::default()
    };
    assert_eq!(ask(&url, pinned, LONG).await.expect("trusted").body, "ok");
    let other = TlsOptions {
        fingerprints: vec!["07".repeat(32)],
        ..TlsOptions::default()
    };
    assert!(ask(&url, other, LONG).await.is_err());
    let dir = tempfile::tempdir().expect("makes one");
    let path = dir.path().join("ca.pem");
    std::fs::write(&path, identity.certificate.pem()).expect("writes");
    let by_authority = TlsOptions {
        authorities: Some(path.clone()),
        ..TlsOptions::default()
    };
    assert_eq!(
        ask(&url, by_authority.clone(), LONG)
            .await
            .expect("trusted")
            .status,
        200
    );
    assert_eq!(by_authority.examine(), None);
    std::fs::write(&path, "nothing").expect("writes");
    assert_eq!(
        by_authority.examine().map(|trouble| trouble.key),
        Some("ca")
    );
}

#[tokio::test]
async fn an_answer_has_a_bound_and_a_time() {
    let identity = identity();
    let dir = tempfile::tempdir().expect("makes one");
    let path = dir.path().join("ca.pem");
    std::fs::write(&path, identity.certificate.pem()).expect("writes");
    let tls = TlsOptions {
        authorities: Some(path),
        ..TlsOptions::default()
    };
    let long: &'static [u8] = Box::leak(
        format!(
            "HTTP/1.1 400 Bad\r\nContent-Length: 1000\r\n\r\n{}",
            "x".repeat(1_000)
        )
        .into_bytes()
        .into_boxed_slice(),
    );
    let url = serve(&identity, long).await;
    let answer = ask(&url, tls.clone(), LONG).await.expect("answers");
    assert_eq!((answer.status.as_u16(), answer.body.len()), (400, 100));
    // The rest of the answer never comes.
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let failure = ask(&url, tls.clone(), Duration::from_millis(50)).await;
    assert!(
        failure
            .expect_err("too late")
            .what
            .contains("no answer for")
    );
    let url = serve(&identity, b"SSH-2.0-OpenSSH_9.2\r\n").await;
    assert!(ask(&url, tls, LONG).await.is_err());
}

#[tokio::test]
async fn retry_after_is_heard() {
    let identity = identity();
    let busy = b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n";
    let url = serve(&identity, busy).await;
    let dir = tempfile::tempdir().expect("makes one");
    let path = dir.path().join("ca.pem");
    std::fs::write(&path, identity.certificate.pem()).expect("writes");
    let tls = TlsOptions {
        authorities: Some(path),
        ..TlsOptions::default()
    };
    let answer = ask(&url, tls, LONG).await.expect("answers");
    assert!(answer.is_sick());
    assert_eq!(answer.failure("busy").after, Some(Duration::from_secs(7)));
}
