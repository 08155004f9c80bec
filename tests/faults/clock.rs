//! A clock that is set back an hour, forward ten years, and back: no record is lost, each step's
//! records have its time, and none waits for a clock that was ahead. The machine's clock is never
//! touched: libfaketime tells the server another time.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use testkit::{Api, RelpClient, Server, Setup, need, text};

const PER_STEP: u64 = 200;
/// Offsets from the true time, as libfaketime takes them.
const STEPS: &[&str] = &["+0", "-1h", "-20y", "+1h", "+10y", "+0"];

#[test]
fn a_clock_that_jumps_reorders_and_hides_nothing() -> Result<()> {
    let Some(library) = need(library())? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("offset");
    fs::write(&file, STEPS[0])?;
    let environment = [
        ("LD_PRELOAD", library.display().to_string()),
        ("FAKETIME_TIMESTAMP_FILE", file.display().to_string()),
        ("FAKETIME_NO_CACHE", "1".to_owned()),
        ("DONT_FAKE_MONOTONIC", "1".to_owned()),
    ];
    let mut server = Server::start_with(Setup {
        config: Some("[store]\nsegment_rows_max = 1024\n".to_owned()),
        environment: environment
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec(),
        ..Setup::default()
    })?;
    for (step, offset) in STEPS.iter().enumerate() {
        fs::write(&file, offset)?;
        send(&server, step as u64 * PER_STEP)?;
        check(server.api(), step + 1).with_context(|| format!("at {offset}"))?;
    }
    let status = server.api().get("/api/v1/status")?.ok()?.json()?;
    ensure!(status["logspaces"][0]["clock_steps_back"] == 3, "{status}");
    server.kill()?;
    server.setup().environment.clear();
    server.start_again()?;
    check(server.api(), STEPS.len())?;
    // The true time is years before that of some records; what comes now has it all the same.
    send(&server, STEPS.len() as u64 * PER_STEP)?;
    let times = check(server.api(), STEPS.len())?;
    let status = server.api().get("/api/v1/status")?.ok()?.json()?;
    // The newest record had the true time already.
    ensure!(status["logspaces"][0]["clock_steps_back"] == 0, "{status}");
    let found = server
        .api()
        .search("tick", &[("from", "now-1h"), ("to", "now")])?;
    ensure!(!found.is_empty(), "nothing was received lately");
    ensure!(times.first() < times.get(4 * PER_STEP as usize));
    Ok(())
}

fn library() -> Result<PathBuf> {
    let folders = fs::read_dir("/usr/lib").context("no libraries here")?;
    folders
        .filter_map(|entry| {
            entry
                .ok()
                .map(|entry| entry.path().join("faketime/libfaketimeMT.so.1"))
        })
        .find(|file| file.is_file())
        .context("no libfaketime here, of Debian's package libfaketime")
}

fn send(server: &Server, first: u64) -> Result<()> {
    let mut client = RelpClient::connect(server.addresses().relp, 16)?;
    for number in first..first + PER_STEP {
        client.send(format!("<13>1 - - clock - {number} - tick").as_bytes())?;
    }
    client.close()
}

/// Asserts that the records of all steps so far, and no others, are there once, and that each step
/// is before or behind the one in front of it as its offset says; returns their times by number.
fn check(api: Api, steps: usize) -> Result<Vec<String>> {
    let rows = api.export("program:clock", &[])?;
    let mut times = BTreeMap::new();
    for row in &rows {
        let number: usize = text(row, "msgid").parse()?;
        let known = times.insert(number, text(row, "received").to_owned());
        ensure!(known.is_none(), "{number} is there twice");
    }
    let per_step = usize::try_from(PER_STEP)?;
    ensure!(times.keys().copied().eq(0..rows.len()) && rows.len() >= steps * per_step);
    ensure!(api.count("tick")? == rows.len() as u64);
    let times: Vec<String> = times.into_values().collect();
    for (step, stretch) in times.chunks(per_step).enumerate().take(steps) {
        ensure!(stretch.is_sorted(), "step {step} goes back: {stretch:?}");
        let before = step
            .checked_sub(1)
            .and_then(|before| times.get(before * per_step));
        let is_back = matches!(STEPS.get(step), Some(&("-1h" | "-20y" | "+0")));
        let is_behind = before.is_none_or(|before| (stretch.first() < Some(before)) == is_back);
        ensure!(
            is_behind,
            "step {step} is not where its clock was: {stretch:?}"
        );
    }
    Ok(times)
}
