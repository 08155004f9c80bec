//! Addresses of IPv4 in a text, for an index that finds them whole.
//!
//! A number is a word ([`crate::words`]) of one to three digits, 0 to 255, without zeros in front. An address is
//! four numbers with one dot between each two; of a longer run, each four that follow each other. Where
//! another byte than a number follows the dot behind the last of three or more, those last three are the
//! start of an address: with them, every place where three numbers with a dot behind each stand is
//! either the start of an address or such a start.

use std::ops::Range;

use crate::words::word_ranges;

/// Numbers of an address.
const NUMBERS: u32 = 4;
/// Numbers of a start.
const START_NUMBERS: u32 = 3;
/// Digits of a key for each number.
const DIGITS: u32 = 2;

/// An address in a text, or the start of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// Four numbers.
    Whole([u8; 4]),
    /// Three numbers and a dot.
    Start([u8; 3]),
}

/// What an index has for an address: its numbers as hexadecimal digits, two for each. So an address is in a
/// network of whole numbers where its key starts with those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddressKey {
    digits: [u8; 8],
    len: u8,
}

impl AddressKey {
    /// That of some numbers, at most four; those behind are left out.
    pub fn of(numbers: &[u8]) -> Self {
        let mut key = Self {
            digits: [0; 8],
            len: 0,
        };
        let digit = |value: u8| match value {
            0..=9 => b'0' + value,
            _ => b'a' + value - 10,
        };
        for (pair, number) in key.digits.chunks_exact_mut(DIGITS as usize).zip(numbers) {
            pair.copy_from_slice(&[digit(number >> 4), digit(number & 15)]);
            key.len += DIGITS as u8;
        }
        key
    }

    /// Its digits.
    pub fn digits(&self) -> &[u8] {
        self.digits.get(..usize::from(self.len)).unwrap_or(&[])
    }

    /// The first number; `None` of none.
    pub fn first_number(&self) -> Option<u8> {
        let [high, low] = *self.digits().first_chunk()?;
        let value = |digit: u8| match digit {
            b'0'..=b'9' => digit - b'0',
            _ => digit - b'a' + 10,
        };
        Some(value(high) << 4 | value(low))
    }

    /// Whether it is that of a whole address.
    pub fn is_whole(&self) -> bool {
        u32::from(self.len) == NUMBERS * DIGITS
    }
}

impl From<Address> for AddressKey {
    fn from(address: Address) -> Self {
        match address {
            Address::Whole(numbers) => Self::of(&numbers),
            Address::Start(numbers) => Self::of(&numbers),
        }
    }
}

/// Finds addresses while the words of a text are gone through.
#[derive(Clone, Copy, Debug, Default)]
pub struct AddressReader {
    /// The last four numbers of the run at hand.
    numbers: u32,
    count: u32,
    /// Where the last of them ends in the text.
    end: usize,
}

impl AddressReader {
    /// Takes the next word of a text, given where it stands; the address that ends with it, or the start
    /// that ended before it.
    #[inline]
    pub fn word(&mut self, text: &[u8], word: Range<usize>) -> Option<Address> {
        if word.len() > 3 && self.count == 0 {
            return None;
        }
        let Some(number) = text.get(word.clone()).and_then(number) else {
            return self.end_run(text);
        };
        let mut found = None;
        let is_next = self.count > 0 && word.start == self.end + 1;
        if !(is_next && text.get(self.end) == Some(&b'.')) {
            found = self.end_run(text);
        }
        self.numbers = self.numbers << 8 | u32::from(number);
        self.count += 1;
        self.end = word.end;
        if self.count >= NUMBERS {
            return Some(Address::Whole(self.numbers.to_be_bytes()));
        }
        found
    }

    /// Ends the text; the start that ends it.
    pub fn finish(&mut self, text: &[u8]) -> Option<Address> {
        self.end_run(text)
    }

    fn end_run(&mut self, text: &[u8]) -> Option<Address> {
        let count = std::mem::take(&mut self.count);
        if count < START_NUMBERS || text.get(self.end) != Some(&b'.') {
            return None;
        }
        let [_, numbers @ ..] = self.numbers.to_be_bytes();
        Some(Address::Start(numbers))
    }
}

/// The addresses in a text, in the order in which they end.
pub fn addresses(text: &[u8]) -> Vec<Address> {
    let (mut reader, mut found) = (AddressReader::default(), Vec::new());
    for word in word_ranges(text) {
        found.extend(reader.word(text, word));
    }
    found.extend(reader.finish(text));
    found
}

