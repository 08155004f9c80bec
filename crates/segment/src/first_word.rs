//! The first word of a text, and whether it is a number of few digits.
#![deny(clippy::indexing_slicing)]

use model::words::is_word_byte;

/// How many numbers of one to three digits there are, as addresses, codes and small counts have them;
/// `7`, `07` and `007` are three.
pub(crate) const SHORT_NUMBERS: usize = 10 + 100 + 1000;

/// Whether each byte is one of a word.
static IS_WORD: [bool; 256] = is_word();

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn is_word() -> [bool; 256] {
    let mut is_word = [false; 256];
    let mut byte = 0_u8;
    loop {
        is_word[byte as usize] = is_word_byte(byte);
        if byte == u8::MAX {
            return is_word;
        }
        byte += 1;
    }
}

/// The word that a text starts with; nothing where it starts with another byte.
#[inline]
pub(crate) fn first_word(text: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| !IS_WORD.get(usize::from(*byte)).copied().unwrap_or(false);
    let len = text.iter().position(is_end).unwrap_or(text.len());
    text.get(..len).unwrap_or(text)
}

/// The place of a word among the numbers of few digits, if it is one.
#[inline]
pub(crate) fn short_number(word: &[u8]) -> Option<usize> {
    let digits = |before, digits: &[u8]| {
        let mut number = before;
        for byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            number = 10 * number + usize::from(digit);
        }
        Some(number)
    };
    match word {
        [_] => digits(0, word),
        // Behind those of fewer digits: 1 in front of two digits is 100.
        [_, _] => digits(1, word).map(|number| number - 90),
        [_, _, _] => digits(1, word).map(|number| number - 890),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_few_digits_are_told_apart() {
        let mut numbers = Vec::new();
        for width in 1..=3_usize {
            for number in 0..10_usize.pow(width as u32) {
                let text = format!("{number:0width$}. and more");
                let word = first_word(text.as_bytes());
                assert_eq!(word.len(), width);
                numbers.push(short_number(word).expect("a short number"));
            }
        }
        assert_eq!(numbers, (0..SHORT_NUMBERS).collect::<Vec<_>>());
    }

    #[test]
    fn all_other_words_are_none() {
        for (text, len) in [
            ("1000", 4),
            ("1a", 2),
            ("_", 1),
            ("\u{e9} 7", 2),
            (" 7", 0),
            ("", 0),
        ] {
            let word = first_word(text.as_bytes());
            assert_eq!((word.len(), short_number(word)), (len, None), "{text}");
        }
    }

    #[test]
    fn words_are_of_word_bytes() {
        for byte in 0..=255_u8 {
            let len = first_word(&[byte, b' ']).len();
            assert_eq!(len, usize::from(is_word_byte(byte)), "{byte}");
        }
    }
}
