//! The order of the lexicon: keys by namespace, then by what the word is made of.
//!
//! Most words that are in one record only are numbers: decimal ones, and identifiers of hexadecimal
//! digits. Those of one length stand together in the order of their values, so that they can be
//! written as distances. The class is a byte between namespace and word: an ordered key.
#![deny(clippy::indexing_slicing)]

use model::words::Alphabet;

use crate::Corrupt;

/// Hexadecimal digits that 64 bits hold.
const HEAD_DIGITS: usize = 16;

/// Most digits of a decimal number: as many as 64 bits hold whatever they are.
const DECIMAL_DIGITS_MAX: usize = 19;
/// Least digits of a hexadecimal number: shorter ones are often words.
const HEXADECIMAL_DIGITS_MIN: usize = 8;
/// Most digits of a hexadecimal number: those of a UUID without its hyphens.
const HEXADECIMAL_DIGITS_MAX: usize = 32;
/// The class byte of hexadecimal numbers is this and their length, that of decimal ones their length.
const HEXADECIMAL: u8 = 0x40;

/// What a word is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Anything.
    Word,
    /// So many decimal digits.
    Decimal(usize),
    /// So many hexadecimal digits, more than decimal ones among them where those would have fitted.
    Hexadecimal(usize),
}

impl Class {
    /// The class of a word, or of the code of a severity or facility.
    pub(super) fn of(word: &[u8]) -> Self {
        let len = word.len();
        if (1..=DECIMAL_DIGITS_MAX).contains(&len) && word.iter().all(u8::is_ascii_digit) {
            Self::Decimal(len)
        } else if (HEXADECIMAL_DIGITS_MIN..=HEXADECIMAL_DIGITS_MAX).contains(&len)
            && Alphabet::Hexadecimal.has_all(word)
        {
            Self::Hexadecimal(len)
        } else {
            Self::Word
        }
    }

    /// Its byte in an ordered key.
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Word => 0,
            Self::Decimal(len) => len as u8,
            Self::Hexadecimal(len) => HEXADECIMAL + len as u8,
        }
    }

    pub(super) fn from_byte(byte: u8) -> Result<Self, Corrupt> {
        let class = match usize::from(byte) {
            0 => Self::Word,
            len if len <= DECIMAL_DIGITS_MAX => Self::Decimal(len),
            len => Self::Hexadecimal(len.saturating_sub(usize::from(HEXADECIMAL))),
        };
        match class {
            Self::Hexadecimal(len)
                if !(HEXADECIMAL_DIGITS_MIN..=HEXADECIMAL_DIGITS_MAX).contains(&len) =>
            {
                Err(Corrupt::Invalid {
                    what: "class of the words of a lexicon page",
                    value: u64::from(byte),
                })
            }
            class => Ok(class),
        }
    }

    /// Whether there can be words of this class that start with these bytes, or hold them anywhere.
    pub(super) fn may_start_with(self, start: &[u8]) -> bool {
        match self {
            Self::Word => true,
            Self::Decimal(len) => start.len() <= len && start.iter().all(u8::is_ascii_digit),
            Self::Hexadecimal(len) => start.len() <= len && Alphabet::Hexadecimal.has_all(start),
        }
    }

    /// The value of the digits that 64 bits hold of the least word that starts with these bytes.
    pub(super) fn least_with(self, start: &[u8]) -> u64 {
        let (radix, digits) = match self {
            Self::Word => return 0,
            Self::Decimal(_) => (10, self.head_digits()),
            Self::Hexadecimal(_) => (16, self.head_digits()),
        };
        let start = start.get(..digits).unwrap_or(start);
        let value = if radix == 10 {
            number_of::<10>(start)
        } else {
            number_of::<16>(start)
        };
        (start.len()..digits).fold(value, |value, _| radix * value)
    }

    /// How many digits of a number 64 bits hold; 0 of other words.
    pub(super) fn head_digits(self) -> usize {
        match self {
            Self::Word => 0,
            Self::Decimal(len) => len,
            Self::Hexadecimal(len) => len.min(HEAD_DIGITS),
        }
    }

    /// What the last of so many digits counts in the value of all that 64 bits hold.
    pub(super) fn unit(self, digits: usize) -> u64 {
        let radix: u64 = match self {
            Self::Word => return 1,
            Self::Decimal(_) => 10,
            Self::Hexadecimal(_) => 16,
        };
        let behind = self.head_digits().saturating_sub(digits);
        (0..behind).fold(1, |unit: u64, _| unit.saturating_mul(radix))
    }

    /// All classes, in order.
    fn all() -> impl Iterator<Item = Self> {
        let hexadecimal = HEXADECIMAL_DIGITS_MIN..=HEXADECIMAL_DIGITS_MAX;
        std::iter::once(Self::Word)
            .chain((1..=DECIMAL_DIGITS_MAX).map(Self::Decimal))
            .chain(hexadecimal.map(Self::Hexadecimal))
    }
}

