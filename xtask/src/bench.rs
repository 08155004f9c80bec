//! The benchmarks: builds what is measured and what measures, as users would run it, and starts it.

use std::process::Command;

use anyhow::Result;

use crate::{peers, shell};

/// Runs `bench` with the words given; `bench --help` says which there are.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let only_asks = words
        .iter()
        .any(|word| matches!(*word, "--list" | "--help" | "-h"));
    shell::run(&mut shell::cargo(&[
        "build",
        "--release",
        "--quiet",
        "--package",
        "logwood",
        "--package",
        "bench",
    ])?)?;
    if !only_asks {
        peers::install_for_benchmarks()?;
    }
    let release = shell::target()?.join("release");
    let mut bench = Command::new(release.join("bench"));
    bench
        .args(words)
        .env("LOGWOOD_BIN", release.join("logwood"))
        .env("LOGWOOD_PEERS", peers::folder()?);
    shell::run(&mut bench)
}
