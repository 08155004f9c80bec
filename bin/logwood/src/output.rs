//! Where data and words go, and how a record looks on a line.

use std::fmt::Write as _;
use std::io::{self, BufWriter, StdoutLock, Write as _};

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
}
