//! Cuts a message into words, numbers, ids, addresses, time stamps, and what stands between them.
//!
//! Nothing is lost: the tokens one behind the other are the text. A token that is no
//! [`Kind::Text`] is a whole run of letters or of digits, or begins and ends with one; so no run of
//! letters ever reaches from one token into the next.

use crate::learn::limits::SLOTS_MAX;
use crate::learn::stamp::StampFinder;

/// Digits that a number of 64 bits can have whatever they are.
const NUMBER_DIGITS_MAX: usize = 18;

/// Fewest digits of what is taken for hexadecimal; shorter ones are words with a number.
const HEX_DIGITS_MIN: usize = 6;

/// Fewest characters of a code; names in mixed case are mostly shorter.
const CODE_BYTES_MIN: usize = 20;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Neither letters nor digits.
    Text,
    /// Letters of ASCII.
    Word,
    /// Decimal digits.
    Number,
    /// Hexadecimal digits.
    Hex,
    /// A long run of letters and digits in both cases, as in base64.
    Code,
    /// `8-4-4-4-12` hexadecimal digits.
    Uuid,
    /// An IPv4 address.
    Address,
    /// A time stamp in this format.
    Stamp(String),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
}

/// Cuts a text; behind [`SLOTS_MAX`] tokens that may vary the rest is left out.
pub(crate) fn tokens<'a>(text: &'a str, stamps: &StampFinder) -> Vec<Token<'a>> {
    let mut found: Vec<Token<'a>> = Vec::new();
    let mut varying = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let is_start = !text
            .as_bytes()
            .get(at.wrapping_sub(1))
            .is_some_and(u8::is_ascii_alphanumeric);
        let is_prefixed = text.get(..at).is_some_and(|before| before.ends_with("0x"));
        let (kind, len) = if is_prefixed && hex_len(rest) > 0 {
            (Kind::Hex, hex_len(rest))
        } else {
            next(rest, is_start, stamps)
        };
        if kind != Kind::Text {
            varying += 1;
        }
        if varying > SLOTS_MAX {
            break;
        }
        let (text, _) = rest.split_at(len);
        found.push(Token { kind, text });
        at += len;
    }
    found
}

fn next(rest: &str, is_start: bool, stamps: &StampFinder) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let run_len = run(bytes, u8::is_ascii_alphanumeric);
    if run_len == 0 {
        let len = run(bytes, |byte| !byte.is_ascii_alphanumeric());
        return (Kind::Text, len);
    }
    if is_start {
        if let Some((len, format)) = stamps.find(bytes) {
            return (Kind::Stamp(format), len);
        }
        if let Some(len) = uuid_len(bytes) {
            return (Kind::Uuid, len);
        }
        if let Some(len) = address_len(bytes) {
            return (Kind::Address, len);
        }
        if let Some(len) = code_len(bytes) {
            return (Kind::Code, len);
        }
    }
    let (word, _) = bytes.split_at(run_len);
    if is_start && is_hex(word) {
        return (Kind::Hex, run_len);
    }
    let digits = run(word, u8::is_ascii_digit);
    match digits {
        0 => (Kind::Word, run(word, u8::is_ascii_alphabetic)),
        // `0x` and what follows are told apart, so that the digits are seen as such.
        1 if word.starts_with(b"0x") && hex_len(rest.get(2..).unwrap_or_default()) > 0 => {
            (Kind::Text, 2)
        }
        digits if digits > NUMBER_DIGITS_MAX => (Kind::Hex, digits),
        digits => (Kind::Number, digits),
    }
}

/// Whether a word is made of hexadecimal digits in one case, some of them digits and some letters
/// unless it is very long.
fn is_hex(word: &[u8]) -> bool {
    let is_digits = |byte: &u8| byte.is_ascii_digit();
    let is_lower = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    let is_upper = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F');
    let has_both = word.iter().any(is_digits) && !word.iter().all(is_digits);
    has_both
        && word.len() >= HEX_DIGITS_MIN
        && (word.iter().all(is_lower) || word.iter().all(is_upper))
}

