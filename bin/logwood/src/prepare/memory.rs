//! Whether the memory that is configured is there.

use std::fs;

use config::{Config, Part, Problem, Severity};

/// A warning where what is configured leaves nothing of the machine for everything else.
pub(super) fn problem(config: &Config) -> Option<Problem> {
    let (store, receive) = (config.store.memory_bytes, config.ingest.budget_bytes as u64);
    let there = limit()?;
    if store.saturating_add(receive) < there {
        return None;
    }
    let section = if store >= receive { "store" } else { "receive" };
    const MIB: u64 = 1024 * 1024;
    Some(config.problem(
        Severity::Warning,
        (Part::Only(section), "memory_max"),
        format!(
            "`store.memory_max` and `receive.memory_max` are {} MiB together, and this machine or \
             control group has {} MiB",
            (store + receive) / MIB,
            there / MIB
        ),
        Some("leave a third for everything else: the kernel ends what takes too much".to_owned()),
    ))
}

/// Memory that this process can get, in bytes: that of the machine, or of its control group.
fn limit() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.as_deref().and_then(total);
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = own.lines().find_map(|line| line.strip_prefix("0::/"));
    let group = group.and_then(|group| {
        let path = format!("/sys/fs/cgroup/{group}/memory.max");
        fs::read_to_string(path).ok()?.trim().parse().ok()
    });
    machine.into_iter().chain(group).min()
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_the_machine_is_read() {
        let meminfo = "MemTotal:       16310332 kB\nMemFree:         1234 kB\n";
        assert_eq!(total(meminfo), Some(16_310_332 * 1024));
        assert_eq!(total("MemFree: 1 kB\n"), None);
        assert!(limit().is_some_and(|bytes| bytes > 64 * 1024 * 1024));
    }
}
