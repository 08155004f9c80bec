//! One load on one collector: what it cost, and what arrived.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::collectors::{Collector, Output, Setup, Transport, wait_for_messages};
use crate::context::Context;
use crate::destinations::{Destination, wait_for_delivery};
use crate::generator::{Load, Messages, Report};
use crate::logs::{self, GivenLog};
use crate::measurement::{Measurement, figure};
use crate::parameters::Parameters;
use crate::process::{Usage, wait_until_quiet};
use crate::segments::Kept;

/// Work behind the last message, such as sealing, is done by then.
pub(super) const QUIET_LIMIT: Duration = Duration::from_secs(120);

/// What a load did to a collector.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) report: Report,
    /// Messages that were stored.
    pub(super) arrived: u64,
    /// From the first byte until the last message was stored.
    seconds: f64,
    /// Of the server, until it was quiet again.
    cpu_seconds: f64,
    usage: Usage,
    kept: Kept,
    /// Whether the server makes an index.
    indexes: bool,
}

impl Trial {
    /// Sends a load and waits until all of it is stored and the server is quiet again.
    pub(super) fn run(
        collector: &mut dyn Collector,
        load: &Load,
        context: &Context,
        folder: &Path,
    ) -> Result<Self> {
        Self::run_beside(collector, load, None, context, folder)
    }

    /// The same with a destination that has to be sent all of it as well.
    pub(super) fn run_beside(
        collector: &mut dyn Collector,
        load: &Load,
        destination: Option<&mut Destination>,
        context: &Context,
        folder: &Path,
    ) -> Result<Self> {
        let id = collector.process().id();
        let before = wait_until_quiet(id, QUIET_LIMIT)?;
        let stored_before = collector.stored()?;
        let started = Instant::now();
        let report = load.run(context, folder)?;
        let mut arrived = wait_for_messages(collector, stored_before, report.sent)?;
        if let Some(destination) = destination {
            let delivered = wait_for_delivery(destination, arrived.messages)?;
            // What is stored and not delivered is lost here.
            arrived.messages = arrived.messages.min(delivered.messages);
            arrived.at = arrived.at.max(delivered.at);
        }
        let usage = wait_until_quiet(id, QUIET_LIMIT)?;
        // The generator's own clock leaves its start out; the server's end may lie behind its end.
        let whole = (arrived.at - started).as_secs_f64();
        let seconds = whole.max(report.seconds);
        Ok(Self {
            arrived: arrived.messages,
            seconds,
            cpu_seconds: usage.cpu_seconds - before.cpu_seconds,
            usage,
            kept: collector.kept()?,
            indexes: collector.indexes(),
            report,
        })
    }

    /// Fails where messages are missing that a transport has to deliver.
    pub(super) fn ensure_complete(&self) -> Result<()> {
        ensure!(
            self.arrived == self.report.sent,
            "{} messages were sent and {} stored",
            self.report.sent,
            self.arrived
        );
        Ok(())
    }

    /// CPU time of the server for each message that it stored, the figure of merit.
    pub(super) fn server_cpu(&self) -> Measurement {
        let cpu = self.cpu_seconds * 1e6 / figure(self.arrived.max(1));
        Measurement::new("server_cpu", cpu, "us/message")
    }

    /// What every table of collecting shows.
    pub(super) fn measurements(&self) -> Vec<Measurement> {
        let (arrived, sent) = (figure(self.arrived), figure(self.report.sent));
        let memory = figure(self.usage.memory_peak_bytes) / f64::from(1 << 20);
        let mut measurements = vec![
            self.server_cpu(),
            Measurement::new("throughput", arrived / self.seconds, "messages/s"),
            Measurement::new(
                "generator_cpu",
                self.report.cpu_seconds * 1e6 / sent.max(1.0),
                "us/message",
            ),
            Measurement::new("memory", memory, "MiB"),
            Measurement::new("lost", sent - arrived, "messages"),
        ];
        if self.kept.messages > 0 {
            let each = figure(self.kept.bytes) / figure(self.kept.messages);
            measurements.push(Measurement::new("disk", each, "B/message"));
        }
        if self.indexes {
            // The newest messages wait for more before they are sealed: their share of the CPU
            // time for the index is missing from the server's.
            let share = figure(self.kept.messages) / arrived.max(1.0) * 100.0;
            measurements.push(Measurement::new("indexed", share, "%"));
        }
        measurements
    }
}

/// The load that a case asks for.
pub(super) fn load(parameters: &Parameters, target: String) -> Result<Load> {
    let messages = Messages::Made {
        format: parameters.text("format")?.to_owned(),
        size: parameters.count("size")?,
    };
    load_of(parameters, messages, count(parameters)?, target)
}

/// The lines of a given log, as often as a case asks for, but no more than it allows.
pub(super) fn replay(parameters: &Parameters, log: &GivenLog, target: String) -> Result<Load> {
    let lines = logs::count_lines(&log.path)? * parameters.count("times")?;
    let count = lines.min(parameters.count("messages_max")?);
    let messages = Messages::Replayed(log.path.clone());
    load_of(parameters, messages, count, target)
}

fn load_of(
    parameters: &Parameters,
    messages: Messages,
    count: u64,
    target: String,
) -> Result<Load> {
    Ok(Load {
        target,
        messages,
        count,
        connections: parameters.optional_count("connections")?.unwrap_or(1),
        rate: parameters.optional_count("rate")?,
        window: parameters.optional_count("window")?,
    })
}

/// How many messages a case sends: as many as it says, or those of its rate and its seconds, so
/// that every rate lasts as long and the same share of it fits into a buffer.
fn count(parameters: &Parameters) -> Result<u64> {
    match parameters.optional_count("seconds")? {
        Some(seconds) => Ok(parameters.count("rate")? * seconds),
        None => parameters.count("messages"),
    }
}

/// How the collector of a case is set up.
pub(super) fn setup(parameters: &Parameters, output: Output) -> Result<Setup> {
    let transport = parameters.text("transport")?;
    let connections = parameters.optional_count("connections")?.unwrap_or(1);
    let idle = parameters.optional_count("idle")?.unwrap_or(0);
    Ok(Setup {
        transport: Transport::named(transport).context("a case has no such transport")?,
        is_ietf: parameters.text("format")?.ends_with("ietf"),
        parses: !parameters.is_on("raw")?,
        connections: connections + idle,
        is_tuned: parameters.is_on("tuned")?,
        output,
        durability: None,
        destination: None,
    })
}
