//! Backups, restores and the archive: what comes back is what was there.

mod archive;
mod copies;
mod kills;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::{Random, raw, run, run_with_input, text, wait_until};

/// How long anything may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A path as a word of the command line.
fn word(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is not UTF-8")
}

/// What a command that works says with `--json`.
fn json(words: &[&str]) -> Result<Value> {
    let finished = run(words)?;
    ensure!(
        finished.code == Some(0),
        "{words:?} ended with {:?}: {}",
        finished.code,
        finished.errors
    );
    serde_json::from_str(&finished.output).context("no JSON")
}

/// Imports a line for each of so many days of 2025, without a server: as many segments.
fn import(data_dir: &Path, round: u64, days: u64) -> Result<()> {
    let mut lines = String::new();
    for day in 0..days {
        let (month, day) = (1 + day / 28, 1 + day % 28);
        writeln!(
            lines,
            "<134>1 2025-{month:02}-{day:02}T12:00:00Z web1 old r{round} - - day {month}-{day}"
        )?;
    }
    let words = ["import", "-", "--data-dir", word(data_dir)?];
    let finished = run_with_input(&words, lines.as_bytes())?;
    ensure!(finished.code == Some(0), "{}", finished.errors);
    Ok(())
}

/// Every record by its id: when it was received, its bytes.
type Records = BTreeMap<String, (String, Vec<u8>)>;

fn records(rows: &[Value]) -> Result<Records> {
    let mut records = Records::new();
    for row in rows {
        let record = (text(row, "received").to_owned(), raw(row)?);
        records.insert(text(row, "id").to_owned(), record);
    }
    ensure!(records.len() == rows.len(), "an id was given twice");
    Ok(records)
}

/// Every record of a directory that no server has open; the answer must be complete.
fn records_of(data_dir: &Path) -> Result<Records> {
    let words = ["search", "", "--json", "--raw", "--limit", "1000000"];
    let directory = ["--data-dir", word(data_dir)?];
    let finished = run(&[&words[..], &directory].concat())?;
    ensure!(
        finished.code != Some(2) && finished.errors.is_empty(),
        "{:?}: {}",
        finished.code,
        finished.errors
    );
    let lines = finished.output.lines().map(serde_json::from_str);
    let mut lines: Vec<Value> = lines.collect::<Result<_, _>>()?;
    let end = lines.pop().unwrap_or_default();
    ensure!(end["end"]["complete"] == true, "not complete: {end}");
    let rows: Vec<Value> = lines.iter().map(|line| line["row"].clone()).collect();
    records(&rows)
}

/// Waits for some moment below so many milliseconds.
fn wait_a_moment(random: &mut Random, millis: u64) -> Result<()> {
    let moment = Duration::from_micros(random.below(millis * 1_000));
    let started = std::time::Instant::now();
    wait_until("the moment came", LIMIT, || started.elapsed() >= moment)
}
