//! A column of integers: their minimum, then what each exceeds it by, one byte plane after another.
//!
//! A constant column takes two bytes or three. The high planes of a column with few large values are
//! nearly all zero, which zstd turns into almost nothing; both ways are loops without branches.
#![deny(clippy::indexing_slicing)]

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
    if let Some(constant) = decode_varying(reader, count, values)? {
        values.clear();
        values.resize(count, constant);
    }
    Ok(())
}

/// The same where the values differ; the value that all have where they do not, and `values` are left
/// as they are.
pub(crate) fn decode_varying(
    reader: &mut Reader<'_>,
    count: usize,
    values: &mut Vec<u64>,
) -> Result<Option<u64>, Corrupt> {
    let min = reader.varint()?;
    let width = reader.byte()?;
    if width > 8 {
        return Err(Corrupt::Invalid {
            what: "width of a column",
            value: u64::from(width),
        });
    }
    if width == 0 {
        return Ok(Some(min));
    }
    values.clear();
    values.resize(count, min);
    for plane in 0..width {
        let bytes = reader.bytes(count)?;
        for (value, byte) in values.iter_mut().zip(bytes) {
            *value = value.wrapping_add(u64::from(*byte) << (8 * plane));
        }
    }
    Ok(None)
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
            prop_assert_eq!(decoded, values);
            prop_assert_eq!(reader.finish(), Ok(()));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..40), count in 0..20_usize) {
            let mut values = Vec::new();
            if decode(&mut Reader::new("test", &bytes), count, &mut values).is_ok() {
                prop_assert_eq!(values.len(), count);
            }
        }
    }
}
