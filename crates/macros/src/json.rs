//! JSON, written byte by byte: no maps, no allocation. Whatever the bytes of a record are, what comes out
//! is valid JSON in UTF-8.

use crate::output::Output;

/// What becomes of bytes that are no UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Invalid {
    /// U+FFFD, as in the HTTP API.
    Replace,
    /// `\xff`, as syslog-ng's `$(format-json)` writes them.
    Escape,
}

/// Appends a string in quotation marks.
pub(crate) fn string(text: &[u8], invalid: Invalid, out: &mut Output<'_>) {
    out.byte(b'"');
    content(text, invalid, out);
    out.byte(b'"');
}

/// Appends what is within the quotation marks of a string.
pub(crate) fn content(text: &[u8], invalid: Invalid, out: &mut Output<'_>) {
    if str::from_utf8(text).is_ok() {
        escaped(text, out);
        return;
    }
    for chunk in text.utf8_chunks() {
        escaped(chunk.valid().as_bytes(), out);
        match invalid {
            _ if chunk.invalid().is_empty() => {}
            Invalid::Replace => out.push("\u{fffd}".as_bytes()),
            Invalid::Escape => {
                for byte in chunk.invalid() {
                    let digits = [byte >> 4, byte & 15].map(crate::values::hex_digit);
                    out.push(b"\\\\x");
                    out.push(&digits);
                }
            }
        }
    }
}

/// Appends UTF-8 with its escapes.
fn escaped(text: &[u8], out: &mut Output<'_>) {
    let mut rest = text;
    while !rest.is_empty() {
        let plain = plain_len(rest);
        let (run, behind) = rest.split_at(plain);
        out.push(run);
        let Some((byte, behind)) = behind.split_first() else {
            return;
        };
        match escape(*byte) {
            b'u' => {
                let digits = [byte >> 4, byte & 15].map(crate::values::hex_digit);
                out.push(b"\\u00");
                out.push(&digits);
            }
            letter => out.push(&[b'\\', letter]),
        }
        rest = behind;
    }
}

/// How a byte is escaped: 0 as it is, `u` with four digits, else with the letter.
fn escape(byte: u8) -> u8 {
    match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        0..32 | 0x7f => b'u',
        _ => 0,
    }
}

/// How many bytes at the start need no escape. Eight at a time: most messages have no such byte at all.
fn plain_len(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut len = 0;
    let (words, _) = text.as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        // Bytes below 32 borrow from their high bit; those above 127 have it already.
        let control = word.wrapping_sub(ONES * 32) & !word & HIGH;
        let odd = control
            | has_zero(word ^ (ONES * u64::from(b'"')))
            | has_zero(word ^ (ONES * u64::from(b'\\')))
            | has_zero(word ^ (ONES * 0x7f));
        if odd != 0 {
            // A borrow shows a byte too many at times, behind the first that is odd, never before it.
            return len + odd.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    let rest = text.get(len..).unwrap_or_default();
    len + rest.iter().take_while(|byte| escape(**byte) == 0).count()
}

/// Appends a text as a number where it is one in JSON's sense, whole or with a fraction. Says whether it is.
pub(crate) fn number(text: &[u8], is_whole: bool, out: &mut Output<'_>) -> bool {
    let Ok(text) = str::from_utf8(text.trim_ascii()) else {
        return false;
    };
    if let Ok(whole) = text.parse() {
        out.signed(whole);
        return true;
    }
    match text.parse::<f64>() {
        Ok(fraction) if !is_whole && fraction.is_finite() => {
            out.push(fraction.to_string().as_bytes());
            true
        }
        _ => false,
    }
}

/// Whether a text is a JSON value by itself.
pub(crate) fn is_value(text: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(text) else {
        return false;
    };
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &[u8], invalid: Invalid) -> Vec<u8> {
        let mut bytes = Vec::new();
        string(text, invalid, &mut Output::new(&mut bytes));
        bytes
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_back_by_another_parser(
            text in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..64),
                "[ -~\\n\\t\"\\\\\u{7f}\u{e9}]{0,64}".prop_map(String::into_bytes),
            ],
        ) {
            let read: String = serde_json::from_slice(&written(&text, Invalid::Replace)).unwrap();
            prop_assert_eq!(read, String::from_utf8_lossy(&text));
            let read: Result<String, _> = serde_json::from_slice(&written(&text, Invalid::Escape));
            prop_assert!(read.is_ok());
        }
    }

    #[test]
    fn every_byte_is_found_at_every_place() {
        for byte in 0..128_u8 {
            for place in 0..20 {
                let mut text = [b'a'; 20];
                text[place] = byte;
                let read: Vec<u8> =
                    serde_json::from_slice::<String>(&written(&text, Invalid::Replace))
                        .unwrap()
                        .into_bytes();
                assert_eq!(read, text);
            }
        }
    }
}
