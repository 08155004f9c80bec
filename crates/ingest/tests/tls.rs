//! Syslog over TLS.

use std::fs;
use std::path::Path;
use std::time::Duration;

use ingest::{
    ClientCertificates, ClientChecks, ListenerOptions, Options, TlsIdentity, TlsOptions, Transport,
};
use pipeline::Pipeline;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{PATIENCE, Server, eventually, listener};
use crate::tls_client::{Authority, connect};

fn tls(directory: &Path, clients: ClientCertificates) -> ListenerOptions {
    let mut options = listener(Transport::Tls);
    options.tls = Some(TlsOptions {
        identity: TlsIdentity::SelfSigned {
            directory: directory.to_owned(),
        },
        clients,
        checks: ClientChecks::default(),
    });
    options
}

#[tokio::test]
async fn a_first_start_makes_a_certificate_that_clients_can_trust() {
    let directory = tempfile::tempdir().expect("makes one");
    let server = Server::start(vec![tls(directory.path(), ClientCertificates::None)]);
    let trusted = fs::read_to_string(directory.path().join("certificate.pem")).expect("is there");
    for (index, name) in (1..).zip(["localhost", "127.0.0.1", "::1"]) {
        let mut client = connect(&server, name, &trusted, None)
            .await
            .expect("connects");
        client
            .write_all(format!("8 <34>{index}abc<34>line\n").as_bytes())
            .await
            .expect("writes");
        client.flush().await.expect("writes");
        server.stored("tls", index * 2).await;
        client.shutdown().await.expect("closes");
    }
    assert_eq!(server.raws()[..3], ["<34>1abc", "<34>line", "<34>2abc"]);
    let error = connect(&server, "example.com", &trusted, None).await;
    assert!(error.is_err(), "another name must not be vouched for");
}

#[tokio::test(flavor = "multi_thread")]
async fn much_text_arrives_whole_and_in_order() {
    let directory = tempfile::tempdir().expect("makes one");
    let server = Server::start(vec![tls(directory.path(), ClientCertificates::None)]);
    let trusted = fs::read_to_string(directory.path().join("certificate.pem")).expect("is there");
    let mut client = connect(&server, "localhost", &trusted, None)
        .await
        .expect("connects");
    let messages: Vec<_> = (0..20_000)
        .map(|number| format!("<34>message {number}"))
        .collect();
    let text = messages.join("\n") + "\n<34>cut sho";
    client.write_all(text.as_bytes()).await.expect("writes");
    client.flush().await.expect("writes");
    server.stored("tls", 20_000).await;
    drop(client);
    server.stored("tls", 20_001).await;
    let raws = server.raws();
    assert_eq!(raws[..20_000], messages);
    assert_eq!(raws[20_000], "<34>cut sho");
}

#[tokio::test]
async fn clients_say_who_they_are_where_they_must() {
    let directory = tempfile::tempdir().expect("makes one");
    let path = |name: &str| directory.path().join(name);
    let (ours, other) = (Authority::new(), Authority::new());
    fs::write(path("authorities.pem"), ours.pem()).expect("writes");
    let (known, stranger) = (ours.sign("client"), other.sign("client"));

    let authorities = path("authorities.pem");
    let modes = [
        (ClientCertificates::None, [true, true, true]),
        (
            ClientCertificates::Optional {
                authorities: authorities.clone(),
            },
            [true, true, false],
        ),
        (
            ClientCertificates::Required { authorities },
            [false, true, false],
        ),
    ];
    for (mode, expected) in modes {
        let server = Server::start(vec![tls(directory.path(), mode.clone())]);
        let trusted = fs::read_to_string(path("certificate.pem")).expect("is there");
        let mut stored = 0;
        let mut refused = 0;
        for (identity, is_welcome) in [None, Some(&known), Some(&stranger)]
            .into_iter()
            .zip(expected)
        {
            if let Ok(mut client) = connect(&server, "localhost", &trusted, identity).await {
                // TLS 1.3 clients learn of a refusal when they read.
                _ = client.write_all(b"<34>hello\n").await;
                _ = client.flush().await;
                _ = client.shutdown().await;
                _ = timeout(PATIENCE, client.read(&mut [0]))
                    .await
                    .expect("in time");
            }
            stored += u64::from(is_welcome);
            refused += u64::from(!is_welcome);
            server.stored("tls", stored).await;
            eventually("the refusal is counted", || {
                server.source("tls").connections_refused == refused
            })
            .await;
        }
        assert_eq!(server.raws().len() as u64, stored, "{mode:?}");
    }
}

