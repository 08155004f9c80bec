//! From text to tree: a recursive descent that always arrives.
//!
//! ```text
//! query   := or
//! or      := and ( 'OR' and )*
//! and     := not ( ['AND'] not )*
//! not     := 'NOT'* ( group | field ( group | value ) | value )
//! group   := '(' or ')'
//! field   := name ':' | 'nvpair:' name '='
//! ```
//! Values are in `value.rs`, names and words in `scan.rs`, what follows behind a pipe in `pipe.rs`. Inside the group of a field, values are
//! those of the field. A part that is wrong is reported and left out; the rest is read on.

use std::ops::Range;

use crate::ast::{Expr, Leaf, Query, Target, Test};
use crate::diagnostic::{Diagnostic, DiagnosticSeverity, InvalidQuery};
use crate::fields;
use crate::limits::{DEPTH_MAX, DIAGNOSTICS_MAX, LEAVES_MAX, QUERY_BYTES_MAX};
use crate::near_miss;
use crate::question::Question;
use crate::scan::{Operator, Scanner, ends_word};

/// Reads a query text. Never fails: what can be understood is in the tree, what is wrong in the
/// diagnostics. A pipe is wrong here: see [`parse_question`].
pub fn parse(text: &str) -> Parsed {
    let ParsedQuestion {
        question,
        diagnostics,
        tokens,
    } = read(text, false);
    Parsed {
        query: question.query,
        diagnostics,
        tokens,
    }
}

/// Reads the text of a question, a query with a pipe behind it or without. Never fails either.
pub fn parse_question(text: &str) -> ParsedQuestion {
    read(text, true)
}

fn read(text: &str, takes_pipe: bool) -> ParsedQuestion {
    let mut parser = Parser {
        scanner: Scanner::new(text),
        diagnostics: Vec::new(),
        leaf_count: 0,
        depth: 0,
        is_given_up: false,
        takes_pipe,
    };
    let mut root = None;
    if text.len() > QUERY_BYTES_MAX {
        let end = text.floor_char_boundary(QUERY_BYTES_MAX);
        let message = format!(
            "the query is {} bytes long, more than {QUERY_BYTES_MAX}",
            text.len()
        );
        parser.give_up(end..text.len(), message, "split it into several queries");
    } else {
        root = parser.query();
    }
    let fallback = if parser.diagnostics.is_empty() {
        Expr::All
    } else {
        Expr::Nothing
    };
    let stages = parser.stages();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    let root = root.unwrap_or(fallback);
    ParsedQuestion {
        question: Question {
            query: Query { root },
            stages,
        },
        diagnostics,
        tokens: parser.scanner.into_tokens(),
    }
}

/// The text of a question, read.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedQuestion {
    /// The question; a part of it where there are errors.
    pub question: Question,
    /// What is wrong or doubtful, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts of the text, as [`Parsed::tokens`] has them.
    pub tokens: Vec<Token>,
}

impl From<Parsed> for ParsedQuestion {
    fn from(parsed: Parsed) -> Self {
        Self {
            question: Question {
                query: parsed.query,
                stages: Vec::new(),
            },
            diagnostics: parsed.diagnostics,
            tokens: parsed.tokens,
        }
    }
}

impl ParsedQuestion {
    /// The question, where there is no error.
    pub fn into_result(self) -> Result<Question, InvalidQuery> {
        if self.is_valid() {
            return Ok(self.question);
        }
        Err(InvalidQuery {
            diagnostics: self.diagnostics,
        })
    }

    /// Whether there is no error; warnings do not count.
    pub fn is_valid(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// A query text, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The query; a part of it where there are errors.
    pub query: Query,
    /// What is wrong or doubtful, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts of the text, in order, for colouring; white space is left out, and what stands
    /// behind an error that ends the reading.
    pub tokens: Vec<Token>,
}

impl Parsed {
    /// The query, where there is no error.
    pub fn into_result(self) -> Result<Query, InvalidQuery> {
        if self.is_valid() {
            return Ok(self.query);
        }
        Err(InvalidQuery {
            diagnostics: self.diagnostics,
        })
    }