/// The value of a word that is a number of an address.
#[inline]
pub fn number(word: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    match word {
        [one] => digit(one).map(|one| one as u8),
        [b'0', ..] => None,
        [ten, one] => Some((10 * digit(ten)? + digit(one)?) as u8),
        [hundred, ten, one] => {
            let value = 100 * digit(hundred)? + 10 * digit(ten)? + digit(one)?;
            u8::try_from(value).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::words::is_word_byte;
    use proptest::prelude::*;

    /// As texts: a start has a dot behind it.
    fn found(text: &str) -> Vec<String> {
        let shown = |address: Address| match address {
            Address::Whole(numbers) => Ipv4Addr::from(numbers).to_string(),
            Address::Start([one, two, three]) => format!("{one}.{two}.{three}."),
        };
        addresses(text.as_bytes()).into_iter().map(shown).collect()
    }

    #[test]
    fn addresses_are_four_numbers_with_dots_between() {
        assert_eq!(
            found("from 10.30.1.17:443 to 0.0.0.0, 255.255.255.255"),
            ["10.30.1.17", "0.0.0.0", "255.255.255.255"]
        );
        assert_eq!(found("net=10.30.1.17/24 [192.168.0.1]").len(), 2);
        // Other forms of one, and what is none.
        for text in [
            "10.30.1",
            "10.30.1.",
            "10..30.1.17",
            "10.30 .1.17",
            "10-30-1-17",
            "",
            "10.30.1 17",
        ] {
            let starts = found(text);
            assert!(starts.iter().all(|own| own.ends_with('.')), "{text}");
        }
    }

    #[test]
    fn of_a_longer_run_each_four_are_one() {
        assert_eq!(found("1.2.3.4.5"), ["1.2.3.4", "2.3.4.5"]);
        assert_eq!(found("1.2.3.4.5."), ["1.2.3.4", "2.3.4.5", "3.4.5."]);
    }

    #[test]
    fn three_numbers_are_a_start_where_a_dot_and_no_number_follow() {
        for text in [
            "1.2.3.",
            "1.2.3.x",
            "1.2.3.256",
            "1.2.3.04",
            "1.2.3..4",
            "1.2.3. 4",
            "1.2.3.4x",
            "1.2.3._",
            "1.2.3.\u{e9}",
        ] {
            assert_eq!(found(text), ["1.2.3."], "{text}");
        }
        for text in ["1.2.3", "1.2.3 4", "1.2.3-4", "1.2.x", "1.2.", "v1.2.3"] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn keys_start_with_those_of_their_networks() {
        let key = AddressKey::from(Address::Whole([172, 31, 254, 9]));
        assert_eq!(key.digits(), b"ac1ffe09");
        assert!(key.is_whole());
        let start = AddressKey::from(Address::Start([172, 31, 254]));
        assert_eq!(start.digits(), b"ac1ffe");
        assert!(!start.is_whole());
        assert_eq!(start.first_number(), Some(172));
        assert_eq!(AddressKey::of(&[]).digits(), b"");
        assert_eq!(AddressKey::of(&[]).first_number(), None);
    }

    proptest! {
        // What an index is asked for: wherever the text of an address, or of a start, stands between other
        // bytes than those of words, the text has it, and nowhere else.
        #[test]
        fn every_place_with_the_text_of_an_address_has_it(
            pieces in prop::collection::vec(
                prop_oneof![
                    6 => (0..=3_u8).prop_map(|number| number.to_string()),
                    8 => Just(".".to_owned()),
                    1 => prop::sample::select(vec!["255", "256", "00", "x", " ", "_", "\u{e9}"])
                        .prop_map(str::to_owned),
                ],
                0..24,
            ),
        ) {
            let text = pieces.concat();
            let own = addresses(text.as_bytes());
            let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| !is_word_byte(*byte));
            let places = |needle: &str, is_whole: bool| {
                let bytes = text.as_bytes();
                let mut places = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(needle.as_bytes()));
                places.any(|at| {
                    is_edge(at.checked_sub(1).map(|before| &bytes[before]))
                        && (!is_whole || is_edge(bytes.get(at + needle.len())))
                })
            };
            for numbers in 0..=255_u8 {
                let [one, two, three, four] = [numbers >> 6, numbers >> 4 & 3, numbers >> 2 & 3, numbers & 3];
                let whole = Address::Whole([one, two, three, four]);
                let is_there = places(&format!("{one}.{two}.{three}.{four}"), true);
                prop_assert_eq!(own.contains(&whole), is_there, "{} {:?}", &text, whole);
                let starts = own.iter().any(|own| {
                    AddressKey::from(*own).digits().starts_with(AddressKey::of(&[one, two, three]).digits())
                });
                let is_there = places(&format!("{one}.{two}.{three}."), false);
                prop_assert_eq!(starts, is_there, "{} {}.{}.{}.", &text, one, two, three);
            }
        }
    }
}
