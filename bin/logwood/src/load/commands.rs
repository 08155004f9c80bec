//! What stands beside sending: `logwood load learn` and `logwood load sink`.

use clap::Subcommand;

use crate::Outcome;
use crate::failure::Failure;
use crate::load::learn_arguments::LearnArguments;
use crate::load::sink_arguments::SinkArguments;
use crate::load::{learn, sink};

#[derive(Debug, Subcommand)]
pub(crate) enum LoadCommand {
    /// Learn templates and values from log files, for --format realistic.
    Learn(LearnArguments),
    /// Receive and count, slow or failing on request, until stopped.
    Sink(Box<SinkArguments>),
}

/// Runs a command.
pub(crate) fn run(command: &LoadCommand) -> Result<Outcome, Failure> {
    match command {
        LoadCommand::Learn(arguments) => learn::learn(arguments),
        LoadCommand::Sink(arguments) => sink::sink(arguments),
    }
}
