//! Collects problems while a file is checked.

use std::ops::Range;

use crate::problem::{Lines, Problem, Severity};

/// The problems of one text so far.
pub(crate) struct Findings<'a> {
    lines: Lines<'a>,
    problems: Vec<Problem>,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(text: &'a str, path: &'a str) -> Self {
        Self {
            lines: Lines::new(text, path),
            problems: Vec::new(),
        }
    }

    /// The line of an offset, counted from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.lines.line(offset)
    }

    /// Adds an error; without a span it came in by a flag.
    pub(crate) fn error(
        &mut self,
        span: Option<Range<usize>>,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        self.push(Severity::Error, span, message.into(), hint);
    }

    /// Adds a warning; without a span it came in by a flag.
    pub(crate) fn warning(
        &mut self,
        span: Option<Range<usize>>,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        self.push(Severity::Warning, span, message.into(), hint);
    }

    /// Whether anything makes the configuration unusable.
    pub(crate) fn has_errors(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }

    /// Forgets what was found on lines that do not satisfy the condition.
    pub(crate) fn retain_lines(&mut self, keep: impl Fn(usize) -> bool) {
        self.problems
            .retain(|problem| problem.place.as_ref().is_none_or(|place| keep(place.line)));
    }

    /// The problems in the order of the file, those of flags first.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        self.problems
            .sort_by_key(|problem| problem.place.as_ref().map(|place| place.span.start));
        self.problems
    }

    fn push(
        &mut self,
        severity: Severity,
        span: Option<Range<usize>>,
        message: String,
        hint: Option<String>,
    ) {
        let place = span.map(|span| self.lines.place(span));
        self.problems.push(Problem {
            severity,
            place,
            message,
            hint,
        });
    }
}
