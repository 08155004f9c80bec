//! A row page: which kind each row of a chunk is of, and so which seat it has.
//!
//! Seats number the rows of a chunk by kind: first those of the first kind, in their own order, then
//! those of the second, and so on. So the rows of a kind sit beside each other.
#![deny(clippy::indexing_slicing)]

use model::limits::BATCH_RECORDS_MAX;

use crate::Corrupt;
use crate::column;
use crate::limits::KINDS_MAX;
use crate::page::{PageEntry, open};
use crate::wire::{Reader, put_varint};

/// The kinds of the rows of a chunk.
#[derive(Clone, Debug)]
pub struct RowKinds {
    /// The kinds there are, by number, and how many rows each has.
    kinds: Vec<(u32, u32)>,
    /// For each of them the seat behind its last.
    ends: Vec<u32>,
    /// For each row its seat.
    seats: Vec<u32>,
}

impl RowKinds {
    /// Reads a row page.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("row page", entry, stored)?;
        let mut reader = Reader::new("row page", &raw);
        let rows = reader.count("number of rows", BATCH_RECORDS_MAX)?;
        let count = reader.count("number of kinds", rows.min(KINDS_MAX))?;
        let (mut numbers, mut counts, mut places) = (Vec::new(), Vec::new(), Vec::new());
        column::decode(&mut reader, count, &mut numbers)?;
        column::decode(&mut reader, numbers.len(), &mut counts)?;
        column::decode(&mut reader, rows, &mut places)?;
        reader.finish()?;
        let mut kinds = Vec::with_capacity(numbers.len());
        for (number, count) in numbers.into_iter().zip(counts) {
            kinds.push((
                narrow("number of a kind", number)?,
                narrow("rows of a kind", count)?,
            ));
        }
        let ends = ends_of(&kinds);
        let mut next: Vec<u32> = kinds
            .iter()
            .zip(&ends)
            .map(|((_, rows), end)| end.saturating_sub(*rows))
            .collect();
        let mut seats = Vec::with_capacity(rows);
        for place in places {
            let at = usize::try_from(place).unwrap_or(usize::MAX);
            match (next.get_mut(at), ends.get(at)) {
                (Some(next), Some(end)) if *next < *end => {
                    seats.push(*next);
                    *next += 1;
                }
                _ => {
                    return Err(Corrupt::Invalid {
                        what: "kind of a row",
                        value: place,
                    });
                }
            }
        }
        // Each of them has a seat of its own.
        if ends.last().copied().unwrap_or_default() as usize != rows {
            return Err(Corrupt::Invalid {
                what: "rows of all kinds",
                value: rows as u64,
            });
        }
        Ok(Self { kinds, ends, seats })
    }

    /// The kinds there are, by number, and how many rows each has.
    pub fn kinds(&self) -> &[(u32, u32)] {
        &self.kinds
    }

    /// Replaces `out` by the page with other numbers of its kinds, as many as it has.
    pub(crate) fn relabelled(&self, numbers: &[u32], out: &mut Vec<u8>) {
        let rows = self.kinds.iter().map(|(_, rows)| *rows);
        let kinds: Vec<(u32, u32)> = numbers.iter().copied().zip(rows).collect();
        let place = |seat: &u32| self.ends.partition_point(|end| end <= seat) as u64;
        let places: Vec<u64> = self.seats.iter().map(place).collect();
        encode(&kinds, &places, out);
    }

    /// For each row of the chunk its seat.
    pub fn seats(&self) -> &[u32] {
        &self.seats
    }

    /// Some rows of the chunk, each with its seat. A row that is not there has a seat that is not there.
    pub fn with_seats(
        &self,
        rows: impl IntoIterator<Item = u32>,
    ) -> impl Iterator<Item = (u32, u32)> {
        rows.into_iter().map(|row| {
            let seat = self.seats.get(row as usize).copied();
            (row, seat.unwrap_or(u32::MAX))
        })
    }

    /// The rows that have some seats, which ascend, each with its own; the rows ascend.
    pub fn seated(&self, seats: &[u32]) -> Vec<(u32, u32)> {
        let numbered = (0..).zip(self.seats.iter().copied());
        if seats.len() == self.seats.len() {
            return numbered.collect();
        }
        if let &[seat] = seats {
            return numbered.filter(|(_, own)| *own == seat).collect();
        }
        let mut wanted = vec![0_u64; self.seats.len().div_ceil(64)];
        for seat in seats {
            if let Some(bits) = wanted.get_mut((seat / 64) as usize) {
                *bits |= 1 << (seat % 64);
            }
        }
        let is_wanted = |seat: u32| {
            let bits = wanted.get((seat / 64) as usize).copied();
            bits.unwrap_or_default() >> (seat % 64) & 1 == 1
        };
        numbered.filter(|(_, seat)| is_wanted(*seat)).collect()
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[(u32, u32)]>(&self.kinds)
            + size_of_val::<[u32]>(&self.ends)
            + size_of_val::<[u32]>(&self.seats)
    }
}

/// For each kind the seat behind its last.
fn ends_of(kinds: &[(u32, u32)]) -> Vec<u32> {
    let mut end = 0_u32;
    let ends = kinds.iter().map(|(_, rows)| {
        end = end.saturating_add(*rows);
        end
    });
    ends.collect()
}

/// Replaces `out` by a row page.
pub(super) fn encode(kinds: &[(u32, u32)], places: &[u64], out: &mut Vec<u8>) {
    out.clear();
    put_varint(places.len() as u64, out);
    put_varint(kinds.len() as u64, out);
    let (numbers, counts): (Vec<u64>, Vec<u64>) = kinds
        .iter()
        .map(|(number, rows)| (u64::from(*number), u64::from(*rows)))
        .unzip();
    column::encode(&numbers, out);
    column::encode(&counts, out);
    column::encode(places, out);
}

fn narrow(what: &'static str, value: u64) -> Result<u32, Corrupt> {
    u32::try_from(value).map_err(|_| Corrupt::Invalid { what, value })
}
