//! Answers to questions with a pipe, and what can be typed next.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::Cost;

/// Answer of `query`: a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryAnswer {
    /// The question as it was understood, in its one canonical form.
    pub query: String,
    /// What the columns are.
    pub columns: Vec<QueryColumn>,
    /// The rows, a value for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Whether there are more rows than were asked for.
    pub has_more: bool,
    /// Records that match; null where they were not all looked for.
    pub matched: Option<u64>,
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// Answer of `patterns`: what messages have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatternsAnswer {
    /// The most frequent patterns, the most frequent first.
    pub patterns: Vec<PatternCount>,
    /// Whether there are more patterns than were asked for.
    pub has_more: bool,
    /// Records that match.
    pub total: u64,
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// A pattern, and how many records have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatternCount {
    /// What their messages have in common, with `<*>` for each part that varies.
    pub pattern: String,
    /// Records that have it.
    pub count: u64,
    /// When the oldest of them was received, or happened where event time was asked for (RFC 3339).
    pub first: String,
    /// The message of that record.
    pub example: String,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueryColumn {
    /// Its name: `host`, `count`, `p99`.
    pub name: String,
    /// What its values are.
    pub kind: ColumnKind,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Texts.
    Text,
    /// Numbers.
    Number,
    /// Times, as texts.
    Time,
}

/// A value of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Cell {
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Decimal(f64),
    /// A text, or a time.
    Text(String),
    /// Nothing.
    Missing(()),
}

/// As it is shown; nothing as an empty text.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => integer.fmt(f),
            Self::Decimal(decimal) => decimal.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Missing(()) => Ok(()),
        }
    }
}

/// Answer of `complete`: what can stand at a place of a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompleteAnswer {
    /// Offset of the first byte that a choice replaces.
    pub start: usize,
    /// Offset behind the last one.
    pub end: usize,
    /// What could stand there, the likeliest of a kind first.
    pub choices: Vec<Completion>,
    /// Records that were looked at for names and values; counts are of those.
    pub records: u64,
    /// What it cost. Not complete where there are more records than were looked at.
    #[serde(flatten)]
    pub cost: Cost,
}

/// Something that could stand at a place of a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// The text to write.
    pub text: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Records that have it, of those that were looked at.
    pub count: Option<u64>,
    /// How it is used, of a command.
    pub usage: Option<String>,
}

/// What a choice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CompletionKind {
    /// A field, with its colon in front of the pipe.
    Field,
    /// A value of a field.
    Value,
    /// An operator, or a word of a stage.
    Keyword,
    /// A command of a pipe.
    Command,
    /// A column that a stage made.
    Column,
}
