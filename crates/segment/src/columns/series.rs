//! Numbers that are read at any place: byte planes of the values, byte planes of the differences of
//! each to the one before, or the bits of the values without gaps, whichever is likely to be the
//! smallest.
//!
//! Bits are for numbers that look random: zstd saves nothing on a plane that uses half of its bytes
//! beside one that uses all. Ports take 15 bits in place of 16.
//!
//! Values and bits stay as they were written and are put together one by one. Differences are summed
//! once.
#![deny(clippy::indexing_slicing)]

use super::estimate;
use crate::Corrupt;
use crate::column;
use crate::wire::{Reader, put_varint, unzigzag, zigzag};

/// Form byte of planes of the values.
const VALUES: u8 = 0;
/// Form byte of the first value and planes of the differences.
const DIFFERENCES: u8 = 1;
/// Form byte of what values exceed the least by, in as many bits as the largest needs.
const BITS: u8 = 2;

/// How numbers are going to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    form: u8,
    /// What they are going to take after compression, roughly.
    pub(super) bytes: u64,
}

/// Judges numbers.
pub(super) fn plan(values: &[u64]) -> Plan {
    let (min, max) = column::range(values);
    let mut plan = Plan {
        form: VALUES,
        bytes: 0,
    };
    if min == max {
        return plan;
    }
    let sampled = estimate::sampled(values, |block, out| {
        out.extend(block.iter().map(|value| value.wrapping_sub(min)));
    });
    plan.bytes = estimate::planes(&sampled, values.len(), max - min);
    let as_bits = packed_len(values.len(), bits_of(max - min)) as u64;
    plan.prefer(BITS, as_bits);
    let mut steps = estimate::sampled(values, |block, out| out.extend(differences(block)));
    // Differences of numbers that do not follow from each other are the larger ones: counting their
    // bytes would be work for nothing.
    if sum(&steps) < sum(&sampled) {
        let (min, max) = column::range(&steps);
        for step in &mut steps {
            *step -= min;
        }
        let as_differences = estimate::planes(&steps, values.len(), max - min);
        plan.prefer(DIFFERENCES, as_differences);
    }
    plan
}

fn sum(numbers: &[u64]) -> u64 {
    let numbers = numbers.iter();
    numbers.fold(0, |sum, number| sum.saturating_add(*number))
}

impl Plan {
    /// Whether differences are written.
    pub(super) fn is_of_differences(self) -> bool {
        self.form == DIFFERENCES
    }

    /// Takes another form where it is smaller.
    fn prefer(&mut self, form: u8, bytes: u64) {
        if bytes < self.bytes {
            *self = Self { form, bytes };
        }
    }
}

/// Bits of the largest number.
fn bits_of(max: u64) -> u32 {
    u64::BITS - max.leading_zeros()
}

/// Bytes of so many numbers of so many bits.
fn packed_len(rows: usize, bits: u32) -> usize {
    rows.saturating_mul(bits as usize).div_ceil(8)
}

/// Goes past `rows` numbers that [`encode_bits`] wrote.
pub(crate) fn skip_bits(reader: &mut Reader<'_>, rows: usize) -> Result<(), Corrupt> {
    Bits::read(reader, rows).map(|_| ())
}

/// Numbers that [`encode_bits`] wrote, where they were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits<'a> {
    min: u64,
    bits: u32,
    bytes: &'a [u8],
}

impl<'a> Bits<'a> {
    /// Finds `rows` numbers. The caller bounds them.
    pub(crate) fn read(reader: &mut Reader<'a>, rows: usize) -> Result<Self, Corrupt> {
        let min = reader.varint()?;
        let bits = u32::from(reader.byte()?);
        if bits > u64::BITS {
            return Err(Corrupt::Invalid {
                what: "bits of a number",
                value: u64::from(bits),
            });
        }
        let bytes = reader.bytes(packed_len(rows, bits))?;
        Ok(Self { min, bits, bytes })
    }

    /// The number at a place, of those that were found.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> u64 {
        let value = bits_at(self.bytes, index * self.bits as usize, self.bits);
        self.min.wrapping_add(value)
    }
}

/// Writes numbers as planned. Their count is not written.
pub(super) fn encode(values: &[u64], plan: Plan, out: &mut Vec<u8>) {
    out.push(plan.form);
    match plan.form {
        VALUES => return column::encode(values, out),
        BITS => return encode_bits(values, out),
        _ => {}
    }
    put_varint(values.first().copied().unwrap_or_default(), out);
    let differences: Vec<u64> = differences(values).collect();
    column::encode(&differences, out);
}

