//! Datagrams at a rate: how many are lost.

use anyhow::Result;

use super::trial::{Trial, load, setup};
use crate::collectors::{self, Output};
use crate::context::Context;
use crate::file::ScenarioFile;
use crate::kernel::Setting;
use crate::measurement::{Measurement, figure};
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
        let trial = Trial::run(collector.as_mut(), &load, context, folder.path())?;
        let sent = figure(trial.report.sent);
        let lost = (sent - figure(trial.arrived)) / sent.max(1.0) * 100.0;
        let mut measurements = vec![
            Measurement::new("loss", lost, "%"),
            // Whether the generator kept up with what was asked of it.
            Measurement::new("sent_rate", sent / trial.report.seconds, "messages/s"),
        ];
        measurements.extend(trial.measurements());
        Ok(measurements)
    }
}
