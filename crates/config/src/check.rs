//! From text to configuration: everything that is wrong is said at once.

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
    /// What is wrong with it, in the order of the file; what concerns flags comes first.
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
    let mut document = document::read(table.get_ref(), &mut findings);
    if errors.is_empty() {
        overrides.apply(&mut document);
        cross::check(&document, text, &mut findings);
    } else {
        add_syntax_errors(text, &errors, &mut findings);
    }
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

/// Adds what the TOML parser says. What was found in the rest of the file stands, but not on the
/// same lines, nor at all if a header is broken: the keys below would be counted to another
/// section.
fn add_syntax_errors(text: &str, errors: &[toml::de::Error], findings: &mut Findings<'_>) {
    let mut lines = Vec::new();
    for error in errors {
        let start = error.span().map_or(text.len(), |span| span.start);
        lines.push(findings.line(start.min(text.trim_end().len())));
    }
    let is_header = |line: &usize| {
        let text = text.lines().nth(line - 1).unwrap_or_default();
        text.trim_start().starts_with('[')
    };
    let header_broken = lines.iter().any(is_header);
    findings.retain_lines(|line| !header_broken && !lines.contains(&line));
    for error in errors {
        let span = error.span().unwrap_or(text.len()..text.len());
        let line = findings.line(span.start.min(text.trim_end().len()));
        let hint = text.lines().nth(line - 1).and_then(unquoted);
        findings.error(Some(span), error.message(), hint);
    }
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