/// Writes numbers in packed bits. Their count is not written.
pub(crate) fn encode_bits(values: &[u64], out: &mut Vec<u8>) {
    let (min, max) = column::range(values);
    let bits = bits_of(max - min);
    put_varint(min, out);
    out.push(bits as u8);
    out.reserve(packed_len(values.len(), bits));
    let mut open = 0_u128;
    let mut open_bits = 0;
    for value in values {
        open |= u128::from(value.wrapping_sub(min)) << open_bits;
        open_bits += bits;
        if open_bits >= u64::BITS {
            out.extend_from_slice(&(open as u64).to_le_bytes());
            open >>= u64::BITS;
            open_bits -= u64::BITS;
        }
    }
    let rest = (open as u64).to_le_bytes();
    let rest = rest.get(..open_bits.div_ceil(8) as usize);
    out.extend_from_slice(rest.unwrap_or(&[]));
}

fn differences(values: &[u64]) -> impl Iterator<Item = u64> + Clone {
    let next = values.get(1..).unwrap_or(&[]);
    next.iter()
        .zip(values)
        .map(|(next, last)| zigzag(next.wrapping_sub(*last).cast_signed()))
}

/// Numbers, decoded.
#[derive(Clone, Debug)]
pub(crate) enum Series {
    /// Planes, one behind another, of what the values exceed `min` by.
    Planes {
        rows: usize,
        min: u64,
        bytes: Box<[u8]>,
    },
    /// What the values exceed `min` by, from the lowest bit of the first byte on.
    Bits {
        rows: usize,
        min: u64,
        bits: u32,
        bytes: Box<[u8]>,
    },
    /// Sums that fit 32 bits.
    Narrow(Box<[u32]>),
    /// Sums that do not.
    Wide(Box<[u64]>),
}

impl Series {
    /// Reads what [`encode`] wrote of `rows` numbers. The caller bounds them.
    pub(super) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        match reader.byte()? {
            VALUES => Self::decode_planes(reader, rows),
            DIFFERENCES => Self::decode_differences(reader, rows),
            BITS => Self::decode_bits(reader, rows),
            form => Err(Corrupt::Invalid {
                what: "form of numbers",
                value: u64::from(form),
            }),
        }
    }

    /// The planes of `column::encode`, but as they are.
    fn decode_planes(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let min = reader.varint()?;
        let width = usize::from(reader.byte()?);
        if width > size_of::<u64>() {
            return Err(Corrupt::Invalid {
                what: "width of a column",
                value: width as u64,
            });
        }
        let bytes = reader.bytes(width.saturating_mul(rows))?.into();
        Ok(Self::Planes { rows, min, bytes })
    }

    /// Reads what [`encode_bits`] wrote of `rows` numbers. The caller bounds them.
    fn decode_bits(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let Bits { min, bits, bytes } = Bits::read(reader, rows)?;
        Ok(Self::Bits {
            rows,
            min,
            bits,
            bytes: bytes.into(),
        })
    }

    fn decode_differences(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let mut sum = reader.varint()?;
        let mut values = Vec::new();
        column::decode(reader, rows.saturating_sub(1), &mut values)?;
        let mut max = sum;
        for value in &mut values {
            // Each place gets the sum up to it; the last sum is put behind them.
            let next = sum.wrapping_add(unzigzag(*value).cast_unsigned());
            *value = std::mem::replace(&mut sum, next);
            max = max.max(next);
        }
        if rows > 0 {
            values.push(sum);
        }
        if u32::try_from(max).is_ok() {
            return Ok(Self::Narrow(
                values.iter().map(|&value| value as u32).collect(),
            ));
        }
        Ok(Self::Wide(values.into()))
    }

    /// The number at a place; 0 behind the last.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> u64 {
        match self {
            Self::Planes { rows, min, bytes } => {
                if index >= *rows {
                    return 0;
                }
                let mut value = 0;
                let mut shift = 0;
                let mut at = index;
                while let Some(byte) = bytes.get(at) {
                    value |= u64::from(*byte) << shift;
                    shift += 8;
                    at += rows;
                }
                min.wrapping_add(value)
            }
            Self::Bits {
                rows,
                min,
                bits,
                bytes,
            } => {
                if index >= *rows {
                    return 0;
                }
                min.wrapping_add(bits_at(bytes, index * *bits as usize, *bits))
            }
            Self::Narrow(values) => values.get(index).copied().map_or(0, u64::from),
            Self::Wide(values) => values.get(index).copied().unwrap_or_default(),
        }
    }

    /// Appends all numbers; for those of more than 32 bits, and the highest of 32, that one.
    pub(super) fn narrow_into(&self, out: &mut Vec<u32>) {
        let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        // Where two bytes more do not leave 32 bits, the processor adds to many at once.
        let small = |min: u64| {
            u32::try_from(min)
                .ok()
                .filter(|min| *min <= u32::MAX - 0xffff)
        };
        match self {
            Self::Planes { rows, min, bytes }
                if bytes.len() == *rows
                    && let Some(min) = small(*min) =>
            {
                out.extend(bytes.iter().map(|byte| min + u32::from(*byte)));
            }
            Self::Planes { rows, min, bytes }
                if bytes.len() == 2 * rows
                    && let Some(min) = small(*min) =>
            {
                let (low, high) = bytes.split_at(*rows);
                let both = low.iter().zip(high);
                out.extend(
                    both.map(|(low, high)| min + u32::from(u16::from_le_bytes([*low, *high]))),
                );
            }
            Self::Narrow(values) => out.extend_from_slice(values),
            _ => out.extend((0..self.len()).map(|index| narrow(self.get(index)))),
        }
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Planes { rows, .. } | Self::Bits { rows, .. } => *rows,
            Self::Narrow(values) => values.len(),
            Self::Wide(values) => values.len(),
        }
    }

    /// A number that none exceeds, where one is known from their bytes.
    fn bound(&self) -> Option<u64> {
        match self {
            Self::Planes { rows, min, bytes } if bytes.len() == *rows => {
                let most = bytes.iter().max().copied().unwrap_or_default();
                min.checked_add(u64::from(most))
            }
            Self::Planes { rows, min, bytes } if bytes.len() == 2 * rows => {
                let (low, high) = bytes.split_at(*rows);
                let numbers = low.iter().zip(high);
                let most = numbers.map(|(low, high)| u16::from_le_bytes([*low, *high]));
                min.checked_add(u64::from(most.max().unwrap_or_default()))
            }
            Self::Bits { min, bits, .. } => {
                let most = 1_u64.checked_shl(*bits)? - 1;
                min.checked_add(most)
            }
            Self::Narrow(values) => Some(values.iter().max().copied().unwrap_or_default().into()),
            Self::Planes { .. } | Self::Wide(_) => None,
        }
    }

    /// Refuses numbers above a limit; `what` is their name.
    pub(super) fn check(&self, what: &'static str, max: u64) -> Result<(), Corrupt> {
        // Of dictionaries it is asked each time one is read; one number after another takes as long as to
        // decompress them.
        if self.bound().is_some_and(|bound| bound <= max) {
            return Ok(());
        }
        for index in 0..self.len() {
            let value = self.get(index);
            if value > max {
                return Err(Corrupt::TooLarge { what, value, max });
            }
        }
        Ok(())
    }
}

