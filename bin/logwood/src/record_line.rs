//! How a record looks on a line of a terminal: when, how bad, where from, and what it says.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use api::Row;
use clap::ValueEnum;
use query::{Expr, Piece, Target, Test};

use crate::output::visible;
use crate::times::Zone;

/// Widest name of a severity, so that hosts stand below each other.
const SEVERITY_WIDTH: usize = 7;

/// Colours of a terminal, by their numbers in an escape sequence.
const DIM: &str = "2";
const CYAN: &str = "36";
const MATCH: &str = "1;31";

/// Whether lines have colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArgument {
    /// On a terminal, where neither NO_COLOR nor TERM says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorArgument {
    fn is_on(self) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
            }
        }
    }
}

/// Makes lines of records.
pub(crate) struct RecordLines {
    zone: Zone,
    /// Whether the time that the sender gave counts.
    is_event: bool,
    is_coloured: bool,
    /// What the query looks for in messages, in lower case.
    terms: Vec<String>,
}

impl RecordLines {
    /// Lines for the records that a query finds.
    pub(crate) fn new(zone: Zone, is_event: bool, color: ColorArgument, query: &str) -> Self {
        let mut terms = Vec::new();
        let is_coloured = color.is_on();
        if is_coloured {
            collect_terms(&query::parse(query).query.root, &mut terms);
        }
        Self {
            zone,
            is_event,
            is_coloured,
            terms,
        }
    }

    /// A record on one line. Control characters are escaped, so that a message cannot take over the
    /// terminal.
    pub(crate) fn line(&self, row: &Row) -> String {
        let time = if self.is_event {
            &row.time
        } else {
            &row.received
        };
        let host = if row.host.is_empty() { "-" } else { &row.host };
        let severity = format!("{:SEVERITY_WIDTH$}", visible(&row.severity));
        let mut line = format!(
            "{} {} {} ",
            self.painted(DIM, &self.zone.show(time)),
            self.painted(color_of(&row.severity), &severity),
            visible(host)
        );
        if !row.program.is_empty() {
            line += &self.painted(CYAN, &visible(&row.program));
            if !row.pid.is_empty() {
                _ = write!(line, "[{}]", visible(&row.pid));
            }
            line.push_str(": ");
        }
        line += &self.marked(&visible(&row.message));
        line
    }

    fn painted(&self, color: &str, text: &str) -> String {
        if !self.is_coloured || color.is_empty() {
            return text.to_owned();
        }
        format!("\u{1b}[{color}m{text}\u{1b}[0m")
    }

    /// The message with what was looked for in colour.
    fn marked(&self, message: &str) -> String {
        let mut marked = String::with_capacity(message.len());
        let mut rest = message;
        while let Some((start, end)) = self.first_term(message, message.len() - rest.len()) {
            let offset = message.len() - rest.len();
            let (Some(before), Some(term), Some(behind)) = (
                message.get(offset..start),
                message.get(start..end),
                message.get(end..),
            ) else {
                break;
            };
            marked += before;
            marked += &self.painted(MATCH, term);
            rest = behind;
        }
        marked + rest
    }

    /// Where the first of the terms stands from an offset on, the longest of those.
    fn first_term(&self, message: &str, offset: usize) -> Option<(usize, usize)> {
        let found = self.terms.iter().filter_map(|term| {
            let start = find_word(message, term, offset)?;
            Some((start, start + term.len()))
        });
        found.min_by_key(|(start, end)| (*start, usize::MAX - end))
    }
}

/// The colour of a severity; none of those that are no trouble.
fn color_of(severity: &str) -> &'static str {
    match severity {
        "emerg" | "alert" | "crit" => "1;31",
        "err" => "31",
        "warning" => "33",
        "notice" => "32",
        "debug" => DIM,
        _ => "",
    }
}

/// The texts without wildcards that a query looks for in messages, but for those behind `NOT`.
fn collect_terms(expr: &Expr, terms: &mut Vec<String>) {
    match expr {
        Expr::And(members) | Expr::Or(members) => {
            for member in members {
                collect_terms(member, terms);
            }
        }
        Expr::Leaf(leaf) if matches!(leaf.target, Target::Text | Target::Message) => {
            let (Test::Term(pattern) | Test::Exact(pattern)) = &leaf.test else {
                return;
            };
            if let [Piece::Literal(bytes)] = pattern.pieces() {
                terms.push(String::from_utf8_lossy(bytes).to_lowercase());
            }
        }
        Expr::All | Expr::Nothing | Expr::Not(_) | Expr::Leaf(_) => {}
    }
}

/// Where a term stands in a text as a word, in any ASCII case, from an offset on.
fn find_word(text: &str, term: &str, offset: usize) -> Option<usize> {
    let (bytes, term) = (text.as_bytes(), term.as_bytes());
    let is_letter = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let last = bytes.len().checked_sub(term.len())?;
    (offset..=last).find(|start| {
        let end = start + term.len();
        let is_same = bytes
            .get(*start..end)
            .is_some_and(|found| found.eq_ignore_ascii_case(term));
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        let cuts_start = is_letter(before) && is_letter(term.first());
        let cuts_end = is_letter(bytes.get(end)) && is_letter(term.last());
        is_same && !cuts_start && !cuts_end
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(color: ColorArgument, query: &str) -> RecordLines {
        RecordLines::new(Zone::new(true), false, color, query)
    }

    fn row() -> Row {
        Row {
            received: "2026-11-21T18:47:27.120000000Z".to_owned(),
            time: "2026-11-21T18:47:26.000000000Z".to_owned(),
            severity: "err".to_owned(),
            message: "Failed password, failedness failed\x1b[2J".to_owned(),
            ..Row::default()
        }
    }

    #[test]
    fn a_line_has_what_is_there() {
        let plain = lines(ColorArgument::Never, "failed");
        assert_eq!(
            plain.line(&row()),
            "2026-11-21T18:47:27.120Z err     - Failed password, failedness failed\\u{1b}[2J"
        );
        let (host, program, pid) = ("web1".to_owned(), "sshd".to_owned(), "7".to_owned());
        let row = Row {
            host,
            program,
            pid,
            message: "hello".to_owned(),
            ..row()
        };
        assert_eq!(
            plain.line(&row),
            "2026-11-21T18:47:27.120Z err     web1 sshd[7]: hello"
        );
        let event = RecordLines::new(Zone::new(true), true, ColorArgument::Never, "");
        assert!(event.line(&row).starts_with("2026-11-21T18:47:26.000Z"));
    }

    #[test]
    fn severities_and_matches_have_colours() {
        let line = lines(ColorArgument::Always, "failed NOT password").line(&row());
        assert!(line.contains("\u{1b}[31merr    \u{1b}[0m"), "{line:?}");
        let message = "\u{1b}[1;31mFailed\u{1b}[0m password, failedness \
                       \u{1b}[1;31mfailed\u{1b}[0m\\u{1b}[2J";
        assert!(line.ends_with(message), "{line:?}");
    }

    #[test]
    fn what_is_looked_for_elsewhere_is_not_marked() {
        let colored = lines(ColorArgument::Always, "host:failed OR fail* OR \"ed pass\"");
        let line = colored.line(&row());
        assert!(line.contains("Failed password"), "{line:?}");
    }
}
