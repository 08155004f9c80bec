//! PostgreSQL, as Debian installs it, with a data directory of its own.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::{LIMIT, free_port, program};
use crate::machine::is_root;
use crate::process::Process;
use crate::wait::wait_for;

/// A server with the user `postgres`, who needs a password over TCP, and the database `postgres`. Dropping it kills
/// it.
#[derive(Debug)]
pub struct Postgres {
    process: Option<Process>,
    port: u16,
    settings: Vec<String>,
    folder: TempDir,
}

impl Postgres {
    /// The password of its user.
    pub const PASSWORD: &str = "let me in";

    /// Whether it can be run, and if not, why.
    pub fn find() -> Result<PathBuf> {
        let versions = fs::read_dir("/usr/lib/postgresql").context("no postgresql here")?;
        let mut folders: Vec<_> = versions
            .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
            .filter(|folder| folder.join("initdb").is_file())
            .collect();
        folders.sort();
        program("psql", "postgresql-client")?;
        folders
            .pop()
            .context("no initdb, of Debian's package postgresql")
    }

    /// Starts one with settings such as `max_connections=20`; files are put beside its data, for TLS.
    pub fn start(settings: &[&str], files: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        let password = folder.path().join("password");
        fs::write(&password, Self::PASSWORD)?;
        hand_over(folder.path())?;
        let mut init = as_its_user(&Self::find()?.join("initdb"));
        init.arg("-D")
            .arg(&data)
            .args(["-U", "postgres", "-N", "-E", "UTF8", "--locale=C.UTF-8"]);
        init.args(["--auth-local=trust", "--auth-host=scram-sha-256"]);
        let made = init.arg("--pwfile").arg(&password).output()?;
        let words = String::from_utf8_lossy(&made.stderr);
        ensure!(made.status.success(), "initdb failed: {words}");
        for (name, text) in files {
            let path = data.join(name);
            fs::write(&path, text)?;
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
            hand_over(&path)?;
        }
        let mut server = Self {
            process: None,
            port: free_port()?,
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
            folder,
        };
        server.go_on()?;
        Ok(server)
    }

    /// Kills all of it at once.
    pub fn kill(&mut self) -> Result<()> {
        // Those that serve connections notice that the first one is gone, and end.
        match self.process.take() {
            Some(mut process) => process.kill(),
            None => Ok(()),
        }
    }

    /// Starts it again on its data and port.
    pub fn go_on(&mut self) -> Result<()> {
        let data = self.folder.path().join("data");
        let mut command = as_its_user(&Self::find()?.join("postgres"));
        command
            .arg("-D")
            .arg(&data)
            .arg("-p")
            .arg(self.port.to_string());
        command.args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]);
        let sockets = format!("unix_socket_directories={}", self.folder.path().display());
        command.args(["-c", &sockets]);
        for setting in &self.settings {
            command.args(["-c", setting]);
        }
        // Processes of one that was killed hold its memory for a moment.
        let process = wait_for("PostgreSQL answered", LIMIT, || {
            let mut process = Process::start(&mut command)?;
            let answers = wait_for("it answers", LIMIT, || {
                let answers = self.query("SELECT 1").is_ok();
                Ok((answers || process.ended()?.is_some()).then_some(answers))
            })?;
            Ok(answers.then_some(process))
        })?;
        self.process = Some(process);
        Ok(())
    }

    /// Its port on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The lines of the answer to a statement, with tabs between values, as psql prints them.
    pub fn query(&self, sql: &str) -> Result<Vec<String>> {
        let answer = Command::new("psql")
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-F",
                "\t",
                "-U",
                "postgres",
                "-v",
                "ON_ERROR_STOP=1",
            ])
            .arg("-h")
            .arg(self.folder.path())
            .args(["-p", &self.port.to_string(), "-c", sql])
            .output()?;
        lines(&answer)
    }
}

/// The lines that a client printed.
pub(super) fn lines(answer: &std::process::Output) -> Result<Vec<String>> {
    if !answer.status.success() {
        bail!("{}", String::from_utf8_lossy(&answer.stderr));
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    Ok(text.lines().map(str::to_owned).collect())
}

/// It does not run as root.
fn as_its_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args([
        "--reuid",
        "postgres",
        "--regid",
        "postgres",
        "--clear-groups",
    ]);
    command.arg(program).current_dir("/");
    command
}

fn hand_over(path: &Path) -> Result<()> {
    if is_root() {
        let ids = Command::new("id").args(["-u", "postgres"]).output()?;
        let id = String::from_utf8_lossy(&ids.stdout).trim().parse()?;
        chown(path, Some(id), Some(id))?;
    }
    Ok(())
}

/// Whether something listens on a port of this machine.
pub(super) fn listens(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}
