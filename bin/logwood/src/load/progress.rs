//! A progress bar for a run, on a terminal only.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use load::send::{Options, Pace, Run};

use super::arguments::SendArguments;

/// How often the bar is drawn: often enough to look alive.
const TICK: Duration = Duration::from_millis(200);

/// A thread that draws; none where nobody would see it.
pub(super) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    pub(super) fn start(run: &Run, options: &Options, arguments: &SendArguments) -> Self {
        let is_seen = io::stderr().is_terminal() && !arguments.quiet && !arguments.no_progress;
        if !is_seen {
            return Self(None);
        }
        let bar = bar(expected(options));
        let run = run.clone();
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(TICK) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let total = run.total();
                bar.set_position(total.sent);
                let rate = total.sent as f64 / bar.elapsed().as_secs_f64().max(1e-3);
                bar.set_message(format!("{rate:.0} a second"));
            }
            bar.finish_and_clear();
        });
        Self(Some((end, thread)))
    }

    /// Takes the bar away.
    pub(super) fn finish(self) {
        if let Some((end, thread)) = self.0 {
            drop(end);
            // The thread only draws.
            _ = thread.join();
        }
    }
}

/// How many messages the run will have, where that is known.
fn expected(options: &Options) -> Option<u64> {
    let seconds = options.duration.map(|duration| duration.as_secs());
    let paced = seconds.and_then(|seconds| match options.pace {
        Pace::Total(rate) => Some(rate * seconds),
        Pace::PerConnection(rate) => Some(rate * seconds * u64::from(options.connections)),
        Pace::Unbounded | Pace::Burst { .. } => None,
    });
    match (options.count, paced) {
        (Some(count), Some(paced)) => Some(count.min(paced)),
        (count, paced) => count.or(paced),
    }
}

fn bar(expected: Option<u64>) -> ProgressBar {
    let (bar, template) = match expected {
        Some(expected) => (
            ProgressBar::new(expected),
            "{bar:30} {percent}% {human_pos} sent, {msg}, {eta} left",
        ),
        None => (
            ProgressBar::new_spinner(),
            "{spinner} {human_pos} sent, {msg}, {elapsed}",
        ),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
