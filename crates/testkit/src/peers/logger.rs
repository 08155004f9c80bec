//! util-linux `logger`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

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
        let status = Command::new(&self.program)
            .args(["--server", &to.ip().to_string()])
            .args(["--port", &to.port().to_string()])
            .args(options)
            .args(["--", message])
            .status()?;
        if !status.success() {
            bail!("logger ended with {status}");
        }
        Ok(())
    }
}
