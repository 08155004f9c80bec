//! Connections of proxies: who sends is who the PROXY header names.

use std::net::Ipv4Addr;
use std::time::Duration;

use ingest::{HostLists, ListenerOptions, TlsIdentity, TlsOptions, Transport};
use query::Network;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{PATIENCE, Server, eventually, listener};

/// Version 2, from 192.0.2.9 to 198.51.100.1.
const VERSION_2: &[u8] =
    b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x09\xc6\x33\x64\x01\0\x01\0\x02";

fn proxied(transport: Transport) -> ListenerOptions {
    let mut options = listener(transport);
    options.hosts.proxies = vec![Network::host(Ipv4Addr::LOCALHOST.into())];
    options
}

async fn send(server: &Server, source: &str, pieces: &[&[u8]]) -> TcpStream {
    let stream = TcpStream::connect(server.address(source)).await;
    let mut stream = stream.expect("connects");
    stream.set_nodelay(true).expect("sets");
    for piece in pieces {
        // A peer that is refused may be gone before all is written.
        _ = stream.write_all(piece).await;
        tokio::task::yield_now().await;
    }
    stream
}

async fn is_closed(client: &mut TcpStream) -> bool {
    let end = timeout(PATIENCE, client.read(&mut [0])).await;
    matches!(end.expect("in time"), Ok(0) | Err(_))
}

