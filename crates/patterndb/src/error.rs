//! Why a file is no database, where, and what to do about it.

use std::fmt;

use macros::TemplateError;

use crate::limits::{
    EXPRESSION_BYTES_MAX, FILE_BYTES_MAX, NESTING_MAX, PATTERN_BYTES_MAX, RULES_MAX, TREE_DEPTH_MAX,
};

/// A file is no database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}{}", Remedy(.hint.as_deref()))]
pub struct LoadError {
    /// The line of the file, from 1 on.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
    /// What to do about it; lower case, no full stop.
    pub hint: Option<String>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Larger than [`FILE_BYTES_MAX`].
    #[error("a pattern database has at most {FILE_BYTES_MAX} bytes, this one has {0}")]
    TooLarge(usize),
    /// Bytes that are not UTF-8.
    #[error("the file is not UTF-8")]
    NotUtf8,
    /// No XML.
    #[error("the file is no XML: {0}")]
    Xml(String),
    /// More elements inside each other than [`NESTING_MAX`].
    #[error("elements stand at most {NESTING_MAX} deep inside each other")]
    TooDeep,
    /// More rules than [`RULES_MAX`].
    #[error("a pattern database has at most {RULES_MAX} rules")]
    TooManyRules,
    /// A version that there is not.
    #[error("there is no version `{0}` of pattern databases")]
    Version(String),
    /// An element where it cannot stand.
    #[error("<{element}> cannot stand in <{parent}>")]
    Element {
        /// The element.
        element: String,
        /// Where it stands.
        parent: String,
    },
    /// The file does not begin with `<patterndb>`.
    #[error("the file holds no <patterndb>")]
    NoDatabase,
    /// Text where only elements can stand.
    #[error("<{0}> holds text that belongs to no element")]
    Text(String),
    /// An attribute that must be there is not.
    #[error("<{element}> has no `{attribute}`")]
    MissingAttribute {
        /// The element.
        element: String,
        /// What it must have.
        attribute: &'static str,
    },
    /// An attribute has a value that there is not.
    #[error("`{attribute}` cannot be `{value}`")]
    Attribute {
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        value: String,
    },
    /// A text that is no template.
    #[error("the template `{text}` cannot be read: {error}")]
    Template {
        /// The text.
        text: String,
        /// What is wrong with it.
        error: Box<TemplateError>,
    },
    /// A text that is no condition.
    #[error("the condition `{text}` cannot be read: {error}")]
    Condition {
        /// The text.
        text: String,
        /// What is wrong with it.
        error: Box<TemplateError>,
    },
    /// Two rulesets share one of their program patterns and differ in another.
    #[error("the program pattern `{0}` belongs to another ruleset")]
    JoinedRulesets(String),
    /// Patterns that make a tree deeper than [`TREE_DEPTH_MAX`].
    #[error("the patterns of a program make a tree of more than {TREE_DEPTH_MAX} levels")]
    TreeTooDeep,
}

impl LoadError {
    pub(crate) fn new(line: usize, problem: Problem) -> Self {
        Self {
            line,
            problem,
            hint: None,
        }
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A pattern that is left out; the rest of the database works. syslog-ng goes on with such files as well,
/// so refusing them would refuse files that are in use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: the pattern `{pattern}` is left out: {problem}")]
pub struct Warning {
    /// The line of the file, from 1 on.
    pub line: usize,
    /// The pattern.
    pub pattern: String,
    /// Why it is left out.
    pub problem: PatternProblem,
}

/// Why a pattern is left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternProblem {
    /// It has no text.
    #[error("an empty pattern matches nothing; a ruleset for all programs has no pattern")]
    Empty,
    /// An `@` that ends nowhere.
    #[error("an `@` has no second one; for an at sign write `@@`")]
    UnclosedParser,
    /// A parser that there is not.
    #[error("there is no parser `{0}`; for an at sign write `@@`")]
    UnknownParser(String),
    /// A parser without its parameter.
    #[error("`@{0}@` needs a parameter: `@{0}:NAME:PARAMETER@`")]
    NoParameter(&'static str),
    /// A parser with a parameter that it does not take.
    #[error("`@{0}@` takes no parameter")]
    Parameter(&'static str),
    /// A regular expression that cannot be read.
    #[error(
        "the regular expression cannot be read: {0}; there are no look-around and no references back"
    )]
    Expression(String),
    /// A regular expression that takes more than [`EXPRESSION_BYTES_MAX`].
    #[error(
        "the regular expression takes more than {EXPRESSION_BYTES_MAX} bytes when it is compiled"
    )]
    ExpressionTooLarge,
    /// Longer than [`PATTERN_BYTES_MAX`].
    #[error("a pattern has at most {PATTERN_BYTES_MAX} bytes, this one has {0}")]
    TooLong(usize),
    /// Another rule has the same pattern, and comes first.
    #[error("rule `{0}` has it already")]
    Duplicate(String),
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
