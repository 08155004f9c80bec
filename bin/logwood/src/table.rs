//! Questions with a pipe, answered with a table.

use std::io::{self, Write as _};

use api::{Cell, ColumnKind, QueryAnswer};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::Outcome;
use crate::arguments::QueryArguments;
use crate::ask::{open, warn_if_partial};
use crate::failure::Failure;
use crate::output;

/// Widest that a column is made, in characters; longer values push the rest of their line.
const COLUMN_WIDTH_MAX: usize = 48;

/// What stands behind the flags in the help of `logwood query`.
pub(crate) const HELP: &str = "\
Behind a query, | and a command make a table of the records that it finds:
  count [by FIELD, FIELD]      top FIELD [N]       bars [N] [by FIELD]
  sum|avg|min|max|p95 FIELD [by FIELD, FIELD]      distinct FIELD
  patterns [N] [bars [N]]      fields COLUMN, COLUMN
  sort COLUMN [desc]           head N

  logwood query 'severity:<=err | count by host, program | head 20'
  logwood query 'program:nginx | p99 duration by host' --from now-1h
  logwood query '* | patterns 20' --csv";

/// Prints the table that answers a question.
pub(crate) fn query(arguments: &QueryArguments) -> Result<Outcome, Failure> {
    let (source, mut pairs) = open(&arguments.question, true)?;
    pairs.extend(arguments.limit.map(|limit| ("limit", limit.to_string())));
    let answer = source.ask(
        &pairs,
        |client, parameters| client.query(parameters),
        |asked, parameters| asked.query(parameters),
    )?;
    warn_if_partial(&answer.cost);
    if answer.has_more {
        let rows = answer.rows.len();
        output::words(&format!(
            "note: these are the first {rows} rows; --limit gives more"
        ));
    }
    let mut out = output::data();
    if arguments.question.json {
        for row in &answer.rows {
            output::json_line(&mut out, &Object(&answer, row))?;
        }
    } else if arguments.csv {
        write_csv(&answer, &mut out)?;
    } else {
        write_text(&answer, &mut out)?;
    }
    out.flush()?;
    if answer.rows.is_empty() || answer.matched == Some(0) {
        return Ok(Outcome::NothingFound);
    }
    Ok(Outcome::Done)
}

/// A row as an object, its members in the order of the columns.
struct Object<'a>(&'a QueryAnswer, &'a [Cell]);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(answer, row) = self;
        let mut map = serializer.serialize_map(Some(row.len()))?;
        for (column, cell) in answer.columns.iter().zip(*row) {
            map.serialize_entry(&column.name, cell)?;
        }
        map.end()
    }
}

fn write_csv(answer: &QueryAnswer, out: &mut impl io::Write) -> io::Result<()> {
    let mut line = Vec::new();
    for (index, column) in answer.columns.iter().enumerate() {
        write_separated(index, &Cell::Text(column.name.clone()), &mut line);
    }
    line.extend_from_slice(b"\r\n");
    for row in &answer.rows {
        for (index, cell) in row.iter().enumerate() {
            write_separated(index, cell, &mut line);
        }
        line.extend_from_slice(b"\r\n");
        out.write_all(&line)?;
        line.clear();
    }
    out.write_all(&line)
}

/// A cell of CSV. Texts may be formulas, numbers never are, also where they start with `-`.
fn write_separated(index: usize, cell: &Cell, line: &mut Vec<u8>) {
    if index > 0 {
        line.push(b',');
    }
    match cell {
        Cell::Text(text) => api::csv::write_cell(text, line),
        number => line.extend_from_slice(number.to_string().as_bytes()),
    }
}

/// Columns under their names, numbers to the right.
fn write_text(answer: &QueryAnswer, out: &mut impl io::Write) -> io::Result<()> {
    let head = answer.columns.iter().map(|column| column.name.clone());
    let mut lines = vec![head.collect::<Vec<String>>()];
    for row in &answer.rows {
        let cells = answer.columns.iter().zip(row);
        lines.push(
            cells
                .map(|(column, cell)| shown(column.kind, cell))
                .collect(),
        );
    }
    let mut widths = vec![0; answer.columns.len()];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().min(COLUMN_WIDTH_MAX).max(*width);
        }
    }
    for line in &lines {
        let mut text = String::new();
        let columns = answer.columns.iter().zip(&widths);
        for (cell, (column, width)) in line.iter().zip(columns) {
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            match column.kind {
                ColumnKind::Number => text += &format!("{padding}{cell}  "),
                ColumnKind::Text | ColumnKind::Time => text += &format!("{cell}{padding}  "),
            }
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

/// A value as it is shown: times to the millisecond, control characters as escapes.
fn shown(kind: ColumnKind, cell: &Cell) -> String {
    let text = cell.to_string();
    if let (ColumnKind::Time, Some(time)) = (kind, text.get(..23)) {
        return format!("{time}Z");
    }
    output::visible(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::{Cost, QueryColumn};

    fn answer() -> QueryAnswer {
        let column = |name: &str, kind| QueryColumn {
            name: name.to_owned(),
            kind,
        };
        let text = |text: &str| Cell::Text(text.to_owned());
        QueryAnswer {
            query: String::new(),
            columns: vec![
                column("host", ColumnKind::Text),
                column("sum", ColumnKind::Number),
                column("first", ColumnKind::Time),
            ],
            rows: vec![
                vec![
                    text("=web,1"),
                    Cell::Integer(-5),
                    text("2026-11-22T10:00:00.000000000Z"),
                ],
                vec![text("a\x1bb"), Cell::Decimal(2.5), Cell::Missing(())],
            ],
            has_more: false,
            matched: None,
            cost: Cost::default(),
        }
    }

    #[test]
    fn csv_has_no_formulas_of_others() {
        let mut out = Vec::new();
        write_csv(&answer(), &mut out).expect("memory has room");
        let text = String::from_utf8(out).expect("text");
        let expected =
            "host,sum,first\r\n\"'=web,1\",-5,2026-11-22T10:00:00.000000000Z\r\na\x1bb,2.5,\r\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn columns_stand_under_their_names() {
        let mut out = Vec::new();
        write_text(&answer(), &mut out).expect("memory has room");
        let text = String::from_utf8(out).expect("text");
        let expected = "host      sum  first\n\
                        =web,1     -5  2026-11-22T10:00:00.000Z\n\
                        a\\u{1b}b  2.5\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn rows_are_objects_in_the_order_of_the_columns() {
        let answer = answer();
        let row = serde_json::to_string(&Object(&answer, &answer.rows[1])).expect("it is JSON");
        assert_eq!(row, r#"{"host":"a\u001bb","sum":2.5,"first":null}"#);
    }
}
