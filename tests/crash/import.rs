//! An import of days that are over: they are sorted into segments of their own, merged, and at last
//! compacted, all of it beside whatever else happens.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::{Api, Random, raw};

/// Lines of an import: several batches, of several days.
const LINES: u64 = 1_500;
/// Words of a line, of so many that there are: text that a stronger compression makes smaller.
const LINE_WORDS: u64 = 12;
const WORDS: u64 = 200;

/// Where imports go; a logspace that the configuration must have.
pub(crate) const LOGSPACE: &str = "old";

/// An import that was started, and whether it was acknowledged.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) name: String,
    pub(crate) is_acknowledged: bool,
    stored: u64,
}

impl Import {
    /// Imports all lines, and waits for the answer.
    pub(crate) fn run(api: Api, name: String) -> Self {
        let lines: Vec<String> = (0..LINES).map(|number| line(&name, number)).collect();
        let path = format!("/api/v1/import?logspace={LOGSPACE}&time=message");
        let answer = api.post(&path, lines.join("\n").as_bytes());
        Self {
            name,
            is_acknowledged: answer.is_ok_and(|answer| answer.status == 200),
            stored: 0,
        }
    }

    /// Asserts that so many were found: all of an import that was acknowledged, otherwise some of it,
    /// and always the same.
    pub(crate) fn check_count(&mut self, found: u64) -> Result<()> {
        let (name, stored) = (&self.name, &mut self.stored);
        ensure!(
            !self.is_acknowledged || found == LINES,
            "import {name} was acknowledged and {found} records of it found"
        );
        ensure!(
            found <= LINES && (*stored == 0 || found == *stored),
            "import {name}: {found} records found, {stored} before"
        );
        *stored = found;
        Ok(())
    }

    /// Asserts that the rows that were found of it are a prefix of it, at least so many.
    pub(crate) fn check_rows<'r>(
        &self,
        acknowledged: u64,
        rows: impl Iterator<Item = &'r Value>,
    ) -> Result<u64> {
        let mut found = 0;
        for row in rows {
            let expected = line(&self.name, found);
            ensure!(
                raw(row)? == expected.as_bytes(),
                "expected {expected}: {row}"
            );
            found += 1;
        }
        let name = &self.name;
        ensure!(
            acknowledged <= found,
            "import {name}: {acknowledged} acknowledged, {found} found"
        );
        Ok(found)
    }

    /// How many were found.
    pub(crate) fn stored(&self) -> u64 {
        self.stored
    }

    /// How many are acknowledged by the answer.
    pub(crate) fn acknowledged(&self) -> u64 {
        if self.is_acknowledged { LINES } else { 0 }
    }
}

/// What became of the days that were imported: their segments, those that are compacted, and the bytes
/// that this has saved since the start.
pub(crate) fn compaction(status: &Value) -> Result<(u64, u64, u64)> {
    let logspaces = status["logspaces"].as_array().context("no logspaces")?;
    let old = logspaces
        .iter()
        .find(|logspace| logspace["name"] == LOGSPACE)
        .with_context(|| format!("no logspace {LOGSPACE} in {status}"))?;
    let number = |key: &str| {
        old[key]
            .as_u64()
            .with_context(|| format!("no {key}: {old}"))
    };
    Ok((
        number("segments")?,
        number("compacted_segments")?,
        number("compaction_saved_bytes")?,
    ))
}

fn line(name: &str, number: u64) -> String {
    // Three days, one after the other.
    let (day, second) = (1 + number * 3 / LINES, number % 86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let mut random = Random::new(number);
    let words: Vec<String> = (0..LINE_WORDS).map(|_| word(random.below(WORDS))).collect();
    format!(
        "<13>1 2026-03-0{day}T{hour:02}:{minute:02}:{second:02}Z h crash {name} - - {}",
        words.join(" ")
    )
}

fn word(number: u64) -> String {
    let mut random = Random::new(number);
    let letters = 3 + random.below(7);
    (0..letters)
        .map(|_| char::from(*random.pick(b"abcdefghijklmnopqrstuvwxyz")))
        .collect()
}
