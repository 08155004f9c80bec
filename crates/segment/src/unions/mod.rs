//! Union pages: the ordinals of terms by what columns say already.
//!
//! ```text
//! union page = rows of the segment, unions
//! union      = number of parts, for each: part, track, number of codes, codes, how many ordinals no part
//!              before it has; number of other ordinals, those
//! ```
//!
//! A word of a value has the rows of that value, and the column that the value is in tells them. So a
//! union names parts of columns, and the codes ([`crate::columns::codes`]) on one of their tracks whose
//! rows have the term; the ordinals that no part tells stand behind. Only compaction makes them
//! ([`write`]), and only where they take less than lists.
#![deny(clippy::indexing_slicing)]

pub(crate) mod count;
mod parts;
pub(crate) mod pass;
pub(crate) mod read;
pub(crate) mod write;

use std::ops::Range;

use crate::chunk::PartRows;
use crate::limits::{COLUMN_ROWS_MAX, SEGMENT_ROWS_MAX, UNION_TRACKS_MAX};
use crate::page::{PageEntry, open};
use crate::term::{Listed, Location};
use crate::wire::{Reader, put_varint};
use crate::{ChunkEntry, Corrupt};

/// A decoded union page.
#[derive(Clone, Debug)]
pub struct UnionPage {
    raw: Vec<u8>,
    segment_rows: u32,
}

/// Ordinals of rows, by codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Union {
    /// Ascending by part and track.
    pub(crate) parts: Vec<CodedOrdinals>,
    /// Other ordinals, ascending.
    pub(crate) others: Vec<u32>,
}

/// The rows of a part of a column that have one of some codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CodedOrdinals {
    /// The number of the part among those of the segment.
    pub(crate) part: u32,
    pub(crate) track: u32,
    /// Ascending.
    pub(crate) codes: Vec<u32>,
    /// How many of the ordinals no part before it in the union has.
    pub(crate) new: u32,
}

/// Codes up to here are looked up in a table.
const TABLE_CODES_MAX: usize = 1 << 16;

impl UnionPage {
    /// Decodes a page. Its unions are checked when they are read.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("union page", entry, stored)?.into_owned();
        let mut reader = Reader::new("union page", &raw);
        let segment_rows = reader.count("number of rows", SEGMENT_ROWS_MAX as usize)? as u32;
        Ok(Self { raw, segment_rows })
    }

    /// A union in this page. The caller sees to it that it is.
    ///
    /// # Errors
    /// When there is none that was written.
    pub fn union(&self, listed: &Listed) -> Result<Union, Corrupt> {
        let Location::List { offset, .. } = listed.location else {
            return Ok(Union {
                parts: Vec::new(),
                others: listed.inline(self.segment_rows),
            });
        };
        let bytes = self.raw.get(offset as usize..).unwrap_or(&[]);
        let mut reader = Reader::new("union", bytes);
        Union::decode(&mut reader, self.segment_rows)
    }

    /// Memory the page takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.raw.capacity()
    }
}

