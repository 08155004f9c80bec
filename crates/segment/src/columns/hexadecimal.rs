//! Values of one length that differ in hexadecimal digits of one case: UUIDs, MAC addresses, hashes,
//! pointers, identifiers with a fixed prefix.
//!
//! Places where all values agree are written once, dashes and a UUID's version as well. The digits at
//! the other places are a number where they fit one, and otherwise stand one behind another, two to
//! a byte, with nothing between the values.
#![deny(clippy::indexing_slicing)]

use super::ColumnSummary;
use super::series::{self, Plan, Series};
use super::summary::spaces;
use crate::Corrupt;
use crate::limits::HEXADECIMAL_BYTES_MAX;
use crate::wire::Reader;

/// Most digits that are one number.
const NUMBER_DIGITS_MAX: usize = 16;

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// Values read as digits, to be written.
#[derive(Debug)]
pub(super) struct Digits<'a> {
    first: &'a [u8],
    /// For each place whether the values differ there.
    differs: Vec<bool>,
    is_upper: bool,
    coded: Coded,
    /// What the values are going to take after compression, roughly.
    pub(super) bytes: u64,
}

#[derive(Debug)]
enum Coded {
    Numbers(Vec<u64>, Plan),
    Packed(Vec<u8>),
}

impl<'a> Digits<'a> {
    /// Reads values; `None` where they differ in more than digits.
    pub(super) fn read(values: &[&'a [u8]]) -> Option<Self> {
        let first = *values.first()?;
        if first.len() > HEXADECIMAL_BYTES_MAX {
            return None;
        }
        let mut differs = vec![false; first.len()];
        let mut seen = 0;
        for value in values {
            if value.len() != first.len() {
                return None;
            }
            for ((differs, byte), expected) in differs.iter_mut().zip(*value).zip(first) {
                if byte != expected {
                    *differs = true;
                    seen |= digit(*byte) | digit(*expected);
                }
            }
            // Most columns that have no digits show it in their first values.
            if seen & OTHER != 0 {
                return None;
            }
        }
        if seen & (IS_LOWER | IS_UPPER) == IS_LOWER | IS_UPPER {
            return None;
        }
        let places = differs.iter().enumerate();
        let places: Vec<usize> = places
            .filter(|(_, differs)| **differs)
            .map(|(at, _)| at)
            .collect();
        let (coded, bytes) = if places.len() <= NUMBER_DIGITS_MAX {
            let numbers: Vec<u64> = values.iter().map(|value| number(value, &places)).collect();
            let plan = series::plan(&numbers);
            (Coded::Numbers(numbers, plan), plan.bytes)
        } else {
            let packed = pack(values, &places);
            let bytes = packed.len() as u64;
            (Coded::Packed(packed), bytes)
        };
        Some(Self {
            first,
            differs,
            is_upper: seen & IS_UPPER != 0,
            coded,
            bytes,
        })
    }

    /// Writes the values.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_upper));
        out.push(self.first.len() as u8);
        for places in self.differs.chunks(8) {
            let bits = places.iter().rev();
            out.push(bits.fold(0, |bits, differs| bits << 1 | u8::from(*differs)));
        }
        let places = self.first.iter().zip(&self.differs);
        out.extend(
            places
                .filter(|(_, differs)| !**differs)
                .map(|(byte, _)| *byte),
        );
        match &self.coded {
            Coded::Numbers(numbers, plan) => series::encode(numbers, *plan, out),
            Coded::Packed(packed) => out.extend_from_slice(packed),
        }
    }
}

/// Set for `a` to `f`.
const IS_LOWER: u8 = 0x10;
/// Set for `A` to `F`.
const IS_UPPER: u8 = 0x20;
/// Set for what is no digit.
const OTHER: u8 = 0x40;

/// For each byte the number of the digit, and what it is.
static DIGITS: [u8; 256] = digits();

#[expect(
    clippy::indexing_slicing,
    reason = "every byte is an index of 256 entries"
)]
const fn digits() -> [u8; 256] {
    let mut digits = [OTHER; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        digits[byte as usize] = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => (byte - b'a' + 10) | IS_LOWER,
            b'A'..=b'F' => (byte - b'A' + 10) | IS_UPPER,
            _ => OTHER,
        };
        byte += 1;
    }
    digits
}

