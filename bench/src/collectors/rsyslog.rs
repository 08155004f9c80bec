//! rsyslog of Debian in its best known configuration, which bench/peers/rsyslog.conf.in holds.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use tempfile::TempDir;
use testkit::Process;

use super::files::{self, LineCounter};
use super::{Buffer, Collector, Output, Setup, Transport, ports};
use crate::certificate::Certificate;
use crate::context::Context;
use crate::programs::rsyslogd;
use crate::template;

const CONFIGURATION: &str = include_str!("../../peers/rsyslog.conf.in");

/// A running rsyslog.
#[derive(Debug)]
pub(super) struct Rsyslog {
    process: Process,
    transport: Transport,
    address: SocketAddr,
    lines: LineCounter,
    out: PathBuf,
    _folder: TempDir,
}

impl Rsyslog {
    pub(super) fn start(setup: &Setup, context: &Context) -> Result<Self> {
        ensure!(setup.parses, "rsyslog of Debian cannot leave out parsing");
        let folder = context.folder()?;
        let address = ports::free()?;
        let out = folder.path().join("out");
        fs::create_dir(&out)?;
        let file = folder.path().join("rsyslog.conf");
        fs::write(&file, configuration(setup, folder.path(), address)?)?;
        let mut command = rsyslogd()?;
        command
            .arg("-n")
            .arg("-i")
            .arg(folder.path().join("pid"))
            .arg("-f")
            .arg(&file)
            .env("TZ", "UTC");
        let mut process = Process::start(&mut command)?;
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
        ("CONNECTIONS", (setup.connections + 16).to_string()),
        ("CERTIFICATE", certificate),
        ("KEY", key),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    template::fill(CONFIGURATION, &tags, &values)
}

impl Collector for Rsyslog {
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
