//! Sustained collecting over connections, active ones and idle ones.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::trial::{Trial, load, replay, setup};
use crate::collectors::{self, Collector, Output};
use crate::context::Context;
use crate::file::ScenarioFile;
use crate::generator::Load;
use crate::logs;
use crate::measurement::{Measurement, figure};
use crate::process::wait_until_quiet;
use crate::scenario::{Scenario, Step};

/// Taking ten thousand connections is over by then.
const ACCEPT_LIMIT: Duration = Duration::from_secs(60);

/// The scenario.
#[derive(Debug)]
pub(super) struct Collect {
    file: ScenarioFile,
}

impl Collect {
    pub(super) fn new() -> Result<Self> {
        let file = ScenarioFile::parse(include_str!("../../scenarios/collect.toml"))?;
        Ok(Self { file })
    }
}

impl Scenario for Collect {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn obstacle(&self, step: &Step, context: &Context) -> Option<String> {
        logs::obstacle(step, context).or_else(|| context.programs.obstacle(&step.subject))
    }

    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>> {
        let parameters = &step.parameters;
        if !parameters.is_on("given")? {
            return collect(step, context, |target| load(parameters, target));
        }
        let mut measurements = Vec::new();
        for log in logs::given(context)? {
            logs::ensure_syslog(&log)?;
            let measured = collect(step, context, |target| replay(parameters, &log, target))
                .with_context(|| format!("cannot send {}", log.name))?;
            measurements.extend(measured.into_iter().map(|one| one.of_case(&log.name)));
        }
        Ok(measurements)
    }
}

/// Sends a load to a collector of its own, and measures what it costs.
fn collect(
    step: &Step,
    context: &Context,
    load: impl FnOnce(String) -> Result<Load>,
) -> Result<Vec<Measurement>> {
    let setup = setup(&step.parameters, Output::File)?;
    let mut collector = collectors::start(&step.subject, &setup, context)?;
    let idle = match step.parameters.optional_count("idle")? {
        Some(count) => Some(Idle::open(collector.as_mut(), count)?),
        None => None,
    };
    let load = load(collector.target())?;
    let folder = context.folder()?;
    let trial = Trial::run(collector.as_mut(), &load, context, folder.path())?;
    trial.ensure_complete()?;
    let mut measurements = trial.measurements();
    measurements.extend(idle.map(|idle| idle.memory));
    Ok(measurements)
}

/// Connections that say nothing.
#[derive(Debug)]
struct Idle {
    memory: Measurement,
    _connections: Vec<TcpStream>,
}

impl Idle {
    /// Opens them, and measures what each costs the server when it has taken all.
    fn open(collector: &mut dyn Collector, count: u64) -> Result<Self> {
        let id = collector.process().id();
        let before = wait_until_quiet(id, ACCEPT_LIMIT)?;
        let connections = connect(collector.address(), count)?;
        let after = wait_until_quiet(id, ACCEPT_LIMIT)?;
        let bytes = after.memory_bytes.saturating_sub(before.memory_bytes);
        let each = figure(bytes) / figure(count.max(1)) / 1024.0;
        Ok(Self {
            memory: Measurement::new("connection_memory", each, "KiB"),
            _connections: connections,
        })
    }
}

fn connect(address: SocketAddr, count: u64) -> Result<Vec<TcpStream>> {
    (0..count)
        .map(|index| {
            TcpStream::connect(address)
                .with_context(|| format!("cannot open idle connection {} of {count}", index + 1))
        })
        .collect()
}
