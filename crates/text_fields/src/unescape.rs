//! Values without their escapes.

use memchr::memchr;

/// The escapes of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// Those of JSON (RFC 8259, section 7).
    Json,
    /// `\"` and `\\`, as in quoted values of pairs: nothing else, for paths of Windows stand there too.
    Quotes,
    /// `\=`, `\\`, `\|`, `\n`, `\r`, as in CEF.
    Event,
}

impl Escapes {
    /// The value without escapes, in `buffer` where it has some. What is no escape stays as it is.
    pub(crate) fn undo<'a>(self, value: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        if memchr(b'\\', value).is_none() {
            return value;
        }
        buffer.clear();
        self.append(value, buffer);
        buffer
    }

    /// Appends the value without escapes, which is never longer than the value.
    pub fn append(self, value: &[u8], out: &mut Vec<u8>) {
        let mut rest = value;
        while let Some(at) = memchr(b'\\', rest) {
            let (before, escape) = rest.split_at(at);
            out.extend_from_slice(before);
            let taken = self.one(escape, out);
            rest = escape.get(taken..).unwrap_or(&[]);
        }
        out.extend_from_slice(rest);
    }

    /// Appends what the escape at the start stands for; returns its length.
    fn one(self, escape: &[u8], out: &mut Vec<u8>) -> usize {
        let letter = escape.get(1).copied().unwrap_or_default();
        let plain = match (self, letter) {
            (_, b'\\') => b'\\',
            (Self::Json | Self::Quotes, b'"') => b'"',
            (Self::Json, b'/') => b'/',
            (Self::Json, b'b') => 8,
            (Self::Json, b'f') => 12,
            (Self::Json, b't') => b'\t',
            (Self::Json | Self::Event, b'n') => b'\n',
            (Self::Json | Self::Event, b'r') => b'\r',
            (Self::Event, b'=') => b'=',
            (Self::Event, b'|') => b'|',
            (Self::Json, b'u') => match character(escape) {
                Some((character, len)) => {
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    return len;
                }
                None => b'\\',
            },
            _ => b'\\',
        };
        out.push(plain);
        // What is no escape is a backslash alone.
        if plain == b'\\' && letter != b'\\' {
            1
        } else {
            2
        }
    }
}

/// The character of `\u` and four digits, or of two such that are a pair, and their length. Halves of
/// pairs are U+FFFD.
fn character(escape: &[u8]) -> Option<(char, usize)> {
    let high = unit(escape)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, 6));
    }
    let low = escape
        .get(6..)
        .and_then(unit)
        .filter(|low| (0xdc00..0xe000).contains(low));
    let pair = low.filter(|_| high < 0xdc00).and_then(|low| {
        let character = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        char::from_u32(character)
    });
    Some(pair.map_or((char::REPLACEMENT_CHARACTER, 6), |pair| (pair, 12)))
}

fn unit(escape: &[u8]) -> Option<u32> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    let mut unit = 0;
    for digit in digits {
        unit = unit << 4 | char::from(*digit).to_digit(16)?;
    }
    Some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_the_format() {
        for (escapes, text, expected) in [
            (Escapes::Json, r#"a\"b\\c\/d\n"#, "a\"b\\c/d\n"),
            (Escapes::Json, r"\u00e9t\u00E9", "\u{e9}t\u{e9}"),
            (Escapes::Json, r"\ud83d\ude00!", "\u{1f600}!"),
            (Escapes::Json, r"\ud83d!\ude00", "\u{fffd}!\u{fffd}"),
            (Escapes::Json, r"\x \u12", r"\x \u12"),
            (Escapes::Json, r"end\", r"end\"),
            (Escapes::Quotes, r#"C:\new \"x\" \\"#, r#"C:\new "x" \"#),
            (Escapes::Event, r"a\=b\\c\nd\|e\t", "a=b\\c\nd|e\\t"),
        ] {
            let mut buffer = Vec::new();
            let found = escapes.undo(text.as_bytes(), &mut buffer);
            assert_eq!(String::from_utf8_lossy(found), expected, "{text}");
        }
    }
}
