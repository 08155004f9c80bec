//! Frames at and around the limit: cut there, tagged, and the next message is untouched.

use std::net::SocketAddr;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::{
    Addresses, RelpClient, Server, Setup, octet_counted, raw, send_datagrams, send_stream,
};

use super::{NEXT, assert_counted, tags};

const DEFAULT_LIMIT: usize = 64 * 1024;
const SMALL_LIMIT: usize = 1_000;
const LARGEST_DATAGRAM: usize = 65_507;

/// A valid message of exactly this many bytes.
fn message(bytes: usize) -> Vec<u8> {
    let head = b"<13>1 - - large - - - ";
    let mut message = head.to_vec();
    message.extend((head.len()..bytes).map(|index| b"abcdefghi "[index % 10]));
    // A trailing space would be a matter of its own.
    if let Some(last) = message.last_mut() {
        *last = b'z';
    }
    message
}

fn lines(messages: &[&[u8]]) -> Vec<u8> {
    messages
        .iter()
        .flat_map(|message| [*message, b"\n"].concat())
        .collect()
}

fn counted(messages: &[&[u8]]) -> Vec<u8> {
    messages
        .iter()
        .flat_map(|message| octet_counted(message))
        .collect()
}

/// Asserts what is kept of a message of some length.
fn assert_kept(row: &Value, sent: &[u8], limit: usize) -> Result<()> {
    let kept = raw(row)?;
    let is_cut = tags(row).contains(&"syslog.truncated");
    ensure!(
        is_cut == (sent.len() > limit),
        "{} bytes: tags {:?}",
        sent.len(),
        tags(row)
    );
    let expected = &sent[..sent.len().min(limit)];
    ensure!(
        kept == expected,
        "{} bytes: {} kept",
        sent.len(),
        kept.len()
    );
    Ok(())
}

fn small_limit() -> Result<Server> {
    let sources = ["udp", "tcp", "tls", "relp"].map(|kind| {
        format!(
            "[source.{kind}.{kind}]\nlisten = \"127.0.0.1:0\"\nmessage_max = \"{SMALL_LIMIT}B\"\n"
        )
    });
    Server::start_with(Setup {
        config: Some(sources.concat()),
        ..Setup::default()
    })
}

/// Sends messages around the limit in one connection, each followed by a small one.
fn check_stream(server: &Server, limit: usize, frame: fn(&[&[u8]]) -> Vec<u8>) -> Result<()> {
    let sizes = [limit - 1, limit, limit + 1, 3 * limit];
    let mut wire = Vec::new();
    for size in sizes {
        wire.extend(frame(&[&message(size), NEXT.as_bytes()]));
    }
    send_stream(server.addresses().tcp, &wire)?;
    check_rows(server, "tcp", limit, &sizes)
}

fn check_rows(server: &Server, source: &str, limit: usize, sizes: &[usize]) -> Result<()> {
    let rows = server
        .api()
        .wait_for_rows(&format!("source:{source}"), 2 * sizes.len() as u64)?;
    for (size, pair) in sizes.iter().zip(rows.chunks(2)) {
        assert_kept(&pair[0], &message(*size), limit)?;
        ensure!(
            raw(&pair[1])? == NEXT.as_bytes(),
            "after {size} bytes: {}",
            pair[1]
        );
        ensure!(tags(&pair[1]).is_empty());
    }
    assert_counted(server, source, rows.len() as u64)
}

#[test]
fn lines_are_cut_at_the_limit() -> Result<()> {
    check_stream(&Server::start()?, DEFAULT_LIMIT, lines)?;
    check_stream(&small_limit()?, SMALL_LIMIT, lines)
}

#[test]
fn octet_counted_frames_are_cut_at_the_limit() -> Result<()> {
    check_stream(&Server::start()?, DEFAULT_LIMIT, counted)?;
    check_stream(&small_limit()?, SMALL_LIMIT, counted)
}

#[test]
fn both_framings_may_change_on_one_connection() -> Result<()> {
    check_stream(&small_limit()?, SMALL_LIMIT, |pair| {
        [octet_counted(pair[0]), lines(&pair[1..])].concat()
    })?;
    check_stream(&small_limit()?, SMALL_LIMIT, |pair| {
        [lines(&pair[..1]), octet_counted(pair[1])].concat()
    })
}

#[test]
fn a_message_of_ten_mebibytes_does_not_disturb_the_next() -> Result<()> {
    let server = Server::start()?;
    let large = message(10 << 20);
    for frame in [lines, counted] {
        send_stream(server.addresses().tcp, &frame(&[&large, NEXT.as_bytes()]))?;
    }
    server.api().wait_for_count("program:next", 2)?;
    for row in server.api().wait_for_rows("program:large", 2)? {
        assert_kept(&row, &large, DEFAULT_LIMIT)?;
    }
    assert_counted(&server, "tcp", 4)
}

#[test]
fn datagrams_are_cut_at_the_limit() -> Result<()> {
    let server = small_limit()?;
    let sizes = [
        SMALL_LIMIT - 1,
        SMALL_LIMIT,
        SMALL_LIMIT + 1,
        3 * SMALL_LIMIT,
    ];
    check_datagrams(&server, SMALL_LIMIT, &sizes)?;
    // The largest datagram that IPv4 can carry is below the default limit.
    check_datagrams(
        &Server::start()?,
        DEFAULT_LIMIT,
        &[LARGEST_DATAGRAM - 1, LARGEST_DATAGRAM],
    )
}

fn check_datagrams(server: &Server, limit: usize, sizes: &[usize]) -> Result<()> {
    let udp: fn(Addresses) -> SocketAddr = |addresses| addresses.udp;
    for (index, size) in sizes.iter().enumerate() {
        // One at a time, because two sockets of the server may overtake each other.
        let found = 2 * index as u64;
        send_datagrams(udp(server.addresses()), &[&message(*size)])?;
        server.api().wait_for_count("source:udp", found + 1)?;
        send_datagrams(udp(server.addresses()), &[NEXT.as_bytes()])?;
        server.api().wait_for_count("source:udp", found + 2)?;
    }
    check_rows(server, "udp", limit, sizes)
}

#[test]
fn relp_messages_are_cut_at_the_limit() -> Result<()> {
    let server = small_limit()?;
    let sizes = [
        SMALL_LIMIT - 1,
        SMALL_LIMIT,
        SMALL_LIMIT + 1,
        3 * SMALL_LIMIT,
    ];
    let mut client = RelpClient::connect(server.addresses().relp, 1)?;
    for size in sizes {
        client.send(&message(size))?;
        client.send(NEXT.as_bytes())?;
    }
    client
        .flush()
        .context("a cut message is acknowledged, because it was kept")?;
    check_rows(&server, "relp", SMALL_LIMIT, &sizes)
}
