//! Syncs that take from a fifth of a second to five: senders wait, searches do not, memory stays.

use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use testkit::{Server, Setup, connect, need, resident_bytes};

use super::{Flow, check_flow, strace};

/// Bytes on their way that the server may hold.
const CONFIG: &str = "[receive]\nmemory_max = \"4MiB\"\n";
/// What a server with its caches and the debugger's information may take at most, in KiB.
const MEMORY_KIB_MAX: u64 = 300 * 1024;
/// How long a question may take, on a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(4);
/// How long to look for a message that waits: on a busy machine the sender has its turn late.
const WAITING_SEEN: Duration = Duration::from_secs(30);
/// A sender that writes this much without being held up was not held up.
const FLOOD_BYTES: usize = 256 << 20;

#[test]
fn syncs_of_200_ms_hold_up_senders_only() -> Result<()> {
    holds_up(
        "fdatasync:delay_enter=200000:when=2+",
        Duration::from_millis(200),
        12,
    )
}

#[test]
fn syncs_of_5_s_hold_up_senders_only() -> Result<()> {
    holds_up(
        "fdatasync:delay_enter=5000000:when=3+",
        Duration::from_secs(5),
        2,
    )
}

/// Runs with a delay for each sync, for so many syncs.
fn holds_up(fault: &str, delay: Duration, syncs: u32) -> Result<()> {
    let Some(launcher) = need(strace(fault))? else {
        return Ok(());
    };
    let mut server = Server::start_with(Setup {
        config: Some(CONFIG.to_owned()),
        launcher,
        ..Setup::default()
    })?;
    let (api, addresses) = (server.api(), server.addresses());
    let flow = Flow::start(addresses.relp, 128, 300);
    let started = Instant::now();
    let flooded = flood(addresses.tcp)?;
    ensure!(flooded < FLOOD_BYTES, "nothing held up {flooded} bytes");
    // Questions do not wait for the disk, and what waits is there to be seen.
    let (mut memory, mut waiting, mut longest) = (0, 0, Duration::ZERO);
    let is_over = |waiting: u64| {
        let elapsed = started.elapsed();
        elapsed > delay * syncs && (waiting > 0 || elapsed > WAITING_SEEN)
    };
    while !is_over(waiting) {
        let asked = Instant::now();
        api.count("program:flow")?;
        waiting = waiting.max(api.source("relp")?.in_flight);
        longest = longest.max(asked.elapsed());
        memory = memory.max(resident_bytes(server.process().id())? / 1024);
    }
    ensure!(memory < MEMORY_KIB_MAX, "{memory} KiB of memory");
    ensure!(waiting > 0, "nothing was seen to wait");
    ensure!(longest < ANSWER_MAX, "an answer took {longest:?}");
    let sent = flow.stop()?;
    check_flow(api, sent)?;
    server.kill()?;
    server.setup().launcher.clear();
    server.start_again()?;
    check_flow(server.api(), sent)
}

/// Writes lines until the server has not read for a while; returns how many bytes it took.
fn flood(address: SocketAddr) -> Result<usize> {
    let mut stream = connect(address)?;
    stream.set_write_timeout(Some(Duration::from_millis(100)))?;
    let line = format!("<13>1 - - flood - - - {}\n", "y".repeat(1_000));
    let block = line.repeat(64);
    let mut written = 0;
    while written < FLOOD_BYTES {
        match stream.write(block.as_bytes()) {
            Ok(bytes) => written += bytes,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(written);
            }
            Err(error) => return Err(error).context("the connection broke"),
        }
    }
    Ok(written)
}
