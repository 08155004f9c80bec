//! A column of integers: their minimum, then what each exceeds it by, one byte plane after another.
//!
//! A constant column takes two bytes or three. The high planes of a column with few large values are
//! nearly all zero, which zstd turns into almost nothing; both ways are loops without branches.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::slice::ChunksExact;
use std::sync::Arc;

use crate::Corrupt;
use crate::wire::{Reader, put_varint};

/// Appends a column. The number of values is not written.
pub(crate) fn encode(values: &[u64], out: &mut Vec<u8>) {
    let (min, max) = range(values);
    let width = (u64::BITS - (max - min).leading_zeros()).div_ceil(8);
    put_varint(min, out);
    out.push(width as u8);
    for plane in 0..width {
        out.extend(
            values
                .iter()
                .map(|value| (value.wrapping_sub(min) >> (8 * plane)) as u8),
        );
    }
}

/// The least and the largest value.
pub(crate) fn range(values: &[u64]) -> (u64, u64) {
    let Some(first) = values.first() else {
        return (0, 0);
    };
    let (mut min, mut max) = (*first, *first);
    for value in values {
        min = min.min(*value);
        max = max.max(*value);
    }
    (min, max)
}

/// Reads a column of `count` values, replacing those of `values`. The caller bounds `count`: a
/// constant column takes no bytes for it.
pub(crate) fn decode(
    reader: &mut Reader<'_>,
    count: usize,
    values: &mut Vec<u64>,
) -> Result<(), Corrupt> {
    let (min, width) = head(reader)?;
    values.clear();
    values.resize(count, min);
    for plane in 0..width {
        let bytes = reader.bytes(count)?;
        for (value, byte) in values.iter_mut().zip(bytes) {
            *value = value.wrapping_add(u64::from(*byte) << (8 * plane));
        }
    }
    Ok(())
}

/// The minimum of a column, and how many planes it has.
fn head(reader: &mut Reader<'_>) -> Result<(u64, u8), Corrupt> {
    let min = reader.varint()?;
    let width = reader.byte()?;
    if width > 8 {
        return Err(Corrupt::Invalid {
            what: "width of a column",
            value: u64::from(width),
        });
    }
    Ok((min, width))
}

/// Values that are put together at a time.
const VALUES_OPEN: usize = 128;

/// Rows of which those with a value are counted together before one is looked for among them.
const NTH_STEP: usize = 1024;

/// A column as it is stored: each of its values is found by itself, and it takes as many bytes as its planes.
#[derive(Clone, Debug)]
pub(crate) struct Packed<P = Box<[u8]>> {
    min: u64,
    count: usize,
    /// One behind another, from the lowest on.
    planes: P,
}

impl Packed {
    /// Reads a column of `count` values, with the bounds of [`decode`].
    pub(crate) fn decode(reader: &mut Reader<'_>, count: usize) -> Result<Self, Corrupt> {
        let Packed { min, count, planes } = Packed::view(reader, count)?;
        Ok(Self {
            min,
            count,
            planes: planes.into(),
        })
    }
}

impl<'a> Packed<&'a [u8]> {
    /// The same where the values are gone through once, and nothing of them is kept.
    pub(crate) fn view(reader: &mut Reader<'a>, count: usize) -> Result<Self, Corrupt> {
        let (min, width) = head(reader)?;
        let planes = reader.bytes(count.saturating_mul(width.into()))?;
        Ok(Self { min, count, planes })
    }
}

/// Some bytes of a page that is kept as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    page: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Shared {
    /// Some bytes by themselves.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        Self {
            range: 0..bytes.len(),
            page: Arc::new(bytes),
        }
    }

    /// So many bytes of a page, whose end the reader is at.
    pub(crate) fn take(
        reader: &mut Reader<'_>,
        len: usize,
        page: &Arc<Vec<u8>>,
    ) -> Result<Self, Corrupt> {
        let len = reader.bytes(len)?.len();
        let end = page.len().saturating_sub(reader.rest().len());
        Ok(Self {
            page: Arc::clone(page),
            range: end.saturating_sub(len)..end,
        })
    }
}

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.page.get(self.range.clone()).unwrap_or(&[])
    }
}

