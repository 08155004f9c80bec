//! What is wrong with a query text, where, and what to do about it.

use std::fmt;
use std::ops::Range;

/// One thing to say about a query text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where, in bytes of the UTF-8 text; always on character boundaries. Empty behind the end.
    pub span: Range<usize>,
    /// Whether the query can be run nevertheless.
    pub severity: DiagnosticSeverity,
    /// What is wrong and what was expected; lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Whether the text is no query because of it.
    pub(crate) fn is_error(&self) -> bool {
        self.severity == DiagnosticSeverity::Error
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticSeverity {
    /// The text is no query.
    Error,
    /// The text is a query, though perhaps not the one that was meant.
    Warning,
}

impl DiagnosticSeverity {
    /// `error` or `warning`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Why a text is no query: its diagnostics, at least one of them an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidQuery {
    /// In the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// The first error, in one line, with its hint.
impl fmt::Display for InvalidQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.diagnostics.iter().find(|d| d.is_error()) else {
            return f.write_str("the query is not valid");
        };
        write!(f, "{} (at byte {})", first.message, first.span.start)?;
        match &first.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for InvalidQuery {}

/// The text with carets under what each diagnostic is about, as a terminal shows it.
pub fn render(text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let before = text.get(..diagnostic.span.start).unwrap_or(text);
        let marked = text.get(diagnostic.span.clone()).unwrap_or("");
        let pad = " ".repeat(before.chars().count());
        let carets = "^".repeat(marked.chars().count().max(1));
        let severity = diagnostic.severity.as_str();
        out += &format!("{severity}: {}\n", diagnostic.message);
        out += &format!("  {text}\n  {pad}{carets}\n");
        if let Some(hint) = &diagnostic.hint {
            out += &format!("hint: {hint}\n");
        }
    }
    out
}

#[cfg(test)]
mod tests;
