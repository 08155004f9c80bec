//! What a word is, and when two are the same: the byte-level meaning of a search term.
//!
//! Word characters are ASCII letters and digits, `_`, and every byte that is not ASCII. A term
//! matches where its text stands bounded by other characters or the ends of the text. `*` and `?`
//! run over anything but white space and the delimiters. Case is folded with Unicode's lower case;
//! bytes that are not UTF-8 are left as they are.

use std::borrow::Cow;

/// Whether a byte belongs to a word.
pub const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a byte ends what a wildcard can run over: white space, other control characters, and
/// the delimiters ``& : ~ ? ! [ ] = , ; ( ) ' "``.
pub const fn is_wildcard_stop(byte: u8) -> bool {
    byte <= b' '
        || byte == 0x7f
        || matches!(
            byte,
            b'&' | b':'
                | b'~'
                | b'?'
                | b'!'
                | b'['
                | b']'
                | b'='
                | b','
                | b';'
                | b'('
                | b')'
                | b'\''
                | b'"'
        )
}

/// What the end of an identifier is made of, where an index leaves it out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alphabet {
    /// `0` to `9` and `a` to `f`.
    #[default]
    Hexadecimal,
    /// `0` to `9` and `a` to `z`, which folding makes of the digits of numbers to the base 62.
    Letters,
}

impl Alphabet {
    /// Whether a byte of a folded word is one of it.
    pub const fn has(self, byte: u8) -> bool {
        match self {
            Self::Hexadecimal => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Letters => matches!(byte, b'0'..=b'9' | b'a'..=b'z'),
        }
    }

    /// Whether all of these bytes are of it.
    pub fn has_all(self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| self.has(*byte))
    }
}

/// The words of a text: its maximal runs of word bytes, in order, not folded.
pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_word_byte(*byte))
        .filter(|word| !word.is_empty())
}

/// The text in lower case, borrowed where it already is.
pub fn fold(text: &[u8]) -> Cow<'_, [u8]> {
    if text
        .iter()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
    {
        return Cow::Borrowed(text);
    }
    let mut folded = Vec::with_capacity(text.len());
    fold_into(text, &mut folded);
    Cow::Owned(folded)
}

/// Appends the text in lower case.
pub fn fold_into(text: &[u8], folded: &mut Vec<u8>) {
    if text.is_ascii() {
        let start = folded.len();
        folded.extend_from_slice(text);
        if let Some(added) = folded.get_mut(start..) {
            added.make_ascii_lowercase();
        }
        return;
    }
    for chunk in text.utf8_chunks() {
        fold_characters_into(chunk.valid(), folded);
        folded.extend_from_slice(chunk.invalid());
    }
}

/// ASCII in runs and the rest character by character, for looking up lower case is what costs.
fn fold_characters_into(text: &str, folded: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        let ascii_len = rest.bytes().take_while(u8::is_ascii).count();
        let (ascii, others) = rest.split_at(ascii_len);
        let start = folded.len();
        folded.extend_from_slice(ascii.as_bytes());
        if let Some(added) = folded.get_mut(start..) {
            added.make_ascii_lowercase();
        }
        let mut characters = others.chars();
        match characters.next() {
            Some(character) if is_in_caseless_block(character) => {
                let bytes = others.as_bytes().get(..character.len_utf8());
                folded.extend_from_slice(bytes.unwrap_or(&[]));
            }
            Some(character) => {
                for lower in character.to_lowercase() {
                    folded.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            None => {}
        }
        rest = characters.as_str();
    }
}

/// Whether a character lies in one of the large blocks without case: Hebrew to Myanmar, punctuation,
/// Chinese, Japanese and Korean. Others may have no case either.
const fn is_in_caseless_block(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{109f}' | '\u{2000}'..='\u{20ff}'
        | '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{fef0}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_runs_of_word_bytes() {
        let text = "GET /var/log-1 é_x \"10.0\"".as_bytes();
        let found: Vec<_> = words(text).map(String::from_utf8_lossy).collect();
        assert_eq!(found, ["GET", "var", "log", "1", "é_x", "10", "0"]);
    }

    #[test]
    fn an_identifier_is_of_one_alphabet_or_more() {
        let of = |text: &str| {
            let all = [Alphabet::Hexadecimal, Alphabet::Letters];
            all.map(|alphabet| alphabet.has_all(text.as_bytes()))
        };
        assert_eq!(of("4f9a"), [true, true]);
        assert_eq!(of("4f9z"), [false, true]);
        assert_eq!(of("4f_9"), [false, false]);
        assert_eq!(of("4F"), [false, false]);
    }

    #[test]
    fn every_character_folds_to_its_lower_case_and_stays() {
        for character in '\0'..=char::MAX {
            let text = format!("A{character}B{character}");
            let lower: String = text.chars().flat_map(char::to_lowercase).collect();
            assert_eq!(&*fold(text.as_bytes()), lower.as_bytes(), "{text}");
            assert_eq!(&*fold(lower.as_bytes()), lower.as_bytes(), "{text}");
        }
    }

    #[test]
    fn folding_is_lower_case_and_keeps_broken_bytes() {
        assert_eq!(
            &*fold("ÉRROR ß \u{212a}".as_bytes()),
            "érror ß k".as_bytes()
        );
        assert_eq!(&*fold(b"A\xff\xc3B"), b"a\xff\xc3b");
        assert!(matches!(fold(b"already lower"), Cow::Borrowed(_)));
    }

    proptest! {
        // The index folds words and the matcher folds texts: both must see the same words.
        #[test]
        fn folding_words_is_the_words_of_the_folded_text(text in prop::collection::vec(any::<u8>(), 0..64)) {
            let one: Vec<Vec<u8>> = words(&text).map(|word| fold(word).into_owned()).collect();
            let folded = fold(&text);
            let other: Vec<Vec<u8>> = words(&folded).map(<[u8]>::to_vec).collect();
            prop_assert_eq!(one, other);
        }

        #[test]
        fn folding_words_of_any_string(text in "\\PC{0,24}") {
            let one: Vec<Vec<u8>> = words(text.as_bytes()).map(|word| fold(word).into_owned()).collect();
            let folded = fold(text.as_bytes());
            let other: Vec<Vec<u8>> = words(&folded).map(<[u8]>::to_vec).collect();
            prop_assert_eq!(one, other);
        }
    }
}
