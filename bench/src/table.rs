//! A summary as a table of text.

use std::fmt::Write as _;

use crate::file::TableFile;
use crate::statistic::number;
use crate::summary::Summary;

/// The table for a terminal: cases and subjects to the left, figures to the right.
pub(crate) fn text(table: &TableFile, summary: &Summary) -> String {
    let mut grid = grid(table, summary);
    // A case is named once, above its subjects.
    let mut last = String::new();
    for row in grid.iter_mut().skip(2) {
        if row[0] == last {
            row[0].clear();
        } else {
            last.clone_from(&row[0]);
        }
    }
    let mut text = format!("{}\n", table.title);
    for row in grid.iter().filter(|_| !summary.rows.is_empty()) {
        let mut line = String::new();
        for (index, cell) in row.iter().enumerate() {
            let width = grid.iter().map(|row| row[index].len()).max().unwrap_or(0);
            if index < 2 {
                let _ = write!(line, "{cell:<width$}  ");
            } else {
                let _ = write!(line, "{cell:>width$}  ");
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    for failure in &summary.failed {
        let _ = writeln!(text, "not measured: {failure}");
    }
    text
}

/// Two lines of head (metrics, units), then the rows; ratios stand behind their figures.
fn grid(table: &TableFile, summary: &Summary) -> Vec<Vec<String>> {
    let case = table.axis.as_deref().unwrap_or("case");
    let mut metrics = vec![case.to_owned(), "subject".to_owned()];
    let mut units = vec![String::new(), String::new()];
    for column in &summary.columns {
        metrics.push(column.metric.replace('_', " "));
        units.push(column.unit.clone());
        if column.has_ratio {
            metrics.push("ratio".to_owned());
            units.push(String::new());
        }
    }
    let mut grid = vec![metrics, units];
    for row in &summary.rows {
        let mut cells = vec![row.case.clone(), row.subject.clone()];
        for (column, cell) in summary.columns.iter().zip(&row.cells) {
            cells.push(cell.map_or_else(|| "-".to_owned(), |cell| number(cell.median)));
            if column.has_ratio {
                let ratio = cell.and_then(|cell| cell.ratio);
                cells.push(ratio.map_or_else(|| "-".to_owned(), ratio_text));
            }
        }
        grid.push(cells);
    }
    grid
}

/// `0.46x`.
pub(crate) fn ratio_text(ratio: f64) -> String {
    format!("{ratio:.2}x")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::summarise;
    use crate::summary::tests::{lines, table};

    #[test]
    fn figures_stand_below_each_other() {
        let table = table();
        let told = text(&table, &summarise("collect", &table, &lines()));
        let expected = "\
By number of connections
n   subject    server cpu  ratio  throughput
            us/message         messages/s
10  logwood          1.10  0.52x     909,091
    syslog-ng        2.10  1.00x     476,190
50  logwood          1.60      -     625,000
";
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 6, "{told}");
        assert_eq!(lines[3], expected.lines().nth(3).unwrap());
        assert_eq!(lines[4], expected.lines().nth(4).unwrap());
        assert_eq!(lines[5], expected.lines().nth(5).unwrap());
        assert_eq!(lines[1].find("server cpu"), lines[2].find("us/message"));
    }
}
