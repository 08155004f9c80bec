//! Datagrams.

use ingest::{DropReason, Transport};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::UdpGsoSegment;
use tokio::net::UdpSocket;

use crate::harness::{Server, Stored, listener, loopback};

#[tokio::test]
async fn a_datagram_is_a_message() {
    let server = Server::start(vec![listener(Transport::Udp)]);
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let to = server.address("udp");
    for text in ["<34>one", "", "two\nlines\n", "\n", "NUL \0 inside\0"] {
        client.send_to(text.as_bytes(), to).await.expect("sends");
    }
    server.stored("udp", 3).await;
    assert_eq!(server.raws(), ["<34>one", "two\nlines", "NUL \0 inside"]);
    let Stored { source, peer, .. } = &server.records("main")[0];
    assert_eq!((source.as_str(), peer.as_str()), ("udp", "127.0.0.1"));
    let status = server.source("udp");
    assert_eq!((status.received, status.bytes), (5, 7 + 9 + 12));
    let dropped: Vec<_> = status.dropped_by_reason().filter(|(_, n)| *n > 0).collect();
    assert_eq!(dropped, [(DropReason::EmptyDatagram, 2)]);
}

#[tokio::test]
async fn a_long_datagram_is_cut_and_the_next_one_whole() {
    let mut options = listener(Transport::Udp);
    options.message_bytes_max = 10;
    let server = Server::start(vec![options]);
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let to = server.address("udp");
    for text in ["0123456789", "0123456789a", "<34>x y: z"] {
        client.send_to(text.as_bytes(), to).await.expect("sends");
    }
    server.stored("udp", 3).await;
    let records = server.records("main");
    let cut: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record.raw.as_str(),
                record.tags.contains(&"syslog.truncated".into()),
            )
        })
        .collect();
    assert_eq!(
        cut,
        [
            ("0123456789", false),
            ("0123456789", true),
            ("<34>x y: z", false)
        ]
    );
}

#[tokio::test]
async fn datagrams_that_come_together_are_messages_of_their_own() {
    let mut options = listener(Transport::Udp);
    options.gro = true;
    options.message_bytes_max = 10;
    let server = Server::start(vec![options]);
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    client
        .connect(server.address("udp"))
        .await
        .expect("connects");
    client.send(b"<34>a: alone").await.expect("sends");
    setsockopt(&client, UdpGsoSegment, &10).expect("the kernel can");
    client
        .send(b"<34>b: one<34>c: two<34>")
        .await
        .expect("sends");
    server.stored("udp", 4).await;
    assert_eq!(
        server.raws(),
        ["<34>a: alo", "<34>b: one", "<34>c: two", "<34>"]
    );
    let status = server.source("udp");
    let dropped: u64 = status.dropped.iter().sum();
    assert_eq!((status.received, dropped), (4, 0));
}

#[tokio::test]
async fn the_largest_datagram_arrives_whole() {
    let server = Server::start(vec![listener(Transport::Udp)]);
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let text = "x".repeat(65_507);
    client
        .send_to(text.as_bytes(), server.address("udp"))
        .await
        .expect("sends");
    server.stored("udp", 1).await;
    assert!(server.raws() == [text]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_socket_of_a_listener_receives() {
    let mut options = listener(Transport::Udp);
    options.udp_sockets = 4;
    options.receive_buffer_bytes = Some(4 * 1024 * 1024);
    let server = Server::start(vec![options]);
    let to = server.address("udp");
    for sender in 0..32 {
        let client = UdpSocket::bind(loopback()).await.expect("binds");
        for number in 0..50 {
            let text = format!("<34>{sender} {number}");
            client.send_to(text.as_bytes(), to).await.expect("sends");
        }
    }
    server.stored("udp", 32 * 50).await;
    assert_eq!(server.source("udp").dropped_total(), 0);
    let raws = server.raws();
    for sender in 0..32 {
        let of_sender = format!("<34>{sender} ");
        let numbers: Vec<_> = raws
            .iter()
            .filter_map(|raw| raw.strip_prefix(&of_sender))
            .collect();
        let expected: Vec<_> = (0..50).map(|number| number.to_string()).collect();
        assert_eq!(numbers, expected, "of sender {sender}");
    }
}
