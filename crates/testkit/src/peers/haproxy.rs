//! HAProxy of Debian, between a sender and the server.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::LIMIT;
use super::locate::daemon;
use crate::process::Process;
use crate::wait::wait_for;

/// A running HAProxy that passes connections on. Dropping it kills it.
#[derive(Debug)]
pub struct Haproxy {
    process: Process,
    address: SocketAddr,
    // Holds the configuration.
    _folder: TempDir,
}

impl Haproxy {
    /// Whether it can be run, and if not, why.
    pub fn find() -> Result<PathBuf> {
        daemon("haproxy", "haproxy")
    }

    /// Starts one that passes connections on to a server, with more words for that, such as
    /// `send-proxy-v2`. Returns once it listens.
    pub fn start(server: SocketAddr, words: &str) -> Result<Self> {
        let program = Self::find()?;
        let folder = tempfile::tempdir()?;
        // Its own free port cannot be learnt; one that was free a moment ago is.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let config = folder.path().join("haproxy.cfg");
        let text = format!(
            "defaults\n\
             \x20   mode tcp\n\
             \x20   timeout connect 60s\n\
             \x20   timeout client 60s\n\
             \x20   timeout server 60s\n\
             listen syslog\n\
             \x20   bind {address}\n\
             \x20   server logwood {server} {words}\n"
        );
        fs::write(&config, text)?;
        let mut command = Command::new(&program);
        // One process in the foreground, so that it ends with its id.
        let mut process = Process::start(command.arg("-db").arg("-f").arg(&config))?;
        let listens = wait_for("haproxy listened", LIMIT, || {
            if let Some(status) = process.ended()? {
                bail!("it ended with {status}");
            }
            Ok(TcpStream::connect(address).ok().map(|_| ()))
        });
        listens.with_context(|| format!("it said: {}", process.errors().join("\n")))?;
        Ok(Self {
            process,
            address,
            _folder: folder,
        })
    }

    /// Where it takes connections.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has complained about.
    pub fn errors(&self) -> Vec<String> {
        self.process.errors()
    }
}
