//! Compressed streams and messages, and messages in other encodings.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use ingest::Transport;
use syslog::Encoding;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

use crate::harness::{PATIENCE, Server, eventually, listener, loopback};
use crate::relp_client::Client;

fn zlib(mark: &[u8], text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(mark.to_vec(), Compression::default());
    encoder.write_all(text).expect("writes");
    encoder.finish().expect("writes")
}

async fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address("tcp"));
    let stream = stream.await.expect("connects");
    stream.set_nodelay(true).expect("sets");
    stream
}

fn lines(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("<34>message {n}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn packed_streams_are_unpacked_however_they_are_split() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let text = b"<34>one\n12 <34>two\nmore<34>three\n";
    let expected = ["<34>one", "<34>two\nmore", "<34>three"];
    let zstd = zstd::encode_all(&text[..], 3).expect("packs");
    let mut count = 0;
    for stream in [zlib(b"", text), zstd] {
        for split in 0..=stream.len() {
            let (head, tail) = stream.split_at(split);
            let mut client = connect(&server).await;
            client.write_all(head).await.expect("writes");
            tokio::task::yield_now().await;
            client.write_all(tail).await.expect("writes");
            count += 3;
            server.stored("tcp", count).await;
            let raws = server.raws();
            assert_eq!(raws[raws.len() - 3..], expected, "split at {split}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_packed_stream_arrives_whole() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let sent = lines(100_000);
    let text = format!("{}\n", sent.join("\n"));
    let packed = zstd::encode_all(text.as_bytes(), 3).expect("packs");
    let mut client = connect(&server).await;
    client.write_all(&packed).await.expect("writes");
    server.stored("tcp", 100_000).await;
    assert!(server.raws() == sent);
    // A reader takes a share before it learns that there is nothing more.
    eventually("nothing is held", || server.ingest.budget_bytes().0 == 0).await;
}

#[tokio::test]
async fn a_damaged_stream_is_cut_and_what_came_before_is_kept() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"<34>one\n<34>tw").expect("writes");
    encoder.flush().expect("writes");
    let mut stream = encoder.get_ref().clone();
    stream.extend_from_slice(&[0xff; 100]);
    let mut client = connect(&server).await;
    client.write_all(&stream).await.expect("writes");
    let end = timeout(PATIENCE, client.read(&mut [0])).await;
    assert!(matches!(end.expect("in time"), Ok(0) | Err(_)));
    server.stored("tcp", 2).await;
    let records = server.records("main");
    assert_eq!(records[1].raw, "<34>tw");
    assert!(records[1].tags.contains(&"syslog.incomplete_frame".into()));
}

#[tokio::test]
async fn the_start_of_a_packed_stream_and_no_more_is_kept() {
    let server = Server::start(vec![listener(Transport::Tcp)]);
    for start in [&b"x"[..], b"(", b"x-ray", b"(text)\n"] {
        let mut client = connect(&server).await;
        client.write_all(start).await.expect("writes");
    }
    server.stored("tcp", 4).await;
    let mut raws = server.raws();
    raws.sort();
    assert_eq!(raws, ["(", "(text)", "x", "x-ray"]);
}

#[tokio::test]
async fn packed_messages_are_unpacked_over_every_transport() {
    let transports = [Transport::Udp, Transport::Tcp, Transport::Relp];
    let server = Server::start(transports.map(listener).to_vec());
    let message = zlib(b"z", b"<34>a message of some length\n");

    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let to = server.address("udp");
    client.send_to(&message, to).await.expect("sends");
    server.stored("udp", 1).await;
    let mut client = connect(&server).await;
    let count = format!("{} ", message.len());
    for part in [count.as_bytes(), &message, b"<34>plain\n"] {
        client.write_all(part).await.expect("writes");
    }
    server.stored("tcp", 2).await;
    let mut client = Client::open(&server).await;
    client.send(2, [message.as_slice()]).await;
    server.stored("relp", 1).await;

    let mut raws = server.raws();
    raws.sort();
    let unpacked = "<34>a message of some length";
    assert_eq!(raws, [unpacked, unpacked, unpacked, "<34>plain"]);
    assert_eq!(server.source("udp").bytes, unpacked.len() as u64);
}

#[tokio::test]
async fn a_checksum_that_looks_like_a_terminator_is_a_checksum() {
    let transports = [Transport::Udp, Transport::Tcp, Transport::Relp];
    let server = Server::start(transports.map(listener).to_vec());
    let ends_with = |end: u8| {
        let texts = (0..).map(|number| format!("<34>a message {number}"));
        let mut packed = texts.map(|text| (zlib(b"z", text.as_bytes()), text));
        packed.find(|(packed, _)| packed.ends_with(&[end]))
    };
    let mut stored = 0;
    for end in [b'\n', b'\0'] {
        let (message, text) = ends_with(end).expect("one in 256");
        let client = UdpSocket::bind(loopback()).await.expect("binds");
        let to = server.address("udp");
        client.send_to(&message, to).await.expect("sends");
        let mut client = connect(&server).await;
        let count = format!("{} ", message.len());
        client.write_all(count.as_bytes()).await.expect("writes");
        client.write_all(&message).await.expect("writes");
        let mut client = Client::open(&server).await;
        client.send(2, [message.as_slice()]).await;
        stored += 1;
        for source in ["udp", "tcp", "relp"] {
            server.stored(source, stored).await;
        }
        let raws = server.raws();
        assert_eq!(raws[raws.len() - 3..], [&*text; 3], "{end}");
    }
}

#[tokio::test]
async fn a_bomb_in_a_datagram_is_cut() {
    let mut options = listener(Transport::Udp);
    options.message_bytes_max = 16 * 1024 * 1024;
    let server = Server::start(vec![options]);
    let bomb = zlib(b"z", &vec![b'x'; 16 * 1024 * 1024]);
    let client = UdpSocket::bind(loopback()).await.expect("binds");
    let to = server.address("udp");
    client.send_to(&bomb, to).await.expect("sends");
    server.stored("udp", 1).await;
    let record = &server.records("main")[0];
    assert_eq!(record.raw.len(), 65_535);
    assert!(record.tags.contains(&"syslog.truncated".into()));
}

#[tokio::test]
async fn nothing_is_unpacked_where_that_is_switched_off() {
    let mut options = listener(Transport::Tcp);
    options.unpacks = false;
    let server = Server::start(vec![options]);
    let mut client = connect(&server).await;
    client
        .write_all(b"x\x9cabc\nzx\x9cabc\n")
        .await
        .expect("writes");
    server.stored("tcp", 2).await;
    assert_eq!(server.raws(), ["x\u{fffd}abc", "zx\u{fffd}abc"]);
}

#[tokio::test]
async fn messages_in_the_encoding_of_the_source_are_kept_in_utf8() {
    let mut options = listener(Transport::Tcp);
    options.encoding = Encoding::parse("latin1");
    let server = Server::start(vec![options]);
    let mut client = connect(&server).await;
    let sent = b"<34>caf\xe9\n<34>caf\xc3\xa9\n<34>plain\n";
    client.write_all(sent).await.expect("writes");
    server.stored("tcp", 3).await;
    let cafe = "<34>caf\u{e9}";
    assert_eq!(server.raws(), [cafe, cafe, "<34>plain"]);
    let converted = |index: usize| {
        let tags = &server.records("main")[index].tags;
        tags.contains(&"syslog.converted".to_owned())
    };
    assert_eq!([0, 1, 2].map(converted), [true, false, false]);
}
