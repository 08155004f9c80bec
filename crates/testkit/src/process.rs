//! A program that runs beside a test.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, kill_process};

use crate::wait::wait_for;

/// Signals that tests send.
pub use rustix::process::Signal;

/// How long the last lines of a program that has ended are waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A running program whose standard error is collected line by line. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    errors: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
    seen_ended: Option<Instant>,
}

impl Process {
    /// Starts a program; its standard output is not read.
    pub fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let errors = Arc::default();
        let reader = child.stderr.take().map(|pipe| {
            let errors = Arc::clone(&errors);
            thread::spawn(move || collect_lines(pipe, &errors))
        });
        Ok(Self {
            name,
            child,
            errors,
            reader,
            seen_ended: None,
        })
    }

    /// What it has said on standard error so far.
    pub fn errors(&self) -> Vec<String> {
        self.errors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it has and all that it said was read.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        let Some(status) = self.child.try_wait()? else {
            return Ok(None);
        };
        let seen = *self.seen_ended.get_or_insert_with(Instant::now);
        let is_read = self.reader.as_ref().is_none_or(JoinHandle::is_finished);
        // What it has started may hold the pipe open for longer.
        Ok((is_read || seen.elapsed() > LAST_WORDS).then_some(status))
    }

    /// Waits until it has ended by itself.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        let what = format!("{} ended", self.name);
        wait_for(&what, limit, || self.ended())
            .with_context(|| format!("it said: {}", self.errors().join("\n")))
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let id = i32::try_from(self.child.id()).context("a process id is larger than any")?;
        let pid = Pid::from_raw(id).context("a process id is 0")?;
        kill_process(pid, signal).with_context(|| format!("cannot signal {}", self.name))
    }

    /// Kills it at once, as a power cut would, and waits for its end.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to kill.
        let _ = self.kill();
    }
}

fn collect_lines(pipe: impl Read, lines: &Mutex<Vec<String>>) {
    for line in BufReader::new(pipe).split(b'\n') {
        let Ok(line) = line else { return };
        let line = String::from_utf8_lossy(&line).into_owned();
        lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Process {
        Process::start(Command::new("sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn errors_are_collected_and_the_code_is_told() {
        let mut process = shell("echo one >&2; echo two >&2; exit 3");
        assert_eq!(process.wait(LIMIT).unwrap().code(), Some(3));
        wait_for("both lines came", LIMIT, || {
            Ok((process.errors() == ["one", "two"]).then_some(()))
        })
        .unwrap();
    }

    #[test]
    fn a_signal_reaches_the_process() {
        let mut process = shell("trap 'exit 7' TERM; echo up >&2; while :; do sleep 0.01; done");
        wait_for("it is up", LIMIT, || {
            Ok((!process.errors().is_empty()).then_some(()))
        })
        .unwrap();
        process.signal(Signal::TERM).unwrap();
        assert_eq!(process.wait(LIMIT).unwrap().code(), Some(7));
    }

    #[test]
    fn dropping_kills() {
        let process = shell("sleep 1000");
        let status = format!("/proc/{}/status", process.id());
        assert!(std::fs::exists(&status).unwrap());
        drop(process);
        assert!(!std::fs::exists(&status).unwrap());
    }
}
