//! Answers to questions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::row::Row;

/// What an answer cost and whether it is all there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Whether everything that was asked for was read.
    pub complete: bool,
    /// Why not, where it was not.
    pub reason: Option<String>,
    /// Time taken, in milliseconds.
    pub elapsed_ms: f64,
    /// Segments looked at.
    pub segments: Segments,
    /// Bytes read from disk; what the cache held is not counted.
    pub bytes_read: u64,
}

/// Segments looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Segments {
    /// Segments of the logspaces that were asked.
    pub total: u64,
    /// Those that could be left out without reading a record of them.
    pub pruned: u64,
    /// Those whose matches were known from a question before.
    #[serde(default)]
    pub remembered: u64,
}

/// A line of a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StreamLine {
    /// A record.
    Row(Box<Row>),
    /// Nothing new for a while; the connection is alive.
    Heartbeat(Heartbeat),
    /// Records that a tail skipped because its reader is too slow.
    Dropped(Dropped),
    /// The last line.
    End(End),
}

/// A sign of life of a tail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heartbeat {
    /// The server's time.
    pub time: String,
}

/// Records that were skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    /// How many.
    pub count: u64,
}

/// The end of a stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// Where the next page starts; null at the end of what there is.
    pub cursor: Option<String>,
    /// Rows in this stream.
    pub rows: u64,
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// Answer of `count`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountAnswer {
    /// Records that match.
    pub count: u64,
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// Answer of `histogram`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistogramAnswer {
    /// Start of the range, included.
    pub from: String,
    /// End of the range, excluded.
    pub to: String,
    /// Records in all bars.
    pub total: u64,
    /// The bars, of equal length, in order.
    pub bars: Vec<Bar>,
    /// Whether this is not the answer yet, but what has been counted of it.
    #[serde(default)]
    pub counting: bool,
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// A bar of a histogram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bar {
    /// Its start, included; it ends where the next one starts.
    pub start: String,
    /// Records in it.
    pub count: u64,
}

/// Answer of `stats`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsAnswer {
    /// The field.
    pub by: String,
    /// The most frequent values, the most frequent first.
    pub values: Vec<ValueCount>,
    /// How many distinct values there are.
    pub distinct: u64,
    /// Records that match, with or without the field.
    pub total: u64,
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// A value and how many records have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValueCount {
    /// The value.
    pub value: String,
    /// Records that have it.
    pub count: u64,
}

/// Answer of `fields`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldsAnswer {
    /// The fields: the built-in ones in a fixed order, then the others by name.
    pub fields: Vec<FieldCount>,
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// A field and how many records have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldCount {
    /// Its name, as a query takes it.
    pub name: String,
    /// Records that have it.
    pub count: u64,
}

/// Answer of `query/parse`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParseAnswer {
    /// Whether it can be run.
    pub valid: bool,
    /// The query as it was understood, in its one canonical form.
    pub canonical: String,
    /// What is wrong or doubtful.
    pub diagnostics: Vec<ParseDiagnostic>,
    /// Its parts, for highlighting.
    pub tokens: Vec<ParseToken>,
}

/// Something wrong or doubtful in a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParseDiagnostic {
    /// Offset of its first byte in the UTF-8 text.
    pub start: usize,
    /// Offset behind its last byte.
    pub end: usize,
    /// `error` or `warning`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// A part of a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParseToken {
    /// What it is: `term`, `field`, `operator`, `phrase`, ...
    pub kind: String,
    /// Offset of its first byte in the UTF-8 text.
    pub start: usize,
    /// Offset behind its last byte.
    pub end: usize,
}

/// Answer of `ingest`: the records are durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// How many there are.
    pub accepted: u64,
}

/// Answer of `import`: the records are durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// How many records there are.
    pub imported: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Lines with nothing in them, which are no records.
    #[serde(default)]
    pub empty_lines: u64,
    /// NULs of holes in the file, which are no records either.
    #[serde(default)]
    pub skipped_bytes: u64,
}
