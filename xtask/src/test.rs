//! Every test: unit, property and end-to-end in Rust, the page in a real browser.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::tally::Tally;
use crate::{peers, shell, web};

/// Hostile clients of each kind, where they are asked for by name.
const HOSTILE_CLIENTS: &str = "1000";

/// Builds and runs every test, or those whose name contains the filter; prints the closing line.
pub(crate) fn run(filter: &[&str]) -> Result<()> {
    build()?;
    let tally = run_all(filter)?;
    println!("{tally}");
    if tally.failed > 0 {
        bail!("{} failed", tally.failed);
    }
    Ok(())
}

/// Builds all targets of all crates with one set of features, so that nothing is built twice.
pub(crate) fn build() -> Result<()> {
    shell::run(&mut shell::cargo(&[
        "build",
        "--workspace",
        "--all-targets",
        "--quiet",
    ])?)
}

/// Runs what [`build`] built, and then the tests of the page unless there is a filter.
pub(crate) fn run_all(filter: &[&str]) -> Result<Tally> {
    peers::install()?;
    let mut arguments = vec!["test", "--workspace", "--no-fail-fast", "--quiet"];
    arguments.extend(filter);
    let skips = shell::target()?.join("skipped-tests");
    fs::write(&skips, "").with_context(|| format!("cannot write {}", skips.display()))?;
    let mut tests = with_places(shell::cargo(&arguments)?, "debug")?;
    tests.env("LOGWOOD_SKIPS", &skips);
    if filter == ["hostile"] {
        // Asked for by name, there are many of them, and figures are printed.
        tests.env("LOGWOOD_HOSTILE_CLIENTS", HOSTILE_CLIENTS);
        tests.args(["--", "--nocapture"]);
    }
    let mut tally = run_counted(&mut tests, io::stdout())?;
    let skipped = fs::read_to_string(&skips)?;
    tally.note_skipped(skipped.lines().count() as u64);
    if filter.is_empty() {
        tally.add(page_tests()?);
    }
    Ok(tally)
}

/// The page's own tests, and the built page in a browser.
fn page_tests() -> Result<Tally> {
    if !shell::is_installed("node") || !shell::is_installed("chromium") {
        eprintln!("skipped: tests/ui, which needs node and chromium");
        let failed = u64::from(peers::must_be_there());
        return Ok(Tally {
            failed,
            skipped: 1 - failed,
            ..Tally::default()
        });
    }
    let (web, ui) = (web::folder()?, shell::root()?.join("tests/ui"));
    web::install_locked(&web)?;
    let mut units = Command::new("npm");
    units.args(["--silent", "test"]).current_dir(&web);
    let mut tally = run_counted(units.env("NO_COLOR", "1"), io::stdout())?;
    web::install_locked(&ui)?;
    let mut browser = Command::new("node");
    browser
        .args(["--test", "--test-concurrency=2", "--test-reporter=tap"])
        .current_dir(&ui);
    tally.add(run_counted(
        &mut with_places(browser, "debug")?,
        io::stdout(),
    )?);
    Ok(tally)
}

/// Runs a test runner and counts; one that fails without saying which test counts as one failure.
fn run_counted(command: &mut Command, sink: impl Write) -> Result<Tally> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the tests")?;
    let mut tally = Tally::default();
    if let Some(output) = child.stdout.take() {
        tally.read_all(output, sink)?;
    }
    let status = child.wait().context("cannot wait for the tests")?;
    if !status.success() && tally.failed == 0 {
        eprintln!("the tests ended with {status}");
        tally.failed = 1;
    }
    Ok(tally)
}

/// Tells tests where the binary, of a folder of cargo's target folder, and the unpacked peers are.
pub(crate) fn with_places(mut command: Command, built: &str) -> Result<Command> {
    let binary: PathBuf = shell::target()?.join(built).join("logwood");
    command
        .env("LOGWOOD_BIN", binary)
        .env("LOGWOOD_PEERS", peers::folder()?);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_that_dies_counts_as_one_failure() {
        let mut silent = Command::new("sh");
        silent.args(["-c", "exit 1"]);
        let tally = run_counted(&mut silent, io::sink()).unwrap();
        assert_eq!((tally.passed, tally.failed), (0, 1));

        let mut told = Command::new("sh");
        told.args([
            "-c",
            "echo 'test result: FAILED. 1 passed; 2 failed;'; exit 1",
        ]);
        let tally = run_counted(&mut told, io::sink()).unwrap();
        assert_eq!((tally.passed, tally.failed), (1, 2));
    }
}
