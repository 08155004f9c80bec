//! A row page: which kind each row of a chunk is of.
#![deny(clippy::indexing_slicing)]

use model::limits::BATCH_RECORDS_MAX;

use crate::Corrupt;
use crate::column;
use crate::limits::KINDS_MAX;
use crate::page::{PageEntry, open};
use crate::wire::{Reader, put_varint};

/// Rows that are marked at once.
const MARKED_ROWS: usize = 64;

/// Up to so many kinds are compared with each row, which the processor does for many rows at once;
/// more are looked up row by row.
const FEW_KINDS: usize = 8;

/// The kinds of the rows of a chunk.
#[derive(Clone, Debug)]
pub struct RowKinds {
    /// The kinds there are, by number, and how many rows each has.
    kinds: Vec<(u32, u32)>,
    /// For each row the place of its kind among those.
    places: Vec<u16>,
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
        let mut left: Vec<u32> = kinds.iter().map(|(_, rows)| *rows).collect();
        let mut found = Vec::with_capacity(rows);
        for place in places {
            let left = usize::try_from(place).ok().and_then(|at| left.get_mut(at));
            let left = left.filter(|left| **left > 0);
            *left.ok_or(Corrupt::Invalid {
                what: "kind of a row",
                value: place,
            })? -= 1;
            found.push(place as u16);
        }
        if let Some(more) = left.iter().find(|left| **left > 0) {
            return Err(Corrupt::Invalid {
                what: "rows of a kind",
                value: u64::from(*more),
            });
        }
        Ok(Self {
            kinds,
            places: found,
        })
    }

    /// The kinds there are, by number, and how many rows each has.
    pub fn kinds(&self) -> &[(u32, u32)] {
        &self.kinds
    }

    /// Replaces `out` by the page with other numbers of its kinds, as many as it has.
    pub(crate) fn relabelled(&self, numbers: &[u32], out: &mut Vec<u8>) {
        let rows = self.kinds.iter().map(|(_, rows)| *rows);
        let kinds: Vec<(u32, u32)> = numbers.iter().copied().zip(rows).collect();
        let places: Vec<u64> = self.places.iter().map(|place| u64::from(*place)).collect();
        encode(&kinds, &places, out);
    }

    /// For each row the place of its kind among [`Self::kinds`].
    pub fn places(&self) -> &[u16] {
        &self.places
    }

    /// Appends the rows of some kinds, named by their places, `first` being the number of the first
    /// row of the chunk.
    pub fn rows_of(&self, wanted: &[bool], first: u32, rows: &mut Vec<u32>) {
        let numbered = (first..).zip(&self.places);
        rows.extend(numbered.filter_map(|(row, place)| {
            let is_wanted = wanted.get(usize::from(*place)).copied();
            is_wanted.unwrap_or_default().then_some(row)
        }));
    }

    /// Sets the bits of the rows of some kinds, named by their places, `first` being the number of the
    /// first row of the chunk: bit `row % 8` of byte `row / 8`.
    pub fn mark(&self, wanted: &[bool], first: u32, bits: &mut [u8]) {
        let shift = first % 8;
        let few: Vec<u16> = (0..)
            .zip(wanted)
            .filter_map(|(place, is_wanted)| is_wanted.then_some(place))
            .take(FEW_KINDS + 1)
            .collect();
        let starts = ((first / 8) as usize..).step_by(MARKED_ROWS / 8);
        for (at, places) in starts.zip(self.places.chunks(MARKED_ROWS)) {
            let mut flags = [0_u8; MARKED_ROWS];
            if few.len() <= FEW_KINDS {
                for kind in &few {
                    for (flag, place) in flags.iter_mut().zip(places) {
                        *flag |= u8::from(place == kind);
                    }
                }
            } else {
                for (flag, place) in flags.iter_mut().zip(places) {
                    let is_wanted = wanted.get(usize::from(*place)).copied();
                    *flag = u8::from(is_wanted.unwrap_or_default());
                }
            }
            let marks = u128::from(bits_of(&flags)) << shift;
            for (byte, marks) in bits.iter_mut().skip(at).zip(marks.to_le_bytes()) {
                *byte |= marks;
            }
        }
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[(u32, u32)]>(&self.kinds) + size_of_val::<[u16]>(&self.places)
    }
}

/// One bit for each flag, which is 0 or 1, from the lowest bit on.
fn bits_of(flags: &[u8; MARKED_ROWS]) -> u64 {
    let (eights, _) = flags.as_chunks::<8>();
    eights.iter().rev().fold(0, |bits, eight| {
        // Multiplying brings the flag of byte n to bit 56 + n; no two meet.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits << 8 | gathered
    })
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
