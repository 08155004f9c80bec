//! Many growing byte strings in one arena: the posting lists while a segment is built.
//!
//! A string is a chain of chunks of 16, 32, 64 bytes and so on up to 4 KiB, the last four bytes of
//! each being the number of the next. A string of a few bytes wastes a few bytes; one of a million
//! has one chunk in 4 KiB.

/// Bytes of the first chunk of a string.
const CHUNK_MIN: usize = 16;
/// Bytes of the largest chunks.
const CHUNK_MAX: usize = 4096;
/// Bytes of the number of the next chunk.
const LINK: usize = 4;
/// Chunks start at multiples of this; their numbers count it, so that 32 bits reach 64 GiB.
const UNIT: usize = 16;

/// The arena.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    bytes: Vec<u8>,
}

/// A byte string in the arena.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    /// Where the next byte goes, once there is a chunk.
    at: usize,
    /// Number of the first chunk.
    first: u32,
    /// Bytes left in the last chunk.
    room: u16,
    /// Size of the last chunk; 0 before there is one.
    size: u16,
}

impl Chunks {
    /// Appends a byte to a string.
    #[inline]
    pub(crate) fn push(&mut self, chain: &mut Chain, byte: u8) {
        if chain.room == 0 {
            self.grow(chain);
        }
        if let Some(slot) = self.bytes.get_mut(chain.at) {
            *slot = byte;
        }
        chain.at += 1;
        chain.room -= 1;
    }

    /// Appends a string to `out`.
    pub(crate) fn copy(&self, chain: &Chain, out: &mut Vec<u8>) {
        if chain.size == 0 {
            return;
        }
        let (mut start, mut size) = (chain.first as usize * UNIT, CHUNK_MIN);
        loop {
            let end = start + size - LINK;
            if (start..=end).contains(&chain.at) {
                out.extend_from_slice(self.bytes.get(start..chain.at).unwrap_or(&[]));
                return;
            }
            out.extend_from_slice(self.bytes.get(start..end).unwrap_or(&[]));
            let link = self.bytes.get(end..).and_then(<[u8]>::first_chunk);
            start = u32::from_le_bytes(link.copied().unwrap_or_default()) as usize * UNIT;
            size = (2 * size).min(CHUNK_MAX);
        }
    }

    /// Memory the strings take, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Adds a chunk to a string.
    #[cold]
    fn grow(&mut self, chain: &mut Chain) {
        let start = self.bytes.len();
        let number = (start / UNIT) as u32;
        assert_eq!(number as usize * UNIT, start, "the arena is below 64 GiB");
        let size = if chain.size == 0 {
            chain.first = number;
            CHUNK_MIN
        } else {
            if let Some(link) = self.bytes.get_mut(chain.at..chain.at + LINK) {
                link.copy_from_slice(&number.to_le_bytes());
            }
            (2 * usize::from(chain.size)).min(CHUNK_MAX)
        };
        self.bytes.resize(start + size, 0);
        chain.at = start;
        chain.size = size as u16;
        chain.room = (size - LINK) as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_do_not_mix(pushes in prop::collection::vec((0..4_usize, any::<u8>(), 1..900_usize), 0..40)) {
            let mut chunks = Chunks::default();
            let mut chains = [Chain::default(); 4];
            let mut expected: [Vec<u8>; 4] = Default::default();
            for (string, byte, times) in pushes {
                for _ in 0..times {
                    chunks.push(&mut chains[string], byte);
                    expected[string].push(byte);
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
