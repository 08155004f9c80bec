//! What all peers have in common: a configuration, a process, and something that counts what it
//! has put out.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::Result;
use tempfile::TempDir;
use testkit::Process;

use super::{Buffer, Collector, Output, Setup, Transport, files, ports};
use crate::certificate::Certificate;
use crate::context::Context;
use crate::lines::LineCounter;
use crate::receiver::Receiver;
use crate::segments::Kept;
use crate::template;

/// Messages of a connection that may be on their way in syslog-ng, which needs at least 100.
const WINDOW_PER_CONNECTION: u64 = 2_000;
const WINDOW_MAX: u64 = 2_000_000;

/// A running peer.
#[derive(Debug)]
pub(super) struct Peer {
    process: Process,
    transport: Transport,
    address: SocketAddr,
    arrivals: Arrivals,
    out: PathBuf,
    _folder: TempDir,
}

/// Where its messages can be counted.
#[derive(Debug)]
enum Arrivals {
    File(LineCounter),
    Receiver(Arc<Receiver>),
}

impl Peer {
    /// Writes the configuration, starts the program that `command` makes for the folder and the
    /// configuration file, and waits until it listens.
    pub(super) fn start(
        configuration: &str,
        setup: &Setup,
        context: &Context,
        command: impl FnOnce(&Path, &Path) -> Command,
    ) -> Result<Self> {
        let folder = context.folder()?;
        let address = ports::free()?;
        let out = folder.path().join("out");
        fs::create_dir(&out)?;
        let file = folder.path().join("configuration");
        let text = filled(configuration, setup, folder.path(), address)?;
        fs::write(&file, text)?;
        let mut command = command(folder.path(), &file);
        let mut process = Process::start(command.env("TZ", "UTC"))?;
        ports::wait_until_listening(&mut process, setup.transport, address)?;
        let arrivals = match &setup.output {
            Output::File => Arrivals::File(LineCounter::new(out.join("messages"))),
            Output::Network { receiver, .. } => Arrivals::Receiver(Arc::clone(receiver)),
        };
        Ok(Self {
            process,
            transport: setup.transport,
            address,
            arrivals,
            out,
            _folder: folder,
        })
    }
}

fn filled(
    configuration: &str,
    setup: &Setup,
    folder: &Path,
    address: SocketAddr,
) -> Result<String> {
    let mut tags = vec![setup.transport.name()];
    tags.push(if setup.is_ietf { "ietf" } else { "legacy" });
    if !setup.parses {
        tags.push("raw");
    }
    if setup.is_tuned {
        tags.push("tuned");
    }
    let mut receiver_port = String::new();
    match &setup.output {
        Output::File => tags.push("file"),
        Output::Network { receiver, buffer } => {
            tags.extend(["network", buffer.name()]);
            receiver_port = receiver.address().port().to_string();
        }
    }
    let mut to = Vec::new();
    if let Some(target) = &setup.destination {
        tags.extend(target.tags());
        to = target.values();
    }
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
        ("RECEIVER", receiver_port),
        ("FOLDER", folder.display().to_string()),
        ("CONNECTIONS", connections.to_string()),
        ("WINDOW", window.to_string()),
        ("FIFO", (window * 2).to_string()),
        ("CERTIFICATE", certificate),
        ("KEY", key),
    ];
    let values = values.iter().chain(&to);
    let values: Vec<(&str, &str)> = values.map(|(k, v)| (*k, v.as_str())).collect();
    template::fill(configuration, &tags, &values)
}

impl Buffer {
    fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Normal => "normal",
            Self::Reliable => "reliable",
        }
    }
}

impl Collector for Peer {
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
        match &mut self.arrivals {
            Arrivals::File(counter) => counter.count(),
            Arrivals::Receiver(receiver) => Ok(receiver.lines()),
        }
    }

    fn kept(&self) -> Result<Kept> {
        Ok(match &self.arrivals {
            Arrivals::File(counter) => Kept {
                messages: counter.counted(),
                bytes: files::bytes(&self.out)?,
                ..Kept::default()
            },
            Arrivals::Receiver(_) => Kept::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{rsyslog, syslog_ng};
    use super::*;

    /// Every kind of setup must find a value for all that its configuration asks for.
    #[test]
    fn configurations_are_filled_in_for_every_setup() {
        let folder = tempfile::tempdir().unwrap();
        let address = "127.0.0.1:5140".parse().unwrap();
        let receiver = Arc::new(Receiver::start().unwrap());
        let network = |buffer| Output::Network {
            receiver: Arc::clone(&receiver),
            buffer,
        };
        let outputs = [
            Output::File,
            network(Buffer::Memory),
            network(Buffer::Normal),
            network(Buffer::Reliable),
        ];
        for transport in [
            Transport::Udp,
            Transport::Tcp,
            Transport::Tls,
            Transport::Relp,
        ] {
            for output in &outputs {
                let setup = Setup {
                    transport,
                    is_ietf: true,
                    parses: false,
                    connections: 10,
                    is_tuned: true,
                    output: output.clone(),
                    durability: None,
                    destination: None,
                };
                let peers = [rsyslog::CONFIGURATION, syslog_ng::CONFIGURATION];
                // syslog-ng takes no RELP.
                let count = if transport == Transport::Relp { 1 } else { 2 };
                for text in peers.iter().take(count) {
                    let text = filled(text, &setup, folder.path(), address).unwrap();
                    assert!(text.contains("5140"), "{text}");
                }
            }
        }
    }
}
