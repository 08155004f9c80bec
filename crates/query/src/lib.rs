//! The query language: text to tree with spans and diagnostics, and what a query means for a record.
//!
//! Pure: no I/O, no clock, no state. [`parse`] never fails; [`naive`] is the meaning in its simplest
//! form and the oracle of the tests; [`Matcher`] is the same, fast; [`Probe`] is what an index can
//! know of a leaf. A [`Question`] is a query with a pipe, [`parse_question`] reads it. The reference for people is `docs/reference/query.md`.

mod ast;
mod canonical;
mod codes;
mod complete;
mod diagnostic;
mod fields;
pub mod limits;
mod matcher;
mod message_pattern;
pub mod naive;
mod near_miss;
#[cfg(test)]
mod page_tokens;
mod parse;
mod pipe;
mod probe;
mod question;
mod required;
mod scan;
mod sum;
mod time;
mod tokens;
mod value;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod ssb;

pub use ast::{
    Comparison, Expr, Leaf, Network, Number, Pattern, Piece, Query, RegexPattern, Target, Test,
};
pub use codes::codes;
pub use complete::{Completion, Expected, commands, complete, field_prefix, value_text};
pub use diagnostic::{Diagnostic, DiagnosticSeverity, InvalidQuery, render};
pub use fields::{field_names, nearest, suggestion};
pub use matcher::{Matcher, TextMatcher};
pub use parse::{Parsed, ParsedQuestion, Token, TokenKind, parse, parse_question};
pub use pipe::{COMMANDS, Command};
pub use probe::{Probe, WordPattern, WordProbe};
pub use question::{
    Column, FieldName, InvalidFieldName, Measure, Question, Stage, Table, Value, default_columns,
};
pub use sum::Sum;
pub use time::{InvalidTimeText, is_relative_time, parse_time, parse_time_in};
pub use tokens::{Delimiters, InvalidDelimiter, Tokens};
