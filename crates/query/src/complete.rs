//! What can stand at a place of a question, for whoever types it.
//!
//! Knows the language and no records: where a value is wanted, it says of which field, and those who
//! have records look for values.

use std::ops::Range;

use crate::ast::Target;
use crate::canonical::quote_unless_safe;
use crate::fields;
use crate::parse::{Token, TokenKind, parse_question};
use crate::pipe::COMMANDS;
use crate::question::{Column, FieldName, Measure};
use crate::scan::{ends_word, is_plain_name};

/// What can stand at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The part of the text that is to be replaced: the word at the place, or nothing.
    pub span: Range<usize>,
    /// What stands there in front of the place.
    pub typed: String,
    /// What could stand there.
    pub expected: Vec<Expected>,
}

/// Something that could stand at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This word: an operator, or one of a stage.
    Keyword(&'static str),
    /// One of [`COMMANDS`].
    Command,
    /// The name of a field, with what stands between it and a value.
    Field,
    /// The name of a field in a stage.
    Name,
    /// One of the columns that there are.
    Column(Column),
    /// A value of a field.
    Value(Target),
}

/// What can stand at an offset of the text, in bytes; at the end where it is behind it.
pub fn complete(text: &str, at: usize) -> Completion {
    let at = text.floor_char_boundary(at);
    let before = text.get(..at).unwrap_or(text);
    let tokens = parse_question(before).tokens;
    let pipe = tokens
        .iter()
        .rev()
        .find(|token| before.get(token.span.clone()) == Some("|"));
    match pipe {
        Some(pipe) => in_stage(text, at, pipe.span.clone()),
        None => in_query(text, at, &tokens),
    }
}

/// A field's name as it stands in front of a value: `host:`, `nvpair:"a b"=`.
pub fn field_prefix(name: &str) -> String {
    if is_plain_name(name) {
        return format!("{name}:");
    }
    let field = FieldName::Part(Target::Named(name.into()));
    format!("{field}=")
}

/// A value as it stands behind the name of a field, in quotes where it has to.
pub fn value_text(value: &str) -> String {
    if value.is_empty() {
        return "\"\"".into();
    }
    quote_unless_safe(value)
}

/// In front of the first pipe.
fn in_query(text: &str, at: usize, tokens: &[Token]) -> Completion {
    let of = |token: &Token| text.get(token.span.clone()).unwrap_or("");
    let is_word = |token: &&Token| matches!(token.kind, TokenKind::Term | TokenKind::Wildcard);
    // A word with wildcards in it is several tokens, without space between them.
    let mut start = at;
    let mut left = tokens;
    while let Some((last, others)) = left.split_last() {
        if last.span.end != start || !is_word(&last) {
            break;
        }
        start = last.span.start;
        left = others;
    }
    let quoted = left.last().filter(|last| {
        let is_open = of(last).len() == 1 || !of(last).ends_with('"');
        last.kind == TokenKind::Phrase && last.span.end == at && is_open
    });
    if let Some(phrase) = quoted {
        start = phrase.span.start;
        left = left.split_last().map_or(left, |(_, others)| others);
    }
    // Exact values are values too.
    let mut behind = start;
    if let Some((last, others)) = left.split_last()
        && last.span.end == start
        && of(last) == "="
    {
        behind = last.span.start;
        left = others;
    }
    let typed = text.get(start..at).unwrap_or("").trim_start_matches('"');
    let target = target_of(text, behind, left);
    let expected = match &target {
        Some(target) => vec![Expected::Value(target.clone())],
        None if quoted.is_some() || is_closed(tokens, at) => Vec::new(),
        None => words(typed, left.last().map(of)),
    };
    let rest = text.get(at..).unwrap_or("");
    let word = rest.split(ends_word).next().unwrap_or_default();
    let name_end = word.find(':').filter(|_| target.is_none());
    Completion {
        span: start..at + name_end.map_or(word.len(), |colon| colon + 1),
        typed: typed.to_owned(),
        expected,
    }
}

/// Whether something that no word goes on stands right in front of the place.
fn is_closed(tokens: &[Token], at: usize) -> bool {
    tokens.last().is_some_and(|last| {
        let is_closed = matches!(last.kind, TokenKind::Phrase | TokenKind::Regex);
        is_closed && last.span.end == at
    })
}

