//! A list of ascending numbers: by the distances between them, or, where they are dense, by a bit each.
//!
//! ```text
//! list      = distances, of fewer than MARKED_LIST_NUMBERS_MIN numbers; else stretches, until there are as many
//! distances = for each number how many lie between it and the one before (varint); of the first, before it
//! stretch   = length * 2 (varint), so many distances
//!           | length * 2 + 1 (varint), bytes between that of the first number that may follow and the first of
//!             these (varint), so many bytes: bit i of byte n, from the lowest on, is set for 8 * n + i
//! ```
//!
//! Bits are where they are among those of all rows, so that to mark numbers is to copy bytes, and to count them is to
//! count bits. A number that every eighth row has takes a byte either way.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use super::marks::count_marked;
use crate::Corrupt;
use crate::limits::{MARKED_LIST_NUMBERS_MIN, MARKED_STRETCH_NUMBERS};
use crate::wire::{Reader, put_varint};

/// Who takes the numbers of a list.
pub(super) trait Take {
    /// Takes a number.
    fn number(&mut self, number: u32);

    /// Takes those whose bits are set, in bytes from one of those of all rows on.
    fn marks(&mut self, first: u32, bytes: &[u8]);
}

/// A list that is read from its start.
pub(super) struct List<'a> {
    reader: Reader<'a>,
    /// Numbers have to be less.
    rows: u32,
    /// How many have not been passed.
    left: u32,
    /// What the next is at least.
    next: u32,
    /// Those that follow.
    stretch: Stretch<'a>,
}

/// Numbers that are kept in one way.
#[derive(Clone, Copy)]
enum Stretch<'a> {
    /// So many by distances.
    Distances(u32),
    /// By bits, in bytes from this one of those of all rows on.
    Marks(u32, &'a [u8]),
}

impl<'a> List<'a> {
    /// A list of so many numbers, of a segment of so many rows.
    pub(super) fn new(bytes: &'a [u8], (count, rows): (u32, u32)) -> Self {
        let are_distances = (count as usize) < MARKED_LIST_NUMBERS_MIN;
        Self {
            reader: Reader::new("posting list", bytes),
            rows,
            left: count,
            next: 0,
            stretch: Stretch::Distances(if are_distances { count } else { 0 }),
        }
    }

