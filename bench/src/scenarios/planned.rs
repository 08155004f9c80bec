//! Scenarios of features that are to come: their place and whose tables they will reproduce.

use anyhow::{Result, bail};

use crate::context::Context;
use crate::file::ScenarioFile;
use crate::measurement::Measurement;
use crate::scenario::{Scenario, Step};

/// A scenario without steps.
#[derive(Debug)]
pub(super) struct Planned {
    file: ScenarioFile,
}

impl Planned {
    pub(super) fn new(text: &str) -> Result<Self> {
        let file = ScenarioFile::parse(text)?;
        Ok(Self { file })
    }
}

impl Scenario for Planned {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn run(&self, step: &Step, _: &Context) -> Result<Vec<Measurement>> {
        bail!("nothing runs {} {}", step.scenario, step.table)
    }
}
