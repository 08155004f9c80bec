//! MariaDB, as Debian installs it, with a data directory of its own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::postgres::{lines, listens};
use super::{LIMIT, daemon, free_port, program};
use crate::process::Process;
use crate::wait::wait_for;

/// A server with the database `logs` and the user `logwood`. Dropping it kills it.
#[derive(Debug)]
pub struct MariaDb {
    process: Option<Process>,
    port: u16,
    settings: Vec<String>,
    folder: TempDir,
}

impl MariaDb {
    /// The password of its user.
    pub const PASSWORD: &str = "let me in";

    /// Whether it can be run, and if not, why.
    pub fn find() -> Result<PathBuf> {
        program("mariadb", "mariadb-client-core")?;
        program("mariadb-install-db", "mariadb-server-core")?;
        daemon("mariadbd", "mariadb-server-core")
    }

    /// Starts one with settings such as `--max-allowed-packet=1M`; files are put beside its data, for TLS, and
    /// `{folder}` in settings is where they are.
    pub fn start(settings: &[&str], files: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        Self::find()?;
        let made = Command::new("mariadb-install-db")
            .arg("--no-defaults")
            .arg(format!(
                "--datadir={}",
                folder.path().join("data").display()
            ))
            .arg(format!("--tmpdir={}", folder.path().display()))
            .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
            .args(user())
            .output()?;
        let words = String::from_utf8_lossy(&made.stderr);
        ensure!(made.status.success(), "mariadb-install-db failed: {words}");
        for (name, text) in files {
            fs::write(folder.path().join(name), text)?;
        }
        let place = folder.path().display().to_string();
        let settings = settings.iter().map(|text| text.replace("{folder}", &place));
        let mut server = Self {
            process: None,
            port: free_port()?,
            settings: settings.collect(),
            folder,
        };
        server.go_on()?;
        server.query(&format!(
            "CREATE DATABASE logs; CREATE USER logwood@'127.0.0.1' IDENTIFIED BY '{}'; \
             GRANT ALL ON logs.* TO logwood@'127.0.0.1'",
            Self::PASSWORD
        ))?;
        Ok(server)
    }

    /// Kills it at once.
    pub fn kill(&mut self) -> Result<()> {
        match self.process.take() {
            Some(mut process) => process.kill(),
            None => Ok(()),
        }
    }

    /// Starts it again on its data and port.
    pub fn go_on(&mut self) -> Result<()> {
        let place = self.folder.path();
        let mut command = Command::new(Self::find()?);
        command
            .arg("--no-defaults")
            .args(user())
            .arg(format!("--datadir={}", place.join("data").display()))
            .arg(format!("--socket={}", place.join("socket").display()))
            .arg(format!("--pid-file={}", place.join("pid").display()))
            .arg(format!("--port={}", self.port))
            .args([
                "--bind-address=127.0.0.1",
                "--skip-name-resolve",
                "--innodb-buffer-pool-size=64M",
            ])
            .args(&self.settings);
        let mut process = Process::start(&mut command)?;
        let answers = wait_for("MariaDB answered", LIMIT, || {
            if let Some(status) = process.ended()? {
                bail!("it ended with {status}");
            }
            let answers = listens(self.port) && self.query("SELECT 1").is_ok();
            Ok(answers.then_some(()))
        });
        answers.with_context(|| format!("it said: {}", process.errors().join("\n")))?;
        self.process = Some(process);
        Ok(())
    }

    /// Its port on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The lines of the answer to a statement, with tabs between values; line ends and tabs in values are escaped.
    pub fn query(&self, sql: &str) -> Result<Vec<String>> {
        let answer = Command::new("mariadb")
            .args([
                "--no-defaults",
                "--batch",
                "--skip-column-names",
                "--user=root",
            ])
            .arg("--default-character-set=utf8mb4")
            .arg(format!(
                "--socket={}",
                self.folder.path().join("socket").display()
            ))
            .args(["-e", sql])
            .output()?;
        lines(&answer)
    }
}

/// It runs as root only if it is told to.
fn user() -> Option<&'static str> {
    crate::machine::is_root().then_some("--user=root")
}
