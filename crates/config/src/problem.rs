//! What is wrong with a configuration, where, and what to do: shown with the line and a caret.

use std::fmt;
use std::ops::Range;

use crate::limits::SHOWN_LINE_BYTES_MAX;

/// Longest part of a source line that is shown, in characters; the caret stays inside.
const EXCERPT_CHARS_MAX: usize = 120;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// It can be used, and probably does not do what was meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// Where in the file a problem is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What the file is called.
    pub path: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The bytes of the file that are meant; empty where something is missing.
    pub span: Range<usize>,
    /// How many characters of the line the span covers, at least one.
    pub width: usize,
    /// The text of the line, without its end; of a very long one its beginning.
    pub text: String,
}

/// One thing to tell the author of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is; `None` for what a flag on the command line brought in.
    pub place: Option<Place>,
    /// What is wrong, a clause in lower case without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// As text of several lines, with the line of the file and a caret under the spot. Control
/// characters of the file are not passed on to the terminal.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.severity, self.message)?;
        if let Some(place) = &self.place {
            let number = place.line.to_string();
            let gutter = " ".repeat(number.len());
            let excerpt = Excerpt::new(place);
            let line = format!("{number} | {}", excerpt.line);
            writeln!(
                f,
                "{gutter}--> {}:{}:{}",
                place.path, place.line, place.column
            )?;
            writeln!(f, "{gutter} |")?;
            writeln!(f, "{}", line.trim_end())?;
            writeln!(f, "{gutter} | {}{}", excerpt.indent, excerpt.carets)?;
        }
        if let Some(hint) = &self.hint {
            writeln!(f, "hint: {hint}")?;
        }
        Ok(())
    }
}

/// The part of a line around a place, and the carets below.
struct Excerpt {
    line: String,
    indent: String,
    carets: String,
}

impl Excerpt {
    fn new(place: &Place) -> Self {
        let shown: Vec<char> = place.text.chars().map(visible).collect();
        let before = place.column - 1;
        let skipped = if shown.len() > EXCERPT_CHARS_MAX {
            before.saturating_sub(EXCERPT_CHARS_MAX / 2)
        } else {
            0
        };
        let indent = before - skipped;
        let room = EXCERPT_CHARS_MAX.saturating_sub(indent).max(1);
        Self {
            line: shown.iter().skip(skipped).take(EXCERPT_CHARS_MAX).collect(),
            indent: " ".repeat(indent),
            carets: "^".repeat(place.width.min(room)),
        }
    }
}

/// The character as one column on a terminal that cannot be made to do anything.
fn visible(character: char) -> char {
    match character {
        '\t' => ' ',
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    }
}

/// Turns offsets of a text into lines and columns.
pub(crate) struct Lines<'a> {
    path: &'a str,
    text: &'a str,
    /// Where the last line with something on it ends.
    end: usize,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str, path: &'a str) -> Self {
        let behind_feeds = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            path,
            text,
            end: text.trim_end().len(),
            starts: std::iter::once(0).chain(behind_feeds).collect(),
        }
    }

    /// The line of an offset, counted from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// The line at which something is shown that begins at an offset.
    pub(crate) fn line_shown(&self, offset: usize) -> usize {
        self.line(offset.min(self.end))
    }

    /// The text of a line without its end, of a long one its beginning.
    pub(crate) fn text(&self, line: usize) -> &'a str {
        let start = line.checked_sub(1).and_then(|at| self.starts.get(at));
        let rest = start.and_then(|start| self.text.get(*start..));
        let rest = rest.unwrap_or_default();
        let shown = rest.floor_char_boundary(SHOWN_LINE_BYTES_MAX);
        let shown = rest.get(..shown).unwrap_or_default();
        shown.lines().next().unwrap_or_default()
    }

    /// The place of a span. What begins behind the last line with something on it is shown at the
    /// end of that line.
    pub(crate) fn place(&self, span: Range<usize>) -> Place {
        let start = span.start.min(self.end);
        let line = self.line(start);
        let line_start = self.starts.get(line - 1).copied().unwrap_or(0);
        let text = self.text(line);
        let end = span.end.clamp(start, (line_start + text.len()).max(start));
        let chars =
            |range: Range<usize>| self.text.get(range).map_or(0, |text| text.chars().count());
        Place {
            path: self.path.to_owned(),
            line,
            column: chars(line_start..start) + 1,
            span: start..span.end.max(start),
            width: chars(start..end).max(1),
            text: text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[expect(clippy::needless_pass_by_value, reason = "expect! makes a value")]
    fn check(text: &str, marked: &str, expected: Expect) {
        let start = text.find(marked).expect("marked text is there");
        let problem = Problem {
            severity: Severity::Warning,
            place: Some(Lines::new(text, "x.toml").place(start..start + marked.len())),
            message: "odd".to_owned(),
            hint: Some("even it out".to_owned()),
        };
        expected.assert_eq(&problem.to_string());
    }

    #[test]
    fn the_caret_is_under_the_character_meant() {
        check(
            "a = 1\n\u{e9}\tb\u{7} = 22\n",
            "22",
            expect![[r#"
                warning: odd
                 --> x.toml:2:8
                  |
                2 | é b� = 22
                  |        ^^
                hint: even it out
            "#]],
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let text = format!("{} = [oops] {}", "k".repeat(500), "v".repeat(500));
        let start = text.find("oops").expect("it is there");
        let excerpt = Excerpt::new(&Lines::new(&text, "").place(start..start + 4));
        assert_eq!(excerpt.line.len(), EXCERPT_CHARS_MAX);
        assert_eq!(excerpt.carets, "^^^^");
        assert!(excerpt.line[excerpt.indent.len()..].starts_with("oops"));
    }

    #[test]
    fn the_end_of_the_text_is_a_place() {
        let place = Lines::new("a = 1\n[b\n\n", "").place(10..10);
        assert_eq!((place.line, place.column), (2, 3));
        let place = Lines::new("", "").place(0..0);
        assert_eq!((place.line, place.column), (1, 1));
    }
}
