//! What every step of a run may use.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::programs::Programs;
use crate::size::Size;

/// The surroundings of a run.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) size: Size,
    pub(crate) programs: Programs,
    /// A folder of real logs for the scenarios that take one.
    pub(crate) logs: Option<PathBuf>,
    work: TempDir,
}

impl Context {
    /// Everything is written below `out`, so that it lies on the disk that is meant.
    pub(crate) fn new(
        size: Size,
        programs: Programs,
        logs: Option<PathBuf>,
        out: &Path,
    ) -> Result<Self> {
        let work = tempfile::Builder::new()
            .prefix("work-")
            .tempdir_in(out)
            .with_context(|| format!("cannot make a folder in {}", out.display()))?;
        Ok(Self {
            size,
            programs,
            logs,
            work,
        })
    }

    /// A folder that lasts as long as the run, for what steps share.
    pub(crate) fn work(&self) -> &Path {
        self.work.path()
    }

    /// A folder for one step, removed when it is dropped.
    pub(crate) fn folder(&self) -> Result<TempDir> {
        tempfile::tempdir_in(self.work.path()).context("cannot make a folder for a step")
    }
}
