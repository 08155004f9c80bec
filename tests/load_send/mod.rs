//! What `logwood load` sends is what anybody receives, and what it says it sent.

mod formats;
mod peers;
mod server;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::run;

/// Runs `logwood load` to its end and returns its report; all must have been sent.
fn load(target: &str, words: &[&str]) -> Result<Value> {
    let (code, report) = try_load(target, words)?;
    ensure!(code == Some(0) && report["failed"] == 0, "{report}");
    Ok(report)
}

/// Runs `logwood load` to its end and returns its exit code and its report.
fn try_load(target: &str, words: &[&str]) -> Result<(Option<i32>, Value)> {
    let finished = run(&[&["load", target, "--json"], words].concat())?;
    let report = serde_json::from_str(&finished.output);
    let report = report.with_context(|| format!("no report: {}", finished.errors))?;
    Ok((finished.code, report))
}

/// Asserts that these are the messages of one connection, from the first to the last, in order.
fn assert_numbered<'a>(lines: impl IntoIterator<Item = &'a str>, count: usize) -> Result<()> {
    let mut next = 0;
    for line in lines {
        let expected = format!("seq: {next:010}, thread: 0000, runid: ");
        ensure!(line.contains(&expected), "expected {expected} in {line}");
        next += 1;
    }
    ensure!(next == count, "{next} of {count} messages");
    Ok(())
}
