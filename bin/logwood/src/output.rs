//! Where data and words go, and how a record looks on a line.

use std::fmt::Write as _;
use std::io::{self, BufWriter, StdoutLock, Write as _};

use api::Row;

/// Standard output, buffered.
pub(crate) fn data() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(64 * 1024, io::stdout().lock())
}

/// Writes words to standard error. Where nobody reads them nothing can be done about it.
pub(crate) fn words(text: &str) {
    _ = writeln!(io::stderr(), "{text}");
}

/// Writes a value as a line of JSON.
pub(crate) fn json_line(out: &mut impl io::Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// A record on one line: when it was received, where it comes from, what it says. Control
/// characters are escaped, so that a message cannot take over the terminal.
pub(crate) fn row_line(row: &Row) -> String {
    let time = row.received.get(..23).unwrap_or(&row.received);
    let host = if row.host.is_empty() { "-" } else { &row.host };
    let mut line = format!("{time}Z {} ", visible(host));
    if !row.program.is_empty() {
        line.push_str(&visible(&row.program));
        if !row.pid.is_empty() {
            _ = write!(line, "[{}]", visible(&row.pid));
        }
        line.push_str(": ");
    }
    line.push_str(&visible(&row.message));
    line
}

/// The text with control characters as escapes.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let is_bidi = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if character == '\t' || !(character.is_control() || is_bidi) {
            shown.push(character);
        } else {
            _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_take_over_the_terminal() {
        assert_eq!(
            visible("a\x1b[31mb\u{202e}\tc\n"),
            "a\\u{1b}[31mb\\u{202e}\tc\\u{a}"
        );
    }

    #[test]
    fn a_line_has_what_is_there() {
        let received = "2026-11-21T18:47:27.120000000Z".to_owned();
        let row = Row {
            received,
            message: "hello".to_owned(),
            ..Row::default()
        };
        assert_eq!(row_line(&row), "2026-11-21T18:47:27.120Z - hello");
        let (host, program, pid) = ("web1".to_owned(), "sshd".to_owned(), "7".to_owned());
        let row = Row {
            host,
            program,
            pid,
            ..row
        };
        assert_eq!(
            row_line(&row),
            "2026-11-21T18:47:27.120Z web1 sshd[7]: hello"
        );
    }
}
