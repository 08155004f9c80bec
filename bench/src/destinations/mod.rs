//! Where servers put messages beside their store: receivers of ours that count what comes.

mod bulk;
mod folder;
mod hec;
mod http;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::collectors::Arrived;
use crate::context::Context;
use crate::receiver::Receiver;
use bulk::Bulk;
use folder::LinesOfFolder;
use hec::Hec;

/// How often it is looked what was delivered.
const POLL: Duration = Duration::from_millis(20);

/// When nothing more was delivered for so long, the rest is lost. Longer than a destination that was down
/// waits before it tries again.
const SETTLED: Duration = Duration::from_secs(20);

/// A kind of destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One file.
    File,
    /// A file for each host.
    Files,
    /// Another syslog server, over TCP.
    Network,
    /// An HTTP event collector.
    Hec,
    /// The bulk interface of Elasticsearch.
    Bulk,
}

impl Kind {
    /// By its name in scenario files.
    pub(crate) fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "file" => Self::File,
            "files" => Self::Files,
            "network" => Self::Network,
            "hec" => Self::Hec,
            "bulk" => Self::Bulk,
            _ => bail!("no destination is called {name}"),
        })
    }

    fn tag(self) -> &'static str {
        match self {
            Self::File => "to-file",
            Self::Files => "to-files",
            Self::Network => "to-network",
            Self::Hec => "to-hec",
            Self::Bulk => "to-bulk",
        }
    }
}

/// A destination as a server is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    /// Where files go.
    pub(crate) folder: PathBuf,
    /// Where connections go; not used by files.
    pub(crate) address: SocketAddr,
    /// Messages of a request at most, where there are requests.
    pub(crate) batch: u64,
    /// Whether it is down at first, so that peers need a buffer on disk.
    pub(crate) is_down: bool,
}

/// Messages of a request unless a case says otherwise.
const BATCH: u64 = 5_000;

impl Target {
    /// One that nothing takes messages for yet.
    pub(crate) fn reserve(kind: Kind, folder: &Path) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
        let folder = folder.join("delivered");
        std::fs::create_dir_all(&folder)?;
        Ok(Self {
            kind,
            folder,
            address: listener.local_addr()?,
            batch: BATCH,
            is_down: false,
        })
    }

    /// The tags of its lines in configurations.
    pub(crate) fn tags(&self) -> Vec<&'static str> {
        let mut tags = vec!["destination", self.kind.tag()];
        if matches!(self.kind, Kind::Hec | Kind::Bulk) {
            tags.extend(["requests", "batched"]);
        }
        match self.kind {
            Kind::File | Kind::Files => {}
            _ if self.is_down => tags.push("outage"),
            _ => tags.push("queue"),
        }
        tags
    }

    /// What fills these lines in.
    pub(crate) fn values(&self) -> Vec<(&'static str, String)> {
        vec![
            ("OUT", self.folder.display().to_string()),
            ("OUT_PORT", self.address.port().to_string()),
            ("BATCH", self.batch.to_string()),
            ("TOKEN", hec::TOKEN.to_owned()),
        ]
    }
}

/// What takes messages and counts them.
#[derive(Debug)]
pub(crate) struct Destination {
    receiver: Receiving,
}

#[derive(Debug)]
enum Receiving {
    Folder(LinesOfFolder),
    Network(Receiver),
    Hec(Hec),
    Bulk(Bulk),
}

impl Destination {
    /// Takes what is sent to a target from now on; each request waits for a delay first, where the kind has
    /// requests.
    pub(crate) fn open(target: &Target, delay: Duration, context: &Context) -> Result<Self> {
        let receiver = match target.kind {
            Kind::File | Kind::Files => {
                Receiving::Folder(LinesOfFolder::new(target.folder.clone()))
            }
            Kind::Network => Receiving::Network(Receiver::start_at(target.address)?),
            Kind::Hec => Receiving::Hec(Hec::start(target, delay, context)?),
            Kind::Bulk => Receiving::Bulk(Bulk::start(target.address, delay)?),
        };
        Ok(Self { receiver })
    }

    /// Messages that came so far.
    pub(crate) fn delivered(&mut self) -> Result<u64> {
        match &mut self.receiver {
            Receiving::Folder(folder) => folder.count(),
            Receiving::Network(receiver) => Ok(receiver.lines()),
            Receiving::Hec(hec) => hec.count(),
            Receiving::Bulk(bulk) => Ok(bulk.documents()),
        }
    }
}

/// Waits until so many messages are delivered, or until nothing more comes.
pub(crate) fn wait_for_delivery(destination: &mut Destination, wanted: u64) -> Result<Arrived> {
    let mut arrived = Arrived {
        messages: 0,
        at: Instant::now(),
    };
    loop {
        let messages = destination.delivered()?;
        if messages > arrived.messages {
            arrived = Arrived {
                messages,
                at: Instant::now(),
            };
        }
        if messages >= wanted || arrived.at.elapsed() > SETTLED {
            return Ok(arrived);
        }
        std::thread::sleep(POLL);
    }
}
