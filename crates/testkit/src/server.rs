//! A `logwood serve` of a test's own: temporary data, free ports.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::api::Api;
use crate::binary::binary;
use crate::process::{Process, Signal};
use crate::wait::wait_for;

/// How long starting and stopping may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// What a server is started with.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The data directory; where it is `None`, a temporary one.
    pub data_dir: Option<PathBuf>,
    /// The text of a configuration file; where it is `None`, there is none.
    pub config: Option<String>,
    /// More words of the command line.
    pub words: Vec<String>,
    /// A program, with its words, that runs the server in its own place, such as `prlimit`: the
    /// process id must be the server's.
    pub launcher: Vec<String>,
    /// More variables of the environment.
    pub environment: Vec<(String, String)>,
}

/// Where a server listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The API and the page.
    pub http: SocketAddr,
    /// Syslog datagrams.
    pub udp: SocketAddr,
    /// Syslog over TCP.
    pub tcp: SocketAddr,
    /// Syslog over TLS.
    pub tls: SocketAddr,
    /// RELP.
    pub relp: SocketAddr,
}

/// A running server. Dropping it kills it and removes its temporary data.
#[derive(Debug)]
pub struct Server {
    process: Process,
    addresses: Addresses,
    setup: Setup,
    data_dir: PathBuf,
    // Holds the data directory, the configuration, and whatever a test puts there.
    folder: TempDir,
}

impl Server {
    /// Starts a server with its defaults.
    pub fn start() -> Result<Self> {
        Self::start_with(Setup::default())
    }

    /// Starts a server and waits until it is ready.
    pub fn start_with(setup: Setup) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let data_dir = match &setup.data_dir {
            Some(data_dir) => data_dir.clone(),
            None => folder.path().join("data"),
        };
        let (process, addresses) = launch(&setup, &data_dir, folder.path())?;
        Ok(Self {
            process,
            addresses,
            setup,
            data_dir,
            folder,
        })
    }

    /// Where it listens now; another place after each start.
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Its API.
    pub fn api(&self) -> Api {
        Api::new(self.addresses.http)
    }

    /// The URL that `--url` of the command line takes.
    pub fn url(&self) -> String {
        format!("http://{}", self.addresses.http)
    }

    /// Its data directory.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// A temporary folder for the test's own files; lives as long as the server.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its configuration file, where it has one.
    pub fn config_file(&self) -> PathBuf {
        config_file(self.folder.path())
    }

    /// What it is started with from the next start on.
    pub fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    /// The process.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Kills it as a power cut would.
    pub fn kill(&mut self) -> Result<()> {
        self.process.kill()
    }

    /// Asks it to stop and waits until it has.
    pub fn stop(&mut self) -> Result<ExitStatus> {
        self.process.signal(Signal::TERM)?;
        self.process.wait(LIMIT)
    }

    /// Starts it again on the same data, on other ports. It must have ended.
    pub fn start_again(&mut self) -> Result<()> {
        (self.process, self.addresses) = launch(&self.setup, &self.data_dir, self.folder.path())?;
        Ok(())
    }

    /// Starts it again on the same data and returns before it is ready.
    pub fn start_again_without_waiting(&mut self) -> Result<()> {
        self.process = spawn(&self.setup, &self.data_dir, self.folder.path())?;
        Ok(())
    }
}

fn launch(setup: &Setup, data_dir: &Path, folder: &Path) -> Result<(Process, Addresses)> {
    let mut process = spawn(setup, data_dir, folder)?;
    let addresses = wait_for("the server was ready", LIMIT, || {
        if let Some(line) = process.errors().iter().find(|line| is_ready(line)) {
            return Addresses::parse(line).map(Some);
        }
        match process.ended()? {
            Some(status) => bail!("the server ended with {status}"),
            None => Ok(None),
        }
    });
    let addresses =
        addresses.with_context(|| format!("the server said: {}", process.errors().join("\n")))?;
    Ok((process, addresses))
}

fn spawn(setup: &Setup, data_dir: &Path, folder: &Path) -> Result<Process> {
    let mut command = launched(&setup.launcher, binary()?);
    command.arg("serve").arg("--data-dir").arg(data_dir);
    for listener in ["--http", "--udp", "--tcp", "--tls", "--relp"] {
        command.args([listener, "127.0.0.1:0"]);
    }
    if let Some(config) = &setup.config {
        let file = config_file(folder);
        fs::write(&file, config).context("cannot write the configuration")?;
        command.arg("--config").arg(file);
    }
    command.args(&setup.words);
    // Time stamps without a zone are local ones.
    command.env("NO_COLOR", "1").env("TZ", "UTC");
    command.envs(setup.environment.iter().map(|(name, value)| (name, value)));
    Process::start(&mut command)
}

/// The program behind the words that launch it.
fn launched(launcher: &[String], program: &Path) -> Command {
    let Some((first, more)) = launcher.split_first() else {
        return Command::new(program);
    };
    let mut command = Command::new(first);
    command.args(more).arg(program);
    command
}

fn config_file(folder: &Path) -> PathBuf {
    folder.join("logwood.toml")
}

fn is_ready(line: &str) -> bool {
    line.starts_with("ready ")
}

impl Addresses {
    /// Reads `ready http=127.0.0.1:34567 udp=...`.
    fn parse(line: &str) -> Result<Self> {
        let find = |wanted: &str| {
            let mut pairs = line.split(' ').filter_map(|word| word.split_once('='));
            let (_, value) = pairs
                .find(|(key, _)| *key == wanted)
                .with_context(|| format!("no {wanted}= in {line:?}"))?;
            value
                .parse()
                .with_context(|| format!("no address behind {wanted}= in {line:?}"))
        };
        Ok(Self {
            http: find("http")?,
            udp: find("udp")?,
            tcp: find("tcp")?,
            tls: find("tls")?,
            relp: find("relp")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line_tells_the_addresses() {
        let line = "ready http=127.0.0.1:1 udp=127.0.0.1:2 tcp=127.0.0.1:3 tls=127.0.0.1:4 \
                    relp=127.0.0.1:5";
        let addresses = Addresses::parse(line).unwrap();
        assert_eq!(addresses.http.port(), 1);
        assert_eq!(addresses.relp.port(), 5);
        let error = Addresses::parse("ready http=127.0.0.1:1").unwrap_err();
        assert_eq!(error.to_string(), "no udp= in \"ready http=127.0.0.1:1\"");
    }
}
