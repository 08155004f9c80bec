//! What it costs that a message survives: acknowledgements behind a sync, and disk buffers.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::trial::{Trial, load, setup};
use crate::collectors::{self, Buffer, Output};
use crate::context::Context;
use crate::file::ScenarioFile;
use crate::generator::Report;
use crate::measurement::{Measurement, figure};
use crate::receiver::Receiver;
use crate::scenario::{Scenario, Step};
use crate::syncs::Syncs;

/// The scenario.
#[derive(Debug)]
pub(super) struct Durable {
    file: ScenarioFile,
    counts_syncs: bool,
}

impl Durable {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            file: ScenarioFile::parse(include_str!("../../scenarios/durable.toml"))?,
            counts_syncs: Syncs::can_be_counted(),
        })
    }
}

impl Scenario for Durable {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>> {
        let output = output(step)?;
        let mut setup = setup(&step.parameters, output)?;
        setup.durability = durability(step);
        let mut collector = collectors::start(&step.subject, &setup, context)?;
        let folder = context.folder()?;
        let syncs = match self.counts_syncs {
            true => Some(Syncs::start(collector.process().id(), folder.path())?),
            false => None,
        };
        let load = load(&step.parameters, collector.target())?;
        let trial = Trial::run(collector.as_mut(), &load, context, folder.path())?;
        trial.ensure_complete()?;
        let mut measurements = trial.measurements();
        measurements.extend(latencies(&trial.report));
        if let Some(syncs) = syncs {
            let each = figure(syncs.stop()?) * 1e6 / figure(trial.arrived.max(1));
            measurements.push(Measurement::new("syncs", each, "per million"));
        }
        Ok(measurements)
    }
}

/// The mode of Logwood: the word behind its name.
fn durability(step: &Step) -> Option<String> {
    match step.subject.split_once(' ')? {
        ("logwood", mode) => Some(mode.to_owned()),
        _ => None,
    }
}

/// Where the subject puts messages: the word behind its name says which buffer it has.
fn output(step: &Step) -> Result<Output> {
    let buffer = match step.parameters.optional_text("output")? {
        None | Some("file") => return Ok(Output::File),
        Some("network") => match step.subject.split_once(' ') {
            None => return Ok(Output::File),
            Some((_, "none")) => Buffer::Memory,
            Some((_, "normal")) => Buffer::Normal,
            Some((_, "reliable")) => Buffer::Reliable,
            Some((_, other)) => bail!("no buffer is called {other}"),
        },
        Some(other) => bail!("no output is called {other}"),
    };
    let receiver = Arc::new(Receiver::start()?);
    Ok(Output::Network { receiver, buffer })
}

fn latencies(report: &Report) -> Vec<Measurement> {
    let Some(latency) = report.ack_latency_ms else {
        return Vec::new();
    };
    [
        ("ack_p50", latency.p50),
        ("ack_p99", latency.p99),
        ("ack_p999", latency.p999),
        ("ack_max", latency.max),
    ]
    .map(|(metric, value)| Measurement::new(metric, value, "ms"))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::Latency;

    #[test]
    fn latencies_are_measured_where_there_are_acknowledgements() {
        let mut report = Report::default();
        assert!(latencies(&report).is_empty());
        report.ack_latency_ms = Some(Latency {
            p50: 1.0,
            p99: 2.0,
            p999: 3.0,
            max: 4.0,
        });
        let told: Vec<(String, f64)> = latencies(&report)
            .into_iter()
            .map(|one| (one.metric, one.value))
            .collect();
        assert_eq!(told[0], ("ack_p50".to_owned(), 1.0));
        assert_eq!(told[3], ("ack_max".to_owned(), 4.0));
    }
}
