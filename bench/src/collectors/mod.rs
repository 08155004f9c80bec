//! The servers that are measured, behind one face.

mod files;
mod logwood;
mod peer;
mod ports;
mod rsyslog;
mod syslog_ng;
mod victoria_logs;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use testkit::Process;

use crate::context::Context;
use crate::destinations::Target;
use crate::process::Usage;
use crate::receiver::Receiver;
use crate::segments::Kept;

pub(crate) use logwood::Logwood;
pub(crate) use victoria_logs::VictoriaLogs;

/// How long starting and stopping may take.
const LIMIT: Duration = Duration::from_secs(120);

/// How often it is looked whether all has arrived. Logwood is asked over HTTP, which costs it CPU.
const POLL: Duration = Duration::from_millis(20);

/// When nothing more has arrived for so long, the rest is lost. Longer than any flush interval of
/// the configurations here.
pub(crate) const SETTLED: Duration = Duration::from_secs(3);

/// But a server that uses a larger part of a processor is behind, and has lost nothing yet.
const BUSY_CPU: f64 = 0.25;

/// How messages come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Udp,
    Tcp,
    Tls,
    Relp,
}

impl Transport {
    /// By its name in scenario files.
    pub(crate) fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "udp" => Self::Udp,
            "tcp" => Self::Tcp,
            "tls" => Self::Tls,
            "relp" => Self::Relp,
            _ => bail!("no transport is called {name}; there is: udp, tcp, tls, relp"),
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Relp => "relp",
        }
    }
}

/// Where peers put what they receive; Logwood keeps it in its store.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    /// A text file.
    File,
    /// A receiver that counts, behind a buffer.
    Network {
        receiver: Arc<Receiver>,
        buffer: Buffer,
    },
}

/// What holds messages on their way to a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffer {
    Memory,
    /// On disk, what overflows memory only.
    Normal,
    /// On disk, every message.
    Reliable,
}

/// How a collector is set up.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) transport: Transport,
    /// RFC 5424 with octet counting; otherwise RFC 3164 by lines.
    pub(crate) is_ietf: bool,
    /// Whether headers are parsed.
    pub(crate) parses: bool,
    /// Connections that come at most.
    pub(crate) connections: u64,
    /// With large socket buffers.
    pub(crate) is_tuned: bool,
    pub(crate) output: Output,
    /// What Logwood's acknowledgements promise; its default where nothing is said.
    pub(crate) durability: Option<String>,
    /// Where messages go besides.
    pub(crate) destination: Option<Target>,
}

impl Setup {
    /// For a server that is asked, not sent to at length.
    pub(crate) fn plain() -> Self {
        Self {
            transport: Transport::Tcp,
            is_ietf: false,
            parses: true,
            connections: 64,
            is_tuned: false,
            output: Output::File,
            durability: None,
            destination: None,
        }
    }
}

/// A server that runs. Dropping it kills it.
pub(crate) trait Collector {
    /// Its process.
    fn process(&mut self) -> &mut Process;

    /// Where the generator sends to.
    fn target(&self) -> String;

    /// Where connections may be opened.
    fn address(&self) -> SocketAddr;

    /// How many messages it has stored, as far as can be seen from outside.
    fn stored(&mut self) -> Result<u64>;

    /// How many messages it says that it, or the kernel for it, has dropped, where it says so.
    fn dropped(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// What it has put into its final form on disk: a peer's text file, Logwood's segments.
    fn kept(&self) -> Result<Kept>;

    /// Whether that form has an index.
    fn indexes(&self) -> bool {
        false
    }
}

/// Starts a subject and waits until it listens.
pub(crate) fn start(subject: &str, setup: &Setup, context: &Context) -> Result<Box<dyn Collector>> {
    // What follows the first word tells setups of one program apart.
    Ok(match subject.split(' ').next().unwrap_or_default() {
        "logwood" => Box::new(Logwood::start(setup, context)?),
        "syslog-ng" => Box::new(syslog_ng::start(setup, context)?),
        "rsyslog" => Box::new(rsyslog::start(setup, context)?),
        "victoria-logs" => Box::new(VictoriaLogs::start(setup, context)?),
        _ => bail!("nothing here starts a subject called {subject}"),
    })
}

/// What arrived, and when the last of it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    pub(crate) messages: u64,
    pub(crate) at: Instant,
}

/// Waits until so many more messages than `before` are stored, or until nothing more comes.
pub(crate) fn wait_for_messages(
    collector: &mut dyn Collector,
    before: u64,
    wanted: u64,
) -> Result<Arrived> {
    let mut arrived = Arrived {
        messages: 0,
        at: Instant::now(),
    };
    let id = collector.process().id();
    let mut last = (Instant::now(), Usage::of(id)?.cpu_seconds);
    loop {
        let messages = collector.stored()?.saturating_sub(before);
        if messages > arrived.messages {
            arrived = Arrived {
                messages,
                at: Instant::now(),
            };
        }
        if arrived.messages >= wanted {
            return Ok(arrived);
        }
        if let Some(status) = collector.process().ended()? {
            let errors = collector.process().errors().join("\n");
            bail!("it ended with {status} and said: {errors}");
        }
        let waited = last.0.max(arrived.at).elapsed();
        if waited > SETTLED {
            let (since, before) = last;
            last = (Instant::now(), Usage::of(id)?.cpu_seconds);
            let busy = (last.1 - before) / since.elapsed().as_secs_f64();
            if busy < BUSY_CPU || arrived.at.elapsed() > LIMIT {
                return Ok(arrived);
            }
        }
        std::thread::sleep(POLL);
    }
}
