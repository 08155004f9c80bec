//! A row page: which kind each row of a chunk is of, and so which seat it has.
//!
//! Seats number the rows of a chunk by kind: first those of the first kind, in their own order, then
//! those of the second, and so on. So the rows of a kind sit beside each other.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::limits::BATCH_RECORDS_MAX;

use crate::Corrupt;
use crate::column::{self, Packed};
use crate::limits::KINDS_MAX;
use crate::page::{PageEntry, open};
use crate::wire::{Reader, put_varint};

/// Of no more rows than these the seats are counted one by one, without those of all rows.
const FEW_ROWS: usize = 16;

/// The kinds of the rows of a chunk.
#[derive(Clone, Debug)]
pub struct RowKinds {
    /// The kinds there are, by number, and how many rows each has.
    kinds: Vec<(u32, u32)>,
    /// For each of them the seat behind its last.
    ends: Vec<u32>,
    /// For each row the place of its kind among these.
    places: Packed,
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
        let (mut numbers, mut counts) = (Vec::new(), Vec::new());
        column::decode(&mut reader, count, &mut numbers)?;
        column::decode(&mut reader, numbers.len(), &mut counts)?;
        let places = Packed::decode(&mut reader, rows)?;
        reader.finish()?;
        let mut kinds = Vec::with_capacity(numbers.len());
        for (number, count) in numbers.into_iter().zip(counts) {
            kinds.push((
                narrow("number of a kind", number)?,
                narrow("rows of a kind", count)?,
            ));
        }
        let ends = ends_of(&kinds);
        let found = Self {
            kinds,
            ends,
            places,
        };
        found.check()?;
        Ok(found)
    }

    /// Checks that each row has a seat of its own.
    fn check(&self) -> Result<(), Corrupt> {
        let counts = self.places.counts(self.kinds.len());
        let rows = self.kinds.iter().map(|(_, rows)| rows);
        match counts.is_some_and(|counts| counts.iter().eq(rows)) {
            true => Ok(()),
            false => Err(Corrupt::Invalid {
                what: "rows of all kinds",
                value: self.places.len() as u64,
            }),
        }
    }

    /// The kinds there are, by number, and how many rows each has.
    pub fn kinds(&self) -> &[(u32, u32)] {
        &self.kinds
    }

    /// Replaces `out` by the page with other numbers of its kinds, as many as it has.
    pub(crate) fn relabelled(&self, numbers: &[u32], out: &mut Vec<u8>) {
        let rows = self.kinds.iter().map(|(_, rows)| *rows);
        let kinds: Vec<(u32, u32)> = numbers.iter().copied().zip(rows).collect();
        let places: Vec<u64> = self.places.values().collect();
        encode(&kinds, &places, out);
    }

    /// The seats of all rows of the chunk, in the order of the rows.
    pub fn seats(&self) -> impl Iterator<Item = u32> {
        let firsts = self.kinds.iter().zip(&self.ends);
        let firsts = firsts.map(|((_, rows), end)| end.saturating_sub(*rows));
        let mut next: Vec<u32> = firsts.collect();
        self.places.values().map(move |place| {
            // There is one, as was checked.
            let next = next.get_mut(place as usize);
            next.map_or(u32::MAX, |next| std::mem::replace(next, *next + 1))
        })
    }

    /// The seats of a range of rows, ascending: those of a kind are beside each other.
    pub fn seats_of(&self, rows: &Range<u32>) -> Vec<Range<u32>> {
        let mut own: Vec<Range<u32>> = self.kinds.iter().map(|_| 0..0).collect();
        let places = self.places.values().take(rows.end as usize);
        for (row, place) in (0..).zip(places) {
            // There is one, as was checked.
            let Some(seats) = own.get_mut(place as usize) else {
                continue;
            };
            seats.end += 1;
            if row < rows.start {
                seats.start += 1;
            }
        }
        let firsts = self.kinds.iter().zip(&self.ends);
        let firsts = firsts.map(|((_, rows), end)| end.saturating_sub(*rows));
        let seats = own.into_iter().zip(firsts);
        let seats = seats.map(|(seats, first)| first + seats.start..first + seats.end);
        seats.filter(|seats| !seats.is_empty()).collect()
    }

    /// Some rows of the chunk, each with its seat. A row that is not there has a seat that is not there.
    pub fn with_seats(&self, rows: impl IntoIterator<Item = u32>) -> Vec<(u32, u32)> {
        let rows: Vec<u32> = rows.into_iter().collect();
        if rows.len() <= FEW_ROWS {
            let seated = rows.iter().map(|row| (*row, self.seat_of(*row)));
            return seated.collect();
        }
        let seats: Vec<u32> = self.seats().collect();
        let seat = |row: u32| seats.get(row as usize).copied().unwrap_or(u32::MAX);
        rows.into_iter().map(|row| (row, seat(row))).collect()
    }

    /// The seat of a row: so many rows of its kind are before it.
    fn seat_of(&self, row: u32) -> u32 {
        let place = self.places.get(row as usize);
        let seat = place.and_then(|place| {
            let (_, rows) = self.kinds.get(place as usize)?;
            let first = self.ends.get(place as usize)?.checked_sub(*rows)?;
            Some(first + self.places.count_of(place, 0..row as usize) as u32)
        });
        seat.unwrap_or(u32::MAX)
    }

    /// The rows that have some seats, which ascend, each with its own; the rows ascend.
    pub fn seated(&self, seats: &[u32]) -> Vec<(u32, u32)> {
        if seats.len() <= FEW_ROWS {
            let found = seats.iter().map(|seat| Some((self.row_of(*seat)?, *seat)));
            let mut found: Vec<(u32, u32)> = found.flatten().collect();
            found.sort_unstable();
            return found;
        }
        let numbered = (0..).zip(self.seats());
        if seats.len() == self.places.len() {
            return numbered.collect();
        }
        let mut wanted = vec![0_u64; self.places.len().div_ceil(64)];
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

    /// The row with a seat: that of its kind which so many others are before.
    fn row_of(&self, seat: u32) -> Option<u32> {
        let place = self.ends.partition_point(|end| *end <= seat);
        let (_, rows) = self.kinds.get(place)?;
        let first = self.ends.get(place)?.checked_sub(*rows)?;
        let rank = seat.checked_sub(first)? as usize;
        let row = self.places.nth_of(place as u64, rank)?;
        u32::try_from(row).ok()
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[(u32, u32)]>(&self.kinds)
            + size_of_val::<[u32]>(&self.ends)
            + self.places.memory_bytes()
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