/// The number of `bits` bits, at most 64, at a place counted in bits.
fn bits_at(bytes: &[u8], start: usize, bits: u32) -> u64 {
    let shift = start % 8;
    let from = bytes.get(start / 8..).unwrap_or(&[]);
    let value = match from.first_chunk() {
        Some(chunk) => u128::from_le_bytes(*chunk),
        None => from
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u128::from(*byte)),
    };
    (value >> shift) as u64 & u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(values: &[u64], plan: Plan) -> Vec<u64> {
        let mut out = Vec::new();
        encode(values, plan, &mut out);
        let mut reader = Reader::new("test", &out);
        let series = Series::decode(&mut reader, values.len()).expect("valid");
        assert_eq!(reader.finish(), Ok(()));
        assert_eq!(series.len(), values.len());
        assert_eq!(series.get(values.len()), 0);
        (0..series.len()).map(|index| series.get(index)).collect()
    }

    #[test]
    fn what_grows_is_written_as_differences() {
        let counter: Vec<u64> = (0..1_000).map(|row| 70_000 + 3 * row).collect();
        assert_eq!(plan(&counter).form, DIFFERENCES);
        let mixed: Vec<u64> = (0..1_000_u64)
            .map(|row| row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52)
            .map(|mixed| mixed.pow(3) % 1_009)
            .collect();
        assert_eq!(plan(&mixed).form, BITS);
        let skewed: Vec<u64> = mixed.iter().map(|mixed| 300 >> (mixed % 9)).collect();
        assert_eq!(plan(&skewed).form, VALUES);
    }

    proptest! {
        #[test]
        fn numbers_round_trip_in_all_forms(
            values in prop::collection::vec(any::<u64>(), 0..40),
            shift in 0..64_u32,
        ) {
            let values: Vec<u64> = values.iter().map(|value| value >> shift).collect();
            prop_assert_eq!(&round_trip(&values, plan(&values)), &values);
            for form in [VALUES, DIFFERENCES, BITS] {
                prop_assert_eq!(&round_trip(&values, Plan { form, bytes: 0 }), &values);
            }
        }

        #[test]
        fn any_bytes_are_survived(
            bytes in prop::collection::vec(prop_oneof![0..4_u8, any::<u8>()], 0..60),
            rows in 0..20_usize,
        ) {
            if let Ok(series) = Series::decode(&mut Reader::new("test", &bytes), rows) {
                prop_assert_eq!(series.len(), rows);
                let _ = series.check("test", 9);
            }
        }
    }
}
