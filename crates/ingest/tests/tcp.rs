//! Lines and counted octets over TCP.

use std::time::Duration;

use ingest::{Options, Transport};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{PATIENCE, Server, eventually, listener};

async fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address("tcp"))
        .await
        .expect("connects");
    stream.set_nodelay(true).expect("sets");
    stream
}

#[tokio::test]
async fn lines_and_counted_octets_may_be_mixed() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let mut client = connect(&server).await;
    client
        .write_all(b"<34>one\n12 <34>two\nmore<34>three\r\n")
        .await
        .expect("writes");
    server.stored("tcp", 3).await;
    assert_eq!(server.raws(), ["<34>one", "<34>two\nmore", "<34>three\r"]);
    let status = server.source("tcp");
    assert_eq!((status.connections, status.connections_total), (1, 1));
    assert_eq!((status.received, status.bytes), (3, 7 + 12 + 10));
    let record = &server.records("main")[0];
    assert_eq!(
        (record.source.as_str(), record.peer.as_str()),
        ("tcp", "127.0.0.1")
    );
    drop(client);
    eventually("the connection is closed", || {
        server.source("tcp").connections == 0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_split_anywhere_gives_the_same_messages() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let stream = b"9 <34>first17 <34>second\nlines\0<34>third\n2 ok";
    let expected = ["<34>first", "<34>second\nlines", "<34>third", "ok"];
    for split in 0..=stream.len() {
        let mut client = connect(&server).await;
        let (head, tail) = stream.split_at(split);
        client.write_all(head).await.expect("writes");
        tokio::task::yield_now().await;
        client.write_all(tail).await.expect("writes");
        let before = split as u64 * 4;
        server.stored("tcp", before + 4).await;
        let raws = server.raws();
        assert_eq!(raws[raws.len() - 4..], expected, "split at {split}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_may_come_byte_by_byte() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let mut client = connect(&server).await;
    for byte in b"9 <34>first<34>third\n2 ok" {
        client.write_all(&[*byte]).await.expect("writes");
        tokio::task::yield_now().await;
    }
    server.stored("tcp", 3).await;
    assert_eq!(server.raws(), ["<34>first", "<34>third", "ok"]);
}

#[tokio::test]
async fn what_a_close_cuts_short_is_kept_and_says_so() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let mut client = connect(&server).await;
    client
        .write_all(b"<34>whole\n<34>par")
        .await
        .expect("writes");
    server.stored("tcp", 1).await;
    client.write_all(b"tial").await.expect("writes");
    client.shutdown().await.expect("closes");
    server.stored("tcp", 2).await;
    let records = server.records("main");
    let incomplete: Vec<_> = records
        .iter()
        .map(|r| {
            (
                r.raw.as_str(),
                r.tags.contains(&"syslog.incomplete_frame".into()),
            )
        })
        .collect();
    assert_eq!(incomplete, [("<34>whole", false), ("<34>partial", true)]);
}

#[tokio::test]
async fn a_message_that_is_too_long_is_cut_and_the_next_one_whole() {
    let mut options = listener(Transport::Tcp);
    options.message_bytes_max = 1_000;
    let server = Server::start(vec![options]);
    let mut client = connect(&server).await;
    let long = "x".repeat(300_000);
    client
        .write_all(format!("{long}\n<34>next\n").as_bytes())
        .await
        .expect("writes");
    client
        .write_all(format!("300004 <34>{long}<34>last\n").as_bytes())
        .await
        .expect("writes");
    server.stored("tcp", 4).await;
    let raws = server.raws();
    assert_eq!(
        (raws[1].as_str(), raws[3].as_str()),
        ("<34>next", "<34>last")
    );
    assert!(raws[0] == long[..1_000] && raws[2] == format!("<34>{long}")[..1_000]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_larger_than_the_whole_budget_gets_through() {
    let mut options = listener(Transport::Tcp);
    options.message_bytes_max = 4 * 1024 * 1024;
    let mut options = Options::new(vec![options]);
    options.budget_bytes = 64 * 1024;
    let server = Server::with(options);
    let mut client = connect(&server).await;
    let long = "x".repeat(3_000_000);
    client
        .write_all(format!("<34>first\n{long}\n<34>last\n").as_bytes())
        .await
        .expect("writes");
    server.stored("tcp", 3).await;
    assert!(server.raws() == ["<34>first", &long, "<34>last"]);
    // A reader takes a share before it learns that there is nothing more.
    eventually("nothing is held", || {
        server.ingest.budget_bytes() == (0, 64 * 1024)
    })
    .await;
}

#[tokio::test]
async fn connections_beyond_the_limit_are_turned_away() {
    let mut options = listener(Transport::Tcp);
    options.connections_max = 2;
    let server = Server::start(vec![options]);
    let mut first = connect(&server).await;
    let second = connect(&server).await;
    eventually("both are open", || server.source("tcp").connections == 2).await;
    let mut third = connect(&server).await;
    let end = timeout(PATIENCE, third.read(&mut [0]))
        .await
        .expect("in time");
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
    assert_eq!(server.source("tcp").connections_refused, 1);

    drop(second);
    eventually("one is closed", || server.source("tcp").connections == 1).await;
    let mut fourth = connect(&server).await;
    first.write_all(b"<34>first\n").await.expect("writes");
    server.stored("tcp", 1).await;
    fourth.write_all(b"<34>fourth\n").await.expect("writes");
    server.stored("tcp", 2).await;
    assert_eq!(server.raws(), ["<34>first", "<34>fourth"]);
}

#[tokio::test]
async fn an_idle_connection_is_closed_where_that_is_configured() {
    let mut options = listener(Transport::Tcp);
    options.idle_timeout = Some(Duration::from_millis(50));
    let server = Server::start(vec![options]);
    let mut client = connect(&server).await;
    client.write_all(b"<34>half").await.expect("writes");
    let end = timeout(PATIENCE, client.read(&mut [0]))
        .await
        .expect("in time");
    assert_eq!(end.expect("closed, not broken"), 0);
    server.stored("tcp", 1).await;
    assert_eq!(server.raws(), ["<34>half"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_do_not_disturb_others() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let mut idle = Vec::new();
    for _ in 0..500 {
        let mut client = connect(&server).await;
        client.write_all(b"<34>begun").await.expect("writes");
        idle.push(client);
    }
    let mut client = connect(&server).await;
    let lines: String = (0..10_000)
        .map(|number| format!("<34>{number}\n"))
        .collect();
    client.write_all(lines.as_bytes()).await.expect("writes");
    server.stored("tcp", 10_000).await;
    assert_eq!(server.source("tcp").connections, 501);
    // A reader gives its share back once what it read was taken.
    eventually("idle connections hold nothing", || {
        server.ingest.budget_bytes().0 == 0
    })
    .await;
    drop(idle);
    server.stored("tcp", 10_500).await;
}
