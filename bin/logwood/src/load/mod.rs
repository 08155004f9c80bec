//! `logwood load`: messages of many kinds, sent to anybody, and what to learn and receive them with.

pub(crate) mod arguments;
mod commands;
mod learn;
mod learn_arguments;
mod plan;
mod progress;
mod realistic;
mod sink;
mod sink_arguments;

use std::io::{self, Write as _};

use load::message::Replay;
use load::send::{Report, Run, send};
use tokio::signal::unix::{SignalKind, signal};

use crate::Outcome;
use crate::failure::Failure;
use crate::output;
use arguments::{LoadArguments, SendArguments};
use plan::Plan;
use progress::Progress;

/// Sends, or runs one of the commands beside.
pub(crate) fn load(arguments: &LoadArguments) -> Result<Outcome, Failure> {
    match &arguments.command {
        Some(command) => commands::run(command),
        None => send_and_report(&arguments.send),
    }
}

fn send_and_report(arguments: &SendArguments) -> Result<Outcome, Failure> {
    let plan = Plan::new(arguments)?;
    let run = Run::new(plan.options.connections);
    stop_on_signal(&run);
    let progress = Progress::start(&run, &plan.options, arguments);
    let report = send(&plan.options, |connection| plan.source(connection), &run);
    progress.finish();
    let report = report?;
    print(&report, arguments)?;
    if let (Some(realistic), Some(path)) = (&plan.realistic, &arguments.message.manifest) {
        realistic.write_manifest(&report, &arguments.message, path)?;
    }
    outcome(&report, plan.replay.as_ref())
}

fn print(report: &Report, arguments: &SendArguments) -> Result<(), Failure> {
    if !arguments.quiet {
        output::words(&report.to_string());
    }
    if arguments.json {
        let mut out = output::data();
        output::json_line(&mut out, report)?;
        out.flush()?;
    }
    Ok(())
}

fn outcome(report: &Report, replay: Option<&Replay>) -> Result<Outcome, Failure> {
    if let Some(error) = replay.and_then(Replay::failure) {
        return Err(Failure::new("the file could not be read to its end").because(error));
    }
    if report.failed == 0 && report.error.is_none() {
        return Ok(Outcome::Done);
    }
    let all = report.acknowledged.unwrap_or(report.sent) + report.failed;
    let failure = Failure::new(format!("{} of {all} messages failed", report.failed));
    Err(match &report.error {
        Some(error) => failure.because(error),
        None => failure,
    })
}

/// Ends the run in good order on SIGINT and SIGTERM. Where signals cannot be had, they end it as usual.
fn stop_on_signal(run: &Run) {
    let run = run.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if let Ok(runtime) = runtime
            && runtime.block_on(signalled()).is_ok()
        {
            run.stop();
        }
    });
}

async fn signalled() -> io::Result<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminated.recv() => Ok(()),
    }
}