    /// Whether there is no error; warnings do not count.
    pub fn is_valid(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// A part of a query text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where, in bytes of the UTF-8 text.
    pub span: Range<usize>,
}

/// What a part of a query text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Text to search for, a number or a name.
    Term,
    /// The name of a field with its colon.
    Field,
    /// `AND`, `OR`, `NOT`, `TO`, the comparisons behind a field; `|`, `,`, `by` and `desc` in a pipe.
    Operator,
    /// The word that a stage of a pipe starts with.
    Command,
    /// A text in double quotes.
    Phrase,
    /// A regular expression with its slashes.
    Regex,
    /// A parenthesis or the bracket of a range.
    Paren,
    /// `*` or `?`.
    Wildcard,
}

impl TokenKind {
    /// Its name in the API: `term`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Term => "term",
            Self::Field => "field",
            Self::Operator => "operator",
            Self::Command => "command",
            Self::Phrase => "phrase",
            Self::Regex => "regex",
            Self::Paren => "paren",
            Self::Wildcard => "wildcard",
        }
    }
}

/// What stands at the position, behind white space.
enum Ahead {
    End,
    Open,
    Close,
    Operator(Operator),
    Value,
}

pub(crate) struct Parser<'t> {
    pub(crate) scanner: Scanner<'t>,
    diagnostics: Vec<Diagnostic>,
    leaf_count: usize,
    depth: usize,
    /// An error that made the rest of the text meaningless; nothing more is read or reported.
    is_given_up: bool,
    /// Whether a pipe may end the query.
    takes_pipe: bool,
}

