//! Long runs of the tests that crash servers; each leaves a line in the ledger.
//!
//! The tests are those of every change, told by the environment how long to run; the line they
//! print behind `result: ` is what is written down. A run that fails is written down as well.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::ledger::Entry;
use crate::{peers, shell, test};

const PEER_KILLS: u64 = 100;
const USAGE: &str = "\
say one of `--kills N`, `--images N`, `--peer rsyslog [--kills N]`, and `--seed S` to choose one";

/// What is to be run.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    /// The test's full name.
    test: &'static str,
    /// What the ledger calls it.
    tool: &'static str,
    /// What is counted.
    unit: &'static str,
    /// The variable that tells how many.
    variable: &'static str,
    amount: u64,
    seed: Option<u64>,
}

/// Runs what the words ask for and writes the result into the ledger.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let run = parse(words)?;
    peers::install()?;
    // A server built for debugging takes three times the CPU time, and hours.
    let build = ["build", "--quiet", "--release", "--package", "logwood"];
    shell::run(&mut shell::cargo(&build)?)?;
    let arguments = [
        "test",
        "--quiet",
        "--release",
        "--package",
        "tests",
        "--test",
        "e2e",
        "--",
        run.test,
        "--exact",
        "--nocapture",
    ];
    let mut command = test::with_places(shell::cargo(&arguments)?, "release")?;
    command.env(run.variable, run.amount.to_string());
    if let Some(seed) = run.seed {
        command.env("LOGWOOD_CRASH_SEED", seed.to_string());
    }
    let amount = format!("{} {}", run.amount, run.unit);
    let entry = Entry::begin(run.tool)?;
    match result(&mut command) {
        Ok(result) => entry.end(&amount, &result),
        Err(error) => {
            entry.end(&amount, "FAILED")?;
            Err(error)
        }
    }
}

/// Runs a test, shows what it prints, and returns what it says of its result.
fn result(command: &mut Command) -> Result<String> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the test")?;
    let mut result = None;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line?;
            println!("{line}");
            // The runner prints a test's name in front of its first line.
            if let Some((_, told)) = line
                .split_once("result: ")
                .filter(|(_, told)| !told.starts_with("ok."))
            {
                result = Some(told.to_owned());
            }
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("the test ended with {status}");
    }
    result.context("the test was skipped")
}

fn parse(words: &[&str]) -> Result<Run> {
    let (mut kills, mut images, mut seed, mut peer) = (None, None, None, false);
    for pair in words.chunks(2) {
        let [name, value] = pair else {
            bail!("{USAGE}")
        };
        let number = || {
            value
                .parse::<u64>()
                .with_context(|| format!("{name} {value}: no number"))
        };
        match *name {
            "--kills" => kills = Some(number()?),
            "--images" => images = Some(number()?),
            "--seed" => seed = Some(number()?),
            "--peer" if *value == "rsyslog" => peer = true,
            _ => bail!("{USAGE}"),
        }
    }
    let (test, tool, unit, variable, amount) = match (kills, images, peer) {
        (kills, None, true) => (
            "crash::peer::rsyslog_is_killed_to_compare",
            "crash of rsyslog",
            "kills",
            "LOGWOOD_CRASH_PEER_KILLS",
            kills.unwrap_or(PEER_KILLS),
        ),
        (Some(kills), None, false) => (
            "crash::kills::kills_lose_nothing_acknowledged",
            "crash",
            "kills",
            "LOGWOOD_CRASH_KILLS",
            kills,
        ),
        (None, Some(images), false) => (
            "crash::images::power_cuts_lose_nothing_acknowledged",
            "crash",
            "power cuts",
            "LOGWOOD_CRASH_IMAGES",
            images,
        ),
        _ => bail!("{USAGE}"),
    };
    Ok(Run {
        test,
        tool,
        unit,
        variable,
        amount,
        seed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_the_test() {
        let run = parse(&["--kills", "10000", "--seed", "7"]).unwrap();
        assert_eq!((run.amount, run.unit, run.seed), (10_000, "kills", Some(7)));
        let run = parse(&["--images", "5"]).unwrap();
        assert_eq!((run.amount, run.unit), (5, "power cuts"));
        let run = parse(&["--peer", "rsyslog"]).unwrap();
        assert_eq!((run.amount, run.tool), (PEER_KILLS, "crash of rsyslog"));
        for wrong in [
            &[][..],
            &["--kills"],
            &["--kills", "x"],
            &["--peer", "other"],
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_result_is_what_the_test_says_of_it() {
        let mut told = Command::new("sh");
        told.args([
            "-c",
            "echo 'test a ... result: 0 of 5 lost'; echo 'test result: ok. 1 passed'",
        ]);
        assert_eq!(result(&mut told).unwrap(), "0 of 5 lost");
        let mut skipped = Command::new("sh");
        skipped.args(["-c", "echo 'test result: ok. 1 passed'"]);
        assert!(result(&mut skipped).is_err());
    }
}
