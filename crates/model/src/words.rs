//! What a word is, and when two are the same: the byte-level meaning of a search term.
//!
//! Word characters are ASCII letters and digits, `_`, beyond ASCII what is no punctuation, white space
//! or symbol (`boundary.rs` has them), and bytes that are not UTF-8. A term
//! matches where its text stands bounded by other characters or the ends of the text. `*` and `?`
//! run over anything but white space and the delimiters. Case is folded with Unicode's lower case;
//! bytes that are not UTF-8 are left as they are.

mod boundary;

use std::borrow::Cow;
use std::ops::Range;

use boundary::is_boundary;

/// Whether a byte belongs to a word, or may: of what is not ASCII, the character decides. So where this
/// says no there is an edge of words, and there may be more.
pub const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a byte ends what a wildcard can run over: white space, other control characters, and
/// the delimiters ``& : ~ ! [ ] = , ; ( ) ' "``. A `?` is none, so that one in a query stands for one in
/// a text too.
pub const fn is_wildcard_stop(byte: u8) -> bool {
    byte <= b' '
        || byte == 0x7f
        || matches!(
            byte,
            b'&' | b':'
                | b'~'
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

/// The words of a text: its maximal runs of word characters, in order, not folded.
pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    word_ranges(text).filter_map(|range| text.get(range))
}

/// Where the words of a text stand.
pub fn word_ranges(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut start = None;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let (len, is_word) = first_character(rest);
            match (start, is_word) {
                (None, true) => start = Some(at),
                (Some(start), false) => return Some(start..at),
                _ => {}
            }
            at += len;
        }
        start.map(|start| start..at)
    })
}

/// Whether all of a text is valid UTF-8 and belongs to words.
pub fn is_of_words(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(is_word_character))
}

/// Whether a word goes on over a position in a text.
#[inline]
pub fn is_within_word(text: &[u8], position: usize) -> bool {
    let Some((before, behind)) = text.split_at_checked(position) else {
        return false;
    };
    let (Some(last), Some(first)) = (before.last(), behind.first()) else {
        return false;
    };
    is_word_byte(*last)
        && is_word_byte(*first)
        && (last.is_ascii() || ends_in_word(before))
        && (first.is_ascii() || first_character(behind).1)
}

/// Puts a blank for each byte of the characters beyond ASCII that end words: what is left has the same
/// words at the same places, and is cut by bytes.
pub fn blank_boundaries(text: &mut [u8]) {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (len, is_word) = first_character(rest);
        if len > 1
            && !is_word
            && let Some(own) = text.get_mut(at..at + len)
        {
            own.fill(b' ');
        }
        at += len;
    }
}

/// Length of the character at the start, 1 where the bytes are no UTF-8, and whether it is of a word.
#[inline]
fn first_character(text: &[u8]) -> (usize, bool) {
    let len = match text.first() {
        Some(first) if first.is_ascii() => return (1, is_word_byte(*first)),
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return (1, true),
    };
    let character = text
        .get(..len)
        .and_then(|bytes| std::str::from_utf8(bytes).ok());
    match character.and_then(|text| text.chars().next()) {
        Some(character) => (len, !is_boundary(character)),
        None => (1, true),
    }
}

/// Whether the character that a text ends with is of a word. Its last byte is not ASCII.
fn ends_in_word(text: &[u8]) -> bool {
    let starts = (2..=4).filter_map(|len| text.len().checked_sub(len));
    let mut ends = starts.filter_map(|start| text.get(start..));
    // Where the bytes are no character, they are of a word.
    ends.find(|end| first_character(end).0 == end.len())
        .is_none_or(|end| first_character(end).1)
}

fn is_word_character(character: char) -> bool {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() => is_word_byte(byte),
        _ => !is_boundary(character),
    }
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
    fn punctuation_blanks_and_symbols_of_all_scripts_end_words() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<_> = words(text.as_bytes())
                .map(String::from_utf8_lossy)
                .collect();
            assert_eq!(found, expected, "{text}");
            let mut blanked = text.as_bytes().to_vec();
            blank_boundaries(&mut blanked);
            let by_bytes = blanked
                .split(|byte| !is_word_byte(*byte))
                .filter(|word| !word.is_empty());
            assert!(by_bytes.eq(words(text.as_bytes())), "{text}");
        };
        check(
            "\u{4e3b}\u{673a}\u{ff1a}web1\u{ff0c}\u{72b6}\u{6001}\u{ff1a}down",
            &["\u{4e3b}\u{673a}", "web1", "\u{72b6}\u{6001}", "down"],
        );
        for boundary in [
            "\u{a0}",
            "\u{2028}",
            "\u{3000}",
            "\u{85}",
            "\u{feff}",
            "\u{200b}",
            "\u{201c}",
            "\u{ab}",
            "\u{2014}",
            "\u{2026}",
            "\u{2192}",
            "\u{2502}",
            "\u{2588}",
            "\u{b0}",
            "\u{20ac}",
            "\u{d7}",
            "\u{2713}\u{fe0f}",
            "\u{1f600}",
            "\u{1f468}\u{1f3fb}",
            "\u{3001}",
            "\u{3002}",
            "\u{ff08}",
            "\u{e0b0}",
            "\u{2066}",
            "\u{b7}",
            "\u{60c}",
            "\u{964}",
        ] {
            check(&format!("web1{boundary}down"), &["web1", "down"]);
            check(&format!("{boundary}web1{boundary}"), &["web1"]);
        }
        for whole in [
            "n\u{e9}e",
            "ne\u{301}e",
            "\u{928}\u{94d}\u{928}",
            "m\u{b2}",
            "\u{661}\u{662}",
            "a\u{200d}b",
            "a\u{ff3f}b",
            "\u{30ab}\u{30fc}",
            "\u{5d0}\u{5b0}",
            "\u{2167}",
        ] {
            check(whole, &[whole]);
        }
    }

    #[test]
    fn folding_keeps_what_ends_words() {
        for character in ('\u{80}'..=char::MAX).filter(|character| *character != '\u{fffd}') {
            let is_word = is_word_character(character);
            let folded = fold_character(character);
            assert!(
                folded
                    .chars()
                    .all(|lower| is_word_character(lower) == is_word),
                "{character:?}"
            );
        }
    }

    fn fold_character(character: char) -> String {
        character.to_lowercase().collect()
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
        // A word goes on where neither side is an edge of one.
        #[test]
        fn words_go_on_between_their_ends(
            parts in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec!["a", "1", " ", "-", "\u{e9}", "\u{ff1a}", "\u{a0}", "\u{1f600}", "\u{4e3b}"])
                        .prop_map(|text| text.as_bytes().to_vec()),
                    prop::collection::vec(any::<u8>(), 0..3),
                    Just(vec![0xef, 0xbc]), Just(vec![0xbc, 0x9a]), Just(vec![0xe2]),
                ],
                0..10,
            ),
        ) {
            let text = parts.concat();
            let ranges: Vec<_> = word_ranges(&text).collect();
            for position in 0..=text.len() {
                let is_character = first_character(&text[position..]).0 > 0;
                let is_inside = ranges.iter().any(|range| range.start < position && position < range.end);
                // Within a character that ends words nothing is asked.
                let is_whole = ranges.iter().any(|range| range.contains(&position))
                    || position == text.len()
                    || text[position].is_ascii()
                    || first_character(&text[position..]).0 > 1;
                if is_character && is_whole {
                    prop_assert_eq!(is_within_word(&text, position), is_inside, "{:?} {}", text, position);
                }
            }
        }

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