/// The field that a value at `start` belongs to, by the tokens in front of it.
fn target_of(text: &str, start: usize, tokens: &[Token]) -> Option<Target> {
    let mut groups: Vec<Option<Target>> = Vec::new();
    let mut field: Option<(Target, usize)> = None;
    for token in tokens {
        let of = text.get(token.span.clone()).unwrap_or("");
        let own = field.take().filter(|(_, end)| *end == token.span.start);
        match (token.kind, of) {
            (TokenKind::Field, _) => {
                let is_pair = own.is_some() && of.ends_with('=');
                field = named(of, is_pair).map(|target| (target, token.span.end));
            }
            (TokenKind::Paren, "(") => {
                let inherited = groups.last().cloned().flatten();
                groups.push(own.map(|(target, _)| target).or(inherited));
            }
            (TokenKind::Paren, ")") => {
                groups.pop();
            }
            _ => {}
        }
    }
    match field.filter(|(_, end)| *end == start) {
        Some((target, _)) => Some(target),
        None => groups.pop().flatten(),
    }
}

/// The target of a token such as `host:`, or `name=` behind `nvpair:`. That prefix alone stands for
/// a name to come.
fn named(token: &str, is_pair: bool) -> Option<Target> {
    let name = token.trim_end_matches([':', '=']).trim_matches('"');
    if is_pair {
        return Some(Target::Named(name.into()));
    }
    Some(fields::target(name).unwrap_or_else(|| Target::Named(name.into())))
}

/// What a bare word may become. Operators are in capitals, so only words in capitals become one.
fn words(typed: &str, before: Option<&str>) -> Vec<Expected> {
    let is_behind_operator = matches!(before, None | Some("AND" | "OR" | "NOT" | "("));
    let operators: &[&str] = if is_behind_operator {
        &["NOT"]
    } else {
        &["AND", "OR", "NOT"]
    };
    let operators = operators.iter().filter(|word| word.starts_with(typed));
    let mut expected = vec![Expected::Field];
    expected.extend(operators.map(|word| Expected::Keyword(word)));
    expected
}

/// Behind a pipe.
fn in_stage(text: &str, at: usize, pipe: Range<usize>) -> Completion {
    let stage = text.get(pipe.end..at).unwrap_or("");
    let separates = |c: char| c.is_whitespace() || c == ',';
    let typed = stage.rsplit(separates).next().unwrap_or_default();
    let start = at - typed.len();
    let earlier = text.get(pipe.end..start).unwrap_or("");
    let words: Vec<String> = earlier
        .split(separates)
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let is_listed = earlier.trim_end().ends_with(',');
    let rest = text.get(at..).unwrap_or("");
    let end = rest.find(|c: char| ends_word(c) || c == ',');
    Completion {
        span: start..at + end.unwrap_or(rest.len()),
        typed: typed.to_owned(),
        expected: expected_in_stage(text.get(..pipe.start).unwrap_or(""), &words, is_listed),
    }
}

fn expected_in_stage(before: &str, words: &[String], is_listed: bool) -> Vec<Expected> {
    let Some((command, words)) = words.split_first() else {
        return vec![Expected::Command];
    };
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let by = words.iter().position(|word| word == "by");
    let keyword = |word| vec![Expected::Keyword(word)];
    match (command.as_str(), words) {
        ("fields", _) => columns(before),
        ("sort", []) => columns(before),
        ("sort", [_]) => vec![Expected::Keyword("desc"), Expected::Keyword("asc")],
        ("top" | "distinct", []) => vec![Expected::Name],
        ("bars", _) if by.is_some_and(|by| by + 1 == words.len()) => vec![Expected::Name],
        ("bars", []) => keyword("by"),
        ("bars", [number]) if is_number(number) => keyword("by"),
        ("patterns", []) => keyword("bars"),
        ("patterns", [number]) if is_number(number) => keyword("bars"),
        ("count", []) => keyword("by"),
        ("count", _) if by == Some(0) => vec![Expected::Name],
        (measure, words) if Measure::parse(measure).is_some() => match words {
            [] => vec![Expected::Name],
            [_] if !is_listed => keyword("by"),
            [_, by, ..] if by == "by" => vec![Expected::Name],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The columns that there are behind a question.
fn columns(before: &str) -> Vec<Expected> {
    let stages = parse_question(before).question.stages;
    let columns = stages.iter().rev().find_map(|stage| stage.columns());
    match columns {
        Some(columns) => columns.into_iter().map(Expected::Column).collect(),
        None => vec![Expected::Name],
    }
}

/// The commands that start so, for [`Expected::Command`].
pub fn commands(typed: &str) -> impl Iterator<Item = &'static crate::Command> {
    let typed = typed.to_ascii_lowercase();
    COMMANDS
        .iter()
        .filter(move |command| command.name.starts_with(&typed))
}

#[cfg(test)]
mod tests;
