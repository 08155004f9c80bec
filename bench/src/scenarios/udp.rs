//! Datagrams at a rate: how many are lost.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::trial::{Trial, load, setup};
use crate::collectors::{self, Collector, Output};
use crate::context::Context;
use crate::file::ScenarioFile;
use crate::generator::Load;
use crate::hold::Held;
use crate::kernel::Setting;
use crate::measurement::{Measurement, figure};
use crate::parameters::Parameters;
use crate::scenario::{Scenario, Step};

/// Twice what the tuned setups ask for, so that it never limits them.
const RECEIVE_BUFFER_BYTES_MAX: &str = "67108864";

/// The scenario.
#[derive(Debug)]
pub(super) struct Udp {
    file: ScenarioFile,
}

impl Udp {
    pub(super) fn new() -> Result<Self> {
        let file = ScenarioFile::parse(include_str!("../../scenarios/udp.toml"))?;
        Ok(Self { file })
    }
}

impl Scenario for Udp {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>> {
        let parameters = &step.parameters;
        let setup = setup(parameters, Output::File)?;
        let _setting = match setup.is_tuned {
            true => Some(Setting::change(
                "net.core.rmem_max",
                RECEIVE_BUFFER_BYTES_MAX,
            )?),
            false => None,
        };
        let mut collector = collectors::start(&step.subject, &setup, context)?;
        let load = load(parameters, collector.target())?;
        let folder = context.folder()?;
        let hold = hold(parameters)?;
        let trial = run_held(collector.as_mut(), &load, context, folder.path(), hold)?;
        let sent = figure(trial.report.sent);
        let lost = (sent - figure(trial.arrived)) / sent.max(1.0) * 100.0;
        let mut measurements = vec![
            Measurement::new("loss", lost, "%"),
            // Whether the generator kept up with what was asked of it.
            Measurement::new("sent_rate", sent / trial.report.seconds, "messages/s"),
        ];
        if let Some(dropped) = collector.dropped()? {
            measurements.push(Measurement::new("counted", figure(dropped), "messages"));
        }
        measurements.extend(trial.measurements());
        Ok(measurements)
    }
}

/// What is held up in the midst of a load, and when.
struct Hold {
    held: Held,
    after: Duration,
    time: Duration,
}

/// The hold that a case asks for, when half of the messages are sent.
fn hold(parameters: &Parameters) -> Result<Option<Hold>> {
    let Some(held) = parameters.optional_text("held")? else {
        return Ok(None);
    };
    Ok(Some(Hold {
        held: Held::named(held),
        after: Duration::from_secs(parameters.count("seconds")?) / 2,
        time: Duration::from_millis(parameters.count("held_ms")?),
    }))
}

fn run_held(
    collector: &mut dyn Collector,
    load: &Load,
    context: &Context,
    folder: &Path,
    hold: Option<Hold>,
) -> Result<Trial> {
    let Some(hold) = hold else {
        return Trial::run(collector, load, context, folder);
    };
    let id = collector.process().id();
    thread::scope(|scope| {
        let held = scope.spawn(move || {
            thread::sleep(hold.after);
            hold.held.hold(id, hold.time)
        });
        let trial = Trial::run(collector, load, context, folder);
        held.join().ok().context("holding it up failed")??;
        trial
    })
}
