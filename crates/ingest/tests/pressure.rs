//! A disk that is slower than the senders: reading stops, memory stays bounded, nothing is lost.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use ingest::{Options, Transport};
use tokio::net::UdpSocket;

use crate::harness::{Server, eventually, listener, loopback};

const BUDGET_BYTES: usize = 8 * 1024;

fn tight(transport: Transport) -> Server {
    let mut options = Options::new(vec![listener(transport)]);
    options.budget_bytes = BUDGET_BYTES;
    Server::with(options)
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_stops_when_the_disk_stalls_and_nothing_is_lost() {
    const MESSAGES: u64 = 200_000;
    let server = tight(Transport::Tcp);
    server.gate.close();
    let to = server.address("tcp");
    let written = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = TcpStream::connect(to).expect("connects");
            for number in 0..MESSAGES {
                let line = format!("<34>message {number} {:>60}\n", "padding");
                client.write_all(line.as_bytes()).expect("writes");
                written.fetch_add(1, Ordering::Relaxed);
            }
        });
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let mut before = 0;
                // The sender stands still when its socket's buffer is full.
                let mut still = 0;
                eventually("the sender is held up", || {
                    let now = written.load(Ordering::Relaxed);
                    still = if now == before && now > 0 {
                        still + 1
                    } else {
                        0
                    };
                    before = now;
                    still > 200
                })
                .await;
                let status = server.source("tcp");
                assert!(before < MESSAGES, "the sender was not held up");
                assert_eq!(status.stored, 0);
                assert!(status.in_flight > 0 && status.in_flight < 400, "{status:?}");
                assert!(server.ingest.budget_bytes().0 <= BUDGET_BYTES);
                server.gate.open();
                server.stored("tcp", MESSAGES).await;
            });
        });
    });
    let raws = server.raws();
    for (number, raw) in raws.iter().enumerate() {
        assert!(
            raw.starts_with(&format!("<34>message {number} ")),
            "{number}: {raw}"
        );
    }
    assert_eq!(raws.len() as u64, MESSAGES);
}

#[tokio::test(flavor = "multi_thread")]
async fn datagrams_beyond_the_kernels_buffer_are_counted() {
    let server = tight(Transport::Udp);
    server.gate.close();
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let to = server.address("udp");
    let mut sent = 0;
    while server.source("udp").dropped_total() == 0 {
        let sent_now = client.send_to(&[b'x'; 1_000], to).await;
        match sent_now {
            Ok(_) => sent += 1,
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
    server.gate.open();
    eventually("all are accounted for", || {
        let status = server.source("udp");
        status.stored + status.dropped_total() == sent
    })
    .await;
    let status = server.source("udp");
    assert_eq!(status.received, sent);
    assert_eq!(server.raws().len() as u64, status.stored);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_is_accounted_for_at_every_instant() {
    let server = tight(Transport::Tcp);
    let to = server.address("tcp");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                scope.spawn(move || {
                    let mut client = TcpStream::connect(to).expect("connects");
                    for number in 0..5_000 {
                        let line = format!("<34>writer {writer} message {number}\n");
                        client.write_all(line.as_bytes()).expect("writes");
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                // The harness compares the figures.
                server.source("tcp");
                assert!(server.ingest.budget_bytes().0 <= BUDGET_BYTES);
                thread::sleep(Duration::from_micros(100));
            }
        });
        for writer in writers {
            writer.join().expect("writes");
        }
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(server.stored("tcp", 20_000));
        });
        is_done.store(true, Ordering::Relaxed);
    });
    assert_eq!(server.raws().len(), 20_000);
    assert_eq!(server.ingest.budget_bytes().0, 0);
}
