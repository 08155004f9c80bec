//! Connections that say little, slowly, or nothing: others are served as if they were not there.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};
use testkit::{
    RelpClient, Server, connect, raise_open_files, raw, send_stream, skipped, text, wait_until,
};

use super::{NEXT, tags};

const IDLE: usize = 5_000;
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_slow_sender_is_waited_for_while_others_are_served() -> Result<()> {
    let server = Server::start()?;
    let tcp = server.addresses().tcp;
    let mut slow = connect(tcp)?;
    slow.set_nodelay(true)?;
    for (index, byte) in b"<13>1 - - slow - - - m\n".iter().enumerate() {
        slow.write_all(&[*byte])?;
        // What another sender says meanwhile arrives: so the byte before has been read alone.
        send_stream(tcp, format!("{NEXT}\n").as_bytes())?;
        server
            .api()
            .wait_for_count("program:next", index as u64 + 1)?;
    }
    let rows = server.api().wait_for_rows("program:slow", 1)?;
    assert_eq!(raw(&rows[0])?, b"<13>1 - - slow - - - m");
    assert!(tags(&rows[0]).is_empty());
    Ok(())
}

#[test]
fn a_half_closed_connection_leaves_what_it_said() -> Result<()> {
    let server = Server::start()?;
    let mut half = connect(server.addresses().tcp)?;
    half.write_all(b"<13>1 - - half - - - whole\n<13>1 - - half - - - cut o")?;
    half.shutdown(Shutdown::Write)?;
    let rows = server.api().wait_for_rows("program:half", 2)?;
    assert_eq!(text(&rows[0], "message"), "whole");
    assert_eq!(raw(&rows[1])?, b"<13>1 - - half - - - cut o");
    assert!(
        tags(&rows[1]).contains(&"syslog.incomplete_frame"),
        "{}",
        rows[1]
    );
    // The server closes its side: we read the end and not a timeout.
    let read = half
        .read(&mut [0; 16])
        .context("the connection is left open")?;
    assert_eq!(read, 0);
    server.api().conserved("tcp")?;
    Ok(())
}

#[test]
fn connections_that_never_say_anything_do_not_keep_the_server_from_stopping() -> Result<()> {
    let mut server = Server::start()?;
    let addresses = server.addresses();
    let silent = [addresses.tcp, addresses.tls, addresses.relp, addresses.http];
    let silent: Vec<TcpStream> = silent.into_iter().map(connect).collect::<Result<_>>()?;
    let mut half_said = connect(addresses.tcp)?;
    half_said.write_all(b"<13>1 - - unfinished - - - m")?;
    let mut relp = RelpClient::connect(addresses.relp, 8)?;
    relp.send(b"<13>1 - - said - - - m")?;
    relp.flush()?;

    assert_eq!(server.stop()?.code(), Some(0));
    drop(silent);
    server.start_again()?;
    server.api().wait_for_count("program:said", 1)
}

#[test]
fn garbage_on_the_tls_and_relp_ports_ends_only_its_own_connection() -> Result<()> {
    let server = Server::start()?;
    for address in [server.addresses().tls, server.addresses().relp] {
        for garbage in [
            &b"<13>1 - - plain - - - m\n"[..],
            &[0; 4_096],
            &[0xff; 4_096],
        ] {
            let mut stream = connect(address)?;
            stream.write_all(garbage)?;
            // An alert or an error may come first; then the end, or a reset.
            let _ = stream.read_to_end(&mut Vec::new());
        }
    }
    let mut client = RelpClient::connect(server.addresses().relp, 1)?;
    client.send(NEXT.as_bytes())?;
    client.close()?;
    server.api().wait_for_count("program:next", 1)
}

#[test]
fn a_relp_frame_that_lies_about_its_length_ends_the_session() -> Result<()> {
    let server = Server::start()?;
    let relp = server.addresses().relp;
    for head in [
        "1 open 99999999999 ",
        "1 open -1 ",
        "0000000000000001 open 1 ",
        "1 nonsense 0\n",
    ] {
        let mut stream = connect(relp)?;
        stream.write_all(head.as_bytes())?;
        stream.shutdown(Shutdown::Write)?;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"1 rsp 6 200 OK"), "{head:?} was taken");
    }
    RelpClient::connect(relp, 1)?.close()
}

#[test]
fn five_thousand_idle_connections_cost_nobody_anything() -> Result<()> {
    // Both ends of each connection, the server's being another process, and some to spare.
    if let Err(error) = raise_open_files(IDLE as u64 + 1_000) {
        return skipped(&format!("{error:#}"));
    }
    let server = Server::start()?;
    let tcp = server.addresses().tcp;
    let idle: Vec<TcpStream> = (0..IDLE).map(|_| connect(tcp)).collect::<Result<_>>()?;
    wait_until("all were accepted", LIMIT, || {
        let status = server.api().status().unwrap_or_default();
        let sources = status["sources"].as_array().cloned().unwrap_or_default();
        let tcp = sources.iter().find(|source| source["name"] == "tcp");
        tcp.is_some_and(|tcp| tcp["connections"].as_u64() >= Some(IDLE as u64))
    })?;
    send_stream(tcp, format!("{NEXT}\n").as_bytes())?;
    server.api().wait_for_count("program:next", 1)?;
    // Any of the idle ones can still speak.
    for mut stream in [&idle[0], &idle[IDLE / 2], &idle[IDLE - 1]] {
        stream.write_all(b"<13>1 - - woken - - - m\n")?;
    }
    server.api().wait_for_count("program:woken", 3)
}
