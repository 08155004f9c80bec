//! Host lists: who may send, and what happens when that changes.

use std::net::{Ipv4Addr, SocketAddr};

use ingest::{DropReason, HostLists, ListenerOptions, Options, Transport};
use pipeline::Pipeline;
use query::Network;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::time::timeout;

use crate::harness::{PATIENCE, Server, eventually, listener};
use crate::relp_client::Client;

/// An address of the loopback network that is ours like any other.
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

fn allowing(transport: Transport, networks: &[&str]) -> ListenerOptions {
    let networks = networks.iter().map(|text| Network::parse(text));
    ListenerOptions {
        hosts: HostLists {
            allow: networks.collect::<Option<_>>().expect("networks"),
            ..HostLists::default()
        },
        ..listener(transport)
    }
}

async fn connect(server: &Server, from: Ipv4Addr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("opens");
    socket.bind(SocketAddr::from((from, 0))).expect("binds");
    let stream = socket.connect(server.address("tcp")).await;
    stream.expect("connects")
}

async fn is_closed(client: &mut TcpStream) -> bool {
    let end = timeout(PATIENCE, client.read(&mut [0])).await;
    matches!(end.expect("in time"), Ok(0) | Err(_))
}

async fn reload(server: &Server, listeners: Vec<ListenerOptions>) {
    let reloaded = server
        .ingest
        .reload(Options::new(listeners), Pipeline::default());
    reloaded.await.expect("reloads");
}

#[tokio::test]
async fn peers_that_may_not_send_are_turned_away_and_counted() {
    let server = Server::start(vec![allowing(Transport::Tcp, &["127.0.0.1/32"])]);
    let mut denied = connect(&server, OTHER).await;
    assert!(is_closed(&mut denied).await);
    let mut allowed = connect(&server, Ipv4Addr::LOCALHOST).await;
    allowed.write_all(b"<34>one\n").await.expect("writes");
    server.stored("tcp", 1).await;
    let status = server.source("tcp");
    assert_eq!((status.connections, status.connections_total), (1, 1));
    assert_eq!(
        (status.connections_denied, status.connections_refused),
        (1, 0)
    );
}

#[tokio::test]
async fn datagrams_of_others_are_dropped_and_counted() {
    let server = Server::start(vec![allowing(Transport::Udp, &["127.0.0.1/32"])]);
    for (from, text) in [(OTHER, "<34>no"), (Ipv4Addr::LOCALHOST, "<34>yes")] {
        let client = UdpSocket::bind((from, 0)).await.expect("binds");
        let to = server.address("udp");
        client.send_to(text.as_bytes(), to).await.expect("sends");
    }
    server.stored("udp", 1).await;
    assert_eq!(server.raws(), ["<34>yes"]);
    let is_counted = || {
        let dropped = server.source("udp").dropped_by_reason().next();
        dropped == Some((DropReason::Denied, 1))
    };
    eventually("the other is counted", is_counted).await;
    assert_eq!(server.source("udp").received, 2);
}

#[tokio::test]
async fn a_change_holds_for_open_connections_and_closes_no_other() {
    let server = Server::start(vec![
        allowing(Transport::Tcp, &[]),
        allowing(Transport::Udp, &[]),
        allowing(Transport::Relp, &[]),
    ]);
    let mut own = connect(&server, Ipv4Addr::LOCALHOST).await;
    let mut other = connect(&server, OTHER).await;
    let mut relp = Client::open(&server).await;
    own.write_all(b"<34>one\n<34>tw").await.expect("writes");
    other.write_all(b"<34>three\n").await.expect("writes");
    server.stored("tcp", 2).await;

    let only_own = ["127.0.0.1/32"];
    reload(
        &server,
        vec![
            allowing(Transport::Tcp, &only_own),
            allowing(Transport::Udp, &only_own),
            allowing(Transport::Relp, &["127.0.0.2/32"]),
        ],
    )
    .await;
    assert!(is_closed(&mut other).await);
    assert_eq!(relp.answers_to_end().await, ["0 ServerClose"]);
    own.write_all(b"o\n").await.expect("writes");
    server.stored("tcp", 3).await;
    let status = server.source("tcp");
    assert_eq!((status.connections_denied, status.connections), (1, 1));
    let client = UdpSocket::bind((OTHER, 0)).await.expect("binds");
    let to = server.address("udp");
    client.send_to(b"<34>late", to).await.expect("sends");
    let is_dropped = || server.source("udp").dropped_total() == 1;
    eventually("the datagram is dropped", is_dropped).await;

    reload(
        &server,
        vec![
            allowing(Transport::Tcp, &[]),
            allowing(Transport::Udp, &[]),
            allowing(Transport::Relp, &[]),
        ],
    )
    .await;
    let mut other = connect(&server, OTHER).await;
    other.write_all(b"<34>back\n").await.expect("writes");
    server.stored("tcp", 4).await;
    let mut raws = server.raws();
    raws.sort();
    assert_eq!(raws, ["<34>back", "<34>one", "<34>three", "<34>two"]);
}

#[tokio::test]
async fn who_may_not_send_takes_no_place_from_who_may() {
    let mut options = allowing(Transport::Tcp, &["127.0.0.1/32"]);
    options.connections_max = 1;
    let server = Server::start(vec![options]);
    for _ in 0..3 {
        assert!(is_closed(&mut connect(&server, OTHER).await).await);
    }
    let mut client = connect(&server, Ipv4Addr::LOCALHOST).await;
    client.write_all(b"<34>one\n").await.expect("writes");
    server.stored("tcp", 1).await;
}
