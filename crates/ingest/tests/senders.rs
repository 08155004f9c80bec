//! Figures of senders, what is usual, and gaps in numbers.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use ingest::{Bounds, Expected, Level, Transport};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream, UdpSocket};

use crate::harness::{Server, eventually, listener};

const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

async fn connect(server: &Server, from: Ipv4Addr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("opens");
    socket.bind(SocketAddr::from((from, 0))).expect("binds");
    let stream = socket.connect(server.address("tcp")).await;
    stream.expect("connects")
}

#[tokio::test]
async fn every_sender_has_figures_of_its_own() {
    let server = Server::start(vec![listener(Transport::Tcp), listener(Transport::Udp)]);
    let mut own = connect(&server, Ipv4Addr::LOCALHOST).await;
    let mut other = connect(&server, OTHER).await;
    own.write_all(b"<34>one\n<34>two\n").await.expect("writes");
    other.write_all(b"<34>three\n").await.expect("writes");
    server.stored("tcp", 3).await;
    for from in [OTHER, Ipv4Addr::LOCALHOST, OTHER] {
        let client = UdpSocket::bind((from, 0)).await.expect("binds");
        let to = server.address("udp");
        client.send_to(b"<34>x", to).await.expect("sends");
    }
    server.stored("udp", 3).await;

    let figures = |source: &str| -> Vec<(String, u64, u64)> {
        let senders = server.ingest.senders(source).expect("is known");
        let figures = senders.iter();
        figures
            .map(|sender| (sender.peer.to_string(), sender.received, sender.bytes))
            .collect()
    };
    let (first, second) = ("127.0.0.1".to_owned(), "127.0.0.2".to_owned());
    let expected = [(first.clone(), 2, 14), (second.clone(), 1, 9)];
    assert_eq!(figures("tcp"), expected);
    assert_eq!(figures("udp"), [(first, 1, 5), (second, 2, 10)]);
    assert_eq!(server.source("tcp").senders, 2);
    assert!(server.ingest.senders("none").is_none());
}

#[tokio::test]
async fn silence_is_told_and_so_is_its_end() {
    let mut options = listener(Transport::Tcp);
    let at_least_one = Bounds {
        min: Some(1),
        max: None,
    };
    options.expected = Expected {
        period: Duration::from_millis(50),
        source: at_least_one,
        sender: at_least_one,
    };
    let server = Server::start(vec![options]);
    let mut client = connect(&server, Ipv4Addr::LOCALHOST).await;
    client.write_all(b"<34>one\n").await.expect("writes");
    eventually("the sender is silent", || {
        let status = server.source("tcp");
        (status.level, status.senders_low) == (Level::Low, 1)
    })
    .await;
    let mut count = 1;
    let lines = async {
        loop {
            client.write_all(b"<34>more\n").await.expect("writes");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let is_over = eventually("the sender is back", || {
        let status = server.source("tcp");
        count = status.received;
        (status.level, status.senders_low) == (Level::Usual, 0)
    });
    tokio::select! {
        () = lines => {}
        () = is_over => {}
    }
    assert!(count > 1);
}

#[tokio::test]
async fn gaps_in_the_numbers_of_a_sender_are_counted() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let mut client = connect(&server, Ipv4Addr::LOCALHOST).await;
    for (number, stored) in [(1, 1), (2, 2), (5, 3), (6, 4)] {
        let line = format!("<34>1 - h p - - [meta sequenceId=\"{number}\"] x\n");
        client.write_all(line.as_bytes()).await.expect("writes");
        server.stored("tcp", stored).await;
    }
    assert_eq!(server.source("tcp").missing, 2);
}
