//! Every transport counts exactly, finds faults, and fails on request.

use std::io::Write as _;
use std::net::Ipv4Addr;

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;

const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A sink that runs until it is told to stop or has enough.
struct Running {
    addresses: SinkAddresses,
    stop: oneshot::Sender<()>,
    report: JoinHandle<Result<SinkReport, Error>>,
}

impl Running {
    async fn start(options: SinkOptions) -> Self {
        let sink = Sink::open(options).await.expect("free ports");
        let addresses = sink.addresses();
        let (stop, stopped) = oneshot::channel();
        let report = tokio::spawn(sink.run(async {
            _ = stopped.await;
        }));
        Self {
            addresses,
            stop,
            report,
        }
    }

    async fn stop(self) -> SinkReport {
        _ = self.stop.send(());
        self.report.await.expect("no panic").expect("a report")
    }

    /// Waits until it ends by itself.
    async fn end(self) -> SinkReport {
        self.report.await.expect("no panic").expect("a report")
    }
}

fn numbered(number: u64, thread: u64) -> String {
    format!("<38>x host prg[1]: seq: {number:010}, thread: {thread:04}, runid: 17, stamp: x PADD\n")
}

async fn send(address: Option<SocketAddr>, text: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address.expect("open"))
        .await
        .expect("up");
    stream.write_all(text.as_bytes()).await.expect("up");
    stream.shutdown().await.expect("up");
    let mut answer = Vec::new();
    // A connection that is closed with unread bytes is reset.
    _ = stream.read_to_end(&mut answer).await;
    answer
}

#[tokio::test]
async fn gaps_duplicates_and_disorder_are_found_over_connections() {
    let sink = Running::start(SinkOptions {
        tcp: Some(ANY_PORT),
        mode: Mode::Check,
        count: Some(8),
        ..SinkOptions::default()
    })
    .await;
    let text: String = [0, 1, 4, 3, 3].map(|number| numbered(number, 0)).concat();
    send(sink.addresses.tcp, &text).await;
    // Another connection goes on with one run and begins another, octet-counted.
    let line = numbered(0, 1);
    let text = format!("{}{} {line}no number\n", numbered(5, 0), line.len());
    send(sink.addresses.tcp, &text).await;
    let report = sink.end().await;
    assert_eq!((report.received, report.connections), (8, 2));
    let faults = (report.gaps, report.duplicates, report.out_of_order);
    assert_eq!((faults, report.malformed), ((1, 1, 1), 1));
}

#[tokio::test]
async fn a_discarding_sink_counts_bytes_and_lines() {
    let sink = Running::start(SinkOptions {
        tcp: Some(ANY_PORT),
        mode: Mode::Discard,
        count: Some(1_000),
        ..SinkOptions::default()
    })
    .await;
    let text = numbered(0, 0).repeat(1_000);
    send(sink.addresses.tcp, &text).await;
    let report = sink.end().await;
    assert_eq!(report.bytes, text.len() as u64);
    assert_eq!(report.received, 1_000);
}

#[tokio::test]
async fn datagrams_are_counted_and_written() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let sink = Running::start(SinkOptions {
        udp: Some(ANY_PORT),
        count: Some(2),
        write: Some(file.path().to_owned()),
        ..SinkOptions::default()
    })
    .await;
    let socket = UdpSocket::bind(ANY_PORT).await.expect("a socket");
    let to = sink.addresses.udp.expect("open");
    for text in ["one\n", "two"] {
        socket.send_to(text.as_bytes(), to).await.expect("up");
    }
    assert_eq!(sink.end().await.received, 2);
    let written = std::fs::read_to_string(file.path()).expect("readable");
    assert_eq!(written, "one\ntwo\n");
}

