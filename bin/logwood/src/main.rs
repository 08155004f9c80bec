//! The command line: flags, words, exit codes; no logic of its own.
//!
//! Data goes to standard output, words go to standard error. Exit codes: 0 found or done, 1 nothing
//! found or not all of it readable or whole, 2 an error.

mod address;
mod allocator;
mod arguments;
mod ask;
mod backup;
mod certificate;
mod check;
mod destinations;
mod doubts;
mod explain;
mod failure;
mod import;
mod inspect;
mod load;
mod output;
mod patterns;
mod plan;
mod prepare;
mod record_line;
mod routes;
mod searches;
mod serve;
mod table;
mod tail;
mod target;
mod times;
mod top;
mod usage;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, Command, ServeArguments};
use failure::Failure;

/// What a command came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It is done, or something was found.
    Done,
    /// Nothing was found.
    NothingFound,
    /// It is done, but for what could not be read.
    Incomplete,
    /// Damage was found.
    DamageFound,
    /// Examples of pattern databases were tested; the exit code is that of `pdbtool test`.
    Tested(patterndb::tool::Verdict),
}

fn main() -> ExitCode {
    allocator::configure();
    let typed: Vec<OsString> = std::env::args_os().collect();
    let arguments = match Arguments::try_parse_from(&typed) {
        Ok(arguments) => arguments,
        Err(error) => usage::explain(error, &typed).exit(),
    };
    match run(arguments.command) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::NothingFound | Outcome::Incomplete | Outcome::DamageFound) => ExitCode::from(1),
        Ok(Outcome::Tested(verdict)) => ExitCode::from(verdict.code()),
        // Whoever reads the output has had enough, as in `logwood search x | head`.
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            output::words(&failure.to_string());
            ExitCode::from(2)
        }
    }
}

fn run(command: Option<Command>) -> Result<Outcome, Failure> {
    match command {
        None => serve::serve(&ServeArguments::default()),
        Some(Command::Serve(arguments)) => serve::serve(&arguments),
        Some(Command::Search(arguments)) => ask::search(&arguments),
        Some(Command::Count(arguments)) => ask::count(&arguments),
        Some(Command::Histogram(arguments)) => ask::histogram(&arguments),
        Some(Command::Stats(arguments)) => ask::stats(&arguments),
        Some(Command::Query(arguments)) => table::query(&arguments),
        Some(Command::Tail(arguments)) => tail::tail(&arguments),
        Some(Command::Searches { command }) => searches::searches(&command),
        Some(Command::Destinations { command }) => destinations::destinations(&command),
        Some(Command::Top(arguments)) => top::top(&arguments),
        Some(Command::Import(arguments)) => import::import(&arguments),
        Some(Command::Load(arguments)) => load::load(&arguments),
        Some(Command::Backup(arguments)) => backup::backup(&arguments),
        Some(Command::Restore(arguments)) => backup::restore(&arguments),
        Some(Command::Explain(arguments)) => explain::explain(&arguments),
        Some(Command::Patterndb { command }) => patterns::patterndb(&command),
        Some(Command::Plan(arguments)) => plan::plan(&arguments),
        Some(Command::Certificate(arguments)) => certificate::certificate(&arguments),
        Some(Command::Check(arguments)) => check::check(&arguments),
        Some(Command::Verify(arguments)) => verify::verify(&arguments),
        Some(Command::Inspect(arguments)) => inspect::inspect(&arguments),
    }
}