/// For each byte its digits, the upper half first.
static LOWER_PAIRS: [[u8; 2]; 256] = pairs(LOWER);
static UPPER_PAIRS: [[u8; 2]; 256] = pairs(UPPER);

#[expect(
    clippy::indexing_slicing,
    reason = "the halves of a byte are indexes of 16 entries"
)]
const fn pairs(alphabet: &[u8; 16]) -> [[u8; 2]; 256] {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [alphabet[byte >> 4], alphabet[byte & 0xf]];
        byte += 1;
    }
    pairs
}

#[inline]
fn digit(byte: u8) -> u8 {
    DIGITS.get(usize::from(byte)).copied().unwrap_or(OTHER)
}

/// The number of the digit at a place of a value.
#[inline]
fn nibble(value: &[u8], place: usize) -> u8 {
    value.get(place).map_or(0, |byte| digit(*byte) & 0xf)
}

fn number(value: &[u8], places: &[usize]) -> u64 {
    places.iter().fold(0, |number, place| {
        number << 4 | u64::from(nibble(value, *place))
    })
}

fn pack(values: &[&[u8]], places: &[usize]) -> Vec<u8> {
    let mut packed = Vec::with_capacity((values.len() * places.len()).div_ceil(2));
    let mut low = None;
    for value in values {
        for place in places {
            let digit = nibble(value, *place);
            match low.take() {
                Some(low) => packed.push(low | digit << 4),
                None => low = Some(digit),
            }
        }
    }
    packed.extend(low);
    packed
}

/// Values that differ in digits, decoded.
#[derive(Clone, Debug)]
pub(super) struct HexadecimalColumn {
    /// A value with anything where the digits are.
    pattern: Box<[u8]>,
    /// Where the digits are.
    places: Box<[u8]>,
    /// The first of these, where they are an even number beside each other.
    run: Option<usize>,
    alphabet: &'static [u8; 16],
    digits: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Numbers(Series),
    Packed(Box<[u8]>),
}