#[tokio::test]
async fn relp_acknowledges_and_refuses_every_third() {
    let sink = Running::start(SinkOptions {
        relp: Some(ANY_PORT),
        fail_every: Some(3),
        ..SinkOptions::default()
    })
    .await;
    let mut frames = Vec::new();
    syslog::relp::encode::open(1, &mut frames);
    for transaction in 2..8 {
        syslog::relp::encode::syslog(transaction, b"<13>hello\n", &mut frames);
    }
    syslog::relp::encode::close(8, &mut frames);
    let frames = String::from_utf8(frames).expect("text");
    let answer = send(sink.addresses.relp, &frames).await;
    let answer = String::from_utf8(answer).expect("text");
    assert_eq!(answer.matches("200 OK").count(), 6, "{answer}");
    assert!(
        answer.contains("4 rsp 21 500 failed on request"),
        "{answer}"
    );
    assert!(answer.ends_with("0 serverclose 0\n"), "{answer}");
    assert_eq!(sink.stop().await.received, 4);
}

#[tokio::test]
async fn a_connection_is_closed_at_the_message_that_fails() {
    let sink = Running::start(SinkOptions {
        tcp: Some(ANY_PORT),
        fail_every: Some(3),
        ..SinkOptions::default()
    })
    .await;
    for _ in 0..2 {
        send(sink.addresses.tcp, "a\nb\nc\nd\n").await;
    }
    assert_eq!(sink.stop().await.received, 4);
}

#[tokio::test]
async fn tls_is_spoken_with_a_certificate_made_for_it() {
    let sink = Running::start(SinkOptions {
        tls: Some(ANY_PORT),
        count: Some(2),
        ..SinkOptions::default()
    })
    .await;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(trusting::Trusting))
        .with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(sink.addresses.tls.expect("open"))
        .await
        .expect("up");
    let name = rustls::pki_types::ServerName::try_from("localhost").expect("a name");
    let mut stream = connector.connect(name, stream).await.expect("a handshake");
    stream.write_all(b"one\ntwo\n").await.expect("up");
    stream.shutdown().await.expect("up");
    assert_eq!(sink.end().await.received, 2);
}

/// A client that trusts anybody.
mod trusting {
    use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
    use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
    use rustls::{DigitallySignedStruct, Error, SignatureScheme};

    #[derive(Debug)]
    pub(super) struct Trusting;