impl Packed<Shared> {
    /// The same where the values stay in the page, whose end the reader is at.
    pub(crate) fn share(
        reader: &mut Reader<'_>,
        count: usize,
        page: &Arc<Vec<u8>>,
    ) -> Result<Self, Corrupt> {
        let (min, width) = head(reader)?;
        let planes = Shared::take(reader, count.saturating_mul(width.into()), page)?;
        Ok(Self { min, count, planes })
    }
}

impl<P: AsRef<[u8]>> Packed<P> {
    /// The sum of the values of some rows; those behind the last are left out.
    pub(crate) fn sum(&self, rows: Range<usize>) -> u64 {
        let rows = rows.start.min(self.count)..rows.end.min(self.count);
        let mut sum = self.min.wrapping_mul(rows.len() as u64);
        for (plane, bytes) in self.planes().enumerate() {
            let own = sum_of(bytes.get(rows.clone()).unwrap_or(&[]));
            sum = sum.wrapping_add(own << (8 * plane));
        }
        sum
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The value of a row; `None` behind the last.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<u64> {
        if row >= self.count {
            return None;
        }
        if self.planes.as_ref().is_empty() {
            return Some(self.min);
        }
        let mut value = self.min;
        for (plane, bytes) in self.planes().enumerate() {
            let byte = bytes.get(row).copied().unwrap_or_default();
            value = value.wrapping_add(u64::from(byte) << (8 * plane));
        }
        Some(value)
    }

    /// All values, in order.
    pub(crate) fn values(&self) -> Values<'_, P> {
        Values {
            column: self,
            next: 0,
            open: [0; VALUES_OPEN],
        }
    }

    /// Visits all values in order, which takes less than to ask for one after the other.
    #[inline]
    pub(crate) fn each(&self, mut visit: impl FnMut(u64)) {
        let mut open = [0; VALUES_OPEN];
        for start in (0..self.count).step_by(VALUES_OPEN) {
            let values = open.get_mut(..VALUES_OPEN.min(self.count - start));
            let values = values.unwrap_or_default();
            self.open_from(start, values);
            values.iter().copied().for_each(&mut visit);
        }
    }

    /// All values in order, or only the first where it is known that all are the same.
    pub(crate) fn first_or_all(&self) -> impl Iterator<Item = u64> {
        let is_constant = self.planes.as_ref().is_empty();
        self.values().take(if is_constant { 1 } else { usize::MAX })
    }

    /// In how many rows each value below `values` stands; `None` where there is another one.
    pub(crate) fn counts(&self, values: usize) -> Option<Vec<u32>> {
        let mut counts = vec![0_u32; values];
        let first = usize::try_from(self.min).ok()?;
        let own = counts.get_mut(first.min(values)..)?;
        let mut planes = self.planes();
        match (planes.next(), planes.next(), planes.next()) {
            (Some(low), None, None) => {
                for low in low {
                    *own.get_mut(usize::from(*low))? += 1;
                }
            }
            (Some(low), Some(high), None) => {
                for (low, high) in low.iter().zip(high) {
                    let value = u16::from_le_bytes([*low, *high]);
                    *own.get_mut(usize::from(value))? += 1;
                }
            }
            _ => {
                for value in self.values() {
                    *counts.get_mut(usize::try_from(value).ok()?)? += 1;
                }
            }
        }
        Some(counts)
    }

    /// In how many of some rows a value stands; rows behind the last are left out.
    pub(crate) fn count_of(&self, value: u64, rows: Range<usize>) -> usize {
        let rows = rows.start.min(self.count)..rows.end.min(self.count);
        let own = value.wrapping_sub(self.min);
        let plane = |plane: usize| {
            let start = plane * self.count;
            let bytes = self
                .planes
                .as_ref()
                .get(start + rows.start..start + rows.end);
            bytes.unwrap_or(&[])
        };
        match (self.planes().len(), own) {
            (0, 0) => rows.len(),
            (1, 0..=0xff) => memchr::memchr_iter(own as u8, plane(0)).count(),
            (2, 0..=0xffff) => count_pairs(plane(0), plane(1), own as u16),
            (0..=2, _) => 0,
            _ => rows.filter(|row| self.get(*row) == Some(value)).count(),
        }
    }

