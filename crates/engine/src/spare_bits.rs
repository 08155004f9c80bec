//! Memory for a bit of each row of a segment, which questions need for a moment, one segment after the other.
//!
//! It is used again: memory that is new to a process comes from the system page by page, when each is touched
//! first, which takes several times as long as what is done with it.

use std::sync::Mutex;

use crate::parallel::locked;

/// So many are kept, of 640 KiB for as many rows as a segment has mostly: two or three for each thread.
const KEPT_MAX: usize = 16;

/// Larger ones are not kept.
const KEPT_BYTES_MAX: usize = 1 << 20;

static KEPT: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// So many bytes, all zero.
pub(crate) fn take(len: usize) -> Vec<u8> {
    let mut bits = locked(&KEPT).pop().unwrap_or_default();
    bits.clear();
    bits.resize(len, 0);
    bits
}

/// Bytes that are not needed any more.
pub(crate) fn give_back(bits: Vec<u8>) {
    let mut kept = locked(&KEPT);
    if kept.len() < KEPT_MAX && bits.capacity() <= KEPT_BYTES_MAX {
        kept.push(bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_again_is_empty() {
        for _ in 0..3 * KEPT_MAX {
            let mut bits = take(100);
            assert_eq!(bits, [0; 100]);
            bits.fill(7);
            give_back(bits);
        }
        assert!(locked(&KEPT).len() <= KEPT_MAX);
    }
}
