//! Tests that need what a machine may not have.

use std::env;
use std::fmt::Display;
use std::io::{self, Write};

use anyhow::{Result, anyhow};

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

/// Says in one line what is not tested here, and why.
pub fn skipped(why: &str) -> Result<()> {
    // Written past the capture of the test harness, so that it is seen.
    Ok(writeln!(io::stderr(), "skipped: {why}")?)
}
