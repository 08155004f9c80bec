//! syslog-ng of Debian in its best known configuration, which bench/peers/syslog-ng.conf.in holds.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use tempfile::TempDir;
use testkit::Process;

use super::files::{self, LineCounter};
use super::{Buffer, Collector, Output, Setup, Transport, ports};
use crate::certificate::Certificate;
use crate::context::Context;
use crate::template;

const CONFIGURATION: &str = include_str!("../../peers/syslog-ng.conf.in");

/// Each connection may have so many messages on their way. The window must hold 100 for each
/// connection that may come, or syslog-ng raises it itself.
const WINDOW_PER_CONNECTION: u64 = 2_000;
const WINDOW_MAX: u64 = 2_000_000;

/// A running syslog-ng.
#[derive(Debug)]
pub(super) struct SyslogNg {
    process: Process,
    transport: Transport,
    address: SocketAddr,
    lines: LineCounter,
    out: PathBuf,
    _folder: TempDir,
}

impl SyslogNg {
    pub(super) fn start(setup: &Setup, context: &Context) -> Result<Self> {
        let program = testkit::peers::SyslogNg::find()?;
        ensure!(
            setup.transport != Transport::Relp,
            "syslog-ng 3 takes no RELP"
        );
        let folder = context.folder()?;
        let address = ports::free()?;
        let out = folder.path().join("out");
        fs::create_dir(&out)?;
        let file = folder.path().join("syslog-ng.conf");
        fs::write(&file, configuration(setup, folder.path(), address)?)?;
        let place = |name: &str| folder.path().join(name);
        let mut process = Process::start(
            Command::new(program)
                .args(["--foreground", "--stderr", "--no-caps"])
                .arg("--cfgfile")
                .arg(&file)
                .arg("--persist-file")
                .arg(place("persist"))
                .arg("--control")
                .arg(place("control"))
                .arg("--pidfile")
                .arg(place("pid"))
                .env("TZ", "UTC"),
        )?;
        ports::wait_until_listening(&mut process, setup.transport, address)?;
        Ok(Self {
            process,
            transport: setup.transport,
            address,
            lines: LineCounter::new(out.join("messages")),
            out,
            _folder: folder,
        })
    }
}

fn configuration(setup: &Setup, folder: &Path, address: SocketAddr) -> Result<String> {
    let mut tags = vec![setup.transport.name()];
    tags.push(if setup.is_ietf { "ietf" } else { "legacy" });
    if !setup.parses {
        tags.push("raw");
    }
    if setup.is_tuned {
        tags.push("tuned");
    }
    let receiver = match setup.output {
        Output::File => {
            tags.push("file");
            String::new()
        }
        Output::Network { receiver, buffer } => {
            tags.push("network");
            tags.push(match buffer {
                Buffer::Memory => "memory",
                Buffer::Normal => "normal",
                Buffer::Reliable => "reliable",
            });
            receiver.port().to_string()
        }
    };
    let connections = setup.connections + 16;
    let window = (connections * WINDOW_PER_CONNECTION).min(WINDOW_MAX);
    let (mut certificate, mut key) = (String::new(), String::new());
    if setup.transport == Transport::Tls {
        let files = Certificate::make(folder)?;
        certificate = files.certificate.display().to_string();
        key = files.key.display().to_string();
    }
    let values = [
        ("PORT", address.port().to_string()),
        ("RECEIVER", receiver),
        ("FOLDER", folder.display().to_string()),
        ("CONNECTIONS", connections.to_string()),
        ("WINDOW", window.to_string()),
        ("FIFO", (window * 2).to_string()),
        ("CERTIFICATE", certificate),
        ("KEY", key),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    template::fill(CONFIGURATION, &tags, &values)
}

impl Collector for SyslogNg {
    fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    fn target(&self) -> String {
        format!("{}://{}", self.transport.name(), self.address)
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn stored(&mut self) -> Result<u64> {
        self.lines.count()
    }

    fn disk_bytes(&self) -> Result<u64> {
        files::bytes(&self.out)
    }
}
