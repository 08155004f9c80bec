//! The report: one HTML file with everything in it, for people.

use std::fmt::Write as _;

use crate::file::{ScenarioFile, TableFile};
use crate::jsonl::Line;
use crate::plot::{self, Bar, Series, colour, escape};
use crate::statistic::number;
use crate::summary::{Cell, Summary, summarise};
use crate::table::ratio_text;

/// Lines are drawn from so many places on the axis on; below that, bars say more.
const LINE_POINTS_MIN: usize = 3;

const STYLE: &str = include_str!("report.css");

/// Writes the report of the scenarios that have results.
pub(crate) fn html(files: &[&ScenarioFile], lines: &[Line]) -> String {
    let mut page = String::new();
    let _ = writeln!(
        page,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>Logwood benchmark</title><style>\n{STYLE}</style></head><body>\n\
         <h1>Logwood benchmark</h1>"
    );
    push_machines(&mut page, lines);
    page.push_str(
        "<p class=\"soft\">Figures are medians over rounds in which the subjects took turns, with \
         smallest and largest below; a ratio is to the peer that has 1.00x. The generator's CPU \
         is not part of the server's.</p>\n",
    );
    for file in files {
        push_scenario(&mut page, file, lines);
    }
    page.push_str("</body></html>\n");
    page
}

/// The last machine that was looked at; older ones made runs that were resumed.
fn push_machines(page: &mut String, lines: &[Line]) {
    let machine = lines.iter().rev().find_map(|line| match line {
        Line::Machine(machine) => Some(machine),
        _ => None,
    });
    let Some(machine) = machine else { return };
    page.push_str("<table class=\"facts\">\n");
    for (what, told) in machine.lines() {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td></tr>",
            escape(&what),
            escape(&told)
        );
    }
    page.push_str("</table>\n");
}

fn push_scenario(page: &mut String, file: &ScenarioFile, lines: &[Line]) {
    let summaries: Vec<(&TableFile, Summary)> = file
        .tables
        .iter()
        .map(|table| (table, summarise(&file.name, table, lines)))
        .filter(|(_, summary)| !summary.rows.is_empty() || !summary.failed.is_empty())
        .collect();
    if summaries.is_empty() {
        return;
    }
    let (name, about) = (escape(&file.name), escape(&file.about));
    let _ = writeln!(page, "<h2 id=\"{name}\">{name}</h2>\n<p>{about}</p>");
    for (table, summary) in &summaries {
        let (title, reproduces) = (escape(&table.title), escape(&table.reproduces));
        let _ = writeln!(
            page,
            "<h3>{title}</h3>\n<p class=\"soft\">Reproduces {reproduces}.</p>"
        );
        push_plot(page, table, summary);
        push_table(page, table, summary);
        for failure in &summary.failed {
            let _ = writeln!(page, "<p>Not measured: {}</p>", escape(failure));
        }
    }
}

/// Plots the first column, the figure of merit.
fn push_plot(page: &mut String, table: &TableFile, summary: &Summary) {
    let Some(column) = summary.columns.first() else {
        return;
    };
    let subjects = subjects(table, summary);
    let title = format!("{}: {}", table.title, column.metric);
    let series = series(summary, &subjects);
    let points = series.iter().map(|series| series.points.len()).max();
    let is_line = points.unwrap_or(0) >= LINE_POINTS_MIN;
    let drawn = match &table.axis {
        Some(axis) if is_line => plot::lines(&title, axis, &series, &subjects),
        _ => plot::bars(&title, &bars(summary), &subjects),
    };
    let _ = writeln!(
        page,
        "<figure>\n{drawn}<figcaption>{}, {}",
        escape(&column.metric.replace('_', " ")),
        escape(&column.unit)
    );
    for subject in &subjects {
        let _ = writeln!(
            page,
            "<span class=\"key c{}\"></span>{}",
            colour(subject, &subjects),
            escape(subject)
        );
    }
    page.push_str("</figcaption></figure>\n");
}