    /// Hands over all numbers that have not been passed. Distances of one byte are taken eight at a time: then some
    /// numbers too large may have been handed over before that is an error.
    #[inline]
    pub(super) fn each(mut self, take: &mut impl Take) -> Result<(), Corrupt> {
        while self.left > 0 {
            match self.stretch {
                Stretch::Distances(0) => self.open()?,
                Stretch::Distances(count) => {
                    self.each_distance(count, take)?;
                    self.stretch = Stretch::Distances(0);
                    self.left -= count;
                }
                Stretch::Marks(first, bytes) => {
                    take.marks(first, bytes);
                    self.pass_marks(first, bytes);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn each_distance(&mut self, count: u32, take: &mut impl Take) -> Result<(), Corrupt> {
        let (mut next, mut left) = (self.next, count);
        while left > 0 {
            if left >= 8
                && let Some(steps) = self.reader.rest().first_chunk::<8>()
                && u64::from_le_bytes(*steps) & EIGHT_TOP_BITS == 0
            {
                self.reader.bytes(steps.len())?;
                for step in steps {
                    let number = next.wrapping_add(u32::from(*step));
                    take.number(number);
                    next = number.wrapping_add(1);
                }
                self.check(next.wrapping_sub(1).into())?;
                left -= 8;
                continue;
            }
            let number = self.reader.varint()?.saturating_add(u64::from(next));
            self.check(number)?;
            take.number(number as u32);
            next = number as u32 + 1;
            left -= 1;
        }
        self.next = next;
        Ok(())
    }

    /// How many numbers that have not been passed are less than one, which are passed by that.
    pub(super) fn pass(&mut self, end: u32) -> Result<u32, Corrupt> {
        let before = self.left;
        while self.left > 0 {
            match self.stretch {
                Stretch::Distances(0) => self.open()?,
                Stretch::Distances(count) => {
                    let passed = self.pass_distances(count, end)?;
                    self.left -= passed;
                    self.stretch = Stretch::Distances(count - passed);
                    if passed < count {
                        break;
                    }
                }
                Stretch::Marks(first, bytes) if end >= behind_marks(first, bytes) => {
                    self.pass_marks(first, bytes);
                }
                Stretch::Marks(first, bytes) => {
                    let end = end.max(self.next);
                    let base = first * 8;
                    let own = self.next.max(base) - base..end.max(base) - base;
                    self.left -= count_marked(bytes, &own) as u32;
                    self.next = end;
                    break;
                }
            }
        }
        Ok(before - self.left)
    }

    /// The same of so many by distances, those that lead to no number beyond it eight at a time.
    fn pass_distances(&mut self, count: u32, end: u32) -> Result<u32, Corrupt> {
        let mut passed = 0;
        while passed < count {
            if count - passed >= 8
                && let Some(steps) = self.reader.rest().first_chunk::<8>()
                && let Some(behind) = behind_eight(self.next, *steps)
                && behind <= end
            {
                self.reader.bytes(steps.len())?;
                (self.next, passed) = (behind, passed + 8);
                continue;
            }
            let mut ahead = self.reader.clone();
            let number = ahead.varint()?.saturating_add(u64::from(self.next));
            if number >= u64::from(end) {
                break;
            }
            self.check(number)?;
            self.reader = ahead;
            (self.next, passed) = (number as u32 + 1, passed + 1);
        }
        Ok(passed)
    }

    /// Goes behind the marks at hand, of which some may have been passed.
    fn pass_marks(&mut self, first: u32, bytes: &[u8]) {
        let base = first * 8;
        let own = self.next.max(base) - base..bytes.len() as u32 * 8;
        self.left -= count_marked(bytes, &own) as u32;
        self.next = behind_marks(first, bytes);
        self.stretch = Stretch::Distances(0);
    }

    /// Reads what the next stretch is.
    fn open(&mut self) -> Result<(), Corrupt> {
        let head = self.reader.varint()?;
        let len = head >> 1;
        if head & 1 == 0 {
            let own = u32::try_from(len)
                .ok()
                .filter(|own| (1..=self.left).contains(own));
            let own = own.ok_or_else(|| invalid("numbers of a stretch", len))?;
            self.stretch = Stretch::Distances(own);
            return Ok(());
        }
        let first = self
            .reader
            .varint()?
            .saturating_add(u64::from(self.next / 8));
        let end = first.saturating_add(len);
        if len == 0 || end > u64::from(self.rows.div_ceil(8)) {
            return Err(invalid("end of marks", end));
        }
        let bytes = self.reader.bytes(len as usize)?;
        self.stretch = Stretch::Marks(first as u32, bytes);
        self.check_marks(first as u32 * 8, bytes)
    }

    /// Checks that marks are behind the numbers before them, of rows, and not too many.
    fn check_marks(&self, base: u32, bytes: &[u8]) -> Result<(), Corrupt> {
        let all = 0..bytes.len() as u32 * 8;
        let count = count_marked(bytes, &all);
        let before = 0..self.next.saturating_sub(base);
        let behind = self.rows.saturating_sub(base)..all.end;
        let is_whole = bytes.last() != Some(&0);
        if count > self.left.into()
            || count_marked(bytes, &before) + count_marked(bytes, &behind) > 0
            || !is_whole
        {
            return Err(invalid("marks of a posting list", count));
        }
        Ok(())
    }

    /// Checks a number; groups are no more than rows.
    #[inline]
    fn check(&self, number: u64) -> Result<(), Corrupt> {
        match number < u64::from(self.rows) {
            true => Ok(()),
            false => Err(invalid("number in a posting list", number)),
        }
    }
}

/// What follows the last number of some marks, whose last byte is not 0.
fn behind_marks(first: u32, bytes: &[u8]) -> u32 {
    let above = bytes.last().map_or(0, |last| last.leading_zeros());
    (first + bytes.len() as u32) * 8 - above
}

/// Replaces `list` by the list of numbers, which ascend.
pub(crate) fn encode_list(numbers: &[u32], list: &mut Vec<u8>) {
    list.clear();
    if numbers.len() < MARKED_LIST_NUMBERS_MIN {
        put_distances(numbers, 0, list);
        return;
    }
    let (mut next, mut rest) = (0, numbers);
    while let Some(first) = rest.first() {
        let few = rest.get(..MARKED_STRETCH_NUMBERS).unwrap_or(rest);
        let is_dense = is_dense(few, None);
        let (own, behind) = rest.split_at(same_density(rest, is_dense));
        let last = own.last().copied().unwrap_or_default();
        match is_dense {
            false => {
                put_varint(own.len() as u64 * 2, list);
                put_distances(own, next, list);
            }
            true => {
                let bytes = first / 8..last / 8 + 1;
                put_varint(bytes.len() as u64 * 2 + 1, list);
                put_varint(u64::from(bytes.start - next / 8), list);
                put_marks(own, &bytes, list);
            }
        }
        (next, rest) = (last + 1, behind);
    }
}

/// How many of the first numbers are as dense as the first few of them.
fn same_density(numbers: &[u32], is_dense: bool) -> usize {
    let (mut len, mut before) = (0, None);
    for own in numbers.chunks(MARKED_STRETCH_NUMBERS) {
        let is_few = own.len() < MARKED_STRETCH_NUMBERS;
        let is_like_them = self::is_dense(own, before) == is_dense || is_few && !is_dense;
        if !is_like_them {
            break;
        }
        (len, before) = (len + own.len(), own.last());
    }
    len
}

/// Whether a bit for each row behind the number before some, or from their first on, takes less than a byte for each.
fn is_dense(numbers: &[u32], before: Option<&u32>) -> bool {
    let ends = before.or(numbers.first()).zip(numbers.last());
    ends.is_some_and(|(start, last)| ((last - start) as usize) < numbers.len() * 8)
}

fn put_distances(numbers: &[u32], mut next: u32, list: &mut Vec<u8>) {
    for number in numbers {
        put_varint(u64::from(number - next), list);
        next = number + 1;
    }
}

/// Appends bytes of those of all rows, with the bits of some numbers set.
fn put_marks(numbers: &[u32], bytes: &Range<u32>, list: &mut Vec<u8>) {
    let start = list.len();
    list.resize(start + bytes.len(), 0);
    let marks = list.get_mut(start..).unwrap_or_default();
    for number in numbers {
        if let Some(byte) = marks.get_mut((number / 8 - bytes.start) as usize) {
            *byte |= 1 << (number % 8);
        }
    }
}

/// What follows the last of the eight numbers with these distances, of which the first is counted from `next`; `None`
/// where one of them takes more than a byte.
#[inline]
fn behind_eight(next: u32, steps: [u8; 8]) -> Option<u32> {
    let steps = u64::from_le_bytes(steps);
    if steps & EIGHT_TOP_BITS != 0 {
        return None;
    }
    let pairs = (steps & LOW_BYTES_OF_PAIRS) + (steps >> 8 & LOW_BYTES_OF_PAIRS);
    // The sum of all four pairs ends up in the topmost of them.
    let sum = pairs.wrapping_mul(ONE_OF_PAIRS) >> 48;
    next.checked_add(sum as u32 + 8)
}

/// The lower byte of each pair of eight bytes.
const LOW_BYTES_OF_PAIRS: u64 = 0x00ff_00ff_00ff_00ff;

/// A one in each pair of eight bytes.
const ONE_OF_PAIRS: u64 = 0x0001_0001_0001_0001;

/// The top bits of eight bytes: set in those that more bytes of a varint follow.
const EIGHT_TOP_BITS: u64 = 0x8080_8080_8080_8080;

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