impl Union {
    /// Appends the union.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_varint(self.parts.len() as u64, out);
        let mut before = 0;
        for part in &self.parts {
            put_varint(u64::from(part.part - before), out);
            before = part.part;
            put_varint(u64::from(part.track), out);
            put_numbers(&part.codes, out);
            put_varint(u64::from(part.new), out);
        }
        put_numbers(&self.others, out);
    }

    fn decode(reader: &mut Reader<'_>, segment_rows: u32) -> Result<Self, Corrupt> {
        let count = reader.count("parts of a union", SEGMENT_ROWS_MAX as usize)?;
        let mut union = Self::default();
        let mut before = 0;
        for _ in 0..count {
            let part = reader.varint()?.saturating_add(before);
            before = part;
            let part = u32::try_from(part).map_err(|_| invalid("part of a union", part))?;
            let track = reader.count("track of a union", UNION_TRACKS_MAX)? as u32;
            let before = union.parts.last().map(|last| (last.part, last.track));
            if before.is_some_and(|before| before >= (part, track)) {
                return Err(invalid("order of a union", u64::from(part)));
            }
            let codes = numbers(reader, COLUMN_ROWS_MAX, u32::MAX, "code of a union")?;
            let new = reader.count("ordinals of a part", COLUMN_ROWS_MAX)? as u32;
            union.parts.push(CodedOrdinals {
                part,
                track,
                codes,
                new,
            });
        }
        let what = "ordinal of a union";
        union.others = numbers(reader, segment_rows as usize, segment_rows, what)?;
        Ok(union)
    }

    /// Sets the bits of its ordinals, one bit each from the lowest of the first byte on. `part` gives the rows of a
    /// part, and the first row of its chunk in the segment; none where nothing is asked about those rows, whose
    /// bits are set or not then.
    ///
    /// # Errors
    /// When a part cannot be had; some bits are set then.
    pub fn mark<E>(
        &self,
        bits: &mut [u8],
        mut part: impl FnMut(u32) -> Result<Option<(u32, PartRows)>, E>,
    ) -> Result<(), E> {
        let mut marks = Marks::default();
        for own in &self.parts {
            if let Some(rows) = part(own.part)? {
                marks.add(own, rows, bits);
            }
        }
        self.others.iter().for_each(|ordinal| set(bits, *ordinal));
        Ok(())
    }

    /// The same, where no bit is set before. Each part has to have as many ordinals as it says.
    ///
    /// # Errors
    /// As for [`Self::mark`], and when a part has others.
    pub(crate) fn mark_counted<E: From<Corrupt>>(
        &self,
        bits: &mut [u8],
        mut part: impl FnMut(u32) -> Result<(u32, PartRows), E>,
    ) -> Result<(), E> {
        let mut marks = Marks::default();
        for own in &self.parts {
            let (first, rows) = part(own.part)?;
            let start = first.saturating_add(rows.ordinals.start) / u8::BITS;
            let bytes = start as usize..start as usize + rows.ordinals.len() / 8 + 2;
            let before = count_bytes(bits, &bytes);
            marks.add(own, (first, rows), bits);
            let new = count_bytes(bits, &bytes) - before;
            if own.new != new {
                return Err(invalid("ordinals of a part of a union", new.into()).into());
            }
        }
        self.others.iter().for_each(|ordinal| set(bits, *ordinal));
        Ok(())
    }
}

/// Sets bits of ordinals, a track of a part after the other.
#[derive(Debug, Default)]
struct Marks {
    /// The ordinal that the first bit is of.
    base: u32,
    /// Which bit the first row of the track at hand has.
    first: u32,
    /// The code of each of its rows.
    codes: Vec<u32>,
    table: Vec<bool>,
}

impl Marks {
    /// For bits of the ordinals from one on.
    fn from(base: u32) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// Sets those of a part, given its rows and the first row of its chunk.
    fn add(&mut self, own: &CodedOrdinals, (first, rows): (u32, PartRows), bits: &mut [u8]) {
        self.turn_to(own.track, (first, &rows));
        self.mark(&own.codes, bits);
    }

    /// Goes on with a track of a part.
    fn turn_to(&mut self, track: u32, (first, rows): (u32, &PartRows)) {
        rows.column.codes(track as usize, &mut self.codes);
        let first = first.saturating_add(rows.ordinals.start);
        self.first = first.saturating_sub(self.base);
    }

    /// Sets the bits of its rows that have one of some codes, which ascend.
    fn mark(&mut self, wanted: &[u32], bits: &mut [u8]) {
        let (codes, first) = (self.codes.iter(), self.first);
        let last = match wanted {
            [] => return,
            [code] => return set_each(bits, first, codes.map(|own| own == code)),
            [.., last] => *last as usize,
        };
        if last >= TABLE_CODES_MAX {
            let is_told = |own: &u32| wanted.binary_search(own).is_ok();
            return set_each(bits, first, codes.map(is_told));
        }
        self.table.clear();
        self.table.resize(last + 1, false);
        for code in wanted {
            if let Some(cell) = self.table.get_mut(*code as usize) {
                *cell = true;
            }
        }
        let is_told = |own: &u32| self.table.get(*own as usize).copied().unwrap_or_default();
        set_each(bits, first, codes.map(is_told));
    }
}

/// How many bits are set in some bytes, as far as they are there.
fn count_bytes(bits: &[u8], bytes: &Range<usize>) -> u32 {
    let end = bytes.end.min(bits.len());
    let bytes = bits.get(bytes.start..end).unwrap_or_default();
    bytes.iter().map(|byte| byte.count_ones()).sum()
}

