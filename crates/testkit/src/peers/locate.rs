//! Finds programs of others.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::binary::target_folder;

/// A program on the path; the error names the Debian package that brings it.
pub fn program(name: &str, package: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .with_context(|| format!("no {name} here, of Debian's package {package}"))
}

/// A program that may lie where only root's path looks.
pub fn daemon(name: &str, package: &str) -> Result<PathBuf> {
    let in_sbin = PathBuf::from("/usr/sbin").join(name);
    if in_sbin.is_file() {
        return Ok(in_sbin);
    }
    program(name, package)
}

/// The folder that a package was unpacked into.
pub(super) fn unpacked(package: &str) -> Result<PathBuf> {
    let peers = match env::var_os("LOGWOOD_PEERS") {
        Some(folder) => PathBuf::from(folder),
        None => target_folder()?.join("peers"),
    };
    let folder = peers.join(package);
    folder
        .is_dir()
        .then_some(folder)
        .with_context(|| format!("no {package} in {}", peers.display()))
}

/// The folder of the libraries of an unpacked package, that has this entry:
/// `usr/lib/x86_64-linux-gnu`, whatever the machine's name for itself.
pub(super) fn libraries(package: &Path, entry: &str) -> Result<PathBuf> {
    fs::read_dir(package.join("usr/lib"))?
        .filter_map(|folder| folder.ok().map(|folder| folder.path()))
        .find(|folder| folder.join(entry).exists())
        .with_context(|| format!("no {entry} in the libraries of {}", package.display()))
}

/// Whether this is a program that can be run.
pub(super) fn runnable(program: &Path) -> Result<()> {
    let found = fs::metadata(program).with_context(|| format!("no {}", program.display()))?;
    let is_runnable = found.permissions().mode() & 0o111 != 0;
    ensure!(is_runnable, "{} cannot be run", program.display());
    Ok(())
}
