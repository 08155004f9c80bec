//! From runs to the rows of a table: medians over rounds, and ratios to the peer.

use std::collections::HashSet;

use crate::file::TableFile;
use crate::jsonl::{Failed, Line, Run};
use crate::statistic::median;

/// A table of results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    /// Runs that gave nothing, and why.
    pub(crate) failed: Vec<String>,
}

/// A metric.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) metric: String,
    pub(crate) unit: String,
    pub(crate) has_ratio: bool,
}

/// A subject in a case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(crate) x: Option<f64>,
    pub(crate) subject: String,
    /// One for each column; `None` where nothing was measured.
    pub(crate) cells: Vec<Option<Cell>>,
}

/// A figure of several rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) rounds: usize,
    /// To the peer's median; its own is 1.
    pub(crate) ratio: Option<f64>,
}

/// Sums up what was measured of a table.
pub(crate) fn summarise(scenario: &str, table: &TableFile, lines: &[Line]) -> Summary {
    let runs: Vec<&Run> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Run(run) => Some(run),
            _ => None,
        })
        .filter(|run| run.key.scenario == scenario && run.key.table == table.name)
        .collect();
    let columns = columns(table, &runs);
    let mut rows: Vec<Row> = Vec::new();
    for run in &runs {
        for measurement in &run.measurements {
            let case = measurement.case.as_ref().unwrap_or(&run.key.case);
            let is_known = |row: &Row| row.case == *case && row.subject == run.key.subject;
            if !rows.iter().any(is_known) {
                rows.push(row(case, run, &runs, &columns));
            }
        }
    }
    group_cases(&mut rows, &table.subjects);
    add_ratios(&mut rows, &columns, table.peer.as_deref());
    Summary {
        columns,
        rows,
        failed: failed(scenario, table, lines),
    }
}

fn columns(table: &TableFile, runs: &[&Run]) -> Vec<Column> {
    let unit_of = |metric: &str| {
        let mut all = runs.iter().flat_map(|run| &run.measurements);
        all.find(|measurement| measurement.metric == metric)
            .map(|measurement| measurement.unit.clone())
    };
    table
        .metrics
        .iter()
        .filter_map(|metric| {
            Some(Column {
                metric: metric.clone(),
                unit: unit_of(metric)?,
                has_ratio: table.peer.is_some() && table.ratios.contains(metric),
            })
        })
        .collect()
}

fn row(case: &str, run: &Run, runs: &[&Run], columns: &[Column]) -> Row {
    let cells = columns.iter().map(|column| {
        let values: Vec<f64> = runs
            .iter()
            .filter(|other| other.key.subject == run.key.subject)
            .flat_map(|other| {
                let key = &other.key.case;
                let all = other.measurements.iter();
                all.filter(move |found| found.case.as_ref().unwrap_or(key) == case)
            })
            .filter(|measurement| measurement.metric == column.metric)
            .map(|measurement| measurement.value)
            .collect();
        cell(&values)
    });
    Row {
        case: case.to_owned(),
        x: run.x,
        subject: run.key.subject.clone(),
        cells: cells.collect(),
    }
}

fn cell(values: &[f64]) -> Option<Cell> {
    Some(Cell {
        median: median(values)?,
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        rounds: values.len(),
        ratio: None,
    })
}

/// Cases in the order they came, subjects in the order of the file, whatever order rounds had.
fn group_cases(rows: &mut [Row], subjects: &[String]) {
    let mut cases: Vec<String> = Vec::new();
    for row in rows.iter() {
        if !cases.contains(&row.case) {
            cases.push(row.case.clone());
        }
    }
    let place = |all: &[String], name: &String| all.iter().position(|found| found == name);
    rows.sort_by_key(|row| {
        let case = place(&cases, &row.case);
        (case, place(subjects, &row.subject).unwrap_or(usize::MAX))
    });
}

fn add_ratios(rows: &mut [Row], columns: &[Column], peer: Option<&str>) {
    let Some(peer) = peer else { return };
    let peers: Vec<Row> = rows
        .iter()
        .filter(|row| row.subject == peer)
        .cloned()
        .collect();
    for row in rows {
        let Some(other) = peers.iter().find(|other| other.case == row.case) else {
            continue;
        };
        for ((column, cell), base) in columns.iter().zip(&mut row.cells).zip(&other.cells) {
            if let (true, Some(cell), Some(base)) = (column.has_ratio, cell, base)
                && base.median > 0.0
            {
                cell.ratio = Some(cell.median / base.median);
            }
        }
    }
}

