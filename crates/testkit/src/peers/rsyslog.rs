//! rsyslog, unpacked from Debian's packages.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::feed;
use super::locate::unpacked;
use crate::process::Process;

/// A running rsyslog that reads lines from a socket of its own. Dropping it kills it.
#[derive(Debug)]
pub struct Rsyslog {
    process: Process,
    folder: TempDir,
}

impl Rsyslog {
    /// Whether it can be run, and if not, why.
    pub fn find() -> Result<PathBuf> {
        let folder = unpacked("rsyslog")?;
        let program = folder.join("usr/sbin/rsyslogd");
        let found = fs::metadata(&program).with_context(|| format!("no {}", program.display()))?;
        anyhow::ensure!(found.permissions().mode() & 0o111 != 0, "it cannot be run");
        Ok(folder)
    }

    /// Starts it with modules and an action in its own language (`RainerScript`), such as
    /// `module(load="omrelp")` and `action(type="omrelp" ...)`.
    pub fn start(action: &str) -> Result<Self> {
        let package = Self::find()?;
        let folder = tempfile::tempdir()?;
        let config = folder.path().join("rsyslog.conf");
        let socket = socket(folder.path());
        let text = format!(
            "global(workDirectory=\"{}\" preserveFQDN=\"on\" \
             parser.permitSlashInProgramName=\"on\")\n\
             module(load=\"imptcp\")\n\
             input(type=\"imptcp\" path=\"{}\" ruleset=\"forward\")\n\
             ruleset(name=\"forward\") {{\n{action}\n}}\n",
            folder.path().display(),
            socket.display(),
        );
        // A module is loaded outside of the rule set that uses it.
        let (modules, rest): (Vec<&str>, Vec<&str>) = text
            .lines()
            .partition(|line| line.trim_start().starts_with("module("));
        fs::write(
            &config,
            format!("{}\n{}\n", modules.join("\n"), rest.join("\n")),
        )?;
        let mut command = command(&package, &config, folder.path())?;
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
pub(super) fn command(package: &Path, config: &Path, folder: &Path) -> Result<Command> {
    let libraries = libraries(package)?;
    let mut command = Command::new(package.join("usr/sbin/rsyslogd"));
    command
        .arg("-n")
        .arg("-i")
        .arg(folder.join("pid"))
        .arg("-f")
        .arg(config)
        .arg("-M")
        .arg(libraries.join("rsyslog"))
        .env("LD_LIBRARY_PATH", &libraries)
        .env("TZ", "UTC");
    Ok(command)
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("in.sock")
}

/// `usr/lib/x86_64-linux-gnu`, whatever the machine's name for itself.
fn libraries(package: &Path) -> Result<PathBuf> {
    fs::read_dir(package.join("usr/lib"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.join("rsyslog").is_dir())
        .context("the unpacked rsyslog has no modules")
}
