//! Where figures come from: machine, versions, commit. Figures without these mean nothing.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::programs::Programs;
use crate::statistic::median;

/// Writes that are synced to learn what a sync costs here.
const SYNCS: usize = 21;

/// What a run was made on and with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) memory_mib: u64,
    pub(crate) kernel: String,
    /// File system and device of the folder that everything is written to.
    pub(crate) disk: String,
    /// Median time of writing 4 KiB and `fdatasync`.
    pub(crate) sync_ms: f64,
    pub(crate) commit: String,
    /// RFC 3339.
    pub(crate) started: String,
    /// What each program says about itself.
    pub(crate) versions: BTreeMap<String, String>,
}

impl Machine {
    /// Looks at the machine; `folder` is where the run writes.
    pub(crate) fn look(folder: &Path, programs: &Programs) -> Result<Self> {
        Ok(Self {
            cpu: cpu(&fs::read_to_string("/proc/cpuinfo")?),
            cores: std::thread::available_parallelism()?.get(),
            memory_mib: memory_mib(&fs::read_to_string("/proc/meminfo")?),
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease")?
                .trim()
                .to_owned(),
            disk: disk(
                &fs::read_to_string("/proc/mounts")?,
                &folder.canonicalize()?,
            ),
            sync_ms: sync_ms(folder)?,
            commit: commit()?,
            started: jiff::Timestamp::now().to_string(),
            versions: programs.versions(),
        })
    }

    /// A few lines for the head of a report.
    pub(crate) fn lines(&self) -> Vec<(String, String)> {
        let mut lines = vec![
            ("commit".to_owned(), self.commit.clone()),
            ("started".to_owned(), self.started.clone()),
            (
                "machine".to_owned(),
                format!(
                    "{}, {} cores, {} MiB, Linux {}",
                    self.cpu, self.cores, self.memory_mib, self.kernel
                ),
            ),
            (
                "disk".to_owned(),
                format!(
                    "{}, {:.2} ms for a synced write of 4 KiB",
                    self.disk, self.sync_ms
                ),
            ),
        ];
        lines.extend(self.versions.clone());
        lines
    }
}

fn cpu(cpuinfo: &str) -> String {
    value_behind(cpuinfo, "model name").unwrap_or_else(|| "unknown".to_owned())
}

fn memory_mib(meminfo: &str) -> u64 {
    let told = value_behind(meminfo, "MemTotal").unwrap_or_default();
    let kib = told.split(' ').next().unwrap_or_default();
    kib.parse::<u64>().unwrap_or_default() / 1024
}

fn value_behind(text: &str, key: &str) -> Option<String> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = pairs.find(|(found, _)| found.trim() == key)?;
    Some(value.trim().to_owned())
}

/// The mount that holds a folder: the longest path that leads to it.
fn disk(mounts: &str, folder: &Path) -> String {
    mounts
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (device, place, kind) = (words.next()?, words.next()?, words.next()?);
            folder
                .starts_with(place)
                .then(|| (place.len(), format!("{kind} on {device}")))
        })
        .max_by_key(|(length, _)| *length)
        .map_or_else(|| "unknown".to_owned(), |(_, told)| told)
}

fn sync_ms(folder: &Path) -> Result<f64> {
    let path = folder.join("sync-probe");
    let mut file =
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut times = Vec::new();
    for _ in 0..SYNCS {
        let started = Instant::now();
        file.write_all(&[b'x'; 4096])?;
        file.sync_data()?;
        times.push(started.elapsed().as_secs_f64() * 1_000.0);
    }
    fs::remove_file(&path)?;
    Ok(median(&times).unwrap_or_default())
}

/// The commit, marked where the tree holds changes that are in no commit. Text does not count: a
/// resumed run has written its tables there.
fn commit() -> Result<String> {
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let status = [
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--",
        ":/",
        ":(exclude)*.md",
    ];
    let changed = !git(&status)?.is_empty();
    Ok(if changed {
        format!("{commit}+changes")
    } else {
        commit
    })
}

fn git(words: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(words)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .context("cannot start git, which tells the commit")?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("git {} said: {}", words.join(" "), errors.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_and_memory_are_read() {
        let cpuinfo = "processor\t: 0\nmodel name\t: AMD EPYC\nprocessor\t: 1\nmodel name\t: b\n";
        assert_eq!(cpu(cpuinfo), "AMD EPYC");
        assert_eq!(
            memory_mib("MemTotal:       2048000 kB\nMemFree: 1 kB\n"),
            2000
        );
    }

    #[test]
    fn the_nearest_mount_holds_a_folder() {
        let mounts = "dev0 / ext4 rw 0 0\ndev1 /srv xfs rw 0 0\ndev2 /sr tmpfs rw 0 0\n";
        assert_eq!(disk(mounts, Path::new("/srv/data")), "xfs on dev1");
        assert_eq!(disk(mounts, Path::new("/home")), "ext4 on dev0");
    }
}
