//! Steps of routes: expressions, templates, patterns, and the names of other steps.

use std::ops::Range;

use super::expression;
use crate::build::steps::{BadStep, Steps};
use crate::document::{Document, Section};
use crate::finding::Findings;
use crate::schema::Kind;
use crate::string::span_in_file;

/// Adds what is wrong with steps.
pub(super) fn check(document: &Document, text: &str, findings: &mut Findings<'_>) {
    for step in all(document) {
        let queries = step.entries.iter();
        for entry in queries.filter(|entry| matches!(entry.key.kind, Kind::Query)) {
            expression(entry, text, findings);
        }
    }
    let steps = Steps::new(document);
    let owners = document.of_kind("route").chain(document.of_kind("steps"));
    for owner in owners {
        for step in owner.steps("steps") {
            // A list that is wrong is reported once, where it is declared, and where it is used not again.
            if let Err(bad) = steps.all(std::slice::from_ref(step))
                && is_within(bad.step, owner)
            {
                report(bad, text, findings);
            }
        }
    }
    for route in document.of_kind("route") {
        useless(route, findings);
    }
}

/// Every step of a file, those in steps behind the one that they stand in.
pub(super) fn all(document: &Document) -> Vec<&Section> {
    let mut found = Vec::new();
    for owner in document.of_kind("route").chain(document.of_kind("steps")) {
        gather(owner, &mut found);
    }
    found
}

fn gather<'a>(owner: &'a Section, found: &mut Vec<&'a Section>) {
    for key in ["steps", "else"] {
        for step in owner.steps(key) {
            found.push(step);
            gather(step, found);
        }
    }
}

fn is_within(step: &Section, owner: &Section) -> bool {
    let mut own = Vec::new();
    gather(owner, &mut own);
    own.iter().any(|other| std::ptr::eq(*other, step))
}

fn report(bad: BadStep<'_>, text: &str, findings: &mut Findings<'_>) {
    let BadStep { step, key, problem } = bad;
    let whole = step.entry(key).and_then(|entry| entry.span.clone());
    let span = match problem.inner {
        Some((place, inner)) => place
            .or_else(|| whole.clone())
            .map(|span| part(text, &span, inner)),
        None => whole,
    };
    let message = format!("`{key}`: {}", problem.message);
    findings.error(span.or_else(|| step.place()), message, problem.hint);
}

/// Where a stretch of a string stands; the whole string for an empty one.
fn part(text: &str, span: &Range<usize>, inner: Range<usize>) -> Range<usize> {
    if inner.is_empty() {
        return span.clone();
    }
    let raw = text.get(span.clone()).unwrap_or_default();
    span_in_file(raw, span.start, inner)
}

/// A route that neither sends records anywhere nor changes them.
fn useless(route: &Section, findings: &mut Findings<'_>) {
    let is_unset = |key| {
        let entry = route.entry(key);
        entry.is_none_or(|entry| entry.span.is_none())
    };
    if is_unset("logspace") && is_unset("steps") && is_unset("tags") && is_unset("final") {
        findings.error(
            route.name_span(),
            format!("`{}` does nothing", route.path()),
            Some("say where its records go, such as `logspace = \"main\"`".to_owned()),
        );
    }
}