/// The file's subjects, then those that only results name.
fn subjects(table: &TableFile, summary: &Summary) -> Vec<String> {
    let mut all = table.subjects.clone();
    for row in &summary.rows {
        if !all.contains(&row.subject) {
            all.push(row.subject.clone());
        }
    }
    all.retain(|subject| summary.rows.iter().any(|row| row.subject == *subject));
    all
}

fn bars(summary: &Summary) -> Vec<Bar> {
    let rows = summary.rows.iter();
    rows.filter_map(|row| {
        Some(Bar {
            case: row.case.clone(),
            subject: row.subject.clone(),
            value: row.cells.first().copied().flatten()?.median,
        })
    })
    .collect()
}

fn series(summary: &Summary, subjects: &[String]) -> Vec<Series> {
    subjects
        .iter()
        .map(|subject| Series {
            subject: subject.clone(),
            points: summary
                .rows
                .iter()
                .filter(|row| row.subject == *subject)
                .filter_map(|row| Some((row.x?, row.cells.first().copied().flatten()?.median)))
                .collect(),
        })
        .collect()
}

fn push_table(page: &mut String, table: &TableFile, summary: &Summary) {
    if summary.rows.is_empty() {
        return;
    }
    let case = table.axis.as_deref().unwrap_or("case");
    let _ = write!(
        page,
        "<div class=\"scroll\"><table>\n<tr><th>{}</th><th>subject</th>",
        escape(case)
    );
    for column in &summary.columns {
        let (metric, unit) = (
            escape(&column.metric.replace('_', " ")),
            escape(&column.unit),
        );
        let _ = write!(page, "<th>{metric}<br><small>{unit}</small></th>");
        if column.has_ratio {
            page.push_str("<th>ratio</th>");
        }
    }
    page.push_str("</tr>\n");
    let mut last = None;
    for row in &summary.rows {
        let is_first = last != Some(&row.case);
        last = Some(&row.case);
        let (class, case) = if is_first {
            (" class=\"first\"", escape(&row.case))
        } else {
            ("", String::new())
        };
        let _ = write!(
            page,
            "<tr{class}><td>{case}</td><td>{}</td>",
            escape(&row.subject)
        );
        for (column, cell) in summary.columns.iter().zip(&row.cells) {
            push_cell(page, *cell, column.has_ratio);
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
}

fn push_cell(page: &mut String, cell: Option<Cell>, has_ratio: bool) {
    let Some(cell) = cell else {
        page.push_str(if has_ratio {
            "<td>-</td><td>-</td>"
        } else {
            "<td>-</td>"
        });
        return;
    };
    let _ = write!(page, "<td>{}", number(cell.median));
    if cell.rounds > 1 && cell.min < cell.max {
        let (min, max) = (number(cell.min), number(cell.max));
        let _ = write!(page, "<br><small>{min} to {max}</small>");
    }
    page.push_str("</td>");
    if has_ratio {
        let ratio = cell.ratio.map_or_else(|| "-".to_owned(), ratio_text);
        let _ = write!(page, "<td>{ratio}</td>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::plot::tests::check_markup;
    use crate::summary::tests::{lines, run, table};

    #[test]
    fn the_report_is_markup_with_everything_in_it() {
        let file = ScenarioFile {
            name: "collect".into(),
            about: "a & b".into(),
            tables: vec![table()],
        };
        let machine = Machine {
            cpu: "a <cpu>".into(),
            ..Machine::default()
        };
        let mut all = vec![Line::Machine(machine)];
        all.extend(lines());
        all.push(run("100", "logwood", 0, 1.7));
        let page = html(&[&file], &all);
        check_markup(&page.replace(STYLE, ""), &["meta", "br"]);
        assert!(page.contains("a &lt;cpu&gt;"));
        assert!(page.contains("PE 7 &lt;performance&gt;"));
        assert!(page.contains("<polyline"));
        assert!(page.contains("0.52x"));
        assert!(!page.contains("<script") && !page.contains("href"));
    }
}
