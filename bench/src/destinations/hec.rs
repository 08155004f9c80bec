//! `logwood load sink` as an HTTP event collector, a process of its own.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use testkit::{Process, wait_for};

use super::Target;
use crate::context::Context;
use crate::lines::LineCounter;

/// How long it may take to listen.
const LIMIT: Duration = Duration::from_secs(60);

/// The token that senders are told.
pub(super) const TOKEN: &str = "bench";

/// A collector that writes each event as a line, which is how it is counted while it runs.
#[derive(Debug)]
pub(super) struct Hec {
    _process: Process,
    lines: LineCounter,
}

impl Hec {
    pub(super) fn start(target: &Target, delay: Duration, context: &Context) -> Result<Self> {
        let path: PathBuf = target.folder.join("events");
        let mut command = Command::new(&context.programs.generator);
        command
            .args(["load", "sink", "--http", &target.address.to_string()])
            .args(["--token", TOKEN, "--write"])
            .arg(&path)
            .args(["--delay", &format!("{}ms", delay.as_millis())]);
        let mut process = Process::start(&mut command)?;
        wait_for("the event collector listened", LIMIT, || {
            let told = process.errors();
            if told.iter().any(|line| line.starts_with("ready ")) {
                return Ok(Some(()));
            }
            match process.ended()? {
                Some(status) => bail!("it ended with {status}: {}", told.join("\n")),
                None => Ok(None),
            }
        })?;
        Ok(Self {
            _process: process,
            lines: LineCounter::new(path),
        })
    }

    pub(super) fn count(&mut self) -> Result<u64> {
        self.lines.count()
    }
}
