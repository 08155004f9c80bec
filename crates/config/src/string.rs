//! Where a character of a TOML string stands in the file: escapes make the two differ.

use std::ops::Range;

/// The span in the file of a span inside a string's value. `raw` is the string as written, with
/// its quotes, and `start` where it begins in the file.
pub(crate) fn span_in_file(raw: &str, start: usize, inner: Range<usize>) -> Range<usize> {
    let offsets = offsets(raw);
    let at = |index: usize| offsets.get(index).or(offsets.last()).copied().unwrap_or(0);
    let first = at(inner.start);
    // The end is where the last byte's character ends, which is not where the next one begins if
    // a line continuation stands between.
    let last = match inner.end.checked_sub(1) {
        Some(last) if last >= inner.start => at(last + 1),
        _ => first,
    };
    start + first..start + last.max(first)
}

/// For each byte of the value, and for its end, the offset in `raw` where its character begins.
fn offsets(raw: &str) -> Vec<usize> {
    let (quote, is_basic) = match raw.as_bytes() {
        [b'"', b'"', b'"', ..] => (3, true),
        [b'\'', b'\'', b'\'', ..] => (3, false),
        [b'"', ..] => (1, true),
        _ => (1, false),
    };
    let mut at = quote;
    if quote == 3 {
        let rest = raw.get(at..).unwrap_or_default();
        at += if rest.starts_with("\r\n") {
            2
        } else {
            usize::from(rest.starts_with('\n'))
        };
    }
    let end = raw.len().saturating_sub(quote);
    let mut offsets = Vec::new();
    while at < end {
        let rest = raw.get(at..end).unwrap_or_default();
        let (written, value_bytes) = match rest.chars().next() {
            Some('\\') if is_basic => escape(rest),
            Some(character) => (character.len_utf8(), character.len_utf8()),
            None => break,
        };
        offsets.extend(std::iter::repeat_n(at, value_bytes));
        at += written;
    }
    offsets.push(end.max(quote));
    offsets
}

/// Bytes an escape takes as written, and bytes of what it stands for.
fn escape(rest: &str) -> (usize, usize) {
    let hex = |digits: usize| {
        let code = rest
            .get(2..2 + digits)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let bytes = code.and_then(char::from_u32).map_or(1, char::len_utf8);
        (2 + digits, bytes)
    };
    match rest.as_bytes().get(1) {
        Some(b'x') => hex(2),
        Some(b'u') => hex(4),
        Some(b'U') => hex(8),
        // A backslash at the end of a line takes all white space behind it along.
        Some(b' ' | b'\t' | b'\r' | b'\n') => {
            let behind = rest.get(1..).unwrap_or_default();
            (rest.len() - behind.trim_start().len(), 0)
        }
        _ => (2, 1),
    }
}

#[cfg(test)]
mod tests {
    use toml::de::{DeTable, DeValue};

    use super::*;

    /// Marks `needle` in the value and says what is marked in the file.
    fn marked(raw: &str, needle: &str) -> String {
        let text = format!("key = {raw}");
        let table = DeTable::parse(&text).expect("valid TOML");
        let (_, value) = table.get_ref().iter().next().expect("one key");
        let DeValue::String(string) = value.get_ref() else {
            panic!("no string: {raw}");
        };
        let start = string.find(needle).expect("needle is there");
        let span = span_in_file(raw, value.span().start, start..start + needle.len());
        text[span].to_owned()
    }

    #[test]
    fn spans_survive_every_kind_of_string() {
        assert_eq!(marked(r#""a bad b""#, "bad"), "bad");
        assert_eq!(marked(r"'a \bad b'", "bad"), "bad");
        assert_eq!(marked(r#""\"q\" \\ bad \u00e9""#, "bad"), "bad");
        assert_eq!(marked(r#""\u00e9\U0001f600 bad""#, "bad"), "bad");
        assert_eq!(marked("\"\u{e9}\u{1f600} bad\"", "bad"), "bad");
        assert_eq!(marked("\"\"\"\na\n  bad\n\"\"\"", "bad"), "bad");
        assert_eq!(marked("'''\na \\\n  bad'''", "bad"), "bad");
        assert_eq!(
            marked("\"\"\"a \\\n   bad\\\n  x\"\"\"", "bad"),
            "bad\\\n  "
        );
        assert_eq!(marked(r#""x \u00e9\" y""#, "\u{e9}\""), r#"\u00e9\""#);
    }

    #[test]
    fn behind_the_end_is_the_closing_quote() {
        assert_eq!(span_in_file("\"abc\"", 10, 3..3), 14..14);
        assert_eq!(span_in_file("\"abc\"", 10, 7..9), 14..14);
    }
}