    /// The row of a value that stands in so many rows before it as well.
    pub(crate) fn nth_of(&self, value: u64, before: usize) -> Option<usize> {
        let (mut start, mut left) = (0, before);
        while start < self.count {
            let rows = start..self.count.min(start + NTH_STEP);
            let count = self.count_of(value, rows.clone());
            if left < count {
                let mut found = rows.filter(|row| self.get(*row) == Some(value));
                return found.nth(left);
            }
            left -= count;
            start = rows.end;
        }
        None
    }

    /// Memory it takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.planes.as_ref().len()
    }

    fn planes(&self) -> ChunksExact<'_, u8> {
        self.planes.as_ref().chunks_exact(self.count.max(1))
    }

    /// Replaces values by those from a row on, as many as there are.
    fn open_from(&self, start: usize, values: &mut [u64]) {
        values.fill(self.min);
        for (plane, bytes) in self.planes().enumerate() {
            let bytes = bytes.get(start..).unwrap_or(&[]);
            for (value, byte) in values.iter_mut().zip(bytes) {
                *value = value.wrapping_add(u64::from(*byte) << (8 * plane));
            }
        }
    }
}

/// The values of a column, put together some at a time.
pub(crate) struct Values<'a, P> {
    column: &'a Packed<P>,
    next: usize,
    open: [u64; VALUES_OPEN],
}

impl<P: AsRef<[u8]>> Iterator for Values<'_, P> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.next >= self.column.count {
            return None;
        }
        if self.column.planes.as_ref().is_empty() {
            self.next += 1;
            return Some(self.column.min);
        }
        let place = self.next % VALUES_OPEN;
        if place == 0 {
            self.column.open_from(self.next, &mut self.open);
        }
        self.next += 1;
        self.open.get(place).copied()
    }
}

/// The sum of some bytes: in steps whose sums have two bytes, so that the compiler takes many at once.
fn sum_of(bytes: &[u8]) -> u64 {
    const STEP: usize = u16::MAX as usize / u8::MAX as usize;
    let in_step = |bytes: &[u8]| bytes.iter().map(|byte| u16::from(*byte)).sum::<u16>();
    bytes
        .chunks(STEP)
        .map(|step| u64::from(in_step(step)))
        .sum()
}

