//! One open file: whose it is, how long, and when it is renamed.

use std::fs::{DirBuilder, File as Handle, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::state::Known;
use super::{File, FileAccess, Rotation};
use crate::limits::ROTATED_FILES_MAX;

/// A file that is written to.
#[derive(Debug)]
pub(super) struct OpenFile {
    path: PathBuf,
    handle: Handle,
    device: u64,
    inode: u64,
    /// Whether it has a length, and can be cut; not so a terminal.
    is_regular: bool,
    /// Its length without what was written in part.
    len: u64,
    /// Whether something was written that the disk may not have.
    is_dirty: bool,
    /// Whether its directory may not have it.
    is_new: bool,
    pub(super) used: Instant,
    /// The period that it belongs to.
    period: Option<u64>,
}

impl OpenFile {
    /// Opens a file to write at its end, and makes it where it is not there.
    pub(super) fn open(path: &str, options: &File) -> io::Result<Self> {
        let path = PathBuf::from(path);
        let access = &options.access;
        let mut opening = OpenOptions::new();
        opening.append(true).mode(access.mode);
        let mut is_new = false;
        let handle = match opening.open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                is_new = true;
                make(&path, &mut opening, access)?
            }
            result => result?,
        };
        let metadata = handle.metadata()?;
        let begun = match is_new {
            true => SystemTime::now(),
            false => metadata.modified().unwrap_or_else(|_| SystemTime::now()),
        };
        Ok(Self {
            path,
            handle,
            device: metadata.dev(),
            inode: metadata.ino(),
            is_regular: metadata.is_file(),
            len: metadata.len(),
            is_dirty: false,
            is_new,
            used: Instant::now(),
            period: period_of(options.rotation.period, begun),
        })
    }

    /// The file as it is now; `None` for one that has no length.
    pub(super) fn known(&self) -> Option<Known> {
        self.is_regular.then_some(Known {
            device: self.device,
            inode: self.inode,
            len: self.len,
        })
    }

    /// Adds bytes to its end: all of them or none.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.used = Instant::now();
        self.is_dirty = true;
        if let Err(error) = self.handle.write_all(bytes) {
            if self.is_regular {
                // A part of a record would be taken for one.
                self.handle.set_len(self.len)?;
            }
            return Err(error);
        }
        // Others may write to it as well.
        self.len = match self.is_regular {
            true => self.handle.metadata()?.len(),
            false => 0,
        };
        Ok(())
    }

    /// Makes it durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if !self.is_regular {
            return Ok(());
        }
        if std::mem::take(&mut self.is_dirty)
            && let Err(error) = self.handle.sync_data()
        {
            self.is_dirty = true;
            return Err(error);
        }
        if self.is_new
            && let Some(directory) = self.path.parent()
        {
            Handle::open(or_here(directory))?.sync_all()?;
            self.is_new = false;
        }
        Ok(())
    }

    /// Whether it is time to begin another one.
    pub(super) fn is_due(&self, rotation: &Rotation) -> bool {
        let is_long = rotation.bytes.is_some_and(|bytes| self.len >= bytes);
        let is_old = self.period != period_of(rotation.period, SystemTime::now());
        self.is_regular && self.len > 0 && (is_long || is_old)
    }

    /// Whether another file, or none, is at its path.
    pub(super) fn is_replaced(&self) -> bool {
        match self.path.metadata() {
            Ok(found) => (found.dev(), found.ino()) != (self.device, self.inode),
            Err(error) => error.kind() == ErrorKind::NotFound,
        }
    }

    /// Renames it, and removes the oldest renamed ones.
    pub(super) fn rotate(self, keep: Option<usize>) -> io::Result<PathBuf> {
        let to = free_name(&self.path)?;
        std::fs::rename(&self.path, &to)?;
        if let Some(keep) = keep {
            let rotated = rotated(&self.path)?;
            for old in rotated.iter().rev().skip(keep) {
                std::fs::remove_file(old)?;
            }
        }
        Ok(to)
    }
}

/// The number of the period that a time falls into.
fn period_of(period: Option<Duration>, time: SystemTime) -> Option<u64> {
    let seconds = period?.as_secs().max(1);
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(since.as_secs() / seconds)
}

/// Makes a file, and its directories.
fn make(path: &Path, opening: &mut OpenOptions, access: &FileAccess) -> io::Result<Handle> {
    if access.makes_directories
        && let Some(directory) = path.parent()
    {
        make_directories(or_here(directory), access)?;
    }
    let handle = opening.create(true).open(path)?;
    let (owner, group) = access
        .ids()
        .map_err(|failure| io::Error::other(failure.what))?;
    if owner.is_some() || group.is_some() {
        fchown(&handle, owner, group)?;
    }
    Ok(handle)
}

/// Makes those that are missing, from above.
fn make_directories(directory: &Path, access: &FileAccess) -> io::Result<()> {
    if directory.exists() {
        return Ok(());
    }
    if let Some(above) = directory.parent() {
        make_directories(or_here(above), access)?;
    }
    let mut builder = DirBuilder::new();
    match builder.mode(access.directory_mode).create(directory) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        result => result?,
    }
    let (owner, group) = access
        .ids()
        .map_err(|failure| io::Error::other(failure.what))?;
    match owner.is_some() || group.is_some() {
        true => std::os::unix::fs::chown(directory, owner, group),
        false => Ok(()),
    }
}

fn or_here(directory: &Path) -> &Path {
    match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    }
}

/// A name for a file that is renamed: with the time, to the microsecond, so that names are in the order of time.
fn free_name(path: &Path) -> io::Result<PathBuf> {
    loop {
        let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%.6fZ");
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{now}"));
        let name = PathBuf::from(name);
        if !name.try_exists()? {
            return Ok(name);
        }
    }
}

/// The renamed files of a path, the oldest first.
fn rotated(path: &Path) -> io::Result<Vec<PathBuf>> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(or_here(directory))?.take(ROTATED_FILES_MAX) {
        let entry = entry?;
        let other = entry.file_name();
        let suffix = other
            .as_encoded_bytes()
            .strip_prefix(name.as_encoded_bytes());
        if suffix.is_some_and(is_stamp) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Whether it is what [`free_name`] puts behind a name.
fn is_stamp(suffix: &[u8]) -> bool {
    let shape = b".00000000T000000.000000Z";
    suffix.len() == shape.len()
        && suffix.iter().zip(shape).all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}
