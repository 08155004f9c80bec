//! The same kills for Debian's rsyslog, which also answers RELP: how much of what it acknowledged
//! is in its file after a kill. This reports and asserts nothing of rsyslog.
//!
//! Run by `cargo xtask crash --peer rsyslog`; without that it does nothing.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use testkit::{Addresses, Random, peers::Rsyslog, wait_until};

use super::number;
use super::stream::{Kind, Stream, Transport};

const LIMIT: Duration = Duration::from_secs(60);

const KIND: Kind = Kind {
    name: "relp0",
    transport: Transport::Relp,
    logspace: "",
    padding_max: 300,
    window_max: 128,
    session_max: 20_000,
};

#[test]
fn rsyslog_is_killed_to_compare() -> Result<()> {
    let kills = number("LOGWOOD_CRASH_PEER_KILLS", 0)?;
    let seed = number("LOGWOOD_CRASH_SEED", 20_261_121)?;
    if kills == 0 {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut random = Random::new(seed);
    let (mut acknowledged, mut lost, mut lossy) = (0, 0, 0);
    for _ in 0..kills {
        let (of, gone) = kill_once(folder.path(), &mut random)?;
        acknowledged += of;
        lost += gone;
        lossy += u64::from(gone > 0);
    }
    // Without this control a file that was never written would look like a great loss.
    ensure!(
        lost < acknowledged,
        "all of {acknowledged} lost: set up wrongly"
    );
    println!(
        "result: {lost} of {acknowledged} acknowledged lost, in {lossy} of {kills} kills, seed {seed}"
    );
    Ok(())
}

/// Loads a new rsyslog and kills it; returns how much was acknowledged and how much of it is gone.
fn kill_once(folder: &Path, random: &mut Random) -> Result<(u64, u64)> {
    let file = folder.join("received");
    _ = fs::remove_file(&file);
    let (mut server, relp) = Rsyslog::receive_relp(&file)?;
    let moment = Duration::from_millis(5 + random.below(995));
    let mut theirs = Random::new(random.bits());
    let (stop, mut stream) = (AtomicBool::new(false), Stream::new(KIND));
    let addresses = Addresses {
        http: relp,
        udp: relp,
        tcp: relp,
        tls: relp,
        relp,
    };
    thread::scope(|scope| {
        let sender = scope.spawn(|| stream.run(addresses, &stop, &mut theirs));
        let started = Instant::now();
        wait_until("the moment came", LIMIT, || started.elapsed() >= moment)?;
        server.kill()?;
        sender.join().map_err(|_| anyhow!("the sender panicked"))?
    })?;
    let acknowledged = stream.sessions[0].acknowledged;
    let text = fs::read(&file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let found: std::collections::HashSet<&str> = text.lines().collect();
    let kept =
        (0..acknowledged).filter(|number| found.contains(stream.message(0, *number).as_str()));
    Ok((acknowledged, acknowledged - kept.count() as u64))
}
