//! Kill -9, fifty times, on one data directory, while RELP senders run.
//!
//! After every start: each acknowledged record is there, each connection's records are a prefix of
//! what it sent, nothing is there twice, and nothing vanished from the counters.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use testkit::{Random, RelpClient, Server, Setup, text, wait_until};

const KILLS: u64 = 50;
const SENDERS: u64 = 4;
const WINDOW: usize = 128;
/// Enough to be killed in the middle of; a sender that gets this far just stops.
const SENT_MAX: u64 = 20_000;
const LIMIT: Duration = Duration::from_secs(60);

/// Small files, so that many kills meet a journal that is changed and a segment that is sealed.
const CONFIG: &str =
    "[store]\njournal_file = \"4MiB\"\ntail_max = \"1MiB\"\nsegment_rows_max = 4096\n";

/// What a connection knows: how many it sent at most, and how many were acknowledged.
struct Sent {
    connection: u64,
    sent: u64,
    acknowledged: u64,
}

#[test]
fn fifty_kills_lose_nothing_acknowledged() -> Result<()> {
    let mut random = Random::new(20_261_121);
    let mut server = Server::start_with(Setup {
        config: Some(CONFIG.to_owned()),
        ..Setup::default()
    })?;
    let mut stored = 0;
    let started = Instant::now();
    for cycle in 0..KILLS {
        let sent = kill_under_load(&mut server, cycle, &mut random)?;
        if cycle % 5 == 4 {
            kill_while_starting(&mut server, &mut random)?;
        }
        server
            .start_again()
            .with_context(|| format!("after kill {cycle}"))?;
        stored += check_cycle(&server, cycle, &sent).with_context(|| format!("kill {cycle}"))?;
        let all = server.api().count("program:crash")?;
        ensure!(
            all == stored,
            "kill {cycle}: {all} records, {stored} before"
        );
    }
    // Nothing of an early cycle went away in a later one.
    let rows = server.api().export("program:crash", &[])?;
    let mut next = BTreeMap::new();
    for row in &rows {
        follow(row, &mut next)?;
    }
    assert_eq!(rows.len() as u64, stored);
    assert!(stored > KILLS, "only {stored} records got through");
    assert!(server.stop()?.success());
    println!(
        "{stored} records, {KILLS} kills, {} s",
        started.elapsed().as_secs()
    );
    Ok(())
}

/// Lets senders run until some number of messages is acknowledged, then kills the server.
fn kill_under_load(server: &mut Server, cycle: u64, random: &mut Random) -> Result<Vec<Sent>> {
    let total = AtomicU64::new(0);
    let address = server.addresses().relp;
    // One in eight dies before anything is acknowledged.
    let target = match random.below(8) {
        0 => 0,
        _ => 1 + random.below(4_000),
    };
    thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let total = &total;
                scope.spawn(move || send(address, cycle * SENDERS + sender, total))
            })
            .collect();
        let reached = wait_until("messages were acknowledged", LIMIT, || {
            total.load(Ordering::Relaxed) >= target
        });
        if target > 0 {
            let report = server.api().source("relp")?;
            ensure!(
                report.received >= report.stored + report.dropped,
                "more stored than received: {report:?}"
            );
        }
        server.kill()?;
        reached?;
        senders
            .into_iter()
            .map(|sender| {
                sender
                    .join()
                    .map_err(|_| anyhow::anyhow!("a sender panicked"))
            })
            .collect()
    })
}

/// Sends until the server is gone.
fn send(address: SocketAddr, connection: u64, total: &AtomicU64) -> Sent {
    let mut outcome = Sent {
        connection,
        sent: 0,
        acknowledged: 0,
    };
    let Ok(mut client) = RelpClient::connect(address, WINDOW) else {
        return outcome;
    };
    let mut counted = 0;
    while outcome.sent < SENT_MAX {
        outcome.sent += 1;
        let text = format!(
            "<134>1 - - crash c{connection} - - seq {} {}",
            outcome.sent - 1,
            "x".repeat(usize::try_from(outcome.sent % 300).unwrap_or(0)),
        );
        if client.send(text.as_bytes()).is_err() {
            break;
        }
        let now = client.acknowledged().len() as u64;
        total.fetch_add(now - counted, Ordering::Relaxed);
        counted = now;
    }
    // What was acknowledged before the kill may still lie in our socket.
    client.drain();
    outcome.acknowledged = client.acknowledged().len() as u64;
    outcome
}

/// Kills a server that recovers, at a random moment; recovery must survive that too.
fn kill_while_starting(server: &mut Server, random: &mut Random) -> Result<()> {
    server.start_again_without_waiting()?;
    let moment = Duration::from_millis(random.below(60));
    let started = Instant::now();
    wait_until("the moment came", LIMIT, || started.elapsed() >= moment)?;
    server.kill()
}

/// Asserts what must hold of the connections of one cycle; returns how many records they left.
fn check_cycle(server: &Server, cycle: u64, sent: &[Sent]) -> Result<u64> {
    let mut stored = 0;
    for Sent {
        connection,
        sent,
        acknowledged,
    } in sent
    {
        let rows = server
            .api()
            .export(&format!("program:crash pid:c{connection}"), &[])?;
        let mut next = BTreeMap::new();
        for row in &rows {
            follow(row, &mut next)?;
        }
        let found = rows.len() as u64;
        ensure!(
            *acknowledged <= found && found <= *sent,
            "connection {connection} sent {sent}, {acknowledged} acknowledged, {found} found"
        );
        stored += found;
    }
    let counts = server.api().conserved("relp")?;
    ensure!(
        counts.received == 0,
        "cycle {cycle}: a new server counts from 0, {counts:?}"
    );
    Ok(stored)
}

/// Asserts that a record is the next one of its connection.
fn follow(row: &Value, next: &mut BTreeMap<String, u64>) -> Result<()> {
    let Some(number) = text(row, "message").split(' ').nth(1) else {
        bail!("not one of ours: {row}");
    };
    let expected = next.entry(text(row, "pid").to_owned()).or_default();
    ensure!(
        number == expected.to_string(),
        "expected number {expected}: {row}"
    );
    *expected += 1;
    Ok(())
}

#[test]
fn a_graceful_stop_keeps_everything_and_ends_with_0() -> Result<()> {
    let mut server = Server::start()?;
    let mut client = RelpClient::connect(server.addresses().relp, WINDOW)?;
    for number in 0..2_000 {
        client.send(format!("<134>1 - - crash c1 - - seq {number}").as_bytes())?;
    }
    client.flush()?;
    let counts = server.api().conserved("relp")?;
    assert_eq!((counts.received, counts.stored), (2_000, 2_000));
    client.close()?;
    assert_eq!(server.stop()?.code(), Some(0));

    server.start_again()?;
    let rows = server.api().export("program:crash", &[])?;
    let mut next = BTreeMap::new();
    for row in &rows {
        follow(row, &mut next)?;
    }
    assert_eq!(rows.len(), 2_000);
    Ok(())
}
