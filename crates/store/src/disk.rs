//! The one place that opens files.
//!
//! Every path is absolute or relative to the process; the store builds them from its data
//! directory. The traits exist so that tests can put a disk that fails, tears and forgets below
//! the real code.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use crate::limits::{OPEN_FILES_MAX, OPEN_FILES_OF};

/// A file system.
pub trait Disk: Send + Sync {
    /// Creates a directory and its parents and makes their entries durable.
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Opens a file.
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>>;
    /// What a directory holds, in the order of the names.
    fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>>;
    /// Renames a file, replacing the target. Durable after [`Disk::sync_dir`] of both directories.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name on the same file system; fails where the name is taken. Durable
    /// after [`Disk::sync_dir`]. Whoever calls copies the file where this is refused.
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        _ = (from, to);
        Err(ErrorKind::Unsupported.into())
    }
    /// Removes a directory that is empty.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes the entries of a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Bytes that can still be written below a directory.
    fn free_bytes(&self, path: &Path) -> io::Result<u64>;
    /// How many files a store may have open for reading at a time; it opens others when they are read.
    fn open_files_max(&self) -> usize {
        OPEN_FILES_MAX
    }
    /// Takes an exclusive lock on a directory, which holds where a file in it is deleted.
    fn lock_dir(&self, path: &Path) -> io::Result<DirLock> {
        _ = path;
        Ok(DirLock::Impossible)
    }
}

/// What became of locking a directory.
#[derive(Debug)]
pub enum DirLock {
    /// It is locked for as long as this file is open.
    Taken(File),
    /// Another process has it.
    Busy,
    /// The file system has no such locks.
    Impossible,
}

/// An open file.
#[expect(clippy::len_without_is_empty, reason = "nobody asks a file that")]
pub trait DiskFile: Send + Sync {
    /// Fills the buffer from an offset or fails.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
    /// Writes all of the data at an offset.
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()>;
    /// Makes data and size durable. After an error the file must not be trusted again: the kernel
    /// marks failed pages clean, so a second call may succeed without having written anything.
    fn sync(&self) -> io::Result<()>;
    /// The size in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Reserves space so that writing below `len` cannot run out of it.
    fn allocate(&self, len: u64) -> io::Result<()>;
    /// Cuts or extends the file.
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Takes an exclusive lock for as long as the file is open; false when another process has it.
    fn try_lock(&self) -> io::Result<bool>;
    /// Whether whoever opens a path gets this file, and not another one or none.
    fn is_at(&self, path: &Path) -> io::Result<bool> {
        _ = path;
        Ok(true)
    }
}

/// How to open a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// An existing file, for reading.
    Read,
    /// An existing or new file, for reading and writing, readable by owner and group.
    ReadWrite,
    /// A new or emptied file, for reading and writing.
    Create,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiskEntry {
    /// Its name. Names that are not UTF-8 are not ours and are left out.
    pub name: String,
    /// Whether it is a directory.
    pub is_dir: bool,
}

/// The file system of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

/// Logs are readable by the owner and the group only (CVE-2015-3243 was world-readable logs).
const FILE_MODE: u32 = 0o640;

impl Disk for RealDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let sync_parent = || self.sync_dir(parent.unwrap_or_else(|| Path::new(".")));
        if path.is_dir() {
            // Whoever made it may have been killed before this.
            return match sync_parent() {
                Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
                result => result,
            };
        }
        if let Some(parent) = parent {
            self.create_dir_all(parent)?;
        }
        match fs::create_dir(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        sync_parent()
    }

    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        // Opening a FIFO would wait for whoever has its other end, for ever.
        let no_wait = rustix::fs::OFlags::NONBLOCK.bits();
        options.read(true).mode(FILE_MODE);
        options.custom_flags(no_wait.cast_signed());
        match mode {
            OpenMode::Read => {}
            OpenMode::ReadWrite => _ = options.write(true).create(true),
            OpenMode::Create => _ = options.write(true).create(true).truncate(true),
        }
        let file = options.open(path)?;
        if !file.metadata()?.is_file() {
            let what = "it is no file but a directory, a FIFO, a socket or a device";
            return Err(io::Error::new(ErrorKind::InvalidInput, what));
        }
        Ok(Box::new(RealFile(file)))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string() {
                entries.push(DiskEntry {
                    name,
                    is_dir: entry.file_type()?.is_dir(),
                });
            }
        }
        entries.sort();
        Ok(entries)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        let stat = rustix::fs::statvfs(path)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    fn open_files_max(&self) -> usize {
        // Asked each time: a process may raise its limit.
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let own = limit.map_or(u64::MAX, |limit| limit / OPEN_FILES_OF);
        usize::try_from(own).map_or(OPEN_FILES_MAX, |own| own.min(OPEN_FILES_MAX))
    }

    fn lock_dir(&self, path: &Path) -> io::Result<DirLock> {
        let dir = File::open(path)?;
        Ok(match dir.try_lock() {
            Ok(()) => DirLock::Taken(dir),
            Err(fs::TryLockError::WouldBlock) => DirLock::Busy,
            // Over NFS, for one.
            Err(fs::TryLockError::Error(_)) => DirLock::Impossible,
        })
    }
}

struct RealFile(File);

impl DiskFile for RealFile {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        let flags = rustix::fs::FallocateFlags::empty();
        match rustix::fs::fallocate(&self.0, flags, 0, len) {
            // File systems without the call: extending costs a little more per commit, no safety.
            Err(error) if error == rustix::io::Errno::OPNOTSUPP => self.0.set_len(len),
            result => Ok(result?),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(fs::TryLockError::WouldBlock) => Ok(false),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        let own = self.0.metadata()?;
        match fs::metadata(path) {
            Ok(found) => Ok((found.dev(), found.ino()) == (own.dev(), own.ino())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}
