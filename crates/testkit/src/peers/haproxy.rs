//! haproxy, unpacked from Debian's package, as one that passes connections on.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
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

/// A running haproxy. Dropping it kills it.
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

    /// Starts it listening on an address and passing on to another; it asks for a header of the PROXY
    /// protocol and says of each connection whom it is for. Returns once it listens.
    pub fn reading_headers(listen: IpAddr, to: SocketAddr) -> Result<Self> {
        let settings = "log global\n log-format \"client %ci %cp for %fi %fp\"";
        Self::start(listen, "accept-proxy", settings, &to.to_string())
    }

    /// Starts it passing connections on to a server, with more words for that, such as
    /// `send-proxy-v2`. Returns once it listens.
    pub fn passing_on(server: SocketAddr, words: &str) -> Result<Self> {
        let listen = IpAddr::from(Ipv4Addr::LOCALHOST);
        Self::start(listen, "", "", &format!("{server} {words}"))
    }

    fn start(listen: IpAddr, bind: &str, settings: &str, server: &str) -> Result<Self> {
        let package = Self::find()?;
        let folder = tempfile::tempdir()?;
        let address = SocketAddr::from((listen, free_port()?));
        let ready = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
        // One thread: of several, those that find another one writing drop their lines.
        let text = format!(
            "global\n nbthread 1\n log stderr format raw local0\n maxconn {CONNECTIONS_MAX}\n\
             defaults\n mode tcp\n {settings}\n \
             timeout connect 60s\n timeout client 60s\n timeout server 60s\n\
             listen proxy\n bind {address} {bind}\n server receiver {server}\n\
             frontend ready\n bind {ready}\n tcp-request connection reject\n"
        );
        let config = folder.path().join("haproxy.cfg");
        fs::write(&config, text)?;
        let mut command = Command::new(package.join("usr/sbin/haproxy"));
        // One process in the foreground, so that it ends with its id.
        command.arg("-db").arg("-f").arg(&config);
        command.env("LD_LIBRARY_PATH", libraries(&package, "liblua5.3.so.0")?);
        let mut process = Process::start(&mut command)?;
        // What is told by a port of its own, bound after the other one: a connection to that would be
        // passed on, and the server behind would see one that ends before it has begun.
        let listens = wait_for("haproxy listened", LIMIT, || {
            if let Some(status) = process.ended()? {
                bail!("it ended with {status}");
            }
            Ok(TcpStream::connect(ready).ok().map(|_| ()))
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

    /// What it has complained about.
    pub fn errors(&self) -> Vec<String> {
        self.process.errors()
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
