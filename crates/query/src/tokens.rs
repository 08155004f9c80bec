//! Where a term may end: at the edges of words, or at those of whole tokens, as SSB has them.
//!
//! The index has words in any case: a token consists of words and what is between them. So what a token
//! is belongs to the question and not to the data, may be others for the next question, and nothing
//! that is stored has to be indexed anew.

use std::fmt;

use model::words::{is_wildcard_stop, is_within_word, is_word_byte};

/// What bounds a term, and what its wildcards do not run over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tokens {
    /// Words: `error` is found in `/error/` and `error.c`. Wildcards stop at white space and at the
    /// delimiters of [`Delimiters::SSB`] but for `?`.
    #[default]
    Words,
    /// Whole tokens, between white space and these delimiters: `error` is not found in `/error/` or
    /// `error.c`, but `/error/` is. Wildcards stop where tokens end.
    Between(Delimiters),
}

/// ASCII punctuation that ends a token, beside white space and control characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Delimiters(u128);

/// Why a text is no list of delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidDelimiter(pub char);

impl fmt::Display for InvalidDelimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let character = self.0;
        write!(
            f,
            "`{character}` cannot be a delimiter: punctuation of ASCII can, such as `:` or `|`"
        )
    }
}

impl std::error::Error for InvalidDelimiter {}

impl Delimiters {
    /// Those of SSB, where nothing else is set: ``& : ~ ? ! [ ] = , ; ( ) ' "``.
    pub const SSB: Self = Self(of_bytes(b"&:~?![]=,;()'\""));

    /// Reads a list of them, each as itself; white space, which always ends a token, is passed over.
    ///
    /// # Errors
    /// When a character is no punctuation of ASCII.
    pub fn parse(text: &str) -> Result<Self, InvalidDelimiter> {
        let mut set = 0;
        for character in text.chars().filter(|character| !character.is_whitespace()) {
            if !character.is_ascii_punctuation() {
                return Err(InvalidDelimiter(character));
            }
            set |= 1 << u32::from(character);
        }
        Ok(Self(set))
    }

    const fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }
}

/// As [`Delimiters::parse`] reads them.
impl fmt::Display for Delimiters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in (0..128_u8).filter(|byte| self.has(*byte)) {
            write!(f, "{}", char::from(byte))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Delimiters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Delimiters({self})")
    }
}

/// As [`Tokens::parse`] reads it.
impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words => f.write_str("words"),
            Self::Between(Delimiters::SSB) => f.write_str("ssb"),
            Self::Between(delimiters) => delimiters.fmt(f),
        }
    }
}

impl Tokens {
    /// Reads `words`, `ssb`, or a list of delimiters.
    ///
    /// # Errors
    /// When it is neither of the words, and has a character that is no punctuation of ASCII.
    pub fn parse(text: &str) -> Result<Self, InvalidDelimiter> {
        match text {
            "words" => Ok(Self::Words),
            "ssb" => Ok(Self::Between(Delimiters::SSB)),
            list => Delimiters::parse(list).map(Self::Between),
        }
    }

    /// Whether wildcards do not run over a byte.
    #[inline]
    pub fn is_stop(self, byte: u8) -> bool {
        match self {
            Self::Words => is_wildcard_stop(byte),
            Self::Between(delimiters) => byte <= b' ' || byte == 0x7f || delimiters.has(byte),
        }
    }

    /// Whether a byte belongs to what a term may not be cut out of, or may: of words beyond ASCII the
    /// character decides.
    #[inline]
    pub fn joins(self, byte: u8) -> bool {
        match self {
            Self::Words => is_word_byte(byte),
            Self::Between(_) => !self.is_stop(byte),
        }
    }

    /// Whether a position in a text lies within a word or token.
    #[inline]
    pub(crate) fn cuts(&self, text: &[u8], position: usize) -> bool {
        if *self == Self::Words {
            return is_within_word(text, position);
        }
        let pair = position
            .checked_sub(1)
            .and_then(|before| text.get(before..=position));
        matches!(pair, Some([before, behind]) if self.joins(*before) && self.joins(*behind))
    }

    /// Whether a term is found at the edges of words only. It is, but for delimiters that are bytes of
    /// words themselves.
    pub(crate) fn keeps_words(self) -> bool {
        self.joins(b'_')
    }

    /// Whether wildcards stop where those of [`Self::Words`] do.
    pub fn has_usual_stops(self) -> bool {
        self == Self::Words
    }
}

const fn of_bytes(bytes: &[u8]) -> u128 {
    let mut set = 0;
    let mut index = 0;
    while index < bytes.len() {
        set |= 1 << bytes[index];
        index += 1;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Expr, Query};
    use crate::{naive, parse};

    fn finds(text: &str, tokens: Tokens, message: &str) -> bool {
        let query = parse(text).into_result().expect("it is valid");
        let Query {
            root: Expr::Leaf(leaf),
        } = query.bounded_by(tokens)
        else {
            panic!("{text} is no leaf");
        };
        naive::matches_text(&leaf.test, message.as_bytes())
    }

    #[test]
    fn tokens_of_ssb_are_found_whole() {
        let ssb = Tokens::Between(Delimiters::SSB);
        for (text, message, of_words, of_tokens) in [
            ("error", "an [Error] here", true, true),
            ("error", "in error.c", true, false),
            ("error", "in /error/", true, false),
            ("10.0.0.1", "from 10.0.0.1:22", true, true),
            ("10.0.0", "from 10.0.0.1", true, false),
            ("/var/log", "at /var/log/x", true, false),
            ("/var/*", "at /var/log/x", true, true),
            ("*pple", "a green-apple", true, true),
            ("appl*", "a green-apple", true, false),
            ("*ppl*", "a green-apple", true, true),
            ("example", "EXAMPLE", true, true),
            ("example", "examples", false, false),
            ("exam?le", "example.com", true, false),
            ("\"a b\"", "x/a b", true, false),
            ("\"a b\"", "(a b)", true, true),
        ] {
            assert_eq!(
                finds(text, Tokens::Words, message),
                of_words,
                "{text} in {message}"
            );
            assert_eq!(finds(text, ssb, message), of_tokens, "{text} in {message}");
        }
    }

    #[test]
    fn delimiters_are_punctuation_and_read_as_they_are_shown() {
        let some = Delimiters::parse("| _ /").expect("punctuation");
        assert_eq!(some.to_string(), "/_|");
        assert_eq!(Delimiters::parse(&some.to_string()), Ok(some));
        assert_eq!(
            Delimiters::parse("|\u{e9}"),
            Err(InvalidDelimiter('\u{e9}'))
        );
        assert_eq!(Delimiters::parse("|a"), Err(InvalidDelimiter('a')));
        for text in ["words", "ssb", "/_|"] {
            let tokens = Tokens::parse(text).expect("valid");
            assert_eq!(tokens.to_string(), text);
        }
        assert_eq!(Tokens::parse("wrods"), Err(InvalidDelimiter('w')));
        let tokens = Tokens::Between(some);
        assert!(finds("foo", tokens, "foo_bar/x"));
        assert!(!finds("foo", tokens, "foo:bar"));
        assert!(finds("foo*r", tokens, "foo:bar"));
    }

    #[test]
    fn the_delimiters_of_ssb_are_where_wildcards_stop() {
        for byte in 0..=u8::MAX {
            let ssb = Tokens::Between(Delimiters::SSB);
            let is_stop = ssb.is_stop(byte) && byte != b'?';
            assert_eq!(is_stop, Tokens::Words.is_stop(byte), "{byte}");
        }
    }
}
