//! Collects problems while a file is checked.

use std::collections::HashSet;
use std::ops::Range;

use crate::limits::PROBLEMS_MAX;
use crate::problem::{Lines, Problem, Severity};

/// The problems of one text so far.
pub(crate) struct Findings<'a> {
    lines: Lines<'a>,
    problems: Vec<Problem>,
    /// How many more there are.
    left_out: usize,
    /// The worst of them.
    worst_left_out: Option<Severity>,
    has_errors: bool,
    /// Lines of which nothing more is said.
    muted: HashSet<usize>,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(text: &'a str, path: &'a str) -> Self {
        Self {
            lines: Lines::new(text, path),
            problems: Vec::new(),
            left_out: 0,
            worst_left_out: None,
            has_errors: false,
            muted: HashSet::new(),
        }
    }

    /// The line of an offset, counted from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.lines.line(offset)
    }

    /// The text of a line, of a long one its beginning.
    pub(crate) fn line_text(&self, line: usize) -> &'a str {
        self.lines.text(line)
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

    /// Whether one more problem is told. A hint that takes long to find is looked for only then.
    pub(crate) fn has_room(&self) -> bool {
        self.problems.len() < PROBLEMS_MAX
    }

    /// Whether anything makes the configuration unusable.
    pub(crate) fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// Says nothing of some lines from now on.
    pub(crate) fn mute(&mut self, lines: HashSet<usize>) {
        self.muted = lines;
    }

    /// The problems in the order of the file, those of flags first; at the end how many more there
    /// are.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        self.problems
            .sort_by_key(|problem| problem.place.as_ref().map(|place| place.span.start));
        if let Some(severity) = self.worst_left_out {
            self.problems.push(Problem {
                severity,
                place: None,
                message: format!("{} more problems are not shown", self.left_out),
                hint: Some("mend these and check again".to_owned()),
            });
        }
        self.problems
    }

    fn push(
        &mut self,
        severity: Severity,
        span: Option<Range<usize>>,
        message: String,
        hint: Option<String>,
    ) {
        if let Some(span) = &span
            && !self.muted.is_empty()
            && self.muted.contains(&self.lines.line_shown(span.start))
        {
            return;
        }
        self.has_errors |= severity == Severity::Error;
        if !self.has_room() {
            self.left_out += 1;
            // Errors come before warnings in the order of severities.
            let worst = self.worst_left_out.unwrap_or(severity);
            self.worst_left_out = Some(worst.min(severity));
            return;
        }
        let place = span.map(|span| self.lines.place(span));
        self.problems.push(Problem {
            severity,
            place,
            message,
            hint,
        });
    }
}
