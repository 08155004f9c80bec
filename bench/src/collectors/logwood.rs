//! Logwood, as anybody would run it.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use client::Client;
use tempfile::TempDir;
use testkit::{Process, wait_for};

use super::{Collector, LIMIT, Setup, Transport};
use crate::context::Context;
use crate::destinations::Target;
use crate::segments::{self, Kept};
use crate::template;

const CONFIGURATION: &str = include_str!("../../peers/logwood.toml.in");

/// A running server with its data.
#[derive(Debug)]
pub(crate) struct Logwood {
    process: Process,
    transport: Transport,
    address: SocketAddr,
    client: Client,
    data_dir: PathBuf,
    _folder: TempDir,
}

impl Logwood {
    /// Starts one on data of its own.
    pub(crate) fn start(setup: &Setup, context: &Context) -> Result<Self> {
        let folder = context.folder()?;
        let data_dir = folder.path().join("data");
        Self::start_on(&data_dir, folder, setup, context)
    }

    /// Starts one on data that is there.
    pub(crate) fn start_on(
        data_dir: &Path,
        folder: TempDir,
        setup: &Setup,
        context: &Context,
    ) -> Result<Self> {
        let transport = setup.transport;
        let connections = (setup.connections + 16).to_string();
        let mut tags = Vec::new();
        if !setup.parses {
            tags.push("raw");
        }
        if transport != Transport::Udp {
            tags.push("connections");
        }
        let mut values = vec![
            ("TRANSPORT", transport.name()),
            ("CONNECTIONS", connections.as_str()),
        ];
        if let Some(durability) = &setup.durability {
            tags.push("durability");
            values.push(("DURABILITY", durability));
        }
        let to = setup.destination.as_ref().map(Target::values);
        if let (Some(target), Some(to)) = (&setup.destination, &to) {
            tags.extend(target.tags());
            values.extend(to.iter().map(|(name, value)| (*name, value.as_str())));
        }
        let file = folder.path().join("logwood.toml");
        fs::write(&file, template::fill(CONFIGURATION, &tags, &values)?)?;
        let mut process = Process::start(
            Command::new(&context.programs.logwood)
                .arg("serve")
                .arg("--data-dir")
                .arg(data_dir)
                .arg("--config")
                .arg(&file)
                .env("NO_COLOR", "1")
                .env("TZ", "UTC"),
        )?;
        let ready = ready(&mut process)?;
        let http: SocketAddr = address_behind(&ready, "http")?;
        Ok(Self {
            process,
            transport,
            address: address_behind(&ready, transport.name())?,
            client: Client::new(&http.to_string()),
            data_dir: data_dir.to_owned(),
            _folder: folder,
        })
    }

    /// Its API.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }
}

impl Collector for Logwood {
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
        let status = self.client.status()?;
        Ok(status.sources.iter().map(|source| source.stored).sum())
    }

    fn dropped(&mut self) -> Result<Option<u64>> {
        let status = self.client.status()?;
        let dropped = status.sources.iter().flat_map(|s| s.dropped.values());
        Ok(Some(dropped.sum()))
    }

    fn kept(&self) -> Result<Kept> {
        segments::sealed(&self.data_dir)
    }

    fn indexes(&self) -> bool {
        true
    }
}

/// Waits for the line that tells the addresses.
fn ready(process: &mut Process) -> Result<String> {
    let found = wait_for("the server was ready", LIMIT, || {
        let errors = process.errors();
        if let Some(line) = errors.iter().find(|line| line.starts_with("ready ")) {
            return Ok(Some(line.clone()));
        }
        match process.ended()? {
            Some(status) => bail!("the server ended with {status}"),
            None => Ok(None),
        }
    });
    found.with_context(|| format!("it said: {}", process.errors().join("\n")))
}

fn address_behind(ready: &str, name: &str) -> Result<SocketAddr> {
    let mut pairs = ready.split(' ').filter_map(|word| word.split_once('='));
    let (_, value) = pairs
        .find(|(found, _)| *found == name)
        .with_context(|| format!("no {name}= in {ready:?}"))?;
    value
        .parse()
        .with_context(|| format!("no address in {ready:?}"))
}
