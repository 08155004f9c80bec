//! One process per data directory.
//!
//! The directory itself is locked, so that nobody comes in where somebody deleted the lock file; the
//! file is locked as well, where directories cannot be, and says who holds both.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::disk::{DirLock, Disk, DiskFile, OpenMode};
use crate::error::Error;
use crate::limits::LOCK_BYTES_MAX;
use crate::names;

/// What the holder of a data directory wrote into its lock file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockHolder {
    /// Its process id, where it could be read.
    pub pid: Option<u32>,
    /// The address of its HTTP interface, where it serves one.
    pub http: Option<String>,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pid, &self.http) {
            (Some(pid), Some(http)) => write!(f, "process {pid}, which answers on http://{http}"),
            (Some(pid), None) => write!(f, "process {pid}"),
            _ => f.write_str("another process"),
        }
    }
}

/// The lock on a data directory, held for as long as this value lives.
pub(crate) struct Lock {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    /// Held, never looked at.
    _dir: DirLock,
}

impl Lock {
    /// Takes the lock of a data directory that exists.
    pub(crate) fn take(disk: &dyn Disk, data_dir: &Path) -> Result<Self, Error> {
        let path = names::lock(data_dir);
        let dir = disk
            .lock_dir(data_dir)
            .map_err(Error::io("lock", data_dir))?;
        let file = disk
            .open(&path, OpenMode::ReadWrite)
            .map_err(Error::io("open", path.as_path()))?;
        let is_free = file.try_lock().map_err(Error::io("lock", path.as_path()))?;
        if !is_free || matches!(dir, DirLock::Busy) {
            let holder = read(file.as_ref());
            return Err(Error::Locked {
                data_dir: data_dir.to_owned(),
                holder,
            });
        }
        let lock = Self {
            file,
            path,
            _dir: dir,
        };
        lock.describe(None)?;
        Ok(lock)
    }

    /// Writes who holds the lock, for the one who finds it taken.
    pub(crate) fn describe(&self, http: Option<&str>) -> Result<(), Error> {
        let mut text = format!("pid={}\n", std::process::id());
        if let Some(http) = http {
            text.push_str(&format!("http={http}\n"));
        }
        self.file
            .set_len(0)
            .and_then(|()| self.file.write_all_at(text.as_bytes(), 0))
            .map_err(Error::io("write", self.path.as_path()))
    }
}

/// Who holds the data directory now; `None` where nobody does.
pub(crate) fn holder(disk: &dyn Disk, data_dir: &Path) -> Option<LockHolder> {
    let is_busy = matches!(disk.lock_dir(data_dir), Ok(DirLock::Busy));
    let file = disk.open(&names::lock(data_dir), OpenMode::Read).ok();
    let is_locked = |file: &dyn DiskFile| is_busy || matches!(file.try_lock(), Ok(false));
    match file {
        Some(file) => is_locked(file.as_ref()).then(|| read(file.as_ref())),
        None => is_busy.then(LockHolder::default),
    }
}

fn read(file: &dyn DiskFile) -> LockHolder {
    let len = file
        .len()
        .map_or(0, |len| usize::try_from(len).unwrap_or(LOCK_BYTES_MAX));
    let mut text = vec![0; len.min(LOCK_BYTES_MAX)];
    if file.read_exact_at(&mut text, 0).is_err() {
        return LockHolder::default();
    }
    let text = String::from_utf8_lossy(&text);
    let value = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key).map(String::from))
    };
    LockHolder {
        pid: value("pid=").and_then(|pid| pid.parse().ok()),
        http: value("http="),
    }
}
