//! Values as they are, one behind another: with their lengths in front, or a line for each.
#![deny(clippy::indexing_slicing)]

use super::ColumnSummary;
use super::series::{self, Plan, Series};
use crate::limits::PAGE_RAW_BYTES_MAX;
use crate::wire::Reader;
use crate::{Corrupt, bytes};

/// Ends a value where no value has it.
const LINE_END: u8 = b'\n';

/// How text is going to be written.
#[derive(Debug)]
pub(super) enum TextPlan {
    /// Lengths, then the bytes.
    Lens(Vec<u64>, Plan),
    /// A line for each value, unless one has an end of a line in it.
    Lines,
}

impl TextPlan {
    /// Ends are smaller than lengths where values are like each other: they are part of what
    /// repeats. Paths take a tenth less. Lengths that are nearly all the same take nothing.
    pub(super) fn read(values: &[&[u8]]) -> Self {
        let changes = values.windows(2).filter(|pair| match pair {
            [last, next] => last.len() != next.len(),
            _ => false,
        });
        // Each change costs more than two bytes, so that these are more than a bit a value.
        if changes.count() > values.len() / 16 {
            return Self::Lines;
        }
        let lens = lens_of(values);
        let plan = series::plan(&lens);
        if plan.bytes < values.len() as u64 / 8 {
            return Self::Lens(lens, plan);
        }
        Self::Lines
    }

    /// Writes the values, with `lens_byte` or `lines_byte` in front.
    pub(super) fn encode(
        &self,
        values: &[&[u8]],
        (lens_byte, lines_byte): (u8, u8),
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        if let Self::Lens(lens, plan) = self {
            out.push(lens_byte);
            return encode_lens(values, lens, *plan, out);
        }
        out.push(lines_byte);
        for value in values {
            out.extend_from_slice(value);
            out.push(LINE_END);
        }
        let lines = out.get(start + 1..).unwrap_or(&[]);
        if bytes::count(lines, LINE_END) > values.len() {
            out.truncate(start);
            out.push(lens_byte);
            let lens = lens_of(values);
            encode_lens(values, &lens, series::plan(&lens), out);
        }
    }
}

fn lens_of(values: &[&[u8]]) -> Vec<u64> {
    values.iter().map(|value| value.len() as u64).collect()
}

fn encode_lens(values: &[&[u8]], lens: &[u64], plan: Plan, out: &mut Vec<u8>) {
    series::encode(lens, plan, out);
    for value in values {
        out.extend_from_slice(value);
    }
}

/// Values one behind another, decoded.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// Where each ends.
    ends: Box<[u32]>,
    bytes: Box<[u8]>,
    /// Bytes behind each value that are not part of it.
    gap: usize,
}

impl Text {
    /// Reads lengths and bytes of `rows` values. The caller bounds them.
    pub(super) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let lens = Series::decode(reader, rows)?;
        let mut ends = Vec::with_capacity(rows);
        let mut end = 0_u64;
        for row in 0..rows {
            end = end.saturating_add(lens.get(row));
            if end > PAGE_RAW_BYTES_MAX as u64 {
                return Err(Corrupt::TooLarge {
                    what: "length of all values",
                    value: end,
                    max: PAGE_RAW_BYTES_MAX as u64,
                });
            }
            ends.push(end as u32);
        }
        Ok(Self {
            ends: ends.into(),
            bytes: reader.bytes(end as usize)?.into(),
            gap: 0,
        })
    }

    /// Reads lines.
    pub(super) fn decode_lines(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let rest = reader.rest();
        let rest = rest.get(..PAGE_RAW_BYTES_MAX).unwrap_or(rest);
        let found = memchr::memchr_iter(LINE_END, rest).take(rows);
        // Given its size, it is not moved as it grows.
        let mut ends = Vec::with_capacity(rows.min(rest.len()));
        ends.extend(found.map(|at| at as u32));
        if ends.len() < rows {
            return Err(Corrupt::Short { what: "lines" });
        }
        let len = ends.last().map_or(0, |end| *end as usize + 1);
        Ok(Self {
            ends: ends.into(),
            bytes: reader.bytes(len)?.into(),
            gap: 1,
        })
    }

    /// Adds what is known of all values.
    pub(super) fn summarise(&self, summary: &mut ColumnSummary) {
        let mut is_there = [false; 256];
        for byte in &self.bytes {
            if let Some(is_there) = is_there.get_mut(usize::from(*byte)) {
                *is_there = true;
            }
        }
        let all = (0..=u8::MAX)
            .zip(is_there)
            .filter(|(_, is_there)| *is_there);
        // What stands behind a line is part of none.
        let own = all.filter(|(byte, _)| self.gap == 0 || *byte != LINE_END);
        summary.add_bytes(own.map(|(byte, _)| byte));
        let mut start = 0;
        for end in &self.ends {
            match self.bytes.get(start).filter(|_| start < *end as usize) {
                Some(first) => summary.add_first(*first),
                None => summary.has_empty = true,
            }
            start = *end as usize + self.gap;
        }
    }

    /// The value of a row.
    pub(super) fn get(&self, row: usize) -> &[u8] {
        let end_of = |row: usize| self.ends.get(row).map(|end| *end as usize);
        let before = row.checked_sub(1).and_then(end_of);
        let start = before.map_or(0, |end| end + self.gap);
        let end = end_of(row).unwrap_or(start);
        self.bytes.get(start..end).unwrap_or(&[])
    }
}
