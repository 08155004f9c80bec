//! A block device whose writes and flushes are written down, with a real ext4 on it.
//!
//! nbdkit with `recorder.py` is the disk, nbdfuse makes a file of it, and a loop mount puts the
//! kernel's ext4 on that file: what is recorded is what the kernel sends to a disk.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;
use testkit::{Process, is_root, peers::daemon, peers::program, wait_for};

const LIMIT: Duration = Duration::from_secs(30);
const RECORDER: &str = include_str!("recorder.py");

/// What is missing here, if anything.
pub(super) fn check_tools() -> Result<()> {
    ensure!(is_root(), "only root can mount the images of a power cut");
    program("nbdkit", "nbdkit")?;
    program("nbdfuse", "libnbd-bin")?;
    program("fusermount3", "fuse3")?;
    daemon("mkfs.ext4", "e2fsprogs")?;
    ensure!(Path::new("/dev/fuse").exists(), "no FUSE in this kernel");
    ensure!(
        Path::new("/dev/loop-control").exists(),
        "no loop devices here"
    );
    let plugins = Command::new("nbdkit")
        .args(["python", "--version"])
        .output()?;
    ensure!(
        plugins.status.success(),
        "no Debian package nbdkit-plugin-python here"
    );
    Ok(())
}

/// A mounted, recorded disk. Dropping it unmounts it.
#[derive(Debug)]
pub(super) struct Device {
    mount: Option<Mount>,
    disk: Process,
    folder: TempDir,
}

impl Device {
    /// Makes an ext4 of this size and starts to record.
    pub(super) fn start(bytes: u64) -> Result<Self> {
        let folder = memory_folder()?;
        let base = folder.path().join("base");
        fs::File::create(&base)?.set_len(bytes)?;
        let mkfs = daemon("mkfs.ext4", "e2fsprogs")?;
        // Nothing is left to be done later by the kernel, so that the trace is the server's.
        let options = "nodiscard,lazy_itable_init=0,lazy_journal_init=0";
        run(Command::new(mkfs)
            .args(["-q", "-F", "-E", options])
            .arg(&base))?;
        let (disk, recorder) = (
            folder.path().join("disk"),
            folder.path().join("recorder.py"),
        );
        fs::copy(&base, &disk)?;
        fs::File::create(&recorder)?.write_all(RECORDER.as_bytes())?;
        let (fuse, mounted) = (folder.path().join("fuse"), folder.path().join("mounted"));
        fs::create_dir(&fuse)?;
        fs::create_dir(&mounted)?;
        let file = fuse.join("nbd");
        let mut process = Process::start(
            Command::new("nbdfuse")
                .arg(&file)
                .args(["--command", "nbdkit", "-s", "python"])
                .arg(&recorder)
                .arg(format!("disk={}", disk.display()))
                .arg(format!("trace={}", folder.path().join("trace").display())),
        )?;
        wait_for("the recorded disk was there", LIMIT, || {
            if let Some(status) = process.ended()? {
                bail!(
                    "nbdfuse ended with {status}: {}",
                    process.errors().join("\n")
                );
            }
            Ok(file.exists().then_some(()))
        })?;
        let mut device = Self {
            mount: None,
            disk: process,
            folder,
        };
        device.mount = Some(Mount::new(&file, &mounted)?);
        Ok(device)
    }

    /// Where the file system is.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("mounted")
    }

    /// The file that is written down: its length is the present position.
    pub(super) fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    /// The disk as it was before the first entry of the trace.
    pub(super) fn base(&self) -> PathBuf {
        self.folder.path().join("base")
    }

    /// Unmounts; the trace and the base stay until this is dropped.
    pub(super) fn stop(&mut self) -> Result<()> {
        if let Some(mount) = self.mount.take() {
            mount.unmount()?;
        }
        run(Command::new("fusermount3")
            .arg("-u")
            .arg(self.folder.path().join("fuse")))?;
        self.disk.wait(LIMIT).map(|_| ())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if self.mount.take().is_some() {
            // The server's own failure is what is told; this is only cleaning up.
            let fuse = self.folder.path().join("fuse");
            let _ = Command::new("fusermount3")
                .args(["-u", "-z"])
                .arg(fuse)
                .status();
        }
    }
}

/// A file mounted as a file system. Dropping it unmounts it.
#[derive(Debug)]
pub(super) struct Mount {
    path: Option<PathBuf>,
}

impl Mount {
    /// Mounts a file with an ext4 in it.
    pub(super) fn new(file: &Path, path: &Path) -> Result<Self> {
        run(Command::new("mount")
            .args(["-o", "loop"])
            .arg(file)
            .arg(path))?;
        Ok(Self {
            path: Some(path.to_owned()),
        })
    }

    /// Unmounts, as soon as nobody uses it any more.
    pub(super) fn unmount(mut self) -> Result<()> {
        let path = self.path.take().context("it is not mounted")?;
        run(Command::new("umount").arg(&path))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            let _ = Command::new("umount").arg("-l").arg(path).status();
        }
    }
}

/// A temporary folder in memory where there is one: images are many and short-lived.
pub(super) fn memory_folder() -> Result<TempDir> {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    folder.context("cannot make a temporary folder")
}

/// Runs a program to its end; what it said is part of the error.
pub(super) fn run(command: &mut Command) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{command:?} ended with {}: {}",
            output.status,
            errors.trim()
        );
    }
    Ok(())
}