    impl ServerCertVerifier for Trusting {
        fn verify_server_cert(
            &self,
            _: &CertificateDer<'_>,
            _: &[CertificateDer<'_>],
            _: &ServerName<'_>,
            _: &[u8],
            _: UnixTime,
        ) -> Result<ServerCertVerified, Error> {
            Ok(ServerCertVerified::assertion())
        }

        fn verify_tls12_signature(
            &self,
            _: &[u8],
            _: &CertificateDer<'_>,
            _: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            Ok(HandshakeSignatureValid::assertion())
        }

        fn verify_tls13_signature(
            &self,
            _: &[u8],
            _: &CertificateDer<'_>,
            _: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            Ok(HandshakeSignatureValid::assertion())
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            rustls::crypto::ring::default_provider()
                .signature_verification_algorithms
                .supported_schemes()
        }
    }
}

/// A request and the status and body of its answer.
async fn request(sink: &Running, path: &str, headers: &str, body: &[u8]) -> (u16, String) {
    let address = sink.addresses.http.expect("open");
    let mut stream = TcpStream::connect(address).await.expect("up");
    let head = format!(
        "POST /services/collector{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    stream
        .write_all(&[head.as_bytes(), body].concat())
        .await
        .expect("up");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("text");
    let status = answer.get(9..12).and_then(|status| status.parse().ok());
    let body = answer
        .split_once("\r\n\r\n")
        .map(|(_, body)| body.to_owned());
    (status.expect("a status"), body.expect("a body"))
}

#[tokio::test]
async fn the_event_collector_answers_as_others_do() {
    let sink = Running::start(SinkOptions {
        http: Some(ANY_PORT),
        tokens: vec!["secret".to_owned()],
        ..SinkOptions::default()
    })
    .await;
    let good = "authorization: Splunk secret\r\n";
    let success = (200, r#"{"text":"Success","code":0}"#.to_owned());
    let two = br#"{"event":"one"}{"event":{"a":1}}"#;
    assert_eq!(request(&sink, "", good, two).await, success);
    assert_eq!(request(&sink, "/event", good, two).await, success);
    assert_eq!(request(&sink, "/raw", good, b"a\r\n\nb\n").await, success);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(two).expect("memory");
    let packed = packed.finish().expect("memory");
    let gzip = format!("{good}content-encoding: gzip\r\n");
    assert_eq!(request(&sink, "/event/1.0", &gzip, &packed).await, success);
    let healthy = (200, r#"{"text":"Success","code":200}"#.to_owned());
    assert_eq!(request(&sink, "/health", "", b"").await, healthy);
    for (headers, body, status, code) in [
        ("", &b"{}"[..], 401, 2),
        ("authorization: Basic x\r\n", b"{}", 401, 3),
        ("authorization: Splunk other\r\n", b"{}", 403, 4),
        (good, b"", 400, 5),
        (good, b"{\"event\":", 400, 6),
        (good, b"{}", 400, 12),
        (good, b"{\"event\":\"\"}", 400, 13),
    ] {
        let (found, answer) = request(&sink, "", headers, body).await;
        let end = format!("\"code\":{code}}}");
        assert_eq!(found, status, "{answer}");
        assert!(answer.ends_with(&end), "{answer}");
    }
    assert_eq!(request(&sink, "/ack", good, b"{\"acks\":[0]}").await.0, 400);
    assert_eq!(sink.stop().await.received, 8);
}

#[tokio::test]
async fn what_was_answered_can_be_read_from_the_file() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let sink = Running::start(SinkOptions {
        http: Some(ANY_PORT),
        write: Some(file.path().to_owned()),
        ..SinkOptions::default()
    })
    .await;
    let event = b"{\"event\":\"one\"}";
    let (status, _) = request(&sink, "/event", "", event).await;
    let written = std::fs::read_to_string(file.path()).expect("it is there");
    assert_eq!((status, written.as_str()), (200, "one\n"));
    sink.stop().await;
}

#[tokio::test]
async fn the_event_collector_acknowledges_each_request_once() {
    let sink = Running::start(SinkOptions {
        http: Some(ANY_PORT),
        has_acks: true,
        ..SinkOptions::default()
    })
    .await;
    let channel = "x-splunk-request-channel: c1\r\n";
    let event = br#"{"event":"x"}"#;
    assert_eq!(request(&sink, "", "", event).await.0, 400);
    for id in 0..2 {
        let (_, answer) = request(&sink, "", channel, event).await;
        assert_eq!(
            answer,
            format!(r#"{{"text":"Success","code":0,"ackId":{id}}}"#)
        );
    }
    for expected in ["true", "false"] {
        let (_, answer) = request(&sink, "/ack?channel=c1", "", b"{\"acks\":[1]}").await;
        assert_eq!(answer, format!(r#"{{"acks":{{"1":{expected}}}}}"#));
    }
    assert_eq!(sink.stop().await.received, 2);
}

#[tokio::test]
async fn a_sink_refuses_for_a_while() {
    let sink = Running::start(SinkOptions {
        tcp: Some(ANY_PORT),
        http: Some(ANY_PORT),
        refuse_for: std::time::Duration::from_secs(3_600),
        ..SinkOptions::default()
    })
    .await;
    send(sink.addresses.tcp, "a\n").await;
    let (status, answer) = request(&sink, "", "", br#"{"event":"x"}"#).await;
    assert_eq!((status, answer.contains("\"code\":9")), (503, true));
    let report = sink.stop().await;
    assert_eq!((report.received, report.connections), (0, 1));
}

#[tokio::test]
async fn a_slow_sink_reads_no_faster_than_it_may() {
    let sink = Running::start(SinkOptions {
        tcp: Some(ANY_PORT),
        bytes_per_second: Some(1_000),
        count: Some(3),
        ..SinkOptions::default()
    })
    .await;
    let started = std::time::Instant::now();
    send(
        sink.addresses.tcp,
        &"x".repeat(49).as_str().replace('x', "y\n"),
    )
    .await;
    sink.end().await;
    assert!(started.elapsed() >= std::time::Duration::from_millis(90));
}

#[tokio::test]
async fn a_sink_without_an_address_is_refused() {
    let opened = Sink::open(SinkOptions::default()).await;
    assert!(matches!(opened, Err(Error::NoAddress)));
}
