//! Tables: what the pipe of a question makes of the records that match.
//!
//! One count is [`count()`], one field is [`stats()`], bars are [`histogram()`], bars of a field [`bars_by()`], each
//! with what the index knows, and patterns are those of kinds of records (`patterns`). Records by several fields lie in
//! a table of bounded memory (`groups`), and are read from the columns of these fields (`gather`). Lists look at every
//! record that matches, and keep the rows that come first (`list`).

mod columns;
mod combinations;
mod field_measure;
mod gather;
pub(crate) mod groups;
pub(crate) mod kind_patterns;
mod list;
mod measure;
mod patterns;
mod records;
mod summary;
mod value_ids;
pub(crate) mod values;

use query::{Column, FieldName, Question, Stage, Table, Target, Value, default_columns};

use crate::answer::{Completeness, Cost};
use crate::cancel::{Cancel, Stop};
use crate::count::count;
use crate::histogram::histogram;
use crate::scope::Scope;
use crate::stats::{Stats, StatsField, ValueCount, bars_by, stats};
use crate::time_kind::TimeKind;

/// The answer to a question with a pipe.
#[derive(Clone, Debug, PartialEq)]
pub struct Tabulated {
    /// The table.
    pub table: Table,
    /// Whether it would have more rows, were it not for the number that was asked for.
    pub has_more: bool,
    /// How many records match; `None` where they were not all looked for.
    pub matched: Option<u64>,
    /// What it cost.
    pub cost: Cost,
    /// Whether everything was looked at and kept.
    pub completeness: Completeness,
}

/// What the first stages gave.
struct Start {
    table: Table,
    matched: Option<u64>,
    cost: Cost,
    completeness: Completeness,
}

/// Answers a question with a table of so many rows at most.
///
/// Bars are cut from the range of the scope: see [`Scope::stored_range`] where none was given.
pub fn tabulate(scope: &Scope, question: &Question, rows_max: usize, cancel: &Cancel) -> Tabulated {
    // One more row than asked for shows whether there are more.
    let wanted = rows_max.saturating_add(1);
    let (start, later) = match question.stages.split_first() {
        Some((stage, later)) if is_summary(stage) => {
            let limit = if later.is_empty() { wanted } else { usize::MAX };
            (summarise(scope, question, stage, limit, cancel), later)
        }
        _ => (
            list::list(scope, question, wanted, cancel),
            &question.stages[..],
        ),
    };
    let mut completeness = start.completeness;
    if cancel.stopped() == Some(Stop::Memory) {
        completeness.miss(|| Stop::Memory.to_string());
    }
    let mut table = later.iter().fold(start.table, Table::then);
    if question
        .stages
        .iter()
        .all(|stage| stage.columns().is_none())
    {
        // What was only sorted by has no place in a list.
        table = table.then(&Stage::Fields(default_columns()));
    }
    let has_more = table.rows.len() > rows_max;
    table.rows.truncate(rows_max);
    Tabulated {
        table,
        has_more,
        matched: start.matched,
        cost: start.cost,
        completeness,
    }
}

fn is_summary(stage: &Stage) -> bool {
    !matches!(
        stage,
        Stage::Fields(_) | Stage::Sort { .. } | Stage::Head(_)
    )
}

/// The first stage, by the shortest way there is.
fn summarise(
    scope: &Scope,
    question: &Question,
    stage: &Stage,
    limit: usize,
    cancel: &Cancel,
) -> Start {
    let columns = stage.columns().unwrap_or_default();
    let of_one_field = |field: &FieldName, limit: usize| {
        let by = stats_field(field)?;
        let scope = scope.clone();
        Some(stats(scope, &question.query, &by, limit, cancel))
    };
    match stage {
        Stage::Count { by } if by.is_empty() => {
            let found = count(scope, &question.query, cancel);
            let rows = vec![vec![Value::of_count(found.count)]];
            Start {
                table: Table { columns, rows },
                matched: Some(found.count),
                cost: found.cost,
                completeness: found.completeness,
            }
        }
        Stage::Bars { bars, by: None } => {
            let found = histogram(scope, &question.query, *bars, cancel);
            let bars = found.bars.iter();
            let row = |bar: &crate::Bar| vec![Value::Time(bar.start), Value::of_count(bar.count)];
            Start {
                table: Table {
                    columns,
                    rows: bars.map(row).collect(),
                },
                matched: Some(found.total),
                cost: found.cost,
                completeness: found.completeness,
            }
        }
        Stage::Bars {
            bars,
            by: Some(field),
        } if scope.time == TimeKind::Received
            && let Some(by) = stats_field(field) =>
        {
            let found = bars_by(scope, &question.query, (&by, *bars), limit, cancel);
            let values = found.values.into_iter();
            let row = |(start, value): (_, ValueCount)| {
                [vec![Value::Time(start)], cells(&value)].concat()
            };
            Start {
                table: Table {
                    columns,
                    rows: values.map(row).collect(),
                },
                matched: Some(found.total),
                cost: found.cost,
                completeness: found.completeness,
            }
        }
        Stage::Distinct { field } => match of_one_field(field, 0) {
            Some(found) => {
                let rows = vec![vec![Value::of_count(found.distinct)]];
                of_stats(columns, rows, found)
            }
            None => summary::summarise(scope, question, stage, limit, cancel),
        },
        Stage::Top { field, limit: own } => {
            most_frequent(columns, of_one_field(field, limit.min(*own)))
                .unwrap_or_else(|| summary::summarise(scope, question, stage, limit, cancel))
        }
        Stage::Count { by } => match &by[..] {
            [field] => most_frequent(columns, of_one_field(field, limit)),
            _ => None,
        }
        .unwrap_or_else(|| summary::summarise(scope, question, stage, limit, cancel)),
        _ => summary::summarise(scope, question, stage, limit, cancel),
    }
}

fn most_frequent(columns: Vec<Column>, found: Option<Stats>) -> Option<Start> {
    let found = found?;
    let rows = found.values.iter().map(cells).collect();
    Some(of_stats(columns, rows, found))
}

/// A value and its count.
fn cells(value: &ValueCount) -> Vec<Value> {
    vec![
        Value::Text(value.value.clone()),
        Value::of_count(value.count),
    ]
}

fn of_stats(columns: Vec<Column>, rows: Vec<Vec<Value>>, found: Stats) -> Start {
    Start {
        table: Table { columns, rows },
        matched: Some(found.total),
        cost: found.cost,
        completeness: found.completeness,
    }
}

/// What [`stats()`] counts by; `None` for what it does not know.
fn stats_field(field: &FieldName) -> Option<StatsField> {
    Some(match field {
        FieldName::Logspace => StatsField::Logspace,
        FieldName::Id | FieldName::Received | FieldName::Time => return None,
        FieldName::Part(target) => match target {
            Target::Host => StatsField::Host,
            Target::Program => StatsField::Program,
            Target::Pid => StatsField::Pid,
            Target::Msgid => StatsField::Msgid,
            Target::Facility => StatsField::Facility,
            Target::Severity => StatsField::Severity,
            Target::Source => StatsField::Source,
            Target::Peer => StatsField::Peer,
            Target::Tag => StatsField::Tag,
            Target::Named(name) => StatsField::Named(name.clone()),
            Target::Text | Target::Message => return None,
        },
    })
}
