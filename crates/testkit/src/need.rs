//! Tests that need what a machine may not have.
//!
//! A test that is skipped is not green: it is told, counted apart by `cargo xtask test`, and a
//! failure in CI. So every test that leaves something out says it by [`skipped`].

use std::env;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Write};

use anyhow::{Result, anyhow, bail};

use crate::machine::is_root;

/// Turns a missing need into a skipped test with one line, or into a failure where tests must be
/// complete: in CI (`CI` is set) and as root, who can install it.
///
/// Returns `None` when the test is to be skipped.
pub fn need<T, E: Display>(found: Result<T, E>) -> Result<Option<T>> {
    let error = match found {
        Ok(value) => return Ok(Some(value)),
        Err(error) => error,
    };
    if env::var_os("CI").is_some() || is_root() {
        return Err(anyhow!(
            "{error:#}; `cargo xtask test` installs what tests need"
        ));
    }
    skipped(&format!("{error:#}"))?;
    Ok(None)
}

/// The variable with the file that skipped tests are noted in, one a line.
const SKIPS: &str = "LOGWOOD_SKIPS";

/// Says in one line what is not tested here, and why; a failure in CI.
pub fn skipped(why: &str) -> Result<()> {
    if env::var_os("CI").is_some() {
        bail!("skipped, which CI must not: {why}");
    }
    if let Some(file) = env::var_os(SKIPS) {
        let mut file = OpenOptions::new().create(true).append(true).open(file)?;
        writeln!(file, "{why}")?;
    }
    // Written past the capture of the test harness, so that it is seen.
    Ok(writeln!(io::stderr(), "skipped: {why}")?)
}
