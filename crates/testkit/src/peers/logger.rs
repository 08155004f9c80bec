//! util-linux `logger`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::locate::program;

/// `logger` of util-linux.
#[derive(Debug)]
pub struct Logger {
    program: PathBuf,
}

impl Logger {
    /// Finds it.
    pub fn find() -> Result<Self> {
        let program = program("logger", "bsdutils")?;
        Ok(Self { program })
    }

    /// Sends one message to a server with these further options.
    pub fn send(&self, to: SocketAddr, options: &[&str], message: &str) -> Result<()> {
        let (host, port) = (to.ip().to_string(), to.port().to_string());
        let to = ["--server", &host, "--port", &port];
        self.run(&[to.as_slice(), options].concat(), message)
    }

    /// Sends one message to a unix socket, of datagrams or else for connections.
    pub fn send_to_path(&self, path: &Path, options: &[&str], message: &str) -> Result<()> {
        let path = path.to_str().context("a path in UTF-8")?;
        self.run(&[["--socket", path].as_slice(), options].concat(), message)
    }

    fn run(&self, options: &[&str], message: &str) -> Result<()> {
        let status = Command::new(&self.program)
            .args(options)
            .args(["--", message])
            .status()?;
        if !status.success() {
            bail!("logger ended with {status}");
        }
        Ok(())
    }
}
