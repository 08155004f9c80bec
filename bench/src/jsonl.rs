//! The file of results: one JSON object a line, added as runs end, so that a run can go on.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::measurement::Measurement;
use crate::scenario::Step;
use crate::size::Size;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Line {
    /// Where and with what the runs below were made.
    Machine(Machine),
    /// A step that was run.
    Run(Run),
    /// A step that could not be run.
    Failed(Failed),
}

/// Which run: a step in a round of a size at a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) commit: String,
    pub(crate) size: Size,
    pub(crate) scenario: String,
    pub(crate) table: String,
    pub(crate) case: String,
    pub(crate) subject: String,
    pub(crate) round: u32,
}

impl Key {
    pub(crate) fn new(step: &Step, commit: &str, size: Size, round: u32) -> Self {
        Self {
            commit: commit.to_owned(),
            size,
            scenario: step.scenario.clone(),
            table: step.table.clone(),
            case: step.case.clone(),
            subject: step.subject.clone(),
            round,
        }
    }
}

/// What a run measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    #[serde(flatten)]
    pub(crate) key: Key,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) x: Option<f64>,
    /// RFC 3339.
    pub(crate) ended: String,
    pub(crate) seconds: f64,
    pub(crate) measurements: Vec<Measurement>,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failed {
    #[serde(flatten)]
    pub(crate) key: Key,
    pub(crate) why: String,
}

/// Reads a file of results. A last line that was cut off by a crash is left out; any other line
/// that cannot be read is an error.
pub(crate) fn read(path: &Path) -> Result<Vec<Line>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let Some(whole) = line.strip_suffix('\n') else {
            break;
        };
        let parsed = serde_json::from_str(whole).with_context(|| {
            format!(
                "line {} of {} is no result; move the file away",
                index + 1,
                path.display()
            )
        })?;
        lines.push(parsed);
    }
    Ok(lines)
}

/// Adds lines to a file.
#[derive(Debug)]
pub(crate) struct Writer {
    file: File,
}

impl Writer {
    /// Opens a file to add to. A half line at its end is cut off, so that the next one is whole.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        let bytes = fs::read(path)?;
        let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
        file.set_len(u64::try_from(whole)?)?;
        Ok(Self { file })
    }

    pub(crate) fn push(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file
            .write_all(text.as_bytes())
            .context("cannot write the results")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn run(round: u32) -> Line {
        Line::Run(Run {
            key: Key {
                commit: "abc".into(),
                size: Size::Quick,
                scenario: "collect".into(),
                table: "t".into(),
                case: "10".into(),
                subject: "logwood".into(),
                round,
            },
            x: Some(10.0),
            ended: "2026-01-01T00:00:00Z".into(),
            seconds: 1.5,
            measurements: vec![
                Measurement::new("server_cpu", 1.25, "us/message"),
                Measurement::new("count", 3.0, "ms").of_case("rare"),
            ],
        })
    }

    #[test]
    fn what_is_written_is_read_and_a_torn_end_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        Writer::open(&path).unwrap().push(&run(0)).unwrap();
        fs::write(
            &path,
            format!("{}{{\"kind\":\"ru", fs::read_to_string(&path).unwrap()),
        )
        .unwrap();
        assert_eq!(read(&path).unwrap(), [run(0)]);
        Writer::open(&path).unwrap().push(&run(1)).unwrap();
        assert_eq!(read(&path).unwrap(), [run(0), run(1)]);
    }

    #[test]
    fn a_line_that_is_no_result_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        fs::write(&path, "{}\n").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.starts_with("line 1 of "), "{error}");
    }
}
