//! Integers and runs of bytes as the format writes them: little-endian, varints, zigzag.
#![deny(clippy::indexing_slicing)]

use crate::Corrupt;

/// Longest varint in bytes: 64 bits, seven to a byte.
const VARINT_BYTES_MAX: usize = 10;

/// Appends a number as a varint: seven bits to a byte, the lowest first, the top bit set on all
/// bytes but the last.
pub(crate) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a length and the bytes.
pub(crate) fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Small numbers of either sign to small numbers: 0, -1, 1, -2 to 0, 1, 2, 3.
pub(crate) const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The inverse of [`zigzag`].
pub(crate) const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

/// Reads the parts of the format from the front of some bytes; never beyond their end.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    what: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads `bytes`; `what` is the name that errors give them.
    pub(crate) fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { what, rest: bytes }
    }

    /// The bytes not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `len` bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, len: usize) -> Result<&'a [u8], Corrupt> {
        let (head, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(Corrupt::Short { what: self.what })?;
        self.rest = rest;
        Ok(head)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Corrupt> {
        let (head, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(Corrupt::Short { what: self.what })?;
        self.rest = rest;
        Ok(*head)
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Corrupt> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// The next four bytes as a number.
    pub(crate) fn u32(&mut self) -> Result<u32, Corrupt> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// The next eight bytes as a number.
    pub(crate) fn u64(&mut self) -> Result<u64, Corrupt> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// The next varint.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Corrupt> {
        match self.rest {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.rest = rest;
                Ok(u64::from(*byte))
            }
            [low, high, rest @ ..] if *high < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(*high) << 7)
            }
            _ => self.wide_varint(),
        }
    }

    /// The next varint where eight bytes are left and hold it: without a branch for each byte.
    #[inline]
    fn wide_varint(&mut self) -> Result<u64, Corrupt> {
        let Some(word) = self.rest.first_chunk::<8>() else {
            return self.long_varint();
        };
        let word = u64::from_le_bytes(*word);
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return self.long_varint();
        }
        let len = ends.trailing_zeros() as usize / 8 + 1;
        self.rest = self.rest.get(len..).unwrap_or(&[]);
        // Seven bits of each byte up to the end, moved together by twos, by fours, by eights.
        let bits = word & (ends ^ (ends - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
        let bits = bits & 0x007f_007f_007f_007f | (bits & 0x7f00_7f00_7f00_7f00) >> 1;
        let bits = bits & 0x0000_3fff_0000_3fff | (bits & 0x3fff_0000_3fff_0000) >> 2;
        Ok(bits & 0x0fff_ffff | (bits & 0x0fff_ffff_0000_0000) >> 4)
    }

    fn long_varint(&mut self) -> Result<u64, Corrupt> {
        let mut value = 0_u64;
        for (index, &byte) in self.rest.iter().enumerate().take(VARINT_BYTES_MAX) {
            let bits = u64::from(byte & 0x7f);
            if index == VARINT_BYTES_MAX - 1 && bits > 1 {
                break;
            }
            value |= bits << (7 * index);
            if byte < 0x80 {
                self.rest = self.rest.get(index + 1..).unwrap_or(&[]);
                return Ok(value);
            }
        }
        if self.rest.len() < VARINT_BYTES_MAX {
            return Err(Corrupt::Short { what: self.what });
        }
        Err(Corrupt::Invalid {
            what: "varint",
            value,
        })
    }

    /// The next varint, a length or count of at most `max`.
    #[inline]
    pub(crate) fn count(&mut self, what: &'static str, max: usize) -> Result<usize, Corrupt> {
        let value = self.varint()?;
        match usize::try_from(value) {
            Ok(count) if count <= max => Ok(count),
            _ => Err(Corrupt::TooLarge {
                what,
                value,
                max: max as u64,
            }),
        }
    }

    /// Checks that nothing is left.
    pub(crate) fn finish(self) -> Result<(), Corrupt> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(Corrupt::Trailing {
            what: self.what,
            count: self.rest.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_round_trip(value in any::<u64>(), shift in 0..64_u32) {
            let value = value >> shift;
            let mut out = Vec::new();
            put_varint(value, &mut out);
            let mut reader = Reader::new("test", &out);
            prop_assert_eq!(reader.varint(), Ok(value));
            prop_assert_eq!(reader.finish(), Ok(()));
            // Whatever is behind it.
            for behind in [[0; 9], [0xff; 9]] {
                let bytes = [&out[..], &behind].concat();
                let mut reader = Reader::new("test", &bytes);
                prop_assert_eq!(reader.varint(), Ok(value));
                prop_assert_eq!(reader.rest(), behind);
            }
            prop_assert_eq!(zigzag(unzigzag(value)), value);
            let short = out.get(..out.len() - 1).expect("not empty");
            prop_assert_eq!(
                Reader::new("test", short).varint(),
                Err(Corrupt::Short { what: "test" })
            );
        }
    }

    #[test]
    fn a_varint_of_more_than_64_bits_is_refused() {
        for last in [0x02, 0x80, 0xff] {
            let mut bytes = [0xff; 11];
            bytes[9] = last;
            assert!(Reader::new("test", &bytes).varint().is_err(), "{last}");
        }
        let mut largest = [0xff; 10];
        largest[9] = 1;
        assert_eq!(Reader::new("test", &largest).varint(), Ok(u64::MAX));
    }

    #[test]
    fn counts_have_limits() {
        let mut out = Vec::new();
        put_varint(300, &mut out);
        assert_eq!(Reader::new("test", &out).count("names", 300), Ok(300));
        assert_eq!(
            Reader::new("test", &out).count("names", 299),
            Err(Corrupt::TooLarge {
                what: "names",
                value: 300,
                max: 299
            })
        );
    }
}
