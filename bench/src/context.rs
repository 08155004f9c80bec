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
    /// Where generated logs are kept for other runs; `None` where they are of this one alone.
    corpora: Option<PathBuf>,
    work: TempDir,
}

impl Context {
    /// Everything is written below `out`, so that it lies on the disk that is meant.
    pub(crate) fn new(
        size: Size,
        programs: Programs,
        (logs, corpora): (Option<PathBuf>, Option<PathBuf>),
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
            corpora,
            work,
        })
    }

    /// A folder that lasts as long as the run, for what steps share.
    pub(crate) fn work(&self) -> &Path {
        self.work.path()
    }

    /// The folder of generated logs.
    pub(crate) fn corpora(&self) -> &Path {
        self.corpora.as_deref().unwrap_or_else(|| self.work())
    }

    /// A folder for one step, removed when it is dropped.
    pub(crate) fn folder(&self) -> Result<TempDir> {
        tempfile::tempdir_in(self.work.path()).context("cannot make a folder for a step")
    }
}
