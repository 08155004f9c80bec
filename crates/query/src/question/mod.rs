//! A question: a query, and a pipe of stages that make a table of the records it finds.
//!
//! The first stage may summarise the records; `fields`, `sort` and `head` work on what there is by
//! then, records or a table. Without a pipe the table lists the records. What each stage gives:
//! [`crate::naive::pipe`].

pub(crate) mod column;
mod table;

use std::fmt;

use crate::ast::Query;
pub use column::{Column, FieldName, InvalidFieldName, Measure, default_columns};
pub use table::{Table, Value};

/// A query and what is made of the records it finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Which records.
    pub query: Query,
    /// What is made of them, step by step.
    pub stages: Vec<Stage>,
}

/// A step of a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `count`, `count by host, program`: how many records there are, for each combination of
    /// values.
    Count {
        /// The fields; none to count all.
        by: Vec<FieldName>,
    },
    /// `top host 10`: the most frequent values.
    Top {
        /// The field.
        field: FieldName,
        /// How many values.
        limit: usize,
    },
    /// `bars 30`, `bars 30 by severity`: how many records there are over time.
    Bars {
        /// How many stretches of time, of equal length.
        bars: usize,
        /// Counts each value on its own.
        by: Option<FieldName>,
    },
    /// `distinct host`: how many different values there are.
    Distinct {
        /// The field.
        field: FieldName,
    },
    /// `sum size`, `p99 duration by host`: a number made of the numbers in a field.
    Measure {
        /// Which number.
        measure: Measure,
        /// The field.
        field: FieldName,
        /// For each combination of values of these.
        by: Vec<FieldName>,
    },
    /// `patterns 10`, `patterns 10 bars 40`: what messages have in common, and how many have it.
    Patterns {
        /// How many patterns.
        limit: usize,
        /// Counts each pattern over time too, in so many stretches of equal length.
        bars: Option<usize>,
    },
    /// `fields host, message`: these columns, in this order.
    Fields(Vec<Column>),
    /// `sort size desc`: in another order. Equal ones stay as they were.
    Sort {
        /// By which column.
        column: Column,
        /// Whether the largest come first.
        is_descending: bool,
    },
    /// `head 10`: the first ones.
    Head(usize),
}

impl Question {
    /// The question as text, in one form however it was written; reading it gives the same question.
    pub fn canonical(&self) -> String {
        let stages = self.stages.iter().map(|stage| format!(" | {stage}"));
        self.query.canonical() + &stages.collect::<String>()
    }

    /// Whether the range of time matters beyond which records are in it.
    pub fn has_bars(&self) -> bool {
        self.stages.iter().any(|stage| {
            matches!(
                stage,
                Stage::Bars { .. } | Stage::Patterns { bars: Some(_), .. }
            )
        })
    }
}

impl Stage {
    /// The word it starts with.
    pub fn command(&self) -> String {
        match self {
            Self::Count { .. } => "count".into(),
            Self::Top { .. } => "top".into(),
            Self::Bars { .. } => "bars".into(),
            Self::Distinct { .. } => "distinct".into(),
            Self::Measure { measure, .. } => measure.to_string(),
            Self::Patterns { .. } => "patterns".into(),
            Self::Fields(_) => "fields".into(),
            Self::Sort { .. } => "sort".into(),
            Self::Head(_) => "head".into(),
        }
    }

    /// The columns of the table that it makes of records; `None` of a stage that works on what is
    /// there, except `fields`.
    pub fn columns(&self) -> Option<Vec<Column>> {
        let fields = |fields: &[FieldName]| fields.iter().cloned().map(Column::Field).collect();
        let mut columns: Vec<Column> = match self {
            Self::Count { by } | Self::Measure { by, .. } => fields(by),
            Self::Top { field, .. } => vec![Column::Field(field.clone())],
            Self::Bars { by, .. } => {
                let by = by.iter().cloned().map(Column::Field);
                [Column::Start].into_iter().chain(by).collect()
            }
            Self::Distinct { .. } => Vec::new(),
            Self::Patterns { .. } => vec![Column::Pattern],
            Self::Fields(columns) => return Some(columns.clone()),
            Self::Sort { .. } | Self::Head(_) => return None,
        };
        match self {
            Self::Distinct { .. } => columns.push(Column::Distinct),
            Self::Measure { measure, .. } => columns.push(Column::Measure(*measure)),
            _ => columns.push(Column::Count),
        }
        if let Self::Patterns { bars, .. } = self {
            columns.extend([Column::First, Column::Example]);
            columns.extend(bars.map(|_| Column::Bars));
        }
        Some(columns)
    }
}

/// The stage as text, in its one form: every number is spelt out.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.command())?;
        match self {
            Self::Count { by } => write_by(f, by),
            Self::Top { field, limit } => write!(f, " {field} {limit}"),
            Self::Bars { bars, by } => {
                write!(f, " {bars}")?;
                write_by(f, by.as_slice())
            }
            Self::Distinct { field } => write!(f, " {field}"),
            Self::Measure { field, by, .. } => {
                write!(f, " {field}")?;
                write_by(f, by)
            }
            Self::Patterns { limit, bars } => {
                write!(f, " {limit}")?;
                bars.map_or(Ok(()), |bars| write!(f, " bars {bars}"))
            }
            Self::Head(limit) => write!(f, " {limit}"),
            Self::Fields(columns) => write_list(f, " ", columns),
            Self::Sort {
                column,
                is_descending,
            } => {
                let order = if *is_descending { " desc" } else { "" };
                write!(f, " {column}{order}")
            }
        }
    }
}

fn write_by(f: &mut fmt::Formatter<'_>, by: &[FieldName]) -> fmt::Result {
    write_list(f, " by ", by)
}

fn write_list(
    f: &mut fmt::Formatter<'_>,
    before: &str,
    members: &[impl fmt::Display],
) -> fmt::Result {
    for (index, member) in members.iter().enumerate() {
        let before = if index == 0 { before } else { ", " };
        write!(f, "{before}{member}")?;
    }
    Ok(())
}
