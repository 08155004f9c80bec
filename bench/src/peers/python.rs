//! ClickHouse and tantivy as libraries of Python, which give no server but the bytes that lines take.
//!
//! Best known settings: a column of text at zstd level 3 and one part at the end, without an index and
//! with ClickHouse's index of words; tantivy's default words without positions, the lines kept. Neither
//! knows anything of a line but its text.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::child;

const CLICKHOUSE: &str = include_str!("../../peers/python/clickhouse.py");
const TANTIVY: &str = include_str!("../../peers/python/tantivy_lines.py");

/// What lines take.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Taken {
    pub(crate) messages: u64,
    /// On disk, index included.
    pub(crate) bytes: u64,
    pub(crate) index_bytes: u64,
    /// Of indexing alone, without the start of Python.
    pub(crate) cpu_seconds: f64,
}

/// Gives the lines of a file to `clickhouse`, `clickhouse text` or `tantivy`; a folder is theirs.
pub(crate) fn index(python: &Path, subject: &str, path: &Path, folder: &Path) -> Result<Taken> {
    let mut words = subject.split(' ');
    let script = match words.next() {
        Some("clickhouse") => CLICKHOUSE,
        Some("tantivy") => TANTIVY,
        _ => bail!("{subject} is no library of Python"),
    };
    let data = folder.join("data");
    fs::create_dir(&data)?;
    let program = folder.join("program.py");
    fs::write(&program, script)?;
    let mut command = Command::new(python);
    command.arg(program).arg(path).arg(data).args(words);
    let told = child::run(&mut command, b"", &[0])?.output;
    serde_json::from_slice(&told).context("the program says no JSON")
}

/// Why a Python cannot be used for a library; `None` if it can.
pub(crate) fn obstacle(python: &Path, library: &str) -> Option<String> {
    let mut command = Command::new(python);
    command.args(["-c", &format!("import {library}")]);
    let failed = child::run(&mut command, b"", &[0]).err()?;
    Some(format!("{} has no {library}: {failed:#}", python.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_without_the_library_is_an_obstacle() {
        let python = Path::new("/no/python");
        let obstacle = obstacle(python, "chdb").unwrap();
        assert!(obstacle.starts_with("/no/python has no chdb"), "{obstacle}");
    }

    #[test]
    fn another_subject_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = Path::new("x.log");
        let refused = index(Path::new("python3"), "splunk", path, folder.path()).unwrap_err();
        assert_eq!(refused.to_string(), "splunk is no library of Python");
    }
}
