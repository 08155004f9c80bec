//! How long it takes after a kill until the server listens, and until everything is found.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use client::Parameters as Question;

use super::trial::{load, setup};
use crate::collectors::{Collector, Logwood, Output, wait_for_messages};
use crate::context::Context;
use crate::file::ScenarioFile;
use crate::measurement::{Measurement, figure};
use crate::process::wait_until_quiet;
use crate::scenario::{Scenario, Step};

/// Sealing of everything that is to be sealed is over by then.
const QUIET_LIMIT: Duration = Duration::from_secs(600);

/// The scenario.
#[derive(Debug)]
pub(super) struct Restart {
    file: ScenarioFile,
}

impl Restart {
    pub(super) fn new() -> Result<Self> {
        let file = ScenarioFile::parse(include_str!("../../scenarios/restart.toml"))?;
        Ok(Self { file })
    }
}

impl Scenario for Restart {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>> {
        // Kept for the rounds of a case: most of the time goes into filling it.
        let data_dir = context.work().join(format!("restart-{}", step.case));
        let stored = fill_and_kill(step, context, &data_dir)?;
        let started = Instant::now();
        let setup = setup(&step.parameters, Output::File)?;
        let mut server = Logwood::start_on(&data_dir, context.folder()?, &setup, context)?;
        let ready = started.elapsed();
        let count = server.client().count(&Question::query(""))?.count;
        let searchable = started.elapsed();
        ensure!(
            count == stored,
            "{stored} messages were stored before the kill and {count} are found behind it"
        );
        let usage = wait_until_quiet(server.process().id(), QUIET_LIMIT)?;
        let memory = figure(usage.memory_peak_bytes) / f64::from(1 << 20);
        Ok(vec![
            Measurement::new("ready", ms(ready), "ms"),
            Measurement::new("searchable", ms(searchable), "ms"),
            Measurement::new("restart_cpu", usage.cpu_seconds, "s"),
            Measurement::new("memory", memory, "MiB"),
        ])
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Brings the data to the size of the case the first time, adds fresh messages, which are in the
/// journal only, and kills the server. Returns how many messages it had stored.
fn fill_and_kill(step: &Step, context: &Context, data_dir: &Path) -> Result<u64> {
    let parameters = &step.parameters;
    let is_new = !data_dir.exists();
    let setup = setup(parameters, Output::File)?;
    let mut server = Logwood::start_on(data_dir, context.folder()?, &setup, context)?;
    if is_new {
        send(&mut server, parameters.count("messages")?, step, context)?;
        wait_until_quiet(server.process().id(), QUIET_LIMIT)?;
    }
    send(&mut server, parameters.count("fresh")?, step, context)?;
    let stored = server.client().count(&Question::query(""))?.count;
    server.process().kill().context("cannot kill the server")?;
    Ok(stored)
}

fn send(server: &mut Logwood, count: u64, step: &Step, context: &Context) -> Result<()> {
    let mut load = load(&step.parameters, server.target())?;
    load.count = count;
    let before = server.stored()?;
    let folder = context.folder()?;
    load.run(context, folder.path())?;
    let arrived = wait_for_messages(server, before, count)?;
    ensure!(
        arrived.messages == count,
        "{count} messages were sent and {} stored",
        arrived.messages
    );
    Ok(())
}
