//! Hashes of bytes for tables in memory.
//!
//! The hash has random keys, so that nobody can send values that all collide; nothing that is
//! written depends on it. Finding the key of a kind takes 185 instructions, with SipHash 619.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::OnceLock;

/// Keys of the hash. Different in every process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds([u64; 2]);

impl Seeds {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        static SEEDS: OnceLock<Seeds> = OnceLock::new();
        *SEEDS.get_or_init(Self::new)
    }

    /// Others.
    pub(crate) fn new() -> Self {
        let random = RandomState::new();
        Self([random.hash_one(0), random.hash_one(1)])
    }

    /// The hash of some bytes.
    #[inline]
    pub(crate) fn hash(self, bytes: &[u8]) -> u64 {
        let Self([first, second]) = self;
        let mut hash = first;
        let (pairs, rest) = bytes.as_chunks::<16>();
        for pair in pairs {
            let pair = u128::from_le_bytes(*pair);
            hash = mix(pair as u64 ^ second, (pair >> 64) as u64 ^ hash);
        }
        let (low, high) = halves(rest);
        hash = mix(low ^ second, high ^ hash);
        mix(hash ^ second, first ^ bytes.len() as u64)
    }
}

/// For a map with keys of bytes.
impl BuildHasher for Seeds {
    type Hasher = BytesHasher;

    fn build_hasher(&self) -> BytesHasher {
        BytesHasher {
            seeds: *self,
            hash: 0,
        }
    }
}

/// Hashes one key of bytes.
#[derive(Debug)]
pub(crate) struct BytesHasher {
    seeds: Seeds,
    hash: u64,
}

impl Hasher for BytesHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.hash ^= self.seeds.hash(bytes);
    }

    /// The length of the key, which its hash has already.
    #[inline]
    fn write_usize(&mut self, _: usize) {}

    #[inline]
    fn finish(&self) -> u64 {
        self.hash
    }
}

/// Bytes that are few enough to be compared as numbers, which takes less than to find and compare the
/// bytes themselves. Their hash is made of it too.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub(crate) struct Short {
    numbers: [u64; 4],
    len: u8,
}

impl PartialEq for Short {
    /// Number by number, as they are in registers: comparing arrays puts them into memory in pieces of
    /// eight bytes and reads sixteen at once, which the processor cannot do before all is written.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let ([low, high, next, last], others) = (self.numbers, other.numbers);
        low == others[0]
            && self.len == other.len
            && high == others[1]
            && next == others[2]
            && last == others[3]
    }
}

/// For a map. The numbers are one key: hashes of parts of it are joined in a way that takes no order
/// into account, and numbers of sixteen bytes are the same twice.
impl Hash for Short {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let mut bytes = [0; 32];
        for (bytes, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.numbers) {
            *bytes = number.to_le_bytes();
        }
        hasher.write(&bytes);
    }
}

impl Short {
    /// Most bytes.
    const BYTES_MAX: usize = 32;

    /// `None` of more bytes.
    #[inline]
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > Self::BYTES_MAX {
            return None;
        }
        let mut short = Self {
            numbers: [0; 4],
            len: bytes.len() as u8,
        };
        if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            let (first, last) = (u128::from_le_bytes(*first), u128::from_le_bytes(*last));
            short.numbers = [first, first >> 64, last, last >> 64].map(|number| number as u64);
        } else {
            (short.numbers[0], short.numbers[1]) = halves(bytes);
        }
        Some(short)
    }

    /// Stands for more bytes with two hashes: 128 bits with random keys do not collide.
    pub(crate) fn of_many(bytes: &[u8], seeds: [Seeds; 2]) -> Self {
        let [first, second] = seeds.map(|seeds| seeds.hash(bytes));
        Self {
            numbers: [first, second, bytes.len() as u64, 0],
            len: u8::MAX,
        }
    }

    /// The hash.
    #[inline]
    pub(crate) fn hash(&self, Seeds([first, second]): Seeds) -> u64 {
        let [low, high, next, last] = self.numbers;
        let mut hash = mix(low ^ second, high ^ first);
        if self.len > 16 {
            hash = mix(next ^ second, last ^ hash);
        }
        mix(hash ^ second, first ^ u64::from(self.len))
    }
}

/// Fewer than sixteen bytes as two numbers, which overlap. With their count they are no other bytes'.
#[inline]
fn halves(bytes: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return (u64::from(first), u64::from(last));
    }
    let number = |number, byte: &u8| number << 8 | u64::from(*byte);
    (bytes.iter().fold(0, number), 0)
}

/// Both halves of a product of 128 bits, folded together.
#[inline]
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn short_bytes_are_the_same_where_their_numbers_are() {
        let seeds = Seeds([0x9ae1_6a3b_2f90_404f, 0xc3a5_c85c_97cb_3127]);
        let (mut seen, mut hashes) = (Vec::new(), HashSet::new());
        for len in 0..=Short::BYTES_MAX {
            for place in 0..=len {
                let mut bytes = vec![0; len];
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = 1;
                }
                let short = Short::of(&bytes).expect("short");
                assert!(!seen.contains(&short), "{place} of {len}");
                assert!(hashes.insert(short.hash(seeds)), "{place} of {len}");
                assert_eq!(Short::of(&bytes), Some(short));
                seen.push(short);
            }
        }
        assert_eq!(Short::of(&[0; Short::BYTES_MAX + 1]), None);
    }

    #[test]
    fn bytes_of_all_lengths_and_places_have_their_hashes() {
        let seeds = Seeds([0x9ae1_6a3b_2f90_404f, 0xc3a5_c85c_97cb_3127]);
        let mut seen = HashSet::new();
        let mut count = 0;
        for len in 0..70 {
            let mut bytes = vec![0; len];
            assert!(seen.insert(seeds.hash(&bytes)), "{len} zeros");
            count += 1;
            for place in 0..len {
                for byte in [1, 0x80] {
                    bytes[place] = byte;
                    assert!(
                        seen.insert(seeds.hash(&bytes)),
                        "{byte} at {place} of {len}"
                    );
                    count += 1;
                }
                bytes[place] = 0;
            }
        }
        assert_eq!(seen.len(), count);
    }
}