/// The length of a word of hexadecimal digits in lower case; 0 for any other.
fn hex_len(text: &str) -> usize {
    let len = run(text.as_bytes(), u8::is_ascii_alphanumeric);
    let digits = run(text.as_bytes(), |b| {
        b.is_ascii_digit() || matches!(b, b'a'..=b'f')
    });
    if len == digits { len } else { 0 }
}

/// The length of base64, its padding left out.
fn code_len(text: &[u8]) -> Option<usize> {
    let len = run(text, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/')
    });
    // What is left out at the end belongs to no word.
    let len = len - run_back(text.get(..len)?, |b| !b.is_ascii_alphanumeric());
    let code = text.get(..len)?;
    let digits = code.iter().filter(|byte| byte.is_ascii_digit()).count();
    let uppers = code.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let lowers = code.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    // One character in six is a digit; paths and names have fewer.
    let is_code =
        len >= CODE_BYTES_MIN && digits * 16 >= len && uppers * 6 >= len && lowers * 6 >= len;
    (is_code && len <= usize::from(u8::MAX)).then_some(len)
}

fn run_back(text: &[u8], belongs: impl Fn(&u8) -> bool) -> usize {
    text.iter().rev().take_while(|byte| belongs(byte)).count()
}

fn uuid_len(text: &[u8]) -> Option<usize> {
    let uuid = text.get(..36)?;
    let fits = uuid.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
    });
    let is_end = !text.get(36).is_some_and(u8::is_ascii_alphanumeric);
    (fits && is_end).then_some(36)
}

fn address_len(text: &[u8]) -> Option<usize> {
    let len = run(text, |byte| byte.is_ascii_digit() || *byte == b'.');
    let text_end = text.get(len);
    // A full stop behind an address ends a sentence.
    let len = if text.get(len.checked_sub(1)?) == Some(&b'.') {
        len - 1
    } else {
        len
    };
    let address = std::str::from_utf8(text.get(..len)?).ok()?;
    let is_end = !text_end.is_some_and(u8::is_ascii_alphanumeric);
    (is_end && address.parse::<std::net::Ipv4Addr>().is_ok()).then_some(len)
}

fn run(text: &[u8], belongs: impl Fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| belongs(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Kind, &str)> {
        let found = tokens(text, &StampFinder::new());
        found.into_iter().map(|t| (t.kind, t.text)).collect()
    }

    #[test]
    fn kinds_are_told_apart() {
        assert_eq!(
            cut("blk_-12 at 10.0.0.7: 0x7fed80 eth0"),
            [
                (Kind::Word, "blk"),
                (Kind::Text, "_-"),
                (Kind::Number, "12"),
                (Kind::Text, " "),
                (Kind::Word, "at"),
                (Kind::Text, " "),
                (Kind::Address, "10.0.0.7"),
                (Kind::Text, ": "),
                (Kind::Text, "0x"),
                (Kind::Hex, "7fed80"),
                (Kind::Text, " "),
                (Kind::Word, "eth"),
                (Kind::Number, "0"),
            ]
        );
        let uuid = "38101a0b-2096-447d-96ea-a692162415ae";
        assert_eq!(cut(uuid), [(Kind::Uuid, uuid)]);
        let code = "dEVrJPlPxUll1k0XFf/hW6ZPnrd9azn+Ks4d";
        assert_eq!(cut(code), [(Kind::Code, code)]);
        assert_eq!(cut("9ea2f6")[0].0, Kind::Hex);
        assert_eq!(cut("facade")[0].0, Kind::Word);
    }

    #[test]
    fn nothing_of_a_text_is_lost() {
        for text in [
            "",
            "\u{e9}t\u{e9} 1.2.3.4.5 a1b2..",
            "::1 2026-11-21T18:47:27Z x",
        ] {
            let joined: String = cut(text).into_iter().map(|(_, text)| text).collect();
            assert_eq!(joined, text);
        }
        let long = "a ".repeat(SLOTS_MAX + 5);
        assert_eq!(cut(&long).len(), 2 * SLOTS_MAX);
    }
}
