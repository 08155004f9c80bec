//! Holds a server up for a while, as a whole or one thread of it, without its help.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// What stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// All threads: nothing is read, and the kernel's buffers have to hold what comes.
    Process,
    /// The thread with this name; the others go on as far as they can without it.
    Thread(String),
}

impl Held {
    /// By its name in scenario files: `process`, or that of a thread.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "process" => Self::Process,
            thread => Self::Thread(thread.to_owned()),
        }
    }

    /// Holds it in a process that we have started, waits, and lets it go.
    pub(crate) fn hold(&self, process: u32, time: Duration) -> Result<()> {
        let process = Pid::from_raw(i32::try_from(process)?);
        match self {
            Self::Process => {
                kill(process, Signal::SIGSTOP).context("cannot stop the server")?;
                thread::sleep(time);
                kill(process, Signal::SIGCONT).context("cannot let the server go on")?;
            }
            Self::Thread(name) => {
                let thread = thread_named(process, name)?;
                hold_thread(thread, time)
                    .with_context(|| format!("cannot hold the thread {name} up"))?;
            }
        }
        Ok(())
    }
}

/// A signal would stop the process, so this is done as debuggers do it. It must not be the first
/// thread of a process: whoever waits for the end of that would hear of it.
fn hold_thread(id: Pid, time: Duration) -> Result<()> {
    ptrace::seize(id, ptrace::Options::empty())?;
    ptrace::interrupt(id)?;
    let stopped = waitpid(id, Some(WaitPidFlag::__WALL))?;
    let is_held = matches!(stopped, WaitStatus::PtraceEvent(..));
    ensure!(is_held, "it is not held up, but {stopped:?}");
    thread::sleep(time);
    ptrace::detach(id, None)?;
    Ok(())
}

fn thread_named(process: Pid, name: &str) -> Result<Pid> {
    let mut found = Vec::new();
    for entry in fs::read_dir(format!("/proc/{process}/task"))? {
        let entry = entry?;
        let told = fs::read_to_string(entry.path().join("comm"))?;
        let id: i32 = entry.file_name().to_string_lossy().parse()?;
        if told.trim_end() == name && id != process.as_raw() {
            found.push(Pid::from_raw(id));
        }
    }
    ensure!(
        found.len() == 1,
        "process {process} has {} threads called {name}",
        found.len()
    );
    found.pop().context("no thread")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use testkit::{Process, wait_until};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    #[test]
    fn a_process_stands_still_and_goes_on() {
        let process = Process::start(Command::new("sleep").arg("60")).unwrap();
        let id = process.id();
        let stands_still = || {
            let told = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
            told.lines().any(|line| line.starts_with("State:\tT"))
        };
        thread::scope(|scope| {
            let time = Duration::from_millis(500);
            let held = scope.spawn(move || Held::named("process").hold(id, time));
            wait_until("it stands still", LIMIT, stands_still).unwrap();
            held.join().unwrap().unwrap();
        });
        wait_until("it goes on", LIMIT, || !stands_still()).unwrap();
    }

    #[test]
    fn a_thread_that_is_not_there_is_named() {
        let process = Process::start(Command::new("sleep").arg("60")).unwrap();
        let error = Held::named("committer").hold(process.id(), LIMIT);
        let told = format!("{:#}", error.unwrap_err());
        assert!(told.ends_with("has 0 threads called committer"), "{told}");
    }
}
