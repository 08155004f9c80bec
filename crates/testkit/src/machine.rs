//! What a test asks of the machine it runs on.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};

/// Whether tests run as root.
pub fn is_root() -> bool {
    getuid().is_root()
}

/// The most memory that a process has held so far, in bytes.
pub fn resident_bytes_max(process: u32) -> Result<u64> {
    memory_figure(process, "VmHWM:")
}

/// The memory that a process holds now, in bytes.
pub fn resident_bytes(process: u32) -> Result<u64> {
    memory_figure(process, "VmRSS:")
}

fn memory_figure(process: u32, name: &str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let word = line.and_then(|line| line.split_whitespace().next());
    let kilobytes: u64 = word.with_context(|| format!("no {name}"))?.parse()?;
    Ok(kilobytes * 1024)
}

/// Lets this process, and those it starts, open this many files.
pub fn raise_open_files(wanted: u64) -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    let maximum = match limit.maximum {
        Some(maximum) if maximum < wanted && is_root() => Some(wanted),
        Some(maximum) if maximum < wanted => {
            bail!("{wanted} open files are needed and {maximum} allowed (ulimit -n)")
        }
        maximum => maximum,
    };
    let raised = Rlimit {
        current: Some(wanted),
        maximum,
    };
    setrlimit(Resource::Nofile, raised)
        .with_context(|| format!("{wanted} open files are needed (ulimit -n)"))
}

/// A small file system in memory that can be full. Dropping it unmounts it.
#[derive(Debug)]
pub struct Tmpfs {
    path: PathBuf,
}

impl Tmpfs {
    /// Mounts one of this many bytes on an empty folder; only root can.
    pub fn mount(path: &Path, bytes: u64) -> Result<Self> {
        ensure!(is_root(), "only root can mount a small disk to fill");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(path)
            .output()
            .context("cannot start mount")?;
        if !mounted.status.success() {
            let errors = String::from_utf8_lossy(&mounted.stderr);
            bail!("cannot mount a small disk to fill: {}", errors.trim());
        }
        Ok(Self { path: path.into() })
    }

    /// Bytes that can still be written.
    pub fn free_bytes(&self) -> Result<u64> {
        let stat = rustix::fs::statvfs(&self.path).context("cannot ask for free space")?;
        Ok(stat.f_bavail * stat.f_frsize)
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        // Lazily: a process that was just killed may still hold a file. A failure here leaves a
        // mount behind in a temporary folder, which no test can mend.
        let _ = Command::new("umount").arg("-l").arg(&self.path).status();
    }
}
