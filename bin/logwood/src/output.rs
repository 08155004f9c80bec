//! Where data and words go, and how a record looks on a line.
//!
//! What senders wrote must not command the terminal of whoever reads it. So all that goes to a
//! terminal by [`data`] and [`words`] has its control characters as escapes, whoever writes it and
//! in whatever form; [`bytes`] is for those who asked for the bytes themselves.

use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write as _};

/// Standard output, buffered.
pub(crate) fn data() -> Data {
    Data {
        out: bytes(),
        is_terminal: io::stdout().is_terminal(),
        held: Vec::new(),
    }
}

/// Standard output, buffered, for bytes as they are: also on a terminal.
pub(crate) fn bytes() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(64 * 1024, io::stdout().lock())
}

/// Writes words to standard error. Where nobody reads them nothing can be done about it.
pub(crate) fn words(text: &str) {
    _ = writeln!(io::stderr(), "{}", visible_lines(text));
}

/// Writes a value as a line of JSON, in which what a terminal might obey is escaped.
pub(crate) fn json_line(out: &mut impl io::Write, value: &impl serde::Serialize) -> io::Result<()> {
    let line = serde_json::to_string(value)?;
    if !line.contains(is_unseen) {
        out.write_all(line.as_bytes())?;
        return out.write_all(b"\n");
    }
    // Such characters stand in strings only, and none is beyond four digits.
    let mut escaped = String::with_capacity(line.len() + 16);
    for character in line.chars() {
        match is_unseen(character) {
            true => _ = write!(escaped, "\\u{:04x}", u32::from(character)),
            false => escaped.push(character),
        }
    }
    writeln!(out, "{escaped}")
}

/// Standard output for data; where it is a terminal, control characters but for tabs and the ends
/// of lines are shown as escapes.
pub(crate) struct Data<W: io::Write = BufWriter<StdoutLock<'static>>> {
    out: W,
    is_terminal: bool,
    /// The start of a character whose other bytes have not been written yet.
    held: Vec<u8>,
}

impl<W: io::Write> io::Write for Data<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(data);
        }
        self.held.extend_from_slice(data);
        let held = std::mem::take(&mut self.held);
        for chunk in held.utf8_chunks() {
            self.out
                .write_all(visible_lines(chunk.valid()).as_bytes())?;
            let is_last = chunk.invalid().as_ptr_range().end == held.as_ptr_range().end;
            if is_last && is_start_of_character(chunk.invalid()) {
                self.held.extend_from_slice(chunk.invalid());
                break;
            }
            for byte in chunk.invalid() {
                write!(self.out, "\\x{byte:02x}")?;
            }
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether more bytes may make a character of these.
fn is_start_of_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The text with control characters as escapes, on one line.
pub(crate) fn visible(text: &str) -> String {
    escaped(text, |character, _| character == '\t')
}

/// The same, but for the ends of lines.
pub(crate) fn visible_lines(text: &str) -> String {
    escaped(text, |character, next| match character {
        '\t' | '\n' => true,
        '\r' => next == Some('\n'),
        _ => false,
    })
}

/// The text with control characters as escapes, but for those that may stay before the next one.
fn escaped(text: &str, may_stay: impl Fn(char, Option<char>) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if !is_unseen(character) || may_stay(character, characters.peek().copied()) {
            shown.push(character);
        } else {
            _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        }
    }
    shown
}

/// Whether a terminal might obey a character, or show others in another order because of it.
fn is_unseen(character: char) -> bool {
    let is_bidi = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || is_bidi
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

    /// What a terminal gets of pieces that are written one by one.
    fn on_terminal(pieces: &[&[u8]]) -> String {
        let mut data = Data {
            out: Vec::new(),
            is_terminal: true,
            held: Vec::new(),
        };
        for piece in pieces {
            data.write_all(piece).expect("memory has room");
        }
        String::from_utf8(data.out).expect("text")
    }

    #[test]
    fn nothing_that_is_written_commands_a_terminal() {
        assert_eq!(
            on_terminal(&[b"a,\x1b]0;t\x07\tb\r\nc\rd\x7f"]),
            "a,\\u{1b}]0;t\\u{7}\tb\r\nc\\u{d}d\\u{7f}"
        );
        assert_eq!(
            on_terminal(&["\u{9b}31m é\u{202e}".as_bytes()]),
            "\\u{9b}31m é\\u{202e}"
        );
        // Characters in pieces, and bytes that are none: a lone 9B is CSI to an 8-bit terminal.
        assert_eq!(
            on_terminal(&[b"\xc2", b"\x9b", b"\xc3", b"\xa9"]),
            "\\u{9b}é"
        );
        assert_eq!(
            on_terminal(&[b"x\x9by\xff", b"z\xe2\x82", b"."]),
            "x\\x9by\\xffz\\xe2\\x82."
        );
    }

    #[test]
    fn json_says_the_same_without_what_a_terminal_obeys() {
        let text = "\u{9b}31m\u{7f}\u{202e}é\x1b";
        let mut out = Vec::new();
        json_line(&mut out, &text).expect("memory has room");
        let line = String::from_utf8(out).expect("text");
        assert_eq!(line, "\"\\u009b31m\\u007f\\u202eé\\u001b\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).expect("JSON"), text);
    }
}
