//! The times of receipt of consecutive records: each as a signed difference to the one before, the
//! first to 0, as varints.
//!
//! They stand apart from the other columns so that a search by time reads nothing else.
#![deny(clippy::indexing_slicing)]

use model::Timestamp;
use model::limits::BATCH_RECORDS_MAX;

use crate::Corrupt;
use crate::page::{PageEntry, open};
use crate::wire::{Reader, put_varint, unzigzag, zigzag};

/// Of so many times of receipt one is known without those before it.
const MARK_ROWS: usize = 16;

/// Times of receipt that are looked up one by one.
#[derive(Clone, Debug)]
pub struct ReceivedTimes(Form);

#[derive(Clone, Debug)]
enum Form {
    Each(Vec<Timestamp>),
    /// As they are written, which takes less than half of that, and of each [`MARK_ROWS`] where they start.
    Packed {
        rows: usize,
        bytes: Vec<u8>,
        marks: Vec<Mark>,
    },
}

/// Where a time stands among those that are packed.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The time, in nanoseconds.
    nanos: i64,
    /// Where the one behind it starts, in bytes.
    next: u32,
}

impl ReceivedTimes {
    /// These.
    pub fn of(times: Vec<Timestamp>) -> Self {
        Self(Form::Each(times))
    }

    /// Reads a received page from its stored bytes, for few looks.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let bytes = open("received page", entry, stored)?.into_owned();
        let rows = entry.rows as usize;
        check_count(&bytes, rows)?;
        let mut marks = Vec::with_capacity(rows.div_ceil(MARK_ROWS));
        let mut reader = Reader::new("times of receipt", &bytes);
        let mut nanos = 0_i64;
        for first in (0..rows).step_by(MARK_ROWS) {
            nanos = nanos.wrapping_add(unzigzag(reader.varint()?));
            let next = (bytes.len() - reader.rest().len()) as u32;
            marks.push(Mark { nanos, next });
            for _ in 1..MARK_ROWS.min(rows - first) {
                nanos = nanos.wrapping_add(unzigzag(reader.varint()?));
            }
        }
        reader.finish()?;
        Ok(Self(Form::Packed { rows, bytes, marks }))
    }

    /// The same for looks at most of them.
    #[must_use]
    pub fn unpacked(&self) -> Self {
        match &self.0 {
            Form::Each(_) => self.clone(),
            Form::Packed { rows, bytes, .. } => Self::of(decode(bytes, *rows).unwrap_or_default()),
        }
    }

    /// The time of a row.
    pub fn get(&self, row: usize) -> Option<Timestamp> {
        match &self.0 {
            Form::Each(times) => times.get(row).copied(),
            Form::Packed { rows, bytes, marks } => {
                if row >= *rows {
                    return None;
                }
                let mark = marks.get(row / MARK_ROWS)?;
                let mut reader = Reader::new("times of receipt", bytes.get(mark.next as usize..)?);
                let mut nanos = mark.nanos;
                for _ in 0..row % MARK_ROWS {
                    nanos = nanos.wrapping_add(unzigzag(reader.varint().ok()?));
                }
                Some(Timestamp::from_nanos(nanos))
            }
        }
    }

    /// How many rows were received before a time, where none was received before the one before it.
    pub fn count_before(&self, time: Timestamp) -> usize {
        match &self.0 {
            Form::Each(times) => times.partition_point(|received| *received < time),
            Form::Packed { marks, .. } => {
                let marked = marks.partition_point(|mark| mark.nanos < time.nanos());
                let Some(last) = marked.checked_sub(1) else {
                    return 0;
                };
                let mut count = last * MARK_ROWS + 1;
                while self.get(count).is_some_and(|received| received < time) {
                    count += 1;
                }
                count
            }
        }
    }

    /// Memory they take, in bytes.
    pub fn memory_bytes(&self) -> usize {
        match &self.0 {
            Form::Each(times) => size_of_val::<[Timestamp]>(times),
            Form::Packed { bytes, marks, .. } => bytes.len() + size_of_val::<[Mark]>(marks),
        }
    }
}

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
    check_count(bytes, rows)?;
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

/// Checks that there may be so many times in some bytes. A time takes at least one byte, so that what is
/// allocated is bounded by the input.
fn check_count(bytes: &[u8], rows: usize) -> Result<(), Corrupt> {
    let max = BATCH_RECORDS_MAX.min(bytes.len());
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
    use crate::page::PageWriter;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_are_looked_up_without_the_others(
            nanos in prop::collection::vec(any::<i64>(), 0..200),
            shift in 0..64_u32,
            sought in any::<i64>(),
        ) {
            let mut times: Vec<_> = nanos.iter().map(|n| Timestamp::from_nanos(n >> shift)).collect();
            let page = |times: &[Timestamp]| {
                let (mut raw, mut file) = (Vec::new(), Vec::new());
                encode(times, &mut raw);
                let rows = times.len() as u32;
                let entry = PageEntry { rows, ..PageWriter::new(1).append(&raw, &mut file) };
                ReceivedTimes::decode(&entry, &file).expect("valid")
            };
            let packed = page(&times);
            for form in [&packed, &packed.unpacked(), &ReceivedTimes::of(times.clone())] {
                let found: Vec<_> = (0..times.len()).filter_map(|row| form.get(row)).collect();
                prop_assert_eq!(&found, &times);
                prop_assert_eq!(form.get(times.len()), None);
            }
            times.sort();
            let packed = page(&times);
            let among = times.get(sought as usize % times.len().max(1)).copied();
            for time in among.into_iter().chain([Timestamp::from_nanos(sought >> shift)]) {
                let expected = times.iter().filter(|own| **own < time).count();
                prop_assert_eq!(packed.count_before(time), expected);
                prop_assert_eq!(packed.unpacked().count_before(time), expected);
            }
        }

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