/// Replaces `out` by a key as the lexicon orders it.
pub(crate) fn order_into(key: &[u8], out: &mut Vec<u8>) {
    out.clear();
    if let Some((namespace, word)) = key.split_first() {
        out.extend_from_slice(&[*namespace, Class::of(word).byte()]);
        out.extend_from_slice(word);
    }
}

/// The key of an ordered key.
pub(crate) fn plain_key(ordered: &[u8]) -> Vec<u8> {
    match ordered {
        [namespace, _, word @ ..] => [&[*namespace], word].concat(),
        short => short.to_vec(),
    }
}

/// The byte between namespace and word in the ordered key of a word.
pub(crate) fn class_byte(word: &[u8]) -> u8 {
    Class::of(word).byte()
}

/// Whether there can be words of the class of a byte that hold some bytes anywhere.
pub(crate) fn may_hold(class_byte: u8, bytes: &[u8]) -> bool {
    Class::from_byte(class_byte).is_ok_and(|class| class.may_start_with(bytes))
}

/// The starts that the ordered keys of all keys with a start have, in order.
pub(crate) fn ordered_starts(start: &[u8]) -> Vec<Vec<u8>> {
    let Some((namespace, word)) = start.split_first().filter(|(_, word)| !word.is_empty()) else {
        return vec![start.to_vec()];
    };
    Class::all()
        .filter(|class| class.may_start_with(word))
        .map(|class| [&[*namespace, class.byte()], word].concat())
        .collect()
}

/// The number of as many digits as fit.
fn number_of<const RADIX: u64>(digits: &[u8]) -> u64 {
    let digits = digits.iter().map(|byte| digit_of(*byte));
    digits.fold(0, |value: u64, digit| {
        value.wrapping_mul(RADIX).wrapping_add(digit)
    })
}

/// The value of a digit of either kind.
pub(super) fn digit_of(byte: u8) -> u64 {
    u64::from(match byte {
        b'a'..=b'f' => byte - b'a' + 10,
        _ => byte.wrapping_sub(b'0') & 15,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_by_their_digits() {
        for (word, class) in [
            ("", Class::Word),
            ("7", Class::Decimal(1)),
            ("0012", Class::Decimal(4)),
            ("9999999999999999999", Class::Decimal(19)),
            ("10000000000000000000", Class::Hexadecimal(20)),
            ("deadbee", Class::Word),
            ("deadbeef", Class::Hexadecimal(8)),
            ("deadbeeg", Class::Word),
            ("00112233445566778899aabbccddeeff", Class::Hexadecimal(32)),
            ("00112233445566778899aabbccddeeff0", Class::Word),
        ] {
            assert_eq!(Class::of(word.as_bytes()), class, "{word}");
            assert_eq!(Class::from_byte(class.byte()), Ok(class));
        }
        for byte in [20, 63, 64, 71, 97, 255] {
            Class::from_byte(byte).expect_err("there is none");
        }
    }

    #[test]
    fn keys_with_a_start_are_in_few_places() {
        let starts = |start: &str| ordered_starts(start.as_bytes()).len();
        assert_eq!(starts(""), 1);
        assert_eq!(starts("m"), 1);
        assert_eq!(starts("mfail"), 1);
        assert_eq!(starts("mbee"), 1 + 25);
        assert_eq!(starts("m47"), 1 + 18 + 25);
        let mut ordered = Vec::new();
        order_into(b"m47", &mut ordered);
        assert_eq!(ordered, [b'm', 2, b'4', b'7']);
        assert!(
            ordered_starts(b"m4")
                .iter()
                .any(|start| ordered.starts_with(start))
        );
    }
}
