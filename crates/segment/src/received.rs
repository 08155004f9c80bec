//! The times of receipt of consecutive records: each as a signed difference to the one before, the
//! first to 0, as varints, as blocks of the journal have them.
//!
//! They stand apart from the other columns so that a search by time reads nothing else.
#![deny(clippy::indexing_slicing)]

mod page;

use model::Timestamp;
use model::limits::BATCH_RECORDS_MAX;

pub use page::ReceivedTimes;
pub(crate) use page::{decode_page, encode_page};

use crate::Corrupt;
use crate::wire::{Reader, put_varint, unzigzag, zigzag};

/// Appends the times, at most [`BATCH_RECORDS_MAX`] of them. Any order is kept; times that do not
/// go back are the small ones.
pub fn encode(received: &[Timestamp], out: &mut Vec<u8>) {
    let mut last = 0_i64;
    for time in received {
        put_varint(zigzag(time.nanos().wrapping_sub(last)), out);
        last = time.nanos();
    }
}

/// Reads the times of `rows` records that [`encode`] wrote; all of `bytes` must be it.
pub fn decode(bytes: &[u8], rows: usize) -> Result<Vec<Timestamp>, Corrupt> {
    // A time takes at least one byte, so that what is allocated is bounded by the input.
    check_count(rows, BATCH_RECORDS_MAX.min(bytes.len()))?;
    let mut received = Vec::with_capacity(rows);
    let mut last = 0_i64;
    let mut reader = Reader::new("times of receipt", bytes);
    for _ in 0..rows {
        last = last.wrapping_add(unzigzag(reader.varint()?));
        received.push(Timestamp::from_nanos(last));
    }
    reader.finish()?;
    Ok(received)
}

/// Checks that there may be so many times.
fn check_count(rows: usize, max: usize) -> Result<(), Corrupt> {
    if rows > max {
        return Err(Corrupt::TooLarge {
            what: "number of times of receipt",
            value: rows as u64,
            max: max as u64,
        });
    }
    Ok(())
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
            prop_assert_eq!(decode(&out, times.len()), Ok(times));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..40), rows in 0..9_usize) {
            if let Ok(times) = decode(&bytes, rows) {
                prop_assert_eq!(times.len(), rows);
            }
        }
    }
}