impl Parser<'_> {
    fn query(&mut self) -> Option<Expr> {
        let mut members = Vec::new();
        loop {
            members.extend(self.or(&Target::Text));
            let Ahead::Close = self.ahead() else { break };
            if let Some(span) = self.scanner.eat(")", TokenKind::Paren) {
                let hint = "delete it, or quote it to search for it: `\")\"`";
                self.error(span, "this parenthesis closes nothing", hint);
            }
        }
        (!members.is_empty()).then(|| Expr::and(members))
    }

    /// Terms of one target with `OR` between them, up to the end or a closing parenthesis.
    fn or(&mut self, target: &Target) -> Option<Expr> {
        let mut members = Vec::new();
        let mut behind: Option<Range<usize>> = None;
        loop {
            let tokens_before = self.scanner.token_count();
            members.extend(self.and(target));
            let is_missing = self.scanner.token_count() == tokens_before;
            let before = behind.take().filter(|_| is_missing);
            let is_first_missing = is_missing && before.is_none();
            if let Some(span) = before {
                self.missing_term(span, "after", Operator::Or);
            }
            let Ahead::Operator(Operator::Or) = self.ahead() else {
                break;
            };
            let span = self.scanner.eat("OR", TokenKind::Operator);
            if is_first_missing {
                self.missing_term(span.unwrap_or_default(), "before", Operator::Or);
            } else {
                behind = span;
            }
        }
        (!members.is_empty()).then(|| Expr::or(members))
    }

    /// Terms of one target side by side or with `AND` between them.
    fn and(&mut self, target: &Target) -> Option<Expr> {
        let mut members = Vec::new();
        let mut behind: Option<Range<usize>> = None;
        let mut has_term = false;
        loop {
            match self.ahead() {
                Ahead::Operator(Operator::And) => {
                    let span = self.scanner.eat("AND", TokenKind::Operator);
                    if has_term && behind.is_none() {
                        behind = span;
                    } else {
                        self.missing_term(span.unwrap_or_default(), "before", Operator::And);
                        behind = None;
                    }
                }
                Ahead::Value | Ahead::Open | Ahead::Operator(Operator::Not) => {
                    members.extend(self.not(target));
                    has_term = true;
                    behind = None;
                }
                Ahead::End | Ahead::Close | Ahead::Operator(Operator::Or) => break,
            }
        }
        if let Some(span) = behind {
            self.missing_term(span, "after", Operator::And);
        }
        (!members.is_empty()).then(|| Expr::and(members))
    }

    /// A term with any number of `NOT` before it. A loop, so that no number of them is too deep.
    fn not(&mut self, target: &Target) -> Option<Expr> {
        let mut is_negated = false;
        let mut last = None;
        while let Ahead::Operator(Operator::Not) = self.ahead() {
            last = self.scanner.eat("NOT", TokenKind::Operator);
            is_negated = !is_negated;
        }
        let term = match self.ahead() {
            Ahead::Open => self.group(target),
            Ahead::Value => match self.scanner.field_name() {
                Some((name, span)) => self.field(name, span),
                None => self.member(target),
            },
            Ahead::End | Ahead::Close | Ahead::Operator(_) => {
                self.missing_term(last.unwrap_or_default(), "after", Operator::Not);
                None
            }
        };
        term.map(|term| if is_negated { term.negated() } else { term })
    }

    /// A value that stands by itself, of the target of the group that it is in.
    fn member(&mut self, target: &Target) -> Option<Expr> {
        let start = self.scanner.at();
        let value = self.value(target);
        if *target != Target::Text {
            self.warn_of_operator(start..self.scanner.at());
        }
        value
    }

    /// What stands in parentheses; the first of them stands here.
    fn group(&mut self, target: &Target) -> Option<Expr> {
        let open = self.scanner.eat("(", TokenKind::Paren)?;
        if self.depth == DEPTH_MAX {
            let message = format!("parentheses nest deeper than {DEPTH_MAX}");
            self.give_up(open, message, "flatten the query or split it");
            return None;
        }
        self.depth += 1;
        let inner = self.or(target);
        self.depth -= 1;
        let inside = self.scanner.text().get(open.end..self.scanner.at());
        let is_empty = inside.is_some_and(|text| text.trim().is_empty());
        match self.scanner.eat(")", TokenKind::Paren) {
            None => self.error(open, "this parenthesis is never closed", "add `)`"),
            Some(close) if is_empty => {
                let hint = "to search for parentheses, quote them: `\"()\"`";
                self.error(open.start..close.end, "nothing in the parentheses", hint);
            }
            Some(_) => {}
        }
        inner
    }

    /// What stands behind the name of a field.
    fn field(&mut self, name: &str, span: Range<usize>) -> Option<Expr> {
        let is_quoted = self.scanner.next_char() == Some('"');
        if is_quoted && name.eq_ignore_ascii_case(fields::PATTERN) {
            return self.message_pattern();
        }
        let target = if name.eq_ignore_ascii_case(fields::PAIR) {
            self.pair(&span)?
        } else {
            fields::target(name).unwrap_or_else(|| {
                let of_name = span.start..span.end - 1;
                match near_miss::of_field(name) {
                    Some(hint) => self.warn_of_field(name, of_name, hint),
                    None => self.warn_of_misspelt(name, of_name),
                }
                Target::Named(name.into())
            })
        };
        match self.scanner.next_char() {
            Some('(') => self.group(&target),
            Some(next) if !next.is_whitespace() && next != ')' && next != '|' => {
                self.value(&target)
            }
            _ => {
                self.missing_value(span.start..self.scanner.at());
                None
            }
        }
    }

    fn missing_value(&mut self, prefix: Range<usize>) {
        let field = self.text_of(prefix.clone());
        let rest = self.scanner.rest().trim_start();
        let word = rest.split(ends_word).next().unwrap_or_default();
        let hint = if word.is_empty() {
            format!("write `{field}value`, `{field}*` for any, or `\"{field}\"` for that text")
        } else {
            format!(
                "write `{field}{word}` without the space, or `\"{field} {word}\"` for that text"
            )
        };
        let message = format!("expected a value right behind `{field}`");
        self.error(prefix, message, hint);
    }

    /// The name and `=` behind `nvpair:`.
    fn pair(&mut self, prefix: &Range<usize>) -> Option<Target> {
        let hint = "write `nvpair:name=value`, or `nvpair:name=*` for any value";
        let Some((name, span)) = self.scanner.pair_name() else {
            let rest = self.scanner.word(|_| false);
            let message = "expected a name, `=` and a value behind `nvpair:`";
            self.error(prefix.start..rest.span.end, message, hint);
            return None;
        };
        if name.contains('*') && !self.text_of(span.clone()).starts_with('"') {
            self.error(span, "the name of a field takes no wildcard", hint);
            self.scanner.word(|_| false);
            return None;
        }
        Some(Target::Named(name))
    }

    fn warn_of_field(&mut self, name: &str, span: Range<usize>, hint: &str) {
        let message = format!("`{name}` is looked up among the fields of the records");
        self.report(DiagnosticSeverity::Warning, span, message, hint);
    }

    /// Reports a name that is none of Logwood's own, but may be meant as one.
    pub(crate) fn warn_of_misspelt(&mut self, name: &str, span: Range<usize>) {
        let suggested = fields::suggestion(name).map(|known| format!("did you mean `{known}`?"));
        if let Some(hint) = suggested {
            self.warn_of_field(name, span, &hint);
        }
    }

    /// A leaf, counted.
    pub(crate) fn leaf(&mut self, span: Range<usize>, target: &Target, test: Test) -> Option<Expr> {
        if self.leaf_count == LEAVES_MAX {
            let message = format!("the query has more than {LEAVES_MAX} terms");
            self.give_up(span, message, "split it into several queries");
            return None;
        }
        self.leaf_count += 1;
        Some(Expr::Leaf(Leaf {
            target: target.clone(),
            test,
        }))
    }

    pub(crate) fn text_of(&self, span: Range<usize>) -> String {
        self.scanner.text().get(span).unwrap_or("").into()
    }

    pub(crate) fn error(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.report(DiagnosticSeverity::Error, span, message, hint);
    }

    pub(crate) fn report(
        &mut self,
        severity: DiagnosticSeverity,
        span: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        if self.is_given_up || !self.has_room(severity) {
            return;
        }
        self.diagnostics.push(Diagnostic {
            span,
            severity,
            message: message.into(),
            hint: Some(hint.into()),
        });
    }

    /// Whether one more can be reported. A warning makes room for an error: without that error the
    /// text might pass as a query.
    fn has_room(&mut self, severity: DiagnosticSeverity) -> bool {
        if self.diagnostics.len() < DIAGNOSTICS_MAX {
            return true;
        }
        let warning = self.diagnostics.iter().rposition(|known| !known.is_error());
        match warning {
            Some(warning) if severity == DiagnosticSeverity::Error => {
                self.diagnostics.remove(warning);
                true
            }
            _ => false,
        }
    }

    pub(crate) fn give_up(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        // Room for the error that matters most: without it the text might pass as a query.
        self.diagnostics.truncate(DIAGNOSTICS_MAX - 1);
        self.error(span, message, hint);
        self.is_given_up = true;
        self.scanner.skip_all();
    }

    fn pipe_without_place(&mut self) {
        let rest = self.scanner.rest();
        let (len, hint) = if rest.starts_with("||") {
            (2, "for either of two terms write `OR`")
        } else if rest.starts_with("|=") || rest.starts_with("|~") {
            (
                2,
                "terms side by side must all match: write `\"text\"` or `/expression/`",
            )
        } else {
            let hint = "`logwood query` answers questions with a pipe; for either of two terms \
                        write `OR`; to search for the character, quote it: `\"|\"`";
            (1, hint)
        };
        self.give_up(self.scanner.here(len), "a pipe has no place here", hint);
    }

    fn missing_term(&mut self, operator_span: Range<usize>, side: &str, operator: Operator) {
        let word = operator.as_str();
        let message = format!("expected a term {side} `{word}`");
        let hint = format!("to search for the word, quote it: `\"{word}\"`");
        self.error(operator_span, message, hint);
    }

    fn ahead(&mut self) -> Ahead {
        self.scanner.skip_space();
        match self.scanner.next_char() {
            None => Ahead::End,
            Some('(') => Ahead::Open,
            Some(')') => Ahead::Close,
            Some('|') if self.takes_pipe => Ahead::End,
            Some('|') => {
                self.pipe_without_place();
                Ahead::End
            }
            Some(_) => match self.scanner.peek_operator() {
                Some(operator) => Ahead::Operator(operator),
                None => Ahead::Value,
            },
        }
    }
}

#[cfg(test)]
mod tests;
