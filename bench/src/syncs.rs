//! How often a process makes its files durable, counted by the kernel for `perf`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use testkit::{Process, Signal, wait_for};

/// Every system call that waits for the disk.
const EVENTS: &str =
    "syscalls:sys_enter_fdatasync,syscalls:sys_enter_fsync,syscalls:sys_enter_sync_file_range";
const LIMIT: Duration = Duration::from_secs(30);

/// Counts until it is asked.
#[derive(Debug)]
pub(crate) struct Syncs {
    perf: Process,
    out: PathBuf,
}

impl Syncs {
    /// Whether this kernel lets us count.
    pub(crate) fn can_be_counted() -> bool {
        let tried = Command::new("perf")
            .args(["stat", "-e", EVENTS, "true"])
            .output();
        tried.is_ok_and(|output| {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            output.status.success() && !told.contains("not supported")
        })
    }

    /// Starts counting for a process; the results go to a file in `folder`.
    pub(crate) fn start(id: u32, folder: &std::path::Path) -> Result<Self> {
        let out = folder.join("syncs");
        let mut command = Command::new("perf");
        command
            .args(["stat", "--field-separator", ";", "--event", EVENTS])
            .args(["--pid", &id.to_string()])
            .arg("--output")
            .arg(&out);
        let perf = Process::start(&mut command)?;
        // It opens its file when it has attached itself.
        wait_for("perf counted", LIMIT, || Ok(out.exists().then_some(())))?;
        Ok(Self { perf, out })
    }

    /// Stops counting; the sum of all events.
    pub(crate) fn stop(mut self) -> Result<u64> {
        self.perf.signal(Signal::INT)?;
        self.perf.wait(LIMIT)?;
        sum(&fs::read_to_string(&self.out).context("perf wrote no counts")?)
    }
}

/// Lines such as `12;;syscalls:sys_enter_fdatasync;...`.
fn sum(text: &str) -> Result<u64> {
    let mut sum = 0;
    for line in text.lines().filter(|line| line.contains(";syscalls:")) {
        let count = line.split(';').next().unwrap_or_default();
        let count: u64 = count
            .parse()
            .with_context(|| format!("perf did not count: {line}"))?;
        sum += count;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_summed() {
        let text = "# started on Mon\n\n12;;syscalls:sys_enter_fdatasync;100;100.00;;\n\
                    3;;syscalls:sys_enter_fsync;100;100.00;;\n";
        assert_eq!(sum(text).unwrap(), 15);
        let error = sum("<not counted>;;syscalls:sys_enter_fsync;0;0.00;;").unwrap_err();
        assert!(error.to_string().starts_with("perf did not count: <not"));
    }
}
