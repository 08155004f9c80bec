//! Unix sockets: datagrams and connections.

use std::fs;
use std::path::Path;

use ingest::{ListenerOptions, Options, Transport};
use pipeline::Pipeline;
use tokio::io::AsyncWriteExt;
use tokio::net::{UnixDatagram, UnixStream};

use crate::harness::{Server, eventually};

fn options(transport: Transport, path: &Path) -> ListenerOptions {
    ListenerOptions::new("log", transport, path.to_owned())
}

#[tokio::test]
async fn a_datagram_is_a_message_and_the_host_is_this_machine() {
    let directory = tempfile::tempdir().expect("makes one");
    let path = directory.path().join("log");
    let server = Server::start(vec![options(Transport::UnixDatagram, &path)]);
    let client = UnixDatagram::unbound().expect("opens");
    let own = "<13>Oct 11 22:14:15 su[12]: one\n";
    let of_another = "<13>Oct 11 22:14:15 other su[12]: two";
    for text in [own, "", of_another] {
        client.send_to(text.as_bytes(), &path).await.expect("sends");
    }
    eventually("both are stored", || server.source("log").stored == 2).await;
    let hosts = server.hosts("main");
    let name = fs::read_to_string("/proc/sys/kernel/hostname").expect("has a name");
    assert_eq!(hosts, [name.trim().to_ascii_lowercase().as_str(), "other"]);
    assert_eq!(server.raws(), [own.trim_end(), of_another]);
    let status = server.source("log");
    assert_eq!((status.received, status.dropped_total()), (3, 1));
    assert_eq!(status.senders, 0, "processes are not told apart");
}

#[tokio::test]
async fn more_datagrams_than_the_queue_holds_all_arrive() {
    let directory = tempfile::tempdir().expect("makes one");
    let path = directory.path().join("log");
    let server = Server::start(vec![options(Transport::UnixDatagram, &path)]);
    let client = UnixDatagram::unbound().expect("opens");
    for number in 0..3_000 {
        let text = format!("<13>message {number}");
        client.send_to(text.as_bytes(), &path).await.expect("waits");
    }
    server.stored("log", 3_000).await;
}

#[tokio::test]
async fn connections_are_read_as_over_tcp() {
    let directory = tempfile::tempdir().expect("makes one");
    let path = directory.path().join("log");
    let server = Server::start(vec![options(Transport::UnixStream, &path)]);
    let mut client = UnixStream::connect(&path).await.expect("connects");
    client
        .write_all(b"<34>one\n12 <34>two\nmore<34>cut")
        .await
        .expect("writes");
    server.stored("log", 2).await;
    assert_eq!(server.source("log").connections, 1);
    drop(client);
    server.stored("log", 3).await;
    assert_eq!(server.raws(), ["<34>one", "<34>two\nmore", "<34>cut"]);
}

#[tokio::test]
async fn a_reload_keeps_the_socket_and_its_end_removes_the_file() {
    let directory = tempfile::tempdir().expect("makes one");
    let path = directory.path().join("log");
    let first = options(Transport::UnixStream, &path);
    let server = Server::start(vec![first.clone()]);
    let mut client = UnixStream::connect(&path).await.expect("connects");
    client.write_all(b"<34>one\n").await.expect("writes");
    server.stored("log", 1).await;
    let reload = |listeners| {
        server
            .ingest
            .reload(Options::new(listeners), Pipeline::default())
    };
    reload(vec![first.clone()]).await.expect("reloads");
    client.write_all(b"<34>two\n").await.expect("still open");
    server.stored("log", 2).await;

    let mut changed = first;
    changed.message_bytes_max = 7;
    changed.socket_file.mode = 0o600;
    reload(vec![changed]).await.expect("reloads");
    let mut client = UnixStream::connect(&path).await.expect("connects");
    client.write_all(b"<34>three\n").await.expect("writes");
    server.stored("log", 3).await;
    assert_eq!(server.raws().last().map(String::as_str), Some("<34>thr"));
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).expect("is there"));
    assert_eq!(mode & 0o777, 0o600);

    reload(Vec::new()).await.expect("reloads");
    eventually("the file is gone", || !path.exists()).await;
}

#[tokio::test]
async fn a_path_that_is_taken_is_told() {
    let directory = tempfile::tempdir().expect("makes one");
    let path = directory.path().join("log");
    let _server = Server::start(vec![options(Transport::UnixDatagram, &path)]);
    let mut other = options(Transport::UnixDatagram, &path);
    other.name = "other".to_owned();
    let error = Server::try_start(vec![other])
        .err()
        .expect("taken")
        .to_string();
    let expected = format!(
        "listener other cannot listen on unix-datagram {}: another process listens there",
        path.display()
    );
    assert_eq!(error, expected);
}
