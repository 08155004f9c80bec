//! A clock that is set back an hour, forward ten years, and back: records stay in order and none
//! is hidden. The machine's clock is never touched: libfaketime tells the server another time.

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
    let mut years = Vec::new();
    for (step, offset) in STEPS.iter().enumerate() {
        fs::write(&file, offset)?;
        let first = step as u64 * PER_STEP;
        send(&server, first)?;
        let rows = check(server.api(), first + PER_STEP).with_context(|| format!("at {offset}"))?;
        years.extend(rows.last().cloned());
    }
    // The steps reached the server: the last times are years behind the first.
    ensure!(
        years.first() < years.last(),
        "the clock did not jump: {years:?}"
    );
    server.kill()?;
    server.setup().environment.clear();
    server.start_again()?;
    check(server.api(), STEPS.len() as u64 * PER_STEP)?;
    // The true time is years before the last record; receiving goes on all the same.
    let first = STEPS.len() as u64 * PER_STEP;
    send(&server, first)?;
    check(server.api(), first + PER_STEP).map(|_| ())
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

/// Asserts that all records are there in the order they were sent, and returns their times.
fn check(api: Api, expected: u64) -> Result<Vec<String>> {
    let rows = api.export("program:clock", &[])?;
    ensure!(
        rows.len() as u64 == expected,
        "{} of {expected}",
        rows.len()
    );
    ensure!(api.count("tick")? == expected);
    ensure!(api.search("tick", &[])?.len() as u64 == expected);
    let mut times: Vec<String> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        ensure!(text(row, "msgid") == number.to_string(), "{number}: {row}");
        let received = text(row, "received").to_owned();
        ensure!(times.last() <= Some(&received), "{number} goes back: {row}");
        times.push(received);
    }
    Ok(times)
}
