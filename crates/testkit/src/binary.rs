//! Where the program under test lies.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};

static BINARY: OnceLock<Result<PathBuf, String>> = OnceLock::new();

/// The `logwood` binary: the one `LOGWOOD_BIN` names, as `cargo xtask test` sets it, otherwise the
/// one of our own build, which cargo brings up to date first, once in a process.
pub fn binary() -> Result<&'static Path> {
    match BINARY.get_or_init(|| find().map_err(|error| format!("{error:#}"))) {
        Ok(path) => Ok(path),
        Err(error) => Err(anyhow!("{error}")),
    }
}

fn find() -> Result<PathBuf> {
    if let Some(path) = env::var_os("LOGWOOD_BIN") {
        let path = PathBuf::from(path);
        if !path.is_file() {
            bail!("LOGWOOD_BIN names {}, which is no file", path.display());
        }
        return Ok(path);
    }
    let target = target_folder()?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--package", "logwood"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("cargo build -p logwood ended with {status}");
    }
    Ok(target.join("debug/logwood"))
}

/// The folder cargo builds into, found from where this test runs: `TARGET/debug/deps/tests-1234`.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let own = env::current_exe().context("cannot tell where this test lies")?;
    let folder = own.ancestors().nth(3);
    Ok(folder.context("this test lies in no target folder")?.into())
}
