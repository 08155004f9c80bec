//! syslog-ng of Debian.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use tempfile::TempDir;

use super::feed;
use super::locate::daemon;
use crate::process::Process;

/// A running syslog-ng that reads lines from a socket of its own. Dropping it kills it.
#[derive(Debug)]
pub struct SyslogNg {
    process: Process,
    folder: TempDir,
}

impl SyslogNg {
    /// Whether it can be run, and if not, why.
    pub fn find() -> Result<PathBuf> {
        daemon("syslog-ng", "syslog-ng-core")
    }

    /// Starts it with a destination in its own language, such as `network("127.0.0.1" port(514));`.
    pub fn start(destination: &str) -> Result<Self> {
        let program = Self::find()?;
        let folder = tempfile::tempdir()?;
        let file = |name: &str| folder.path().join(name);
        let text = format!(
            "@version: current\n\
             options {{ keep-hostname(yes); use-dns(no); stats-freq(0); time-zone(\"UTC\"); }};\n\
             source in {{ unix-stream(\"{}\" flags(expect-hostname)); }};\n\
             destination out {{ {destination} }};\n\
             log {{ source(in); destination(out); }};\n",
            socket(folder.path()).display(),
        );
        fs::write(file("syslog-ng.conf"), text)?;
        let mut command = command(&program, &file("syslog-ng.conf"), folder.path());
        let process = Process::start(&mut command)?;
        Ok(Self { process, folder })
    }

    /// Hands it lines as a local program would send them over a stream.
    pub fn feed(&mut self, lines: &[String]) -> Result<()> {
        feed(&mut self.process, &socket(self.folder.path()), lines)
    }

    /// What it has complained about.
    pub fn errors(&self) -> Vec<String> {
        self.process.errors()
    }
}

/// The command that runs it in the foreground with a configuration file and a folder of its own.
pub(super) fn command(program: &Path, config: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .args(["--foreground", "--stderr", "--no-caps"])
        .arg("--cfgfile")
        .arg(config)
        .arg("--persist-file")
        .arg(folder.join("persist"))
        .arg("--control")
        .arg(folder.join("control"))
        .arg("--pidfile")
        .arg(folder.join("pid"))
        .env("TZ", "UTC");
    command
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("in.sock")
}