#[tokio::test]
async fn a_handshake_that_never_ends_is_ended() {
    let directory = tempfile::tempdir().expect("makes one");
    let mut options = tls(directory.path(), ClientCertificates::None);
    options.handshake_timeout = Duration::from_millis(50);
    let server = Server::start(vec![options]);
    let mut silent = TcpStream::connect(server.address("tls"))
        .await
        .expect("connects");
    let end = timeout(PATIENCE, silent.read(&mut [0]))
        .await
        .expect("in time");
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
    let mut plain = TcpStream::connect(server.address("tls"))
        .await
        .expect("connects");
    plain
        .write_all(b"<34>not encrypted\n")
        .await
        .expect("writes");
    eventually("both are refused", || {
        server.source("tls").connections_refused == 2
    })
    .await;
    eventually("both are closed", || server.source("tls").connections == 0).await;
    assert_eq!(server.source("tls").received, 0);
}

#[tokio::test]
async fn a_reload_takes_new_certificates_for_new_connections() {
    let directory = tempfile::tempdir().expect("makes one");
    let authority = Authority::new();
    authority.sign("old.example").write(directory.path());
    let mut listener = tls(directory.path(), ClientCertificates::None);
    if let Some(tls) = &mut listener.tls {
        tls.identity = TlsIdentity::Files {
            certificate: directory.path().join("certificate.pem"),
            key: directory.path().join("key.pem"),
        };
    }
    let options = Options::new(vec![listener]);
    let server = Server::with(options.clone());
    let trusted = authority.pem();
    let mut old = connect(&server, "old.example", &trusted, None)
        .await
        .expect("connects");

    fs::write(directory.path().join("key.pem"), "broken").expect("writes");
    let error = server
        .ingest
        .reload(options.clone(), Pipeline::default())
        .await;
    let error = error.expect_err("unusable").to_string();
    assert!(
        error.starts_with("listener tls: ") && error.contains("key.pem"),
        "{error}"
    );
    connect(&server, "old.example", &trusted, None)
        .await
        .expect("nothing has changed");

    authority.sign("new.example").write(directory.path());
    server
        .ingest
        .reload(options, Pipeline::default())
        .await
        .expect("reloads");
    connect(&server, "new.example", &trusted, None)
        .await
        .expect("connects");
    assert!(
        connect(&server, "old.example", &trusted, None)
            .await
            .is_err()
    );
    old.write_all(b"<34>still here\n").await.expect("writes");
    old.flush().await.expect("writes");
    server.stored("tls", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_change_under_load_and_no_connection_is_lost() {
    const SENDERS: u64 = 20;
    const LINES: u64 = 200;
    let directory = tempfile::tempdir().expect("makes one");
    let authority = Authority::new();
    authority.sign("localhost").write(directory.path());
    let mut listener = tls(directory.path(), ClientCertificates::None);
    if let Some(tls) = &mut listener.tls {
        tls.identity = TlsIdentity::Files {
            certificate: directory.path().join("certificate.pem"),
            key: directory.path().join("key.pem"),
        };
    }
    let server = Server::start(vec![listener.clone()]);
    let trusted = authority.pem();
    let mut clients = Vec::new();
    for _ in 0..SENDERS {
        let client = connect(&server, "localhost", &trusted, None).await;
        clients.push(client.expect("connects"));
    }
    let mut senders = tokio::task::JoinSet::new();
    for mut client in clients {
        senders.spawn(async move {
            for number in 0..LINES {
                let line = format!("<34>message {number}\n");
                client.write_all(line.as_bytes()).await.expect("still open");
                client.flush().await.expect("still open");
                tokio::task::yield_now().await;
            }
            client
        });
    }
    for round in 0..20 {
        authority.sign("localhost").write(directory.path());
        if let Some(tls) = &mut listener.tls {
            // What is asked of clients to come changes too.
            tls.checks.names = vec![format!("round{round}.example")];
        }
        let options = Options::new(vec![listener.clone()]);
        let reloaded = server.ingest.reload(options, Pipeline::default()).await;
        reloaded.expect("reloads");
        connect(&server, "localhost", &trusted, None)
            .await
            .expect("new ones are taken");
    }
    let open = senders.join_all().await;
    server.stored("tls", SENDERS * LINES).await;
    assert_eq!(server.source("tls").connections_refused, 0);
    drop(open);
}
