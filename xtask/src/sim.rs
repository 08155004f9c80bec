//! `cargo xtask sim`: more seeds than a change has to pass, or every bit flip; and the line in the
//! ledger about it.

use anyhow::{Context, Result, bail};

use crate::ledger::Entry;
use crate::shell;

/// Seeds where nobody says how many.
const SEEDS: u64 = 10_000;

/// Runs `sim [--seeds N] [--start S]` or `sim --flips`.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (mut seeds, mut start) = (SEEDS, 0);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let place = match *word {
            "--flips" => return flips(),
            "--seeds" => &mut seeds,
            "--start" => &mut start,
            other => bail!("sim knows --seeds N, --start S and --flips, not `{other}`"),
        };
        let number = words
            .next()
            .with_context(|| format!("{word} takes a number"))?;
        *place = number
            .parse()
            .with_context(|| format!("`{number}` is no number"))?;
    }
    let (first, count) = (start.to_string(), seeds.to_string());
    record(
        &["seeds", &first, &count],
        "sim",
        &format!("{seeds} seeds from {start}"),
    )
}

fn flips() -> Result<()> {
    record(&["flips", "1"], "sim --flips", "every bit")
}

/// Runs the simulator and writes down what came out, also where a promise was broken.
fn record(words: &[&str], tool: &str, amount: &str) -> Result<()> {
    let entry = Entry::begin(tool)?;
    let mut arguments = vec!["run", "--quiet", "--release", "--package", "sim", "--"];
    arguments.extend(words);
    let result = shell::output(&mut shell::cargo(&arguments)?);
    let line = match &result {
        Ok(line) => line.trim(),
        Err(_) => "FAILED",
    };
    entry.end(amount, line)?;
    result.map(|_| ())
}
