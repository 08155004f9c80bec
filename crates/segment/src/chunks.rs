//! Many growing strings of varints in one arena: the posting lists while a segment is built.
//!
//! The last twelve bytes of a string stand in its [`Chain`], which the caller has in the cache
//! anyway; most strings never have more. When they are full they go to a chunk in the arena. A
//! chunk holds 12, 24, 48 bytes and so on up to 1.5 KiB, then the place of the next.

/// Bytes that a chain holds itself, and that move to the arena together.
const UNIT: usize = 12;
/// Units of the largest chunks.
const CHUNK_UNITS_MAX: u8 = 128;
/// Bytes of the place of the next chunk. Places count as many bytes, so that 32 bits reach 16 GiB.
const LINK: usize = 4;

/// The arena.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    bytes: Vec<u8>,
}

/// A byte string in the arena.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    /// The bytes that are not in the arena yet.
    open: [u8; UNIT],
    open_len: u8,
    /// Units left in the last chunk.
    room: u8,
    /// Units of the last chunk; 0 before there is one.
    units: u8,
    /// Place of the first chunk.
    first: u32,
    /// Place in the last chunk where the next unit goes.
    at: u32,
}

impl Chunks {
    /// Appends a number to a string as a varint. Whether it takes one byte or two is as good as
    /// random, so neither is a branch.
    #[inline]
    pub(crate) fn push_varint(&mut self, chain: &mut Chain, value: u32) {
        let len = usize::from(chain.open_len);
        if value < 1 << 14
            && let Some([low, high]) = chain.open.get_mut(len..).and_then(<[u8]>::first_chunk_mut)
        {
            let is_long = value >= 0x80;
            *low = (value & 0x7f) as u8 | u8::from(is_long) << 7;
            *high = (value >> 7) as u8;
            chain.open_len += 1 + u8::from(is_long);
        } else {
            self.push_bytes(chain, value);
        }
    }

    fn push_bytes(&mut self, chain: &mut Chain, mut value: u32) {
        while value >= 0x80 {
            self.push(chain, (value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.push(chain, value as u8);
    }

    fn push(&mut self, chain: &mut Chain, byte: u8) {
        if usize::from(chain.open_len) == UNIT {
            self.flush(chain);
        }
        chain.open[usize::from(chain.open_len)] = byte;
        chain.open_len += 1;
    }

    /// Appends a string to `out`.
    pub(crate) fn copy(&self, chain: &Chain, out: &mut Vec<u8>) {
        if chain.units > 0 {
            self.copy_chunks(chain, out);
        }
        out.extend_from_slice(&chain.open[..usize::from(chain.open_len)]);
    }

    /// Memory the strings take beside their chains, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    fn copy_chunks(&self, chain: &Chain, out: &mut Vec<u8>) {
        let last = chain.at as usize * LINK;
        let (mut start, mut units) = (chain.first as usize * LINK, 1);
        loop {
            let end = start + usize::from(units) * UNIT;
            if (start..=end).contains(&last) {
                return out.extend_from_slice(&self.bytes[start..last]);
            }
            out.extend_from_slice(&self.bytes[start..end]);
            let link = self.bytes[end..].first_chunk().copied();
            start = u32::from_le_bytes(link.unwrap_or_default()) as usize * LINK;
            units = next_units(units);
        }
    }

    /// Moves the bytes of the chain to the arena.
    fn flush(&mut self, chain: &mut Chain) {
        if chain.room == 0 {
            self.grow(chain);
        }
        let at = chain.at as usize * LINK;
        self.bytes[at..at + UNIT].copy_from_slice(&chain.open);
        chain.at += (UNIT / LINK) as u32;
        chain.room -= 1;
        chain.open_len = 0;
    }

    /// Adds a chunk to a string.
    #[cold]
    fn grow(&mut self, chain: &mut Chain) {
        let start = self.bytes.len();
        let place = (start / LINK) as u32;
        assert_eq!(place as usize * LINK, start, "the arena is below 16 GiB");
        if chain.units == 0 {
            chain.first = place;
            chain.units = 1;
        } else {
            let link = chain.at as usize * LINK;
            self.bytes[link..link + LINK].copy_from_slice(&place.to_le_bytes());
            chain.units = next_units(chain.units);
        }
        let len = usize::from(chain.units) * UNIT + LINK;
        self.bytes.resize(start + len, 0);
        chain.at = place;
        chain.room = chain.units;
    }
}

fn next_units(units: u8) -> u8 {
    units.saturating_mul(2).min(CHUNK_UNITS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::put_varint;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_do_not_mix(
            pushes in prop::collection::vec((0..4_usize, 0..32_u32, 1..2_000_usize), 0..40),
        ) {
            let mut chunks = Chunks::default();
            let mut chains = [Chain::default(); 4];
            let mut expected: [Vec<u8>; 4] = Default::default();
            for (string, shift, times) in pushes {
                for _ in 0..times {
                    chunks.push_varint(&mut chains[string], u32::MAX >> shift);
                    put_varint(u64::from(u32::MAX >> shift), &mut expected[string]);
                }
            }
            for (chain, expected) in chains.iter().zip(&expected) {
                let mut out = Vec::new();
                chunks.copy(chain, &mut out);
                prop_assert_eq!(&out, expected);
            }
        }
    }
}
