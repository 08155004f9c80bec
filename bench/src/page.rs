//! A table as it stands in docs/benchmarks.md: what readers quote, and no more.
//!
//! Where several subjects are measured in several cases, subjects are columns and each figure has its ratio
//! behind it; otherwise figures are columns.

use std::fmt::Write as _;

use crate::file::{Page, TableFile};
use crate::statistic::number;
use crate::summary::{Cell, Column, Row, Summary};
use crate::table::ratio_text;

/// The table in Markdown, and what could not be measured.
pub(crate) fn markdown(table: &TableFile, page: &Page, summary: &Summary) -> String {
    let rows: Vec<&Row> = summary
        .rows
        .iter()
        .filter(|row| page.has(&row.case))
        .collect();
    let grid = Grid {
        axis: table.axis.as_deref().unwrap_or("case"),
        columns: columns(page, summary),
        cases: distinct(rows.iter().map(|row| row.case.as_str())),
        subjects: distinct(rows.iter().map(|row| row.subject.as_str())),
        rows,
    };
    let mut text = String::new();
    if !grid.rows.is_empty() {
        for (index, cells) in grid.cells().iter().enumerate() {
            let _ = writeln!(text, "| {} |", cells.join(" | ").replace("||", "\\|\\|"));
            if index == 0 {
                let lines = cells.iter().enumerate().map(|(index, _)| grid.line(index));
                let _ = writeln!(text, "| {} |", lines.collect::<Vec<_>>().join(" | "));
            }
        }
    }
    let failed = distinct(summary.failed.iter().map(|failed| {
        let without_case = failed.split_once(", ");
        without_case.map_or(failed.as_str(), |(_, rest)| rest)
    }));
    if !failed.is_empty() {
        let _ = writeln!(text, "\nNot measured: {}.", failed.join("; "));
    }
    text
}

/// What is shown, before it is cells.
struct Grid<'a> {
    axis: &'a str,
    /// With their places in a row.
    columns: Vec<(usize, &'a Column)>,
    cases: Vec<&'a str>,
    subjects: Vec<&'a str>,
    rows: Vec<&'a Row>,
}

impl Grid<'_> {
    /// Whether subjects are columns.
    fn is_crossed(&self) -> bool {
        self.cases.len() > 1 && self.subjects.len() > 1
    }

    fn cells(&self) -> Vec<Vec<String>> {
        match self.is_crossed() {
            true => self.crossed(),
            false => self.flat(),
        }
    }

    /// A row for each figure of a case.
    fn crossed(&self) -> Vec<Vec<String>> {
        let mut head = vec![self.axis.to_owned(), "figure".to_owned()];
        head.extend(self.subjects.iter().map(|subject| (*subject).to_owned()));
        let mut cells = vec![head];
        for case in &self.cases {
            for (place, column) in &self.columns {
                let mut line = vec![(*case).to_owned(), title(column)];
                line.extend(self.subjects.iter().map(|subject| {
                    let is_it = |row: &&&Row| row.case == *case && row.subject == *subject;
                    let row = self.rows.iter().find(is_it);
                    figure(row.and_then(|row| row.cells[*place]))
                }));
                cells.push(line);
            }
        }
        cells
    }

    /// A row for each case, or for each subject of the one case.
    fn flat(&self) -> Vec<Vec<String>> {
        let has_subjects = self.subjects.len() > 1;
        let name = if has_subjects { "subject" } else { self.axis };
        let mut head = vec![name.to_owned()];
        head.extend(self.columns.iter().map(|(_, column)| title(column)));
        let mut cells = vec![head];
        for row in &self.rows {
            let name = if has_subjects {
                &row.subject
            } else {
                &row.case
            };
            let mut line = vec![name.clone()];
            let places = self.columns.iter().map(|(place, _)| *place);
            line.extend(places.map(|place| figure(row.cells[place])));
            cells.push(line);
        }
        cells
    }

    /// What stands below the head of a column.
    fn line(&self, index: usize) -> &'static str {
        let names = if self.is_crossed() { 2 } else { 1 };
        if index < names { "---" } else { "--:" }
    }
}

fn columns<'a>(page: &Page, summary: &'a Summary) -> Vec<(usize, &'a Column)> {
    let find = |metric: &String| {
        let mut all = summary.columns.iter().enumerate();
        all.find(|(_, column)| column.metric == *metric)
    };
    page.metrics.iter().filter_map(find).collect()
}

fn title(column: &Column) -> String {
    format!("{}, {}", column.metric.replace('_', " "), column.unit)
}

/// The figure, and its ratio where that says something.
fn figure(cell: Option<Cell>) -> String {
    let Some(cell) = cell else {
        return "-".to_owned();
    };
    let figure = number(cell.median);
    match cell.ratio.map(ratio_text) {
        Some(ratio) if ratio != ratio_text(1.0) => format!("{figure} ({ratio})"),
        _ => figure,
    }
}

/// Each once, in the order they came.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::summarise;
    use crate::summary::tests::{lines, run, table};

    fn page(cases: &str) -> Page {
        let text = format!("metrics = [\"server_cpu\", \"throughput\"]\ncases = {cases}");
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn subjects_are_columns_where_there_are_several_cases() {
        let table = table();
        let told = markdown(&table, &page("[]"), &summarise("collect", &table, &lines()));
        let expected = "\
| n | figure | logwood | syslog-ng |
| --- | --- | --: | --: |
| 10 | server cpu, us/message | 1.10 (0.52x) | 2.10 |
| 10 | throughput, messages/s | 909,091 | 476,190 |
| 50 | server cpu, us/message | 1.60 | - |
| 50 | throughput, messages/s | 625,000 | - |
";
        assert_eq!(told, expected);
    }

    #[test]
    fn figures_are_columns_of_one_case_or_one_subject() {
        let table = table();
        let told = |cases: &str, lines: &[_]| {
            let told = markdown(&table, &page(cases), &summarise("collect", &table, lines));
            told.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let one_case = told("[\"10\"]", &lines());
        assert_eq!(
            one_case[0],
            "| subject | server cpu, us/message | throughput, messages/s |"
        );
        assert_eq!(one_case[2], "| logwood | 1.10 (0.52x) | 909,091 |");
        let alone = [
            run("mix: a", "logwood", 0, 1.0),
            run("mix: b", "logwood", 0, 2.0),
        ];
        let one_subject = told("[\"mix\"]", &alone);
        assert_eq!(
            one_subject[0],
            "| n | server cpu, us/message | throughput, messages/s |"
        );
        assert_eq!(one_subject[2], "| mix: a | 1.00 | 1,000,000 |");
        assert_eq!(told("[\"b\"]", &alone).len(), 3);
        assert!(told("[\"c\"]", &alone).is_empty());
    }
}
