//! What a process has used, read from the kernel.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

/// A process is quiet when it used hardly any CPU time in so long.
const QUIET: Duration = Duration::from_millis(300);
/// What a server uses for its timers in that time, and then some.
const QUIET_CPU_SECONDS: f64 = 0.015;

/// CPU time and memory of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    /// User and system time of all its threads, those that ended included.
    pub(crate) cpu_seconds: f64,
    /// Resident now.
    pub(crate) memory_bytes: u64,
    /// Resident at most.
    pub(crate) memory_peak_bytes: u64,
}

impl Usage {
    /// Reads it for a process that runs.
    pub(crate) fn of(id: u32) -> Result<Self> {
        let path = format!("/proc/{id}/status");
        let status = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {path}; has the process ended?"))?;
        Ok(Self {
            cpu_seconds: cpu_seconds(id)?,
            memory_bytes: memory_bytes(&status, "VmRSS")?,
            memory_peak_bytes: memory_bytes(&status, "VmHWM")?,
        })
    }
}

/// The CPU clock of a process, in nanoseconds; `/proc/PID/stat` counts in ticks of 10 ms, which is
/// a tenth of a microsecond a message at 100,000 messages.
fn cpu_seconds(id: u32) -> Result<f64> {
    let pid = Pid::from_raw(i32::try_from(id)?);
    let clock = clock_getcpuclockid(pid).with_context(|| format!("process {id} has no clock"))?;
    let time = clock_gettime(clock).with_context(|| format!("cannot read process {id}'s clock"))?;
    Ok(Duration::from(time).as_secs_f64())
}

fn memory_bytes(status: &str, key: &str) -> Result<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kib: u64 = kib
        .with_context(|| format!("a status without {key}"))?
        .parse()?;
    Ok(kib * 1024)
}

/// Waits until a process has finished what it does behind what it was asked for, such as sealing
/// segments: that work belongs to the messages that caused it.
pub(crate) fn wait_until_quiet(id: u32, limit: Duration) -> Result<Usage> {
    let started = Instant::now();
    let mut last = Usage::of(id)?;
    while started.elapsed() < limit {
        thread::sleep(QUIET);
        let now = Usage::of(id)?;
        if now.cpu_seconds - last.cpu_seconds <= QUIET_CPU_SECONDS {
            return Ok(now);
        }
        last = now;
    }
    bail!("process {id} was still busy after {} s", limit.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(memory_bytes(status, "VmHWM").unwrap(), 2_097_152);
        assert_eq!(memory_bytes(status, "VmRSS").unwrap(), 1024);
        assert!(memory_bytes(status, "VmSwap").is_err());
    }

    #[test]
    fn our_own_process_uses_time_and_memory() {
        let usage = Usage::of(std::process::id()).unwrap();
        assert!(usage.cpu_seconds > 0.0);
        assert!(usage.memory_bytes > 0);
        assert!(usage.memory_peak_bytes >= usage.memory_bytes);
    }
}