impl HexadecimalColumn {
    /// Reads what [`Digits::encode`] wrote of `rows` values. The caller bounds them.
    pub(super) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let alphabet = match reader.byte()? {
            0 => LOWER,
            1 => UPPER,
            case => return Err(invalid("case of digits", usize::from(case))),
        };
        let len = usize::from(reader.byte()?);
        if len > HEXADECIMAL_BYTES_MAX {
            return Err(invalid("length of digits", len));
        }
        let bits = reader.bytes(len.div_ceil(8))?;
        let mut places = Vec::new();
        let mut pattern = Vec::with_capacity(len);
        for place in 0..len {
            let bits = bits.get(place / 8).copied().unwrap_or_default();
            if bits >> (place % 8) & 1 == 1 {
                places.push(place as u8);
                pattern.push(b'0');
            } else {
                pattern.push(reader.byte()?);
            }
        }
        let digits = if places.len() <= NUMBER_DIGITS_MAX {
            Source::Numbers(Series::decode(reader, rows)?)
        } else {
            let nibbles = places.len().saturating_mul(rows);
            Source::Packed(reader.bytes(nibbles.div_ceil(2))?.into())
        };
        let first = places.first().copied().map_or(0, usize::from);
        let is_run = places.len() % 2 == 0
            && (first..)
                .zip(&places)
                .all(|(at, place)| at == usize::from(*place));
        Ok(Self {
            pattern: pattern.into(),
            places: places.into(),
            run: is_run.then_some(first),
            alphabet,
            digits,
        })
    }

    /// Adds what is known of all values.
    pub(super) fn summarise(&self, summary: &mut ColumnSummary) {
        // Where digits are, the pattern has one of them.
        let is_digit_first = self.places.first() == Some(&0);
        let digits: &[u8] = if self.places.is_empty() {
            &[]
        } else {
            self.alphabet
        };
        if is_digit_first {
            return summary.add_stretches(&[digits, &self.pattern]);
        }
        let (first, rest) = self.pattern.split_at(self.pattern.len().min(1));
        summary.add_stretches(&[first, rest, digits]);
    }

    /// How many spaces each value has.
    pub(super) fn spaces(&self) -> usize {
        spaces(&self.pattern)
    }

    /// Appends a value.
    pub(super) fn append(&self, index: usize, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.pattern);
        let value = out.get_mut(start..).unwrap_or_default();
        if let Some(place) = self.run
            && let Some(digits) = value.get_mut(place..place + self.places.len())
        {
            return self.write_run(index, digits);
        }
        match &self.digits {
            Source::Numbers(numbers) => {
                let mut number = numbers.get(index);
                for place in self.places.iter().rev() {
                    self.write(value, *place, number as u8);
                    number >>= 4;
                }
            }
            Source::Packed(packed) => {
                let first = index * self.places.len();
                for (at, place) in (first..).zip(&self.places) {
                    let byte = packed.get(at / 2).copied().unwrap_or_default();
                    self.write(value, *place, byte >> (4 * (at % 2)));
                }
            }
        }
    }

    /// Writes the digits of a value that stand beside each other, two at a time.
    fn write_run(&self, index: usize, digits: &mut [u8]) {
        let (pairs, _) = digits.as_chunks_mut::<2>();
        let count = pairs.len();
        match &self.digits {
            Source::Numbers(numbers) => {
                let bytes = numbers.get(index).to_be_bytes();
                let own = bytes.iter().skip(bytes.len().saturating_sub(count));
                for (pair, byte) in pairs.iter_mut().zip(own) {
                    *pair = self.pair(*byte);
                }
            }
            Source::Packed(packed) => {
                let own = packed.iter().skip(index * count);
                for (pair, byte) in pairs.iter_mut().zip(own) {
                    *pair = self.pair(byte.rotate_left(4));
                }
            }
        }
    }

    /// The two digits of a byte, the upper half first.
    #[inline]
    fn pair(&self, byte: u8) -> [u8; 2] {
        let pairs = match self.alphabet.last() {
            Some(b'F') => &UPPER_PAIRS,
            _ => &LOWER_PAIRS,
        };
        pairs.get(usize::from(byte)).copied().unwrap_or_default()
    }

    #[inline]
    fn write(&self, value: &mut [u8], place: u8, digit: u8) {
        if let Some(byte) = value.get_mut(usize::from(place))
            && let Some(letter) = self.alphabet.get(usize::from(digit & 0xf))
        {
            *byte = *letter;
        }
    }
}

fn invalid(what: &'static str, value: usize) -> Corrupt {
    Corrupt::Invalid {
        what,
        value: value as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::assert_values;

    fn is_read(values: &[&str]) -> bool {
        let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
        let Some(digits) = Digits::read(&values) else {
            return false;
        };
        let mut out = Vec::new();
        digits.encode(&mut out);
        let mut reader = Reader::new("test", &out);
        let column = HexadecimalColumn::decode(&mut reader, values.len()).expect("valid");
        assert_eq!(reader.finish(), Ok(()));
        assert_values(&values, |index, out| column.append(index, out));
        true
    }

    #[test]
    fn what_differs_in_digits_is_packed() {
        for values in [
            ["00", "ff", "9a"],
            ["0x1F", "0x2A", "0xFF"],
            [
                "de:ad:be:ef:00:01",
                "de:ad:be:ef:00:0a",
                "00:00:00:00:00:00",
            ],
            [
                "0b5f2a6e-4b1c-4f6e-9d3a-6a1b2c3d4e5f",
                "ffffffff-ffff-4fff-bfff-ffffffffffff",
                "00000000-0000-4000-8000-000000000000",
            ],
            [
                "d41d8cd98f00b204e9800998ecf8427e1",
                "0cc175b9c0f1b6a831c399e2697726612",
                "900150983cd24fb0d6963f7d28e17f723",
            ],
        ] {
            assert!(is_read(&values), "{values:?}");
        }
    }

    #[test]
    fn all_else_is_not() {
        for values in [["a", "g"], ["A", "b"], ["1", "10"], ["a:b", "a-b"]] {
            assert!(!is_read(&values), "{values:?}");
        }
        assert!(!is_read(&[&"a".repeat(HEXADECIMAL_BYTES_MAX + 1)]));
    }
}
