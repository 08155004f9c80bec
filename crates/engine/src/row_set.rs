//! A set of rows of one part.
//!
//! Rows of a segment are named by their ordinals, which number those of a chunk by kind: what the index and
//! the columns know of is beside each other then. Which row of the chunk has an ordinal is asked where its
//! time or its record is wanted (`part::at_ordinals`). In the tail a row is its own ordinal.

use std::ops::Range;

use roaring::RoaringBitmap;

/// Rows of a part by their ordinals. All of them is a case of its own: it is frequent and costs nothing to count.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RowSet {
    /// Every row.
    All,
    /// These rows.
    Some(RoaringBitmap),
}

impl RowSet {
    /// No row.
    pub(crate) fn empty() -> Self {
        Self::Some(RoaringBitmap::new())
    }

    /// The rows of a range, of a part of so many rows.
    pub(crate) fn of_range(range: &Range<u32>, rows: u32) -> Self {
        if *range == (0..rows) {
            return Self::All;
        }
        Self::Some(range_of(range))
    }

    /// Some ranges of rows.
    pub(crate) fn of_ranges(ranges: impl IntoIterator<Item = Range<u32>>) -> Self {
        let mut rows = RoaringBitmap::new();
        for range in ranges {
            rows.insert_range(range);
        }
        Self::Some(rows)
    }

    /// Rows in ascending order.
    pub(crate) fn from_sorted(rows: &[u32]) -> Self {
        let bitmap = RoaringBitmap::from_sorted_iter(rows.iter().copied());
        // A list that is out of order is one that no writer of ours has written.
        Self::Some(bitmap.unwrap_or_else(|_| rows.iter().copied().collect()))
    }

    /// Appends its rows as [`Self::from_bytes`] reads them; nothing where they are all. Whether they
    /// could be written.
    pub(crate) fn append_bytes(&self, out: &mut Vec<u8>) -> bool {
        match self {
            Self::All => true,
            Self::Some(rows) => rows.serialize_into(out).is_ok(),
        }
    }

    /// How many bytes [`Self::append_bytes`] appends.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Some(rows) => rows.serialized_size(),
        }
    }

    /// Rows that were written; `None` where the bytes are not those.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        RoaringBitmap::deserialize_from(bytes).ok().map(Self::Some)
    }

    /// Whether no row is in it.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Some(rows) if rows.is_empty())
    }

    /// Whether the row is in it.
    pub(crate) fn contains(&self, row: u32) -> bool {
        match self {
            Self::All => true,
            Self::Some(rows) => rows.contains(row),
        }
    }

    /// The rows in both.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, other) | (other, Self::All) => other,
            (Self::Some(one), Self::Some(two)) => Self::Some(one & two),
        }
    }

    /// The rows in either.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Some(one), Self::Some(two)) => Self::Some(one | two),
        }
    }

    /// The rows that are not in it, of a segment of so many rows.
    pub(crate) fn not(self, rows: u32) -> Self {
        match self {
            Self::All => Self::empty(),
            Self::Some(set) if set.is_empty() => Self::All,
            Self::Some(set) => Self::Some(range_of(&(0..rows)) - set),
        }
    }

    /// The rows in it and not in the other, of a segment of so many rows.
    pub(crate) fn minus(&self, other: &Self, rows: u32) -> Self {
        match (self, other) {
            (_, Self::All) => Self::empty(),
            (Self::All, other) => other.clone().not(rows),
            (Self::Some(one), Self::Some(two)) => Self::Some(one - two),
        }
    }

    /// How many rows are in it, of a part of so many.
    pub(crate) fn len(&self, rows: u32) -> u64 {
        match self {
            Self::All => rows.into(),
            Self::Some(set) => set.len(),
        }
    }

    /// How many rows of a range are in it.
    pub(crate) fn len_within(&self, range: &Range<u32>) -> u64 {
        match self {
            Self::All => u64::from(range.end.saturating_sub(range.start)),
            Self::Some(rows) => rows.range_cardinality(upright(range)),
        }
    }

    /// How many rows of some ranges are in it, which ascend and do not overlap.
    pub(crate) fn len_among(&self, ranges: &[Range<u32>]) -> u64 {
        match (self, Self::of_ranges(ranges.iter().cloned())) {
            (Self::Some(one), Self::Some(two)) => one.intersection_len(&two),
            _ => ranges.iter().map(|range| self.len_within(range)).sum(),
        }
    }

    /// Visits its rows in a part of so many, ascending.
    pub(crate) fn for_each(&self, rows: u32, visit: impl FnMut(u32)) {
        match self {
            Self::All => (0..rows).for_each(visit),
            Self::Some(set) => set.iter().for_each(visit),
        }
    }

    /// The first rows of a range that are in it, ascending, at most so many.
    pub(crate) fn first_rows(&self, range: &Range<u32>, count: usize) -> Vec<u32> {
        match self {
            Self::All => range.clone().take(count).collect(),
            Self::Some(rows) => first_of(rows, upright(range), count),
        }
    }

    /// The first row of a range that is in it.
    pub(crate) fn first_within(&self, range: &Range<u32>) -> Option<u32> {
        match self {
            Self::All => (!range.is_empty()).then_some(range.start),
            Self::Some(rows) => rows.range(upright(range)).next(),
        }
    }

    /// The last row of a range that is in it.
    pub(crate) fn last_within(&self, range: &Range<u32>) -> Option<u32> {
        match self {
            Self::All => (!range.is_empty()).then(|| range.end - 1),
            Self::Some(rows) => rows.range(upright(range)).next_back(),
        }
    }
}

