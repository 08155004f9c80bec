//! rsyslog, unpacked from Debian's packages.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::locate::{libraries, runnable, unpacked};
use super::{LIMIT, feed, free_port};
use crate::process::Process;
use crate::wait::wait_for;

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
        runnable(&folder.join("usr/sbin/rsyslogd"))?;
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
        // Modules and templates stand outside of the rule set that uses them.
        let (modules, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| {
            let line = line.trim_start();
            line.starts_with("module(") || line.starts_with("template(")
        });
        fs::write(
            &config,
            format!("{}\n{}\n", modules.join("\n"), rest.join("\n")),
        )?;
        let mut command = command(&package, &config, folder.path())?;
        let process = Process::start(&mut command)?;
        Ok(Self { process, folder })
    }

    /// Starts one that answers RELP on a free port and writes messages to a file as they arrived.
    /// Returns once it listens.
    pub fn receive_relp(file: &Path) -> Result<(Self, SocketAddr)> {
        let port = free_port()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut rsyslog = Self::start(&format!(
            "module(load=\"imrelp\")\n\
             template(name=\"raw\" type=\"string\" string=\"%rawmsg%\\n\")\n\
             action(type=\"omfile\" file=\"{}\" template=\"raw\")\n\
             }}\n\
             input(type=\"imrelp\" address=\"127.0.0.1\" port=\"{port}\" ruleset=\"forward\")\n\
             ruleset(name=\"unused\") {{\nstop",
            file.display()
        ))?;
        let listens = wait_for("rsyslog listened", LIMIT, || {
            if let Some(status) = rsyslog.process.ended()? {
                anyhow::bail!("it ended with {status}");
            }
            Ok(TcpStream::connect(address).ok().map(|_| ()))
        });
        listens.with_context(|| format!("it said: {}", rsyslog.errors().join("\n")))?;
        Ok((rsyslog, address))
    }

    /// Kills it as a power cut would.
    pub fn kill(&mut self) -> Result<()> {
        self.process.kill()
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
    let libraries = libraries(package, "rsyslog")?;
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
