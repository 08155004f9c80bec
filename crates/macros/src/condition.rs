//! The conditions of `$(if)` and `$(grep)`, in syslog-ng's words: comparisons of templates, and tests of
//! the record's parts, joined by `and`, `or` and `not`.

use std::net::IpAddr;
use std::ops::Range;

use memchr::memmem;
use model::{Facility, Severity};
use regex::bytes::{Regex, RegexBuilder};

use crate::arguments::Argument;
use crate::compile::{Compiler, Source};
use crate::context::Scene;
use crate::error::{Problem, TemplateError};
use crate::limits::{CONDITION_NESTING_MAX, EXPRESSION_BYTES_MAX};
use crate::output::Output;
use crate::template::{Template, Value};

mod network;
mod parse;

use network::Network;

/// A condition, ready to be asked for each record.
#[derive(Debug)]
pub(crate) enum Condition {
    And(Box<(Condition, Condition)>),
    Or(Box<(Condition, Condition)>),
    Not(Box<Condition>),
    /// Two templates as text.
    Text(Box<(Template, Order, Template)>),
    /// Two templates as numbers, or as text where one is none.
    Number(Box<(Template, Order, Template)>),
    /// A value that has a match; without one, header and message.
    Match(Option<Value>, Matcher),
    /// Facilities, a bit each.
    Facility(u32),
    /// Severities, a bit each.
    Severity(u32),
    Tags(Vec<String>),
    Network(Network),
}

/// How two values have to stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    fn holds(self, found: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => found.is_eq(),
            Self::NotEqual => found.is_ne(),
            Self::Less => found.is_lt(),
            Self::LessOrEqual => found.is_le(),
            Self::Greater => found.is_gt(),
            Self::GreaterOrEqual => found.is_ge(),
        }
    }
}

/// How a text is matched.
#[derive(Debug)]
pub(crate) enum Matcher {
    Whole(String),
    Prefix(String),
    Substring(Box<memmem::Finder<'static>>),
    Expression(Regex),
}

impl Matcher {
    fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Self::Whole(wanted) => text == wanted.as_bytes(),
            Self::Prefix(wanted) => text.starts_with(wanted.as_bytes()),
            Self::Substring(finder) => finder.find(text).is_some(),
            Self::Expression(expression) => expression.is_match(text),
        }
    }
}

impl Condition {
    /// Compiles an argument that is a condition.
    pub(crate) fn compile(
        argument: &Argument,
        compiler: &mut Compiler<'_>,
    ) -> Result<Self, TemplateError> {
        Self::read(&Source::of_argument(argument), compiler)
    }

    /// Compiles a text that is a condition.
    pub(crate) fn read(
        source: &Source<'_>,
        compiler: &mut Compiler<'_>,
    ) -> Result<Self, TemplateError> {
        parse::Parser::new(source, compiler).condition()
    }

    /// Whether it holds for a record. The output is used for a while and left as it was.
    pub(crate) fn holds(&self, scene: &Scene<'_>, out: &mut Output<'_>) -> bool {
        let view = scene.view;
        match self {
            Self::And(both) => both.0.holds(scene, out) && both.1.holds(scene, out),
            Self::Or(both) => both.0.holds(scene, out) || both.1.holds(scene, out),
            Self::Not(inner) => !inner.holds(scene, out),
            Self::Text(parts) => {
                let (left, order, right) = &**parts;
                compared(left, right, scene, out, |a, b| order.holds(a.cmp(b)))
            }
            Self::Number(parts) => {
                let (left, order, right) = &**parts;
                compared(left, right, scene, out, |a, b| {
                    let found = match (as_number(a), as_number(b)) {
                        (Some(a), Some(b)) => a.partial_cmp(&b),
                        _ => Some(a.cmp(b)),
                    };
                    found.is_some_and(|found| order.holds(found))
                })
            }
            Self::Match(value, matcher) => {
                let start = out.len();
                match value {
                    Some(value) => value.write(scene, out),
                    None => {
                        crate::values::write_header(view, out);
                        out.push(view.message);
                    }
                }
                let is_match = matcher.is_match(out.since(start));
                out.truncate(start);
                is_match
            }
            Self::Facility(set) => set >> view.priority.facility().number() & 1 == 1,
            Self::Severity(set) => set >> view.priority.severity().number() & 1 == 1,
            Self::Tags(wanted) => view.tags().any(|tag| wanted.iter().any(|want| want == tag)),
            Self::Network(network) => {
                let peer = view.peer.unwrap_or(IpAddr::from([127, 0, 0, 1]));
                network.contains(peer)
            }
        }
    }
}

fn as_number(text: &[u8]) -> Option<f64> {
    let text = str::from_utf8(text).ok()?.trim_ascii();
    let is_number = text.bytes().any(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn compared(
    left: &Template,
    right: &Template,
    scene: &Scene<'_>,
    out: &mut Output<'_>,
    holds: impl FnOnce(&[u8], &[u8]) -> bool,
) -> bool {
    let start = out.len();
    left.write(scene, out);
    let middle = out.len() - start;
    right.write(scene, out);
    let (left, right) = out.since(start).split_at(middle);
    let holds = holds(left, right);
    out.truncate(start);
    holds
}

/// A regular expression, with a bound on what it takes.
pub(crate) fn expression(
    text: &str,
    ignores_case: bool,
    span: Range<usize>,
) -> Result<Regex, TemplateError> {
    let built = RegexBuilder::new(text)
        .case_insensitive(ignores_case)
        .unicode(false)
        .size_limit(EXPRESSION_BYTES_MAX)
        .build();
    // A class such as `\p{L}` needs Unicode, which costs time on each record.
    let built = built.or_else(|_| {
        RegexBuilder::new(text)
            .case_insensitive(ignores_case)
            .size_limit(EXPRESSION_BYTES_MAX)
            .build()
    });
    built.map_err(|error| {
        let what = match error {
            regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
            error => {
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or_default();
                let reason = reason.trim_start_matches("error: ");
                format!("the regular expression cannot be read: {reason}")
            }
        };
        TemplateError::new(span, Problem::Condition(what))
            .with_hint("there are no look-around and no references back")
    })
}

/// A pattern with `*` and `?` for a whole text, as an expression.
pub(crate) fn glob(
    text: &str,
    ignores_case: bool,
    span: Range<usize>,
) -> Result<Regex, TemplateError> {
    let mut pattern = "(?s)\\A".to_owned();
    for c in text.chars() {
        match c {
            '*' => pattern += ".*",
            '?' => pattern += ".",
            c => pattern += &regex::escape(c.encode_utf8(&mut [0; 4])),
        }
    }
    expression(&(pattern + "\\z"), ignores_case, span)
}
