//! Finds programs of others.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};

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
