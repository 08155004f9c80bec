//! The end: what has arrived is read, what is read becomes durable, what is durable is answered.

use std::time::Duration;

use ingest::{SubmitError, Transport};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UdpSocket};

use crate::harness::{PATIENCE, Server, eventually, listener, loopback};
use crate::relp_client::Client;

#[tokio::test(flavor = "multi_thread")]
async fn what_has_arrived_is_stored() {
    let server = Server::start(vec![listener(Transport::Tcp), listener(Transport::Udp)]);
    let mut tcp = TcpStream::connect(server.address("tcp"))
        .await
        .expect("connects");
    eventually("it is accepted", || server.source("tcp").connections == 1).await;
    let lines: String = (0..5_000).map(|number| format!("<34>{number}\n")).collect();
    tcp.write_all(lines.as_bytes()).await.expect("writes");
    tcp.write_all(b"<34>cut sho").await.expect("writes");
    let udp = UdpSocket::bind(loopback()).await.expect("binds");
    for _ in 0..100 {
        udp.send_to(b"<34>datagram", server.address("udp"))
            .await
            .expect("sends");
    }
    server
        .ingest
        .shutdown(PATIENCE)
        .await
        .expect("all is durable");
    let (tcp, udp) = (server.source("tcp"), server.source("udp"));
    assert_eq!((tcp.received, tcp.stored), (5_001, 5_001));
    assert_eq!((udp.received, udp.stored), (100, 100));
    let records = server.records("main");
    let cut = records
        .iter()
        .find(|record| record.raw == "<34>cut sho")
        .expect("is kept");
    assert!(cut.tags.contains(&"syslog.incomplete_frame".into()));
    assert!(server.ingest.listeners().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_is_acknowledged() {
    let server = Server::start(vec![listener(Transport::Relp)]);
    let mut client = Client::open(&server).await;
    server.gate.close();
    client.send(2, [&b"<34>one"[..], b"<34>two"]).await;
    eventually("both are received", || server.source("relp").in_flight == 2).await;
    let (shutdown, ()) = tokio::join!(server.ingest.shutdown(PATIENCE), async {
        server.gate.open();
    });
    shutdown.expect("all is durable");
    let answers = client.answers_to_end().await;
    assert_eq!(answers, ["2 rsp 200 OK", "3 rsp 200 OK", "0 ServerClose"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_does_not_write_is_not_waited_for_for_ever() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let mut client = TcpStream::connect(server.address("tcp"))
        .await
        .expect("connects");
    server.gate.close();
    client
        .write_all(b"<34>one\n<34>two\n")
        .await
        .expect("writes");
    eventually("both are received", || server.source("tcp").in_flight == 2).await;
    let error = server
        .ingest
        .shutdown(Duration::from_millis(10))
        .await
        .expect_err("stalled");
    assert_eq!(error.to_string(), "2 messages were not durable in time");
    server.gate.open();
    server.stored("tcp", 2).await;
}

#[tokio::test]
async fn nothing_is_taken_afterwards() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let to = server.address("tcp");
    server
        .ingest
        .shutdown(PATIENCE)
        .await
        .expect("nothing was on its way");
    assert!(TcpStream::connect(to).await.is_err());
    let refused = server
        .ingest
        .submit_lines([&b"<34>x"[..]], None, None)
        .await;
    assert_eq!(refused, Err(SubmitError::ShutDown));
}
