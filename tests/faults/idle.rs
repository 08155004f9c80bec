//! Connections that are quiet: what each of them takes.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use testkit::{Process, Server, Setup, binary, resident_bytes, wait_for};

const LIMIT: Duration = Duration::from_secs(60);

/// How many there are: what else the process takes meanwhile is little beside them.
const CONNECTIONS: u64 = 400;

/// Most memory of one of them, in bytes.
const TCP_BYTES_MAX: u64 = 16 * 1024;
const TLS_BYTES_MAX: u64 = 48 * 1024;

#[test]
fn idle_connections_keep_no_buffers() -> Result<()> {
    let each = bytes_of_each("tcp")?;
    ensure!(each <= TCP_BYTES_MAX, "{each} bytes for a connection");
    Ok(())
}

#[test]
fn idle_connections_over_tls_keep_no_buffers() -> Result<()> {
    let each = bytes_of_each("tls")?;
    ensure!(each <= TLS_BYTES_MAX, "{each} bytes for a connection");
    Ok(())
}

/// Memory of a connection over which a message came, and which is quiet until the next.
fn bytes_of_each(transport: &str) -> Result<u64> {
    let mut server = Server::start_with(Setup::default())?;
    let addresses = server.addresses();
    let to = match transport {
        "tls" => format!("tls://{}", addresses.tls),
        _ => format!("tcp://{}", addresses.tcp),
    };
    // What a process takes once and for all, it has then.
    hold(&mut server, transport, &to, 1)?.kill()?;
    let before = resident_bytes(server.process().id())?;
    let mut load = hold(&mut server, transport, &to, CONNECTIONS)?;
    let after = resident_bytes(server.process().id())?;
    load.kill()?;
    Ok(after.saturating_sub(before) / CONNECTIONS)
}

/// Opens connections that send a message a second each, and waits until all of them have.
fn hold(server: &mut Server, transport: &str, to: &str, connections: u64) -> Result<Process> {
    let before = server.api().source(transport)?.stored;
    let wanted = before + 3 * connections;
    let count = connections.to_string();
    let words = [
        "load",
        to,
        "--duration",
        "10m",
        "--rate-per-connection",
        "1",
    ];
    let mut command = Command::new(binary()?);
    command.args(words).args(["--connections", &count]);
    if transport == "tls" {
        command.arg("--insecure");
    }
    let load = Process::start(&mut command)?;
    wait_for("every connection has sent", LIMIT, || {
        let status = server.api().status()?;
        let sources = status["sources"].as_array().into_iter().flatten();
        let is_there = sources
            .filter(|source| source["name"] == transport)
            .any(|source| {
                source["connections"].as_u64() >= Some(connections)
                    && source["stored"].as_u64() >= Some(wanted)
            });
        Ok(is_there.then_some(()))
    })?;
    Ok(load)
}
