//! haproxy, unpacked from Debian's package, as one that passes connections on.

use std::fs;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::locate::{libraries, runnable, unpacked};
use super::{LIMIT, free_port};
use crate::process::Process;
use crate::wait::wait_for;

/// Connections at once, more than tests open.
const CONNECTIONS_MAX: usize = 2_000;

/// A running haproxy that asks for a header of the PROXY protocol and says of each connection whom
/// it is for. Dropping it kills it.
#[derive(Debug)]
pub struct Haproxy {
    process: Process,
    address: SocketAddr,
    _folder: TempDir,
}

impl Haproxy {
    /// Whether it can be run, and if not, why.
    pub fn find() -> Result<PathBuf> {
        let folder = unpacked("haproxy")?;
        runnable(&folder.join("usr/sbin/haproxy"))?;
        Ok(folder)
    }

    /// Starts it listening on an address, and passing on to another. Returns once it listens.
    pub fn start(listen: IpAddr, to: SocketAddr) -> Result<Self> {
        let package = Self::find()?;
        let folder = tempfile::tempdir()?;
        let address = SocketAddr::from((listen, free_port()?));
        let text = format!(
            "global\n log stderr format raw local0\n maxconn {CONNECTIONS_MAX}\n\
             defaults\n mode tcp\n log global\n log-format \"client %ci %cp for %fi %fp\"\n \
             timeout connect 60s\n timeout client 60s\n timeout server 60s\n\
             listen proxy\n bind {address} accept-proxy\n server receiver {to}\n"
        );
        let config = folder.path().join("haproxy.cfg");
        fs::write(&config, text)?;
        let mut command = Command::new(package.join("usr/sbin/haproxy"));
        command.arg("-db").arg("-f").arg(&config);
        command.env("LD_LIBRARY_PATH", libraries(&package, "liblua5.3.so.0")?);
        let mut process = Process::start(&mut command)?;
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The connections that have ended: the client and the destination that their headers named,
    /// each as address and port with a space between.
    pub fn wait_for_clients(&self, count: usize) -> Result<Vec<(String, String)>> {
        let clients = wait_for("all connections were told", LIMIT, || {
            let lines = self.process.errors();
            let told = lines.iter().filter_map(|line| {
                let (client, destination) = line.strip_prefix("client ")?.split_once(" for ")?;
                Some((client.to_owned(), destination.to_owned()))
            });
            let told: Vec<_> = told.collect();
            Ok((told.len() >= count).then_some(told))
        });
        clients.with_context(|| format!("it said: {}", self.process.errors().join("\n")))
    }
}
