//! A row page: which kind each row of a chunk is of.
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
        // Eight rows at a time, which lie across two bytes.
        for (at, places) in ((first / 8) as usize..).zip(self.places.chunks(8)) {
            let mut marks = 0_u16;
            for (place, bit) in places.iter().zip(shift..) {
                let is_wanted = wanted.get(usize::from(*place)).copied();
                marks |= u16::from(is_wanted.unwrap_or_default()) << bit;
            }
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
