//! Another configuration while messages come.

use std::net::TcpListener;

use ingest::{ListenerOptions, Options, Transport};
use model::LogspaceName;
use pipeline::{Pipeline, Route};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

use crate::harness::{PATIENCE, Server, eventually, listener, loopback};

fn named(name: &str, transport: Transport) -> ListenerOptions {
    ListenerOptions {
        name: name.to_owned(),
        ..listener(transport)
    }
}

async fn reload(server: &Server, listeners: Vec<ListenerOptions>) -> Result<(), String> {
    let reloaded = server
        .ingest
        .reload(Options::new(listeners), Pipeline::default())
        .await;
    reloaded.map_err(|error| error.to_string())
}

async fn connect(server: &Server, source: &str) -> TcpStream {
    TcpStream::connect(server.address(source))
        .await
        .expect("connects")
}

async fn is_closed(client: &mut TcpStream) -> bool {
    let end = timeout(PATIENCE, client.read(&mut [0]))
        .await
        .expect("in time");
    matches!(end, Ok(0) | Err(_))
}

#[tokio::test]
async fn what_has_not_changed_goes_on() {
    let (kept, removed) = (
        named("kept", Transport::Tcp),
        named("removed", Transport::Tcp),
    );
    let server = Server::start(vec![kept.clone(), removed]);
    let mut of_kept = connect(&server, "kept").await;
    let mut of_removed = connect(&server, "removed").await;
    of_kept.write_all(b"<34>one\n<34>tw").await.expect("writes");
    server.stored("kept", 1).await;
    of_removed.write_all(b"<34>x\n").await.expect("writes");
    server.stored("removed", 1).await;
    let (kept_at, removed_at) = (server.address("kept"), server.address("removed"));

    let added = named("added", Transport::Udp);
    reload(&server, vec![added, kept]).await.expect("reloads");
    assert_eq!(server.address("kept"), kept_at);
    of_kept.write_all(b"o\n").await.expect("writes");
    server.stored("kept", 2).await;
    assert!(is_closed(&mut of_removed).await);
    assert!(TcpStream::connect(removed_at).await.is_err());
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    client
        .send_to(b"<34>y", server.address("added"))
        .await
        .expect("sends");
    server.stored("added", 1).await;
    assert_eq!(server.raws(), ["<34>one", "<34>x", "<34>two", "<34>y"]);
    assert_eq!(
        server.source("removed").stored,
        1,
        "figures outlast their listener"
    );
}

#[tokio::test]
async fn an_error_changes_nothing() {
    let kept = named("kept", Transport::Tcp);
    let server = Server::start(vec![kept.clone()]);
    let mut client = connect(&server, "kept").await;
    let before = server.ingest.listeners();

    let taken = TcpListener::bind(loopback()).expect("binds");
    let mut other = named("other", Transport::Tcp);
    other.address = taken.local_addr().expect("bound").into();
    let listeners = vec![named("new", Transport::Udp), other.clone()];
    let error = reload(&server, listeners).await.expect_err("taken");
    let expected = format!("listener other cannot listen on tcp {}", other.address);
    assert!(error.starts_with(&expected), "{error}");

    let error = reload(&server, vec![kept.clone(), kept.clone()])
        .await
        .expect_err("twice");
    assert!(
        error.starts_with("two listeners are called \"kept\""),
        "{error}"
    );
    let error = reload(&server, vec![named("http", Transport::Tcp)])
        .await
        .expect_err("reserved");
    assert!(error.contains("cannot be called \"http\""), "{error}");
    let error = reload(&server, vec![named("x", Transport::Tls)])
        .await
        .expect_err("no keys");
    assert_eq!(error, "listener x: transport tls needs TLS settings");
    let mut long = kept;
    long.message_bytes_max = 17 * 1024 * 1024;
    let error = reload(&server, vec![long]).await.expect_err("too long");
    assert!(error.contains("message length 17825792"), "{error}");

    assert_eq!(server.ingest.listeners(), before);
    client.write_all(b"<34>still here\n").await.expect("writes");
    server.stored("kept", 1).await;
}

#[tokio::test]
async fn a_changed_listener_keeps_its_port() {
    let mut tcp = named("tcp", Transport::Tcp);
    let mut udp = named("udp", Transport::Udp);
    let server = Server::start(vec![tcp.clone(), udp.clone()]);
    let mut client = connect(&server, "tcp").await;
    client
        .write_all(b"<34>a long message\n")
        .await
        .expect("writes");
    server.stored("tcp", 1).await;
    let before = server.ingest.listeners();

    tcp.message_bytes_max = 8;
    udp.message_bytes_max = 8;
    reload(&server, vec![tcp, udp]).await.expect("reloads");
    assert_eq!(server.ingest.listeners(), before);
    assert!(is_closed(&mut client).await);
    let mut client = connect(&server, "tcp").await;
    client
        .write_all(b"<34>a long message\n")
        .await
        .expect("writes");
    server.stored("tcp", 2).await;
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    client
        .send_to(b"<34>b long message", server.address("udp"))
        .await
        .expect("sends");
    server.stored("udp", 1).await;
    assert_eq!(
        server.raws(),
        ["<34>a long message", "<34>a lo", "<34>b lo"]
    );
}

#[tokio::test]
async fn the_number_of_udp_sockets_can_change() {
    let mut options = listener(Transport::Udp);
    let server = Server::start(vec![options.clone()]);
    let at = server.address("udp");
    options.address = at.into();
    options.udp_sockets = 3;
    reload(&server, vec![options.clone()])
        .await
        .expect("reloads");
    assert_eq!(server.address("udp"), at);
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    client.send_to(b"<34>x", at).await.expect("sends");
    server.stored("udp", 1).await;
}

#[tokio::test]
async fn routes_change_for_what_comes() {
    let options = listener(Transport::Tcp);
    let server = Server::start(vec![options.clone()]);
    let mut client = connect(&server, "tcp").await;
    client.write_all(b"<34>one\n").await.expect("writes");
    server.stored("tcp", 1).await;

    let web = LogspaceName::parse("web").expect("valid");
    let route = |name: &str, logspace: &LogspaceName, tag: &str| Route {
        name: name.to_owned(),
        from: vec!["tcp".to_owned()],
        logspace: Some(logspace.clone()),
        tags: vec![tag.to_owned()],
        ..Route::default()
    };
    let both = [
        route("web", &web, "a"),
        route("main", &LogspaceName::main(), "b"),
    ];
    let pipeline = Pipeline::new(both.to_vec(), macros::Context::default()).expect("valid");
    let reloaded = server
        .ingest
        .reload(Options::new(vec![options]), pipeline)
        .await;
    reloaded.expect("reloads");
    client.write_all(b"<34>two\n").await.expect("writes");
    server.stored("tcp", 2).await;
    // A message counts with its first copy; the second may be a commit behind.
    eventually("both copies are there", || {
        server.records("web").len() + server.raws().len() == 3
    })
    .await;
    assert_eq!(server.raws(), ["<34>one", "<34>two"]);
    let in_web = server.records("web");
    assert_eq!(in_web.len(), 1);
    assert_eq!(in_web[0].raw, "<34>two");
    assert!(in_web[0].tags.contains(&"a".to_owned()));
    assert!(!in_web[0].tags.contains(&"b".to_owned()));
}