/// The last failure of each step that was not mended by a later run.
fn failed(scenario: &str, table: &TableFile, lines: &[Line]) -> Vec<String> {
    let is_ours = |failed: &&Failed| {
        let key = &failed.key;
        let is_mended = lines
            .iter()
            .any(|line| matches!(line, Line::Run(run) if run.key == *key));
        key.scenario == scenario && key.table == table.name && !is_mended
    };
    let mut told: Vec<String> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Failed(failed) => Some(failed),
            _ => None,
        })
        .filter(is_ours)
        .map(|failed| {
            format!(
                "{}, {}: {}",
                failed.key.case, failed.key.subject, failed.why
            )
        })
        .collect();
    // A run that went on with another's results says again what could not be measured.
    let mut known = HashSet::new();
    told.retain(|line| known.insert(line.clone()));
    told
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::file::ScenarioFile;
    use crate::jsonl::Key;
    use crate::measurement::Measurement;
    use crate::size::Size;

    pub(crate) fn table() -> TableFile {
        let text = r#"
            name = "collect"
            about = "x"
            [[table]]
            name = "connections"
            title = "By number of connections"
            reproduces = "PE 7 <performance>"
            axis = "n"
            subjects = ["logwood", "syslog-ng"]
            peer = "syslog-ng"
            metrics = ["server_cpu", "throughput", "absent"]
            ratios = ["server_cpu"]
            [[table.case]]
            name = "10"
            n = 10
        "#;
        ScenarioFile::parse(text).unwrap().tables.remove(0)
    }

    pub(crate) fn run(case: &str, subject: &str, round: u32, cpu: f64) -> Line {
        Line::Run(Run {
            key: Key {
                commit: "abc".into(),
                size: Size::Quick,
                scenario: "collect".into(),
                table: "connections".into(),
                case: case.into(),
                subject: subject.into(),
                round,
            },
            x: case.parse().ok(),
            ended: "2026-01-01T00:00:00Z".into(),
            seconds: 1.0,
            measurements: vec![
                Measurement::new("server_cpu", cpu, "us/message"),
                Measurement::new("throughput", 1e6 / cpu, "messages/s"),
            ],
        })
    }

    pub(crate) fn lines() -> Vec<Line> {
        let mut lines = Vec::new();
        for round in 0..3 {
            let extra = f64::from(round) / 10.0;
            lines.push(run("10", "syslog-ng", round, 2.0 + extra));
            lines.push(run("10", "logwood", round, 1.0 + extra));
            lines.push(run("50", "logwood", round, 1.5 + extra));
        }
        lines
    }

    #[test]
    fn rows_hold_medians_and_ratios_to_the_peer() {
        let summary = summarise("collect", &table(), &lines());
        assert_eq!(summary.columns.len(), 2);
        let named: Vec<(&str, &str)> = summary
            .rows
            .iter()
            .map(|row| (row.case.as_str(), row.subject.as_str()))
            .collect();
        assert_eq!(
            named,
            [("10", "logwood"), ("10", "syslog-ng"), ("50", "logwood")]
        );
        let cell = summary.rows[0].cells[0].unwrap();
        assert_eq!((cell.median, cell.min, cell.max), (1.1, 1.0, 1.2));
        assert_eq!((cell.rounds, cell.ratio), (3, Some(1.1 / 2.1)));
        assert_eq!(summary.rows[1].cells[0].unwrap().ratio, Some(1.0));
        // No ratio was asked for, and there is no peer in the other case.
        assert_eq!(summary.rows[0].cells[1].unwrap().ratio, None);
        assert_eq!(summary.rows[2].cells[0].unwrap().ratio, None);
    }

    #[test]
    fn one_run_may_fill_several_rows() {
        let Line::Run(mut run) = run("all", "logwood", 0, 1.0) else {
            unreachable!()
        };
        run.measurements = vec![
            Measurement::new("server_cpu", 1.0, "us").of_case("rare"),
            Measurement::new("server_cpu", 2.0, "us").of_case("often"),
        ];
        let summary = summarise("collect", &table(), &[Line::Run(run)]);
        let cases: Vec<&str> = summary.rows.iter().map(|row| row.case.as_str()).collect();
        assert_eq!(cases, ["rare", "often"]);
        assert_eq!(summary.rows[1].cells[0].unwrap().median, 2.0);
    }

    #[test]
    fn a_failure_stays_until_a_run_mends_it() {
        let Line::Run(done) = run("10", "logwood", 0, 1.0) else {
            unreachable!()
        };
        let failed = Line::Failed(Failed {
            key: done.key.clone(),
            why: "it fell over".into(),
        });
        let told = summarise("collect", &table(), std::slice::from_ref(&failed)).failed;
        assert_eq!(told, ["10, logwood: it fell over"]);
        let Line::Failed(Failed { key, .. }) = &failed else {
            unreachable!()
        };
        let other = Line::Failed(Failed {
            key: key.clone(),
            why: "it stood still".into(),
        });
        let again = [failed.clone(), other, failed.clone()];
        let told = summarise("collect", &table(), &again).failed;
        assert_eq!(told.len(), 2, "{told:?}");
        let told = summarise("collect", &table(), &[failed, Line::Run(done)]).failed;
        assert!(told.is_empty());
    }
}