/// The first rows of a range that are in a set, ascending, at most so many. Where all of a stretch are, as of a
/// kind that has a field, none is asked for.
fn first_of(rows: &RoaringBitmap, range: Range<u32>, count: usize) -> Vec<u32> {
    let all = rows.range_cardinality(range.clone());
    let count = all.min(count as u64) as usize;
    let mut found = Vec::with_capacity(count);
    let mut start = range.start;
    while found.len() < count && start < range.end {
        // To the end of what the set keeps together.
        let end = (start | u32::from(u16::MAX))
            .saturating_add(1)
            .min(range.end);
        let left = count - found.len();
        let own = rows.range_cardinality(start..end) as usize;
        if own == (end - start) as usize {
            found.extend((start..end).take(left));
        } else {
            let (before, own) = (found.len(), own.min(left));
            found.resize(before + own, 0);
            let room = found.get_mut(before..).unwrap_or_default();
            // In a fifth of the time that one by one takes.
            let filled = rows.range(start..end).next_many(room).len();
            found.truncate(before + filled);
        }
        start = end;
    }
    found
}

/// The range, made empty where it ends before it starts, which the bitmaps do not take.
fn upright(range: &Range<u32>) -> Range<u32> {
    range.start..range.end.max(range.start)
}

fn range_of(range: &Range<u32>) -> RoaringBitmap {
    let mut rows = RoaringBitmap::new();
    rows.insert_range(upright(range));
    rows
}

/// Gathers rows that come in no order, and more than once: one bit a row of the segment.
pub(crate) struct Scatter {
    bits: Vec<u8>,
}

impl Scatter {
    /// For a segment of so many rows.
    pub(crate) fn new(rows: u32) -> Self {
        Self {
            bits: vec![0; (rows as usize).div_ceil(8)],
        }
    }

    /// Adds rows; those beyond the segment are left out.
    pub(crate) fn add(&mut self, rows: &[u32]) {
        for row in rows {
            if let Some(byte) = self.bits.get_mut((row >> 3) as usize) {
                *byte |= 1 << (row & 7);
            }
        }
    }

    /// Adds a range of rows; those beyond the segment are left out.
    pub(crate) fn add_range(&mut self, range: Range<u32>) {
        let end = range.end.min(self.bits.len() as u32 * 8);
        let (first, last) = (range.start.next_multiple_of(8).min(end), end / 8 * 8);
        if first > last {
            return self.add(&(range.start..end).collect::<Vec<u32>>());
        }
        if let Some(whole) = self.bits.get_mut(first as usize / 8..last as usize / 8) {
            whole.fill(u8::MAX);
        }
        for row in (range.start..first).chain(last..end) {
            self.add(&[row]);
        }
    }

    /// How many rows were added.
    pub(crate) fn len(&self) -> u64 {
        self.len_within(&(0..self.bits.len() as u32 * 8))
    }

    /// How many rows of a range were added.
    pub(crate) fn len_within(&self, range: &Range<u32>) -> u64 {
        segment::count_marked(&self.bits, range)
    }

    /// Whether a row was added.
    pub(crate) fn contains(&self, row: u32) -> bool {
        let byte = self.bits.get((row >> 3) as usize).copied();
        byte.unwrap_or_default() >> (row & 7) & 1 == 1
    }

    /// Takes a row out.
    pub(crate) fn remove(&mut self, row: u32) {
        if let Some(byte) = self.bits.get_mut((row >> 3) as usize) {
            *byte &= !(1 << (row & 7));
        }
    }

