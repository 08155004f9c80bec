//! From text to configuration: everything that is wrong is said at once.

use std::collections::HashSet;

use toml::de::DeTable;

use crate::build::{Config, Written, build};
use crate::finding::Findings;
use crate::limits::CONFIG_BYTES_MAX;
use crate::overrides::Overrides;
use crate::problem::{Problem, Severity};
use crate::value::quote;
use crate::{cross, document};

/// What became of a configuration.
#[derive(Debug)]
pub struct Checked {
    /// The configuration; `None` where there is any error.
    pub config: Option<Config>,
    /// What is wrong with it, in the order of the file; what concerns flags comes first. Of many
    /// problems the last one says how many more there are.
    pub problems: Vec<Problem>,
}

impl Checked {
    /// Adds problems that show on the machine only.
    pub fn add(&mut self, problems: Vec<Problem>) {
        self.problems.extend(problems);
        let place = |problem: &Problem| problem.place.as_ref().map(|place| place.span.start);
        self.problems.sort_by_key(place);
    }

    /// The number of errors and of warnings.
    pub fn counts(&self) -> (usize, usize) {
        let is_error = |problem: &&Problem| problem.severity == Severity::Error;
        let errors = self.problems.iter().filter(is_error).count();
        (errors, self.problems.len() - errors)
    }
}

/// Reads a configuration file. `path` is what messages call it. An empty text is a configuration:
/// that of the defaults.
pub fn check(text: &str, path: &str, overrides: &Overrides) -> Checked {
    let mut findings = Findings::new(text, path);
    if text.len() > CONFIG_BYTES_MAX {
        findings.error(
            None,
            format!(
                "{path} has {} bytes, {CONFIG_BYTES_MAX} are possible",
                text.len()
            ),
            None,
        );
        return Checked {
            config: None,
            problems: findings.finish(),
        };
    }
    let (table, mut errors) = DeTable::parse_recoverable(text);
    // Two errors of the parser at one place are one mistake.
    errors.dedup_by_key(|error| error.span());
    if !errors.is_empty() {
        if !add_syntax_errors(text, &errors, &mut findings) {
            document::read(table.get_ref(), &mut findings);
        }
        return Checked {
            config: None,
            problems: findings.finish(),
        };
    }
    let mut document = document::read(table.get_ref(), &mut findings);
    overrides.apply(&mut document);
    cross::check(&document, text, &mut findings);
    let config = (!findings.has_errors()).then(|| {
        let written = Written {
            path: path.into(),
            text: text.into(),
        };
        build(document, written)
    });
    Checked {
        config,
        problems: findings.finish(),
    }
}

/// Adds what the TOML parser says; returns whether a header is broken. What is found in the rest of
/// the file stands, but not on the same lines, nor at all if a header is broken: the keys below
/// would be counted to another section.
fn add_syntax_errors(text: &str, errors: &[toml::de::Error], findings: &mut Findings<'_>) -> bool {
    let end = text.trim_end().len();
    let mut lines = HashSet::new();
    let mut is_header_broken = false;
    for error in errors {
        let span = error.span().unwrap_or(text.len()..text.len());
        let line = findings.line(span.start.min(end));
        let line_text = findings.line_text(line);
        is_header_broken |= line_text.trim_start().starts_with('[');
        lines.insert(line);
        findings.error(Some(span), error.message(), unquoted(line_text));
    }
    findings.mute(lines);
    is_header_broken
}

/// A hint for the mistake made most: a text without quotes.
fn unquoted(line: &str) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    let value = value.split('#').next().unwrap_or_default().trim();
    let is_text = !value.is_empty() && !value.starts_with(['"', '\'', '[', '{']);
    is_text.then(|| format!("texts are in quotes: {} = {}", key.trim(), quote(value)))
}

#[cfg(test)]
mod tests;
