//! Questions with a pipe.

use api::{Cell, ColumnKind, PatternCount, PatternsAnswer, Problem, QueryAnswer, QueryColumn};
use query::{Column, FieldName, Number, Question, Stage, Value};

use crate::answer::{Asked, bound_to_stored};
use crate::limits::{CELL_BYTES, PATTERNS_DEFAULT, QUERY_ROWS_DEFAULT, QUERY_ROWS_MAX};
use crate::parameters::Parameters;

impl Asked<'_> {
    /// A table of what the pipe of a question makes of the records that match.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn query(&self, parameters: &Parameters) -> Result<QueryAnswer, Box<Problem>> {
        self.refusable(|start| {
            let question = parameters.question()?;
            let mut scope = parameters.scope(self.store, start)?;
            let limit = parameters.number("limit", QUERY_ROWS_DEFAULT, QUERY_ROWS_MAX)?;
            if question.has_bars() {
                bound_to_stored(&mut scope, start);
            }
            let found = engine::tabulate(&scope, &question, limit, self.cancel);
            self.take_for(&found.table.rows);
            let columns = found.table.columns.iter().map(|column| QueryColumn {
                name: column.to_string(),
                kind: kind(column, &question),
            });
            let rows = found.table.rows.into_iter();
            Ok(QueryAnswer {
                query: question.canonical(),
                columns: columns.collect(),
                rows: rows
                    .map(|row| row.into_iter().map(cell).collect())
                    .collect(),
                has_more: found.has_more,
                matched: found.matched,
                cost: self.cost(start, &found.cost, &found.completeness),
            })
        })
    }
}

impl Asked<'_> {
    /// The most frequent patterns of the messages of records that match.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn patterns(&self, parameters: &Parameters) -> Result<PatternsAnswer, Box<Problem>> {
        self.refusable(|start| {
            let query = parameters.query()?;
            let limit = parameters.number("limit", PATTERNS_DEFAULT, QUERY_ROWS_MAX)?;
            let scope = parameters.scope(self.store, start)?;
            // One more tells whether there are more.
            let stages = vec![Stage::Patterns {
                limit: limit + 1,
                bars: None,
            }];
            let question = Question { query, stages };
            let found = engine::tabulate(&scope, &question, limit, self.cancel);
            self.take_for(&found.table.rows);
            Ok(PatternsAnswer {
                patterns: found.table.rows.into_iter().filter_map(pattern).collect(),
                has_more: found.has_more,
                total: found.matched.unwrap_or_default(),
                cost: self.cost(start, &found.cost, &found.completeness),
            })
        })
    }
}

impl Asked<'_> {
    /// Takes the memory that a table takes as text; where there is none the question is stopped.
    fn take_for(&self, rows: &[Vec<Value>]) {
        let cells = rows.iter().flatten();
        let bytes = cells.map(|cell| CELL_BYTES + cell.heap_bytes());
        self.cancel.take(bytes.sum());
    }
}

/// A row of the table of patterns, whose columns are those of [`PatternCount`].
fn pattern(row: Vec<Value>) -> Option<PatternCount> {
    let [pattern, count, first, example] = <[Value; 4]>::try_from(row).ok()?;
    let text = |value| match value {
        Value::Text(text) => text,
        Value::Time(time) => time.to_string(),
        Value::Number(_) | Value::Missing => String::new(),
    };
    let Value::Number(Number::Integer(count)) = count else {
        return None;
    };
    Some(PatternCount {
        pattern: text(pattern),
        count: u64::try_from(count).ok()?,
        first: text(first),
        example: text(example),
    })
}

fn kind(column: &Column, question: &Question) -> ColumnKind {
    let is_time = |stage: &Stage| matches!(stage, Stage::Measure { field, .. } if field.is_time());
    match column {
        Column::Start | Column::First => ColumnKind::Time,
        Column::Field(FieldName::Received | FieldName::Time) => ColumnKind::Time,
        Column::Measure(_) if question.stages.iter().any(is_time) => ColumnKind::Time,
        Column::Count | Column::Distinct | Column::Measure(_) => ColumnKind::Number,
        Column::Field(_) | Column::Pattern | Column::Example | Column::Bars => ColumnKind::Text,
    }
}

fn cell(value: Value) -> Cell {
    match value {
        Value::Missing => Cell::Missing(()),
        Value::Text(text) => Cell::Text(text),
        Value::Number(Number::Integer(integer)) => Cell::Integer(integer),
        Value::Number(Number::Decimal(decimal)) => Cell::Decimal(decimal),
        Value::Time(time) => Cell::Text(time.to_string()),
    }
}