    /// Takes out the rows that are not in another, of the same segment.
    pub(crate) fn keep(&mut self, other: &Self) {
        for (byte, other) in self.bits.iter_mut().zip(&other.bits) {
            *byte &= other;
        }
    }

    /// Takes out the rows that are in another.
    pub(crate) fn remove_all(&mut self, other: &Self) {
        for (byte, other) in self.bits.iter_mut().zip(&other.bits) {
            *byte &= !other;
        }
    }

    /// The bits of the rows.
    pub(crate) fn bits(&mut self) -> &mut [u8] {
        &mut self.bits
    }

    /// The rows that were added.
    pub(crate) fn finish(self) -> RowSet {
        RowSet::Some(RoaringBitmap::from_lsb0_bytes(0, &self.bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    const ROWS: u32 = 300;

    fn sets() -> impl Strategy<Value = RowSet> {
        prop_oneof![
            1 => Just(RowSet::All),
            1 => Just(RowSet::empty()),
            6 => prop::collection::btree_set(0..ROWS, 0..60)
                .prop_map(|rows| RowSet::from_sorted(&rows.into_iter().collect::<Vec<_>>())),
        ]
    }

    fn listed(set: &RowSet) -> BTreeSet<u32> {
        (0..ROWS).filter(|row| set.contains(*row)).collect()
    }

    proptest! {
        #[test]
        fn operations_are_those_of_sets(one in sets(), two in sets(), edges in (0..=ROWS, 0..=ROWS)) {
            let all: BTreeSet<u32> = (0..ROWS).collect();
            let (a, b) = (listed(&one), listed(&two));
            prop_assert_eq!(listed(&one.clone().and(two.clone())), &a & &b);
            prop_assert_eq!(listed(&one.clone().or(two.clone())), &a | &b);
            prop_assert_eq!(listed(&one.clone().not(ROWS)), &all - &a);
            prop_assert_eq!(listed(&one.minus(&two, ROWS)), &a - &b);
            prop_assert_eq!(one.is_empty(), a.is_empty());
            prop_assert_eq!(one.len(ROWS), a.len() as u64);
            let mut visited = Vec::new();
            one.for_each(ROWS, |row| visited.push(row));
            prop_assert!(visited.iter().eq(&a));

            let range = edges.0.min(edges.1)..edges.0.max(edges.1);
            let inside: Vec<u32> = a.range(range.clone()).copied().collect();
            prop_assert_eq!(one.len_within(&range), inside.len() as u64);
            for count in [0, 1, 3, usize::MAX] {
                let first = inside.len().min(count);
                prop_assert_eq!(one.first_rows(&range, count), &inside[..first]);
            }
            prop_assert_eq!(one.first_within(&range), inside.first().copied());
            prop_assert_eq!(one.last_within(&range), inside.last().copied());
        }

        #[test]
        fn first_rows_are_those_of_a_look_at_each(
            ranges in prop::collection::vec((0..200_000_u32, 0..140_000_u32), 0..4),
            others in prop::collection::vec(0..200_000_u32, 0..40),
            asked in (0..200_000_u32, 0..200_000_u32),
            count in prop_oneof![0..200_000_usize, Just(usize::MAX)],
        ) {
            let mut all: BTreeSet<u32> = others.into_iter().collect();
            all.extend(ranges.into_iter().flat_map(|(start, len)| start..start + len));
            let set = RowSet::from_sorted(&all.iter().copied().collect::<Vec<_>>());
            let asked = asked.0.min(asked.1)..asked.0.max(asked.1);
            let expected: Vec<u32> = all.range(asked.clone()).copied().take(count).collect();
            prop_assert_eq!(set.first_rows(&asked, count), expected);
        }

        #[test]
        fn scattered_ranges_are_gathered(ranges in prop::collection::vec((0..=ROWS, 0..=ROWS), 0..9)) {
            let mut scatter = Scatter::new(ROWS);
            let mut expected = BTreeSet::new();
            for (one, two) in ranges {
                scatter.add_range(one.min(two)..one.max(two));
                expected.extend(one.min(two)..one.max(two));
            }
            prop_assert_eq!(listed(&scatter.finish()), expected);
        }

        #[test]
        fn scattered_rows_are_gathered(rows in prop::collection::vec(0..ROWS, 0..80)) {
            let mut scatter = Scatter::new(ROWS);
            scatter.add(&rows);
            scatter.add(&[ROWS + 8]);
            scatter.add_range(ROWS + 8..ROWS + 9);
            prop_assert_eq!(listed(&scatter.finish()), rows.into_iter().collect::<BTreeSet<_>>());
        }
    }
}
