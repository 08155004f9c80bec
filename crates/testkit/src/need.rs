//! Tests that need what a machine may not have.

use std::env;
use std::fmt::Display;
use std::io::{self, Write};

use anyhow::{Result, anyhow};

/// Turns a missing need into a skipped test with one line, or into a failure where tests must be
/// complete: in CI (`CI` is set) and as root, who can install it.
///
/// Returns `None` when the test is to be skipped.
pub fn need<T, E: Display>(found: Result<T, E>) -> Result<Option<T>> {
    let error = match found {
        Ok(value) => return Ok(Some(value)),
        Err(error) => error,
    };
    if env::var_os("CI").is_some() || rustix::process::getuid().is_root() {
        return Err(anyhow!(
            "{error:#}; `cargo xtask test` installs what tests need"
        ));
    }
    // Written past the capture of the test harness, so that a skipped test is seen.
    writeln!(io::stderr(), "skipped: {error:#}")?;
    Ok(None)
}
