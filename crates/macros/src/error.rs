//! Why a text is no template, where, and what to write instead.

use std::fmt;
use std::ops::Range;

use crate::limits::{ARGUMENTS_MAX, CONDITION_NESTING_MAX, NESTING_MAX, TEMPLATE_BYTES_MAX};

/// A text is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}{}", Remedy(.hint.as_deref()))]
pub struct TemplateError {
    /// Where, in bytes of the UTF-8 text, on character boundaries; empty behind the end.
    pub span: Range<usize>,
    /// What is wrong.
    pub problem: Problem,
    /// What to write instead; lower case, no full stop.
    pub hint: Option<String>,
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Longer than [`TEMPLATE_BYTES_MAX`].
    #[error("a template has at most {TEMPLATE_BYTES_MAX} bytes, this one has {0}")]
    TooLong(usize),
    /// More functions inside each other than [`NESTING_MAX`].
    #[error("functions stand at most {NESTING_MAX} deep inside each other")]
    TooDeep,
    /// More conditions inside each other than [`CONDITION_NESTING_MAX`].
    #[error("conditions stand at most {CONDITION_NESTING_MAX} deep inside each other")]
    ConditionTooDeep,
    /// More arguments than [`ARGUMENTS_MAX`].
    #[error("a function has at most {ARGUMENTS_MAX} arguments")]
    TooManyArguments,
    /// `${` without `}`.
    #[error("this `${{` has no `}}`")]
    UnclosedName,
    /// `$(` without `)`.
    #[error("this `$(` has no `)`")]
    UnclosedCall,
    /// A quotation mark without its second.
    #[error("this quotation has no end")]
    UnclosedQuote,
    /// `${}`.
    #[error("a name is missing")]
    NoName,
    /// A name that is likely a macro, spelt wrong.
    #[error("there is no macro `{0}`")]
    UnknownMacro(String),
    /// A macro of syslog-ng that there is not.
    #[error("the macro `{0}` is not supported")]
    UnsupportedMacro(String),
    /// A function that there is not.
    #[error("there is no function `{0}`")]
    UnknownFunction(String),
    /// A function of syslog-ng that there is not.
    #[error("the function `{0}` is not supported")]
    UnsupportedFunction(String),
    /// `${X}@1`: another message of a context.
    #[error("other messages of a context cannot be named here")]
    OtherMessage,
    /// Too few or too many arguments, or one that does not fit.
    #[error("{0}")]
    Argument(String),
    /// A condition that cannot be read.
    #[error("{0}")]
    Condition(String),
}

/// The hint in one line with the problem.
struct Remedy<'h>(Option<&'h str>);

impl fmt::Display for Remedy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl TemplateError {
    pub(crate) fn new(span: Range<usize>, problem: Problem) -> Self {
        Self {
            span,
            problem,
            hint: None,
        }
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn argument(span: Range<usize>, text: impl Into<String>) -> Self {
        Self::new(span, Problem::Argument(text.into()))
    }

    /// The template with carets under the place, as a terminal shows it.
    pub fn render(&self, template: &str) -> String {
        let before = template.get(..self.span.start).unwrap_or(template);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = template.get(line_start..).unwrap_or_default();
        let line = line.split('\n').next().unwrap_or_default();
        let start = self.span.start.saturating_sub(line_start);
        let end = self.span.end.saturating_sub(line_start).min(line.len());
        let pad = line.get(..start).unwrap_or(line).chars().count();
        let marked = line.get(start..end).unwrap_or_default().chars().count();
        let carets = "^".repeat(marked.max(1));
        let mut out = format!(
            "{}\n  {line}\n  {}{carets}\n",
            self.problem,
            " ".repeat(pad)
        );
        if let Some(hint) = &self.hint {
            out += &format!("hint: {hint}\n");
        }
        out
    }
}

/// A record made more bytes than it may; nothing of them was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the template makes more than {bytes_max} bytes of this record")]
pub struct OutputTooLong {
    /// How many bytes it may make.
    pub bytes_max: usize,
}