fn peers(server: &Server) -> Vec<(String, String)> {
    let records = server.records("main").into_iter();
    records.map(|record| (record.raw, record.peer)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_peer_is_the_one_that_the_header_names_however_it_is_split() {
    let server = Server::start(vec![proxied(Transport::Tcp)]);
    let version_1 = b"PROXY TCP4 192.0.2.9 198.51.100.1 1 2\r\n".as_slice();
    let mut count = 0;
    for header in [version_1, VERSION_2, b"PROXY TCP6 2001:db8::9 ::1 1 2\n"] {
        let stream = [header, b"<34>one\n9 <34>two.."].concat();
        for split in 0..=stream.len() {
            let (head, tail) = stream.split_at(split);
            drop(send(&server, "tcp", &[head, tail]).await);
            count += 2;
        }
    }
    server.stored("tcp", count).await;
    for (raw, peer) in peers(&server) {
        assert!(raw == "<34>one" || raw == "<34>two..", "{raw:?}");
        assert!(peer == "192.0.2.9" || peer == "2001:db8::9", "{peer:?}");
    }
}

#[tokio::test]
async fn a_proxy_that_speaks_for_itself_is_the_peer() {
    let server = Server::start(vec![proxied(Transport::Tcp)]);
    _ = send(&server, "tcp", &[b"PROXY UNKNOWN\r\n<34>one\n"]).await;
    server.stored("tcp", 1).await;
    let local = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0<34>two\n";
    _ = send(&server, "tcp", &[local]).await;
    server.stored("tcp", 2).await;
    let expected = ["<34>one", "<34>two"].map(|raw| (raw.to_owned(), "127.0.0.1".to_owned()));
    assert_eq!(peers(&server), expected);
}

#[tokio::test]
async fn a_proxy_without_a_header_is_refused_and_nothing_of_it_kept() {
    let mut options = proxied(Transport::Tcp);
    options.handshake_timeout = Duration::from_millis(50);
    let server = Server::start(vec![options]);
    let starts: [&[u8]; 5] = [
        b"<34>one\n",
        b"PROXY TCP4 nobody\r\n<34>two\n",
        b"\r\n\r\n\0\r\nQUIT\n\x31\0\0\0<34>three\n",
        b"PROXY TC",
        b"\0",
    ];
    for (index, start) in starts.into_iter().enumerate() {
        let mut client = send(&server, "tcp", &[start]).await;
        assert!(is_closed(&mut client).await, "{start:?}");
        let refused = server.source("tcp").connections_refused;
        assert_eq!(refused, index as u64 + 1, "{start:?}");
    }
    assert_eq!(server.source("tcp").received, 0);
}

#[tokio::test]
async fn a_health_check_is_no_trouble() {
    let server = Server::start(vec![proxied(Transport::Tcp)]);
    drop(send(&server, "tcp", &[]).await);
    eventually("it came and went", || {
        let status = server.source("tcp");
        status.connections_total == 1 && status.connections == 0
    })
    .await;
    assert_eq!(server.source("tcp").connections_refused, 0);
}

#[tokio::test]
async fn who_is_no_proxy_is_not_believed() {
    let mut options = listener(Transport::Tcp);
    options.hosts.proxies = vec![Network::host([192, 0, 2, 1].into())];
    let server = Server::start(vec![options]);
    let spoofed = b"PROXY TCP4 192.0.2.9 198.51.100.1 1 2\r\n<34>one\n";
    _ = send(&server, "tcp", &[spoofed]).await;
    server.stored("tcp", 2).await;
    let found = peers(&server);
    assert!(
        found.iter().all(|(_, peer)| peer == "127.0.0.1"),
        "{found:?}"
    );
    assert_eq!(found[0].0, "PROXY TCP4 192.0.2.9 198.51.100.1 1 2\r");
}

#[tokio::test]
async fn host_lists_are_about_who_is_behind_the_proxy() {
    let mut options = proxied(Transport::Tcp);
    options.hosts = HostLists {
        allow: vec![Network::host([192, 0, 2, 9].into())],
        ..options.hosts
    };
    let server = Server::start(vec![options]);
    let header = |last: u8| format!("PROXY TCP4 192.0.2.{last} 198.51.100.1 1 2\r\n<34>one\n");
    let mut denied = send(&server, "tcp", &[header(8).as_bytes()]).await;
    assert!(is_closed(&mut denied).await);
    _ = send(&server, "tcp", &[header(9).as_bytes()]).await;
    server.stored("tcp", 1).await;
    assert_eq!(server.source("tcp").connections_denied, 1);
}

#[tokio::test]
async fn the_header_stands_in_front_of_the_tls_handshake() {
    let directory = tempfile::tempdir().expect("makes one");
    let mut options = proxied(Transport::Tls);
    options.tls = Some(TlsOptions {
        identity: TlsIdentity::SelfSigned {
            directory: directory.path().to_owned(),
        },
        clients: ingest::ClientCertificates::None,
        checks: ingest::ClientChecks::default(),
    });
    let server = Server::start(vec![options]);
    let trusted = std::fs::read_to_string(directory.path().join("certificate.pem"));
    let stream = send(&server, "tls", &[VERSION_2]).await;
    let mut client =
        crate::tls_client::connect_over(stream, "localhost", &trusted.expect("is there"), None)
            .await
            .expect("connects");
    client.write_all(b"<34>one\n").await.expect("writes");
    server.stored("tls", 1).await;
    assert_eq!(
        peers(&server),
        [("<34>one".to_owned(), "192.0.2.9".to_owned())]
    );
}

fn encrypted(directory: &std::path::Path) -> TlsOptions {
    TlsOptions {
        identity: TlsIdentity::SelfSigned {
            directory: directory.to_owned(),
        },
        clients: ingest::ClientCertificates::None,
        checks: ingest::ClientChecks::default(),
    }
}

#[tokio::test]
async fn the_header_may_stand_inside_of_tls() {
    let directory = tempfile::tempdir().expect("makes one");
    for transport in [Transport::Tls, Transport::Tcp] {
        let mut options = proxied(transport);
        options.tls = Some(encrypted(directory.path()));
        let name = options.name.clone();
        let server = Server::start(vec![options]);
        let trusted = std::fs::read_to_string(directory.path().join("certificate.pem"));
        let trusted = trusted.expect("is there");
        for header in [VERSION_2, b"PROXY TCP4 192.0.2.9 198.51.100.1 1 2\r\n"] {
            let stream = TcpStream::connect(server.address(&name)).await;
            let stream = stream.expect("connects");
            let connecting =
                crate::tls_client::connect_over(stream, "localhost", &trusted, None).await;
            let mut client = connecting.expect("connects");
            client.write_all(header).await.expect("writes");
            client.write_all(b"<34>one\n").await.expect("writes");
            client.shutdown().await.expect("closes");
        }
        server.stored(&name, 2).await;
        for (raw, peer) in peers(&server) {
            assert_eq!((raw.as_str(), peer.as_str()), ("<34>one", "192.0.2.9"));
        }
    }
}

#[tokio::test]
async fn one_port_takes_plain_text_and_tls_behind_a_header_or_not() {
    let directory = tempfile::tempdir().expect("makes one");
    let mut direct = listener(Transport::Tcp);
    direct.tls = Some(encrypted(directory.path()));
    let mut behind = proxied(Transport::Tcp);
    behind.name = "behind".to_owned();
    behind.tls = direct.tls.clone();
    let server = Server::start(vec![direct, behind]);
    let trusted = std::fs::read_to_string(directory.path().join("certificate.pem"));
    let trusted = trusted.expect("is there");
    for (name, header) in [("tcp", [].as_slice()), ("behind", VERSION_2)] {
        let plain = send(&server, name, &[header, b"<34>plain\n"]).await;
        let stream = send(&server, name, &[header]).await;
        let mut client = crate::tls_client::connect_over(stream, "localhost", &trusted, None)
            .await
            .expect("connects");
        client.write_all(b"<34>encrypted\n").await.expect("writes");
        server.stored(name, 2).await;
        drop(plain);
    }
    let status = server.source("tcp");
    assert_eq!(status.connections_refused, 0);
}

#[tokio::test]
async fn the_first_byte_of_a_handshake_may_come_alone_and_silence_is_waited_for() {
    let directory = tempfile::tempdir().expect("makes one");
    let mut options = listener(Transport::Tcp);
    options.tls = Some(encrypted(directory.path()));
    options.handshake_timeout = Duration::from_millis(1);
    let server = Server::start(vec![options]);
    let mut silent = send(&server, "tcp", &[]).await;
    let mut halting = send(&server, "tcp", &[&[0x16]]).await;
    eventually("both are open", || server.source("tcp").connections == 2).await;
    silent.write_all(b"<34>at last\n").await.expect("writes");
    server.stored("tcp", 1).await;
    halting
        .write_all(b"\x20is no handshake\n")
        .await
        .expect("writes");
    server.stored("tcp", 2).await;
    assert_eq!(server.raws(), ["<34>at last", "\u{16} is no handshake"]);
    drop(send(&server, "tcp", &[&[0x16]]).await);
    eventually("what closes there is a message", || {
        server.source("tcp").stored == 3
    })
    .await;
}
