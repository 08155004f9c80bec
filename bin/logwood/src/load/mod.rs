//! `logwood load`: traffic, and what to learn and receive it with.

pub(crate) mod arguments;
mod commands;
mod learn;
mod learn_arguments;
mod sink;
mod sink_arguments;

use crate::Outcome;
use crate::failure::Failure;
use arguments::LoadArguments;

/// Runs one of its commands.
pub(crate) fn load(arguments: &LoadArguments) -> Result<Outcome, Failure> {
    commands::run(&arguments.command)
}
