//! Scenario files: which tables a scenario makes, of which cases and subjects.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::measurement::figure;
use crate::parameters::Parameters;
use crate::scenario::Step;
use crate::size::Size;

/// A file of `bench/scenarios`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioFile {
    pub(crate) name: String,
    /// One sentence.
    pub(crate) about: String,
    #[serde(rename = "table")]
    pub(crate) tables: Vec<TableFile>,
}

/// A table of the report.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableFile {
    pub(crate) name: String,
    pub(crate) title: String,
    /// Whose table this is, with their figures.
    pub(crate) reproduces: String,
    /// There is no code for it yet: `--list` shows its place, nothing is run.
    #[serde(default)]
    pub(crate) planned: bool,
    /// The parameter that the cases differ by, where it is a quantity: plots become lines.
    pub(crate) axis: Option<String>,
    /// Who is measured, in this order.
    #[serde(default)]
    pub(crate) subjects: Vec<String>,
    /// The subject that ratios are to.
    pub(crate) peer: Option<String>,
    /// Columns, the figure of merit first; the first is plotted.
    #[serde(default)]
    pub(crate) metrics: Vec<String>,
    /// Columns that get a ratio to the peer.
    #[serde(default)]
    pub(crate) ratios: Vec<String>,
    /// What of it stands in docs/benchmarks.md; nothing without it.
    pub(crate) page: Option<Page>,
    /// What all cases share.
    #[serde(default)]
    with: toml::Table,
    #[serde(default, rename = "case")]
    cases: Vec<Case>,
}

/// The part of a table that readers quote.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// Some of its columns.
    pub(crate) metrics: Vec<String>,
    /// Rows by their names, or by what stands in front of or behind `: ` in them; all without any.
    #[serde(default)]
    cases: Vec<String>,
}

impl Page {
    /// Whether a row is on the page.
    pub(crate) fn has(&self, case: &str) -> bool {
        let parts = case.split_once(": ");
        let is_named = |name: &String| {
            name == case || parts.is_some_and(|(log, query)| name == log || name == query)
        };
        self.cases.is_empty() || self.cases.iter().any(is_named)
    }
}

/// A row of a table, once for each subject.
#[derive(Clone, Debug, Deserialize)]
struct Case {
    name: String,
    /// The size it is left to.
    only: Option<Size>,
    /// Who is measured, where it is not all of the table.
    subjects: Option<Vec<String>>,
    #[serde(flatten)]
    with: toml::Table,
}

impl ScenarioFile {
    /// Reads a file that was built into the program.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let file: Self = toml::from_str(text).context("cannot read a scenario file")?;
        file.check()
            .with_context(|| format!("the scenario file {}.toml is wrong", file.name))?;
        Ok(file)
    }

    fn check(&self) -> Result<()> {
        for table in self.tables.iter().filter(|table| !table.planned) {
            let name = &table.name;
            ensure!(!table.subjects.is_empty(), "{name} has no subjects");
            ensure!(!table.metrics.is_empty(), "{name} has no metrics");
            ensure!(!table.cases.is_empty(), "{name} has no cases");
            for ratio in &table.ratios {
                let is_column = table.metrics.contains(ratio);
                ensure!(is_column, "{name} has no metric {ratio} to give a ratio of");
            }
            for metric in table.page.iter().flat_map(|page| &page.metrics) {
                let is_column = table.metrics.contains(metric);
                ensure!(is_column, "{name} has no metric {metric} for its page");
            }
            if let Some(peer) = &table.peer {
                ensure!(
                    table.subjects.contains(peer),
                    "{name} has no subject {peer}"
                );
            }
        }
        Ok(())
    }

    /// Every step of a size, those of one case beside each other.
    pub(crate) fn steps(&self, size: Size) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        for table in self.tables.iter().filter(|table| !table.planned) {
            for case in &table.cases {
                if case.only.is_none_or(|only| only == size) {
                    steps.extend(self.steps_of_case(table, case, size)?);
                }
            }
        }
        Ok(steps)
    }

    fn steps_of_case(&self, table: &TableFile, case: &Case, size: Size) -> Result<Vec<Step>> {
        let parameters = Parameters::merge(&table.with, &case.with, size)
            .with_context(|| format!("{}: {}: {}", self.name, table.name, case.name))?;
        let x = match &table.axis {
            Some(axis) => Some(figure(parameters.count(axis)?)),
            None => None,
        };
        let subjects = case.subjects.as_ref().unwrap_or(&table.subjects);
        Ok(subjects
            .iter()
            .map(|subject| Step {
                scenario: self.name.clone(),
                table: table.name.clone(),
                case: case.name.clone(),
                subject: subject.clone(),
                x,
                parameters: parameters.clone(),
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        name = "collect"
        about = "x"
        [[table]]
        name = "connections"
        title = "x"
        reproduces = "x"
        axis = "connections"
        subjects = ["logwood", "syslog-ng"]
        peer = "syslog-ng"
        metrics = ["server_cpu"]
        ratios = ["server_cpu"]
        with = { messages = { quick = 1, full = 2 } }
        [[table.case]]
        name = "10"
        connections = 10
        [[table.case]]
        name = "200"
        connections = 200
        only = "full"
        subjects = ["logwood"]
        [[table]]
        name = "later"
        title = "x"
        reproduces = "x"
        planned = true
    "#;

    #[test]
    fn steps_are_cases_by_subjects_of_a_size() {
        let file = ScenarioFile::parse(TEXT).unwrap();
        let told = |size| -> Vec<(String, String, u64)> {
            let steps = file.steps(size).unwrap();
            let tell = |step: Step| {
                let messages = step.parameters.count("messages").unwrap();
                (step.case, step.subject, messages)
            };
            steps.into_iter().map(tell).collect()
        };
        let own = |case: &str, subject: &str, messages| (case.into(), subject.into(), messages);
        assert_eq!(
            told(Size::Quick),
            [own("10", "logwood", 1), own("10", "syslog-ng", 1)]
        );
        assert_eq!(
            told(Size::Full),
            [
                own("10", "logwood", 2),
                own("10", "syslog-ng", 2),
                own("200", "logwood", 2)
            ]
        );
    }

    #[test]
    fn a_peer_that_is_no_subject_is_a_mistake() {
        let text = TEXT.replace("peer = \"syslog-ng\"", "peer = \"rsyslog\"");
        let error = ScenarioFile::parse(&text).unwrap_err();
        let told = format!("{error:#}");
        assert!(
            told.ends_with("connections has no subject rsyslog"),
            "{told}"
        );
    }
}
