//! From text to tree.

use std::ops::Range;

use crate::ast::{Expr, Query};
use crate::diagnostic::{Diagnostic, DiagnosticSeverity, InvalidQuery};

/// Reads a query text. Never fails: what can be understood is in the tree, what is wrong in the
/// diagnostics.
pub fn parse(text: &str) -> Parsed {
    Parsed {
        query: Query {
            root: Expr::and(text.split_whitespace().map(|word| match word {
                "*" => Expr::All,
                word => Query::phrase(word).root,
            })),
        },
        diagnostics: Vec::new(),
        tokens: Vec::new(),
    }
}

/// A query text, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The query; a part of it where there are errors.
    pub query: Query,
    /// What is wrong or doubtful, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts of the text, in order, for colouring; white space is left out.
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
        self.diagnostics
            .iter()
            .all(|diagnostic| diagnostic.severity != DiagnosticSeverity::Error)
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
    /// `AND`, `OR`, `NOT`, `TO`, and the comparisons behind a field.
    Operator,
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
            Self::Phrase => "phrase",
            Self::Regex => "regex",
            Self::Paren => "paren",
            Self::Wildcard => "wildcard",
        }
    }
}
