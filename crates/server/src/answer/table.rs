//! Questions with a pipe.

use api::{Cell, ColumnKind, Problem, QueryAnswer, QueryColumn};
use query::{Column, FieldName, Number, Question, Stage, Value};

use crate::answer::{Asked, bound_to_stored};
use crate::limits::{QUERY_ROWS_DEFAULT, QUERY_ROWS_MAX};
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
