//! Runs `logwood` as a script would, to its end.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result};

use crate::binary::binary;

/// A run of the binary that has ended.
#[derive(Debug)]
pub struct Finished {
    /// The exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
}

/// Runs `logwood` with these words and nothing on standard input.
pub fn run(words: &[&str]) -> Result<Finished> {
    run_with_input(words, b"")
}

/// Runs `logwood` with these words and this standard input.
pub fn run_with_input(words: &[&str], input: &[u8]) -> Result<Finished> {
    let mut child = Command::new(binary()?)
        .args(words)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start logwood")?;
    let pipe = child.stdin.take();
    let output = thread::scope(|scope| {
        // A program that does not read its input closes the pipe; that is no failure.
        scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(input)));
        child.wait_with_output()
    })?;
    let readable = |bytes: Vec<u8>| String::from_utf8(bytes).context("logwood printed no UTF-8");
    Ok(Finished {
        code: output.status.code(),
        output: readable(output.stdout)?,
        errors: readable(output.stderr)?,
    })
}
