//! Programs of others that send, take and pass on records, run as their users run them.

mod haproxy;
mod locate;
mod loggen;
mod logger;
mod mariadb;
mod postgres;
mod receiver;
mod rsyslog;
mod syslog_ng;

pub use haproxy::Haproxy;
pub use locate::{daemon, program};
pub use loggen::{Loggen, LoggenReport};
pub use logger::Logger;
pub use mariadb::MariaDb;
pub use postgres::Postgres;
pub use receiver::Receiver;
pub use rsyslog::Rsyslog;
pub use syslog_ng::SyslogNg;

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::process::Process;
use crate::wait::wait_for;

const LIMIT: Duration = Duration::from_secs(60);

/// A port that was free a moment ago, for connections and for datagrams: these daemons cannot be asked
/// for the one they took.
fn free_port() -> Result<u16> {
    wait_for("a port was free", LIMIT, || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        Ok(UdpSocket::bind(address).ok().map(|_| address.port()))
    })
}

/// Feeds lines to a daemon that listens on a stream socket of the file system.
fn feed(process: &mut Process, socket: &Path, lines: &[String]) -> Result<()> {
    let connected = wait_for("the daemon listened", LIMIT, || {
        if let Some(status) = process.ended()? {
            anyhow::bail!("it ended with {status}");
        }
        Ok(UnixStream::connect(socket).ok())
    });
    let mut stream =
        connected.with_context(|| format!("it said: {}", process.errors().join("\n")))?;
    for line in lines {
        writeln!(stream, "{line}")?;
    }
    Ok(())
}
