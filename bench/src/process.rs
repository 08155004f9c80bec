//! What a process has used, read from the kernel.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::measurement::figure;

/// A process is quiet when it used no more than a tick in so long.
const QUIET: Duration = Duration::from_millis(300);

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
        let read = |name: &str| {
            let path = format!("/proc/{id}/{name}");
            fs::read_to_string(&path).with_context(|| format!("cannot read {path}; has it ended?"))
        };
        let status = read("status")?;
        Ok(Self {
            cpu_seconds: figure(ticks(&read("stat")?)?)
                / figure(rustix::param::clock_ticks_per_second()),
            memory_bytes: memory_bytes(&status, "VmRSS")?,
            memory_peak_bytes: memory_bytes(&status, "VmHWM")?,
        })
    }
}

/// User and system ticks: fields 14 and 15, counted behind the name in brackets, which may hold
/// anything.
fn ticks(stat: &str) -> Result<u64> {
    let (_, rest) = stat.rsplit_once(')').context("a stat without a name")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let ticks_at = |index: usize| -> Result<u64> {
        let field = fields.get(index).context("a stat without times")?;
        Ok(field.parse()?)
    };
    Ok(ticks_at(11)? + ticks_at(12)?)
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
    let tick = 1.0 / figure(rustix::param::clock_ticks_per_second());
    let started = Instant::now();
    let mut last = Usage::of(id)?;
    while started.elapsed() < limit {
        thread::sleep(QUIET);
        let now = Usage::of(id)?;
        if now.cpu_seconds - last.cpu_seconds <= tick * 1.5 {
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
    fn times_are_found_behind_any_name() {
        let stat = "12 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 700 35 0 0 20 0 3 0 1 2 3";
        assert_eq!(ticks(stat).unwrap(), 735);
    }

    #[test]
    fn memory_is_told_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(memory_bytes(status, "VmHWM").unwrap(), 2_097_152);
        assert_eq!(memory_bytes(status, "VmRSS").unwrap(), 1024);
        assert!(memory_bytes(status, "VmSwap").is_err());
    }

    #[test]
    fn our_own_process_uses_memory() {
        let usage = Usage::of(std::process::id()).unwrap();
        assert!(usage.memory_bytes > 0);
        assert!(usage.memory_peak_bytes >= usage.memory_bytes);
    }
}