/// At how many places two planes have a number: in steps of as many as a byte counts, so that the compiler
/// takes many at once.
fn count_pairs(low: &[u8], high: &[u8], wanted: u16) -> usize {
    const STEP: usize = u8::MAX as usize;
    let [wanted_low, wanted_high] = wanted.to_le_bytes();
    let steps = low.chunks(STEP).zip(high.chunks(STEP));
    let in_step = |(low, high): (&[u8], &[u8])| {
        let pairs = low.iter().zip(high);
        let is_it = pairs.map(|(low, high)| (*low == wanted_low) & (*high == wanted_high));
        usize::from(is_it.map(u8::from).sum::<u8>())
    };
    steps.map(in_step).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_constant_column_takes_no_byte_a_value() {
        let mut out = Vec::new();
        encode(&[300; 1000], &mut out);
        assert_eq!(out, [0xac, 0x02, 0]);
    }

    /// Some values, as they are read.
    fn shared(values: &[u64]) -> Packed<Shared> {
        let mut page = Vec::new();
        encode(values, &mut page);
        let page = Arc::new(page);
        Packed::share(&mut Reader::new("test", &page), values.len(), &page).expect("valid")
    }

    #[test]
    fn many_large_bytes_are_summed_up() {
        let values = [0x1_ff; 1_000];
        let packed = shared(&[&values[..], &[0, u64::from(u32::MAX)]].concat());
        assert_eq!(packed.sum(0..1_000), 511_000);
        assert_eq!(packed.sum(1..2_000), 510_489 + u64::from(u32::MAX));
    }

    proptest! {
        #[test]
        fn columns_round_trip(
            values in prop::collection::vec(any::<u64>(), 0..40),
            shift in 0..64_u32,
        ) {
            let values: Vec<u64> = values.iter().map(|value| value >> shift).collect();
            let mut out = Vec::new();
            encode(&values, &mut out);
            let mut reader = Reader::new("test", &out);
            let mut decoded = vec![7];
            decode(&mut reader, values.len(), &mut decoded).expect("valid");
            prop_assert_eq!(&decoded, &values);
            prop_assert_eq!(reader.finish(), Ok(()));
        }

        #[test]
        fn values_are_found_where_they_are_stored(
            values in prop::collection::vec(any::<u64>(), 0..40),
            shift in 0..64_u32,
            rows in (0..45_usize, 0..45_usize),
        ) {
            let values: Vec<u64> = values.iter().map(|value| value >> shift).collect();
            let mut out = Vec::new();
            encode(&values, &mut out);
            let packed = Packed::decode(&mut Reader::new("test", &out), values.len()).expect("valid");
            prop_assert_eq!(packed.values().collect::<Vec<_>>(), values.clone());
            prop_assert_eq!(shared(&values).values().collect::<Vec<_>>(), values.clone());
            let own = values.get(rows.0.min(values.len())..rows.1.min(values.len())).unwrap_or(&[]);
            let sum = own.iter().fold(0_u64, |sum, value| sum.wrapping_add(*value));
            prop_assert_eq!(packed.sum(rows.0..rows.1), sum);
            let mut visited = Vec::new();
            let view = Packed::view(&mut Reader::new("test", &out), values.len()).expect("valid");
            view.each(|value| visited.push(value));
            prop_assert_eq!(&visited, &values);
            prop_assert_eq!(packed.get(values.len()), None);
            let wanted = if packed.memory_bytes() == 0 { 1 } else { values.len() };
            prop_assert!(packed.first_or_all().eq(values.iter().copied().take(wanted)));
            let (start, end) = (rows.0.min(rows.1), rows.0.max(rows.1));
            let own = values.get(start.min(values.len())..end.min(values.len())).unwrap_or(&[]);
            for wanted in values.iter().copied().chain([0, 1, u64::MAX]) {
                let count = own.iter().filter(|value| **value == wanted).count();
                prop_assert_eq!(packed.count_of(wanted, start..end), count);
                let rows = (0..).zip(&values).filter(|(_, value)| **value == wanted);
                let rows = rows.map(|(row, _)| Some(row));
                for (nth, row) in rows.chain([None]).enumerate() {
                    prop_assert_eq!(packed.nth_of(wanted, nth), row);
                }
            }
        }

        #[test]
        fn values_are_counted(
            values in prop::collection::vec(any::<u32>(), 0..40),
            shift in prop::sample::select(vec![15_u32, 20, 24, 28, 30]),
            least in prop::sample::select(vec![0_u64, 3, 300]),
            room in 0..140_000_usize,
        ) {
            let values: Vec<u64> = values.iter().map(|value| least + u64::from(value >> shift)).collect();
            let mut out = Vec::new();
            encode(&values, &mut out);
            let packed = Packed::decode(&mut Reader::new("test", &out), values.len()).expect("valid");
            let counts = packed.counts(room);
            prop_assert_eq!(counts.is_some(), values.iter().all(|value| *value < room as u64));
            for (value, count) in (0..).zip(counts.unwrap_or_default()) {
                let rows = values.iter().filter(|own| **own == value);
                prop_assert_eq!(rows.count(), count as usize);
            }
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..40), count in 0..20_usize) {
            let mut values = Vec::new();
            let packed = Packed::decode(&mut Reader::new("test", &bytes), count);
            match decode(&mut Reader::new("test", &bytes), count, &mut values) {
                Ok(()) => prop_assert_eq!(packed.expect("the same").values().collect::<Vec<_>>(), values),
                Err(error) => prop_assert_eq!(packed.err(), Some(error)),
            }
        }
    }
}
