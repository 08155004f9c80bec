//! The times of receipt of consecutive records: count, then each as a signed difference to the one
//! before, as varints.
//!
//! They stand apart from the other columns so that a search by time reads nothing else.
#![deny(clippy::indexing_slicing)]

use model::Timestamp;
use model::limits::BATCH_RECORDS_MAX;

use crate::Corrupt;
use crate::wire::{Reader, put_varint, unzigzag, zigzag};

/// Appends the times, at most [`BATCH_RECORDS_MAX`] of them. Any order is kept; times that do not
/// go back are the small ones.
pub fn encode(received: &[Timestamp], out: &mut Vec<u8>) {
    put_varint(received.len() as u64, out);
    let mut last = 0_i64;
    for time in received {
        put_varint(zigzag(time.nanos().wrapping_sub(last)), out);
        last = time.nanos();
    }
}

/// Reads what [`encode`] wrote; all of `bytes` must be it.
pub fn decode(bytes: &[u8]) -> Result<Vec<Timestamp>, Corrupt> {
    let mut reader = Reader::new("times of receipt", bytes);
    // A time takes at least one byte, so that the allocation is bounded by the input too.
    let max = BATCH_RECORDS_MAX.min(bytes.len());
    let count = reader.count("number of times of receipt", max)?;
    let mut received = Vec::with_capacity(count);
    let mut last = 0_i64;
    for _ in 0..count {
        last = last.wrapping_add(unzigzag(reader.varint()?));
        received.push(Timestamp::from_nanos(last));
    }
    reader.finish()?;
    Ok(received)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_round_trip(nanos in prop::collection::vec(any::<i64>(), 0..40), shift in 0..64_u32) {
            let times: Vec<_> = nanos.iter().map(|n| Timestamp::from_nanos(n >> shift)).collect();
            let mut out = Vec::new();
            encode(&times, &mut out);
            prop_assert_eq!(decode(&out), Ok(times));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(times) = decode(&bytes) {
                prop_assert!(times.len() < bytes.len());
            }
        }
    }
}
