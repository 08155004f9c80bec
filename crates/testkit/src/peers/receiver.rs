//! Daemons of others that receive, and keep each message as a line of a file.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::{Rsyslog, SyslogNg, free_port, rsyslog, syslog_ng};
use crate::process::Process;
use crate::wait::wait_for;

const LIMIT: Duration = Duration::from_secs(60);

/// A running daemon that keeps what it receives. Dropping it kills it.
#[derive(Debug)]
pub struct Receiver {
    process: Process,
    port: u16,
    folder: TempDir,
}

impl Receiver {
    /// Starts rsyslog with modules and an input in its own language, such as
    /// `input(type="imptcp" port="PORT" ruleset="keep")`. PORT stands for a free port and SOCKET
    /// for a path.
    pub fn rsyslog(input: &str) -> Result<Self> {
        Self::rsyslog_keeping(input, "type=\"string\" string=\"%rawmsg%\\n\")")
    }

    /// The same with a template for the lines that it keeps, in its own language from behind the
    /// name on, such as `type="string" string="%msg%\n")`.
    pub fn rsyslog_keeping(input: &str, template: &str) -> Result<Self> {
        let package = Rsyslog::find()?;
        let folder = tempfile::tempdir()?;
        let port = free_port()?;
        let text = format!(
            "{}\ntemplate(name=\"kept\" {template}\n\
             ruleset(name=\"keep\") {{ action(type=\"omfile\" file=\"{}\" template=\"kept\") }}\n",
            fill(input, port, folder.path()),
            kept(folder.path()).display(),
        );
        let config = folder.path().join("rsyslog.conf");
        fs::write(&config, text)?;
        let mut command = rsyslog::command(&package, &config, folder.path())?;
        Self::ready(Process::start(&mut command)?, port, folder)
    }

    /// Starts syslog-ng with a source in its own language, such as `network(port(PORT))`, and a
    /// template for the lines that it keeps, such as `$MSG`.
    pub fn syslog_ng(source: &str, template: &str) -> Result<Self> {
        let program = SyslogNg::find()?;
        let folder = tempfile::tempdir()?;
        let port = free_port()?;
        let text = format!(
            "@version: current\n\
             options {{ keep-hostname(yes); use-dns(no); stats-freq(0); time-zone(\"UTC\"); }};\n\
             source in {{ {} }};\n\
             destination out {{ file(\"{}\" template(\"{template}\\n\")); }};\n\
             log {{ source(in); destination(out); }};\n",
            fill(source, port, folder.path()),
            kept(folder.path()).display(),
        );
        let config = folder.path().join("syslog-ng.conf");
        fs::write(&config, text)?;
        let mut command = syslog_ng::command(&program, &config, folder.path());
        Self::ready(Process::start(&mut command)?, port, folder)
    }

    /// Waits until it listens.
    fn ready(mut process: Process, port: u16, folder: TempDir) -> Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let path = socket(folder.path());
        let listens = wait_for("the daemon listened", LIMIT, || {
            if let Some(status) = process.ended()? {
                bail!("it ended with {status}");
            }
            let is_open = TcpStream::connect(address).is_ok() || UnixStream::connect(&path).is_ok();
            Ok(is_open.then_some(()))
        });
        listens.with_context(|| format!("it said: {}", process.errors().join("\n")))?;
        Ok(Self {
            process,
            port,
            folder,
        })
    }

    /// Where it listens, if it listens on a port.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// Where it listens, if it listens on a path.
    pub fn socket(&self) -> PathBuf {
        socket(self.folder.path())
    }

    /// The lines it has kept, once there are so many.
    pub fn wait_for_lines(&mut self, count: usize) -> Result<Vec<String>> {
        let lines = wait_for("all messages were kept", LIMIT, || {
            if let Some(status) = self.process.ended()? {
                bail!("it ended with {status}");
            }
            // Before the first message there is no file.
            let bytes = fs::read(kept(self.folder.path())).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let is_whole = text.is_empty() || text.ends_with('\n');
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            Ok((is_whole && lines.len() >= count).then_some(lines))
        });
        lines.with_context(|| {
            let kept = fs::read(kept(self.folder.path())).unwrap_or_default();
            let errors = self.process.errors().join("\n");
            format!("it kept {} bytes and said: {errors}", kept.len())
        })
    }
}

fn fill(text: &str, port: u16, folder: &Path) -> String {
    text.replace("PORT", &port.to_string())
        .replace("SOCKET", &socket(folder).display().to_string())
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("in.sock")
}

fn kept(folder: &Path) -> PathBuf {
    folder.join("kept")
}
