//! What a scenario is: steps, and how to run one.

use anyhow::Result;

use crate::context::Context;
use crate::file::ScenarioFile;
use crate::measurement::Measurement;
use crate::parameters::Parameters;
use crate::size::Size;

/// A subject in a case: what is run once in a round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) scenario: String,
    pub(crate) table: String,
    pub(crate) case: String,
    pub(crate) subject: String,
    /// Where the case lies on the table's axis.
    pub(crate) x: Option<f64>,
    pub(crate) parameters: Parameters,
}

/// Something to measure.
pub(crate) trait Scenario {
    /// Its data.
    fn file(&self) -> &ScenarioFile;

    /// What there is to run; those of one case must follow each other.
    fn steps(&self, size: Size) -> Result<Vec<Step>> {
        self.file().steps(size)
    }

    /// Why a step cannot be run here, where that can be told without trying.
    fn obstacle(&self, step: &Step, context: &Context) -> Option<String> {
        context.programs.obstacle(&step.subject)
    }

    /// Runs a step once, on its own data, and cleans up.
    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>>;
}
