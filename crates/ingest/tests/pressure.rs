//! A disk that is slower than the senders: reading stops, memory stays bounded, nothing is lost.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use ingest::{Options, Transport};
use socket2::SockRef;
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
    // A commit takes some 35 of them, as many as the budget holds, and costs a sync: what the
    // sockets could buffer by themselves would be thousands of syncs.
    const MESSAGES: u64 = 20_000;
    const SEND_BUFFER_BYTES: usize = 16 * 1024;
    let server = tight(Transport::Tcp);
    server.gate.close();
    let to = server.address("tcp");
    let written = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = TcpStream::connect(to).expect("connects");
            let socket = SockRef::from(&client);
            socket
                .set_send_buffer_size(SEND_BUFFER_BYTES)
                .expect("is small");
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
                assert!(status.kernel_queue_bytes > 10_000, "{status:?}");
                server.gate.open();
                server.stored("tcp", MESSAGES).await;
                assert_eq!(server.source("tcp").kernel_queue_bytes, 0);
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
async fn a_second_of_datagrams_outlasts_a_disk_that_stalls() {
    const IN_A_SECOND: u64 = 50_000;
    // Well below what any receive buffer holds: none must be lost on its way to the budget.
    const BURST: u64 = 50;
    let server = Server::start(vec![listener(Transport::Udp)]);
    server.gate.close();
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let to = server.address("udp");
    for first in (0..IN_A_SECOND).step_by(BURST as usize) {
        for number in first..first + BURST {
            let text = format!("<34>Nov 23 01:02:03 host app: {number:>370}");
            client.send_to(text.as_bytes(), to).await.expect("sends");
        }
        let is_read = || server.source("udp").received == first + BURST;
        eventually("it is read while the disk stalls", is_read).await;
    }
    let status = server.source("udp");
    assert_eq!(
        (status.stored, status.in_flight, status.dropped_total()),
        (0, IN_A_SECOND, 0)
    );
    server.gate.open();
    server.stored("udp", IN_A_SECOND).await;
    assert_eq!(server.source("udp").dropped_total(), 0);
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

/// A source that does not wait, with a budget for a few messages.
fn dropping(transport: Transport) -> Server {
    let mut listener = listener(transport);
    listener.flow_control = false;
    let mut options = Options::new(vec![listener]);
    options.budget_bytes = BUDGET_BYTES;
    Server::with(options)
}

/// Waits until so many messages have come, and checks what became of them.
async fn dropped_while_stalled(server: &Server, source: &str, sent: u64) {
    eventually("all are received while the disk stalls", || {
        server.source(source).received == sent
    })
    .await;
    let status = server.source(source);
    assert!(status.in_flight > 0 && status.stored == 0, "{status:?}");
    assert!(status.lag > Duration::ZERO, "{status:?}");
    let by_reason = status.dropped_by_reason();
    let memory_full = by_reason
        .filter(|(reason, _)| *reason == ingest::DropReason::MemoryFull)
        .map(|(_, count)| count)
        .sum::<u64>();
    assert_eq!(memory_full, status.dropped_total());
    assert_eq!(memory_full + status.in_flight, sent);
    let senders = server.ingest.senders(source).expect("is known");
    let figures = senders
        .iter()
        .map(|sender| (sender.received, sender.dropped));
    assert_eq!(figures.collect::<Vec<_>>(), [(sent, memory_full)]);
    assert!(server.ingest.budget_bytes().0 <= BUDGET_BYTES);
    server.gate.open();
    eventually("what was kept is stored", || {
        server.source(source).in_flight == 0
    })
    .await;
    let after = server.source(source);
    assert_eq!(after.lag, Duration::ZERO);
    assert_eq!(after.stored + after.dropped_total(), sent);
    assert_eq!(server.raws().len() as u64, after.stored);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_without_flow_control_never_holds_its_sender_up() {
    const MESSAGES: u64 = 100_000;
    let server = dropping(Transport::Tcp);
    server.gate.close();
    let to = server.address("tcp");
    // More than the buffers of the sockets hold: it could not be written if nobody read.
    let sender = tokio::task::spawn_blocking(move || {
        let mut client = TcpStream::connect(to).expect("connects");
        for number in 0..MESSAGES {
            let line = format!("<34>message {number} {:>200}\n", "padding");
            client.write_all(line.as_bytes()).expect("writes");
        }
    });
    sender.await.expect("is not held up");
    dropped_while_stalled(&server, "tcp", MESSAGES).await;

    // It goes on as if nothing had been.
    let before = server.source("tcp").stored;
    let mut client = TcpStream::connect(to).expect("connects");
    client.write_all(b"<34>after\n").expect("writes");
    server.stored("tcp", before + 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn datagrams_without_flow_control_are_read_and_counted() {
    let server = dropping(Transport::Udp);
    server.gate.close();
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let to = server.address("udp");
    let mut sent = 0;
    for _ in 0..200 {
        for _ in 0..10 {
            client.send_to(&[b'x'; 1_000], to).await.expect("sends");
            sent += 1;
        }
        eventually("they are read", || server.source("udp").received == sent).await;
    }
    dropped_while_stalled(&server, "udp", sent).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_while_messages_are_dropped_is_heard() {
    let server = dropping(Transport::Tcp);
    server.gate.close();
    let mut client = TcpStream::connect(server.address("tcp")).expect("connects");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // Until the connection is cut.
            while client.write_all(b"<34>more and more of it\n").is_ok() {}
            is_done.store(true, Ordering::Relaxed);
        });
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                eventually("some are dropped", || {
                    server.source("tcp").dropped_total() > 0
                })
                .await;
                server.gate.open();
                let stopped = server.ingest.shutdown(Duration::from_secs(20)).await;
                stopped.expect("in time");
                eventually("the sender is cut off", || is_done.load(Ordering::Relaxed)).await;
            });
        });
    });
}
