//! Crowds: connections by the thousand, senders that dawdle, one that floods beside many that do
//! not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ingest::{Options, TlsIdentity, TlsOptions, Transport};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::harness::{PATIENCE, Server, eventually, listener};

async fn connect(server: &Server, source: &str) -> TcpStream {
    let stream = TcpStream::connect(server.address(source)).await;
    stream.expect("connects")
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_connections_come_and_go() {
    const CONNECTIONS: u64 = 10_000;
    const AT_A_TIME: u64 = 200;
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let to = server.address("tcp");
    for start in (0..CONNECTIONS).step_by(AT_A_TIME as usize) {
        let mut senders = JoinSet::new();
        for number in start..start + AT_A_TIME {
            senders.spawn(async move {
                let mut client = TcpStream::connect(to).await.expect("connects");
                let line = format!("<34>message {number}\n");
                client.write_all(line.as_bytes()).await.expect("writes");
                // Every third leaves in the middle of a message.
                if number % 3 == 0 {
                    client.write_all(b"<34>cut").await.expect("writes");
                }
            });
        }
        senders.join_all().await;
    }
    let messages = CONNECTIONS + CONNECTIONS.div_ceil(3);
    server.stored("tcp", messages).await;
    eventually("all connections are closed", || {
        server.source("tcp").connections == 0
    })
    .await;
    let status = server.source("tcp");
    assert_eq!(status.connections_total, CONNECTIONS);
    assert_eq!((status.connections_refused, status.dropped_total()), (0, 0));
    assert_eq!(server.ingest.budget_bytes().0, 0, "nothing is held");
}

/// How long a message takes from a client to the disk.
async fn seconds_to_store(server: &Server, client: &mut TcpStream) -> Duration {
    let before = server.source("tcp").stored;
    let start = Instant::now();
    client.write_all(b"<34>healthy\n").await.expect("writes");
    eventually("it is stored", || server.source("tcp").stored > before).await;
    start.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn senders_that_dawdle_hold_nobody_up_and_no_memory() {
    const DAWDLERS: usize = 500;
    let mut options = Options::new(vec![listener(Transport::Tcp)]);
    // What two reads take: were a share held while a sender is silent, nobody could read.
    options.budget_bytes = 512 * 1024;
    let server = Server::with(options);
    let mut dawdlers = Vec::new();
    for _ in 0..DAWDLERS {
        dawdlers.push(connect(&server, "tcp").await);
    }
    let mut healthy = connect(&server, "tcp").await;
    for byte in b"<34>one by" {
        for dawdler in &mut dawdlers {
            dawdler.write_all(&[*byte]).await.expect("writes");
        }
        let took = seconds_to_store(&server, &mut healthy).await;
        assert!(took < Duration::from_secs(10), "{took:?}");
    }
    eventually("nothing is held", || server.ingest.budget_bytes().0 == 0).await;
    let status = server.source("tcp");
    assert_eq!(status.connections, DAWDLERS as u64 + 1);
    assert_eq!(status.received, 10, "no dawdler has sent a message yet");
}

#[tokio::test(flavor = "multi_thread")]
async fn handshakes_that_never_end_are_cut_off() {
    const SILENT: u64 = 200;
    let directory = tempfile::tempdir().expect("makes one");
    let mut options = listener(Transport::Tls);
    options.handshake_timeout = Duration::from_millis(300);
    options.tls = Some(TlsOptions {
        identity: TlsIdentity::SelfSigned {
            directory: directory.path().to_owned(),
        },
        clients: ingest::ClientCertificates::None,
        checks: ingest::ClientChecks::default(),
    });
    let server = Server::start(vec![options]);
    let mut silent = Vec::new();
    for _ in 0..SILENT {
        let mut client = connect(&server, "tls").await;
        // The head of a handshake, and nothing behind it.
        client.write_all(&[0x16, 0x03, 0x01]).await.expect("writes");
        silent.push(client);
    }
    for client in &mut silent {
        let end = timeout(PATIENCE, client.read(&mut [0])).await;
        assert!(matches!(end.expect("in time"), Ok(0) | Err(_)));
    }
    // A connection is counted when it is over, which its client may see a little before.
    eventually("all are refused", || {
        let status = server.source("tls");
        (status.connections, status.connections_refused) == (0, SILENT)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flooder_does_not_starve_a_hundred_quiet_senders() {
    const QUIET: u64 = 100;
    const ROUNDS: u64 = 5;
    let mut quiet_options = listener(Transport::Tcp);
    quiet_options.name = "quiet".to_owned();
    let listeners = vec![listener(Transport::Tcp), quiet_options];
    let mut options = Options::new(listeners);
    options.budget_bytes = 1024 * 1024;
    let server = Server::with(options);
    let to = server.address("tcp");
    let is_done = std::sync::Arc::new(AtomicBool::new(false));
    let flooder = {
        let is_done = std::sync::Arc::clone(&is_done);
        tokio::spawn(async move {
            let mut client = TcpStream::connect(to).await.expect("connects");
            let lines = b"<34>flood flood flood flood flood flood flood\n".repeat(1_000);
            while !is_done.load(Ordering::Relaxed) {
                client.write_all(&lines).await.expect("writes");
            }
        })
    };
    eventually("the flood has come", || {
        server.source("tcp").stored > 10_000
    })
    .await;
    let mut quiet = Vec::new();
    for _ in 0..QUIET {
        quiet.push(connect(&server, "quiet").await);
    }
    let mut longest = Duration::ZERO;
    for round in 1..=ROUNDS {
        let start = Instant::now();
        for client in &mut quiet {
            client.write_all(b"<34>quiet\n").await.expect("writes");
        }
        let expected = round * QUIET;
        eventually("the quiet are heard", || {
            server.source("quiet").stored == expected
        })
        .await;
        longest = longest.max(start.elapsed());
    }
    let flooded = server.source("tcp");
    is_done.store(true, Ordering::Relaxed);
    flooder.await.expect("no panic");
    assert!(
        flooded.in_flight > 0 || flooded.stored > 10_000,
        "{flooded:?}"
    );
    assert!(longest < Duration::from_secs(10), "{longest:?}");
    assert_eq!(server.source("quiet").dropped_total(), 0);
}