/// Sets the bits of ordinals from `first` on for which it is true, byte by byte.
#[inline]
fn set_each(bits: &mut [u8], first: u32, are_told: impl Iterator<Item = bool>) {
    let bytes = bits.get_mut((first >> 3) as usize..).unwrap_or_default();
    let (mut bytes, mut open, mut shift) = (bytes.iter_mut(), 0_u8, first & 7);
    for is_told in are_told {
        open |= u8::from(is_told) << shift;
        shift += 1;
        if shift == u8::BITS {
            if let Some(byte) = bytes.next() {
                *byte |= open;
            }
            (open, shift) = (0, 0);
        }
    }
    if let Some(byte) = bytes.next() {
        *byte |= open;
    }
}

/// Numbers of the ordinals whose bits are set, ascending.
pub fn marked(bits: &[u8]) -> Vec<u32> {
    let mut ordinals = Vec::new();
    for (place, byte) in (0..).step_by(8).zip(bits) {
        let mut left = *byte;
        while left != 0 {
            ordinals.push(place + left.trailing_zeros());
            left &= left - 1;
        }
    }
    ordinals
}

/// How many bits of a range of ordinals are set.
pub fn count_marked(bits: &[u8], ordinals: &Range<u32>) -> u64 {
    if ordinals.is_empty() {
        return 0;
    }
    let (first, last) = (ordinals.start as usize / 8, ordinals.end as usize / 8);
    let byte = |at: usize| bits.get(at).copied().unwrap_or_default();
    let before = u8::MAX << (ordinals.start & 7);
    let behind = !(u8::MAX << (ordinals.end & 7));
    if first == last {
        return (byte(first) & before & behind).count_ones().into();
    }
    let (words, rest) = bits.get(first + 1..last).unwrap_or_default().as_chunks();
    let of_words = words
        .iter()
        .map(|word| u64::from_le_bytes(*word).count_ones());
    let ends = [byte(first) & before, byte(last) & behind];
    let of_bytes = rest.iter().chain(&ends).map(|byte| byte.count_ones());
    of_words.chain(of_bytes).map(u64::from).sum()
}

#[inline]
fn set(bits: &mut [u8], ordinal: u32) {
    if let Some(byte) = bits.get_mut((ordinal >> 3) as usize) {
        *byte |= 1 << (ordinal & 7);
    }
}

/// The number among those of the segment of the first part of a chunk.
pub fn first_part_of(chunks: &[ChunkEntry], chunk: usize) -> usize {
    chunks.iter().take(chunk).map(parts_of).sum()
}

/// The chunk that the part of a number among those of the segment is in, and its number there.
pub fn chunk_of_part(chunks: &[ChunkEntry], part: u32) -> Option<(usize, usize)> {
    let mut left = part as usize;
    for (number, chunk) in chunks.iter().enumerate() {
        match left.checked_sub(parts_of(chunk)) {
            None => return Some((number, left)),
            Some(others) => left = others,
        }
    }
    None
}

/// How many parts the columns of a chunk have.
pub(crate) fn parts_of(chunk: &ChunkEntry) -> usize {
    let last = chunk.columns.last();
    last.map_or(0, |last| last.first_row as usize + last.rows as usize)
}

/// Appends how many numbers there are, and those, which ascend.
fn put_numbers(numbers: &[u32], out: &mut Vec<u8>) {
    put_varint(numbers.len() as u64, out);
    let mut next = 0;
    for number in numbers {
        put_varint(u64::from(number - next), out);
        next = number + 1;
    }
}

/// Reads what [`put_numbers`] wrote of at most so many numbers, each below `end`.
fn numbers(
    reader: &mut Reader<'_>,
    count_max: usize,
    end: u32,
    what: &'static str,
) -> Result<Vec<u32>, Corrupt> {
    let count = reader.count(what, count_max)?;
    // A number takes a byte at least.
    let mut numbers = Vec::with_capacity(count.min(reader.rest().len()));
    let mut next = 0_u64;
    for _ in 0..count {
        let number = reader.varint()?.saturating_add(next);
        if number >= u64::from(end) {
            return Err(invalid(what, number));
        }
        numbers.push(number as u32);
        next = number + 1;
    }
    Ok(numbers)
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests;
