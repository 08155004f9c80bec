//! Rows of a segment as the index lists them, before they become a set: a few as a list, many as marks, one
//! bit a row. To join marks takes a tenth of making them a set.

use std::ops::Range;

use segment::{Location, TermEntry};
use store::{ReadError, SegmentHandle};

use crate::row_set::{RowSet, Scatter};

/// Fewer rows than one in so many are listed instead of marked one bit each. To put a row where it belongs
/// takes some two hundred times as long as to look at eight bits.
const SPARSE: u64 = 512;

/// Rows of a segment.
pub(crate) enum Gathered {
    /// Every row.
    All,
    /// These, ascending.
    Listed(Vec<u32>),
    /// Those that are marked.
    Marked(Scatter),
}

/// The rows that hold any of the terms.
pub(crate) fn union(terms: &[TermEntry], segment: &SegmentHandle) -> Result<RowSet, ReadError> {
    Gathered::of(terms, segment).map(Gathered::finish)
}

impl Gathered {
    /// The rows that hold any of the terms.
    pub(crate) fn of(terms: &[TermEntry], segment: &SegmentHandle) -> Result<Self, ReadError> {
        if terms.iter().any(|term| term.rows == segment.rows()) {
            return Ok(Self::All);
        }
        let groups = groups_of(terms, segment)?;
        let tally = match groups.as_slice() {
            [] => None,
            _ => Some(segment.tally()?),
        };
        let ordinals = |group: &u32| tally.as_ref().map_or(0..0, |tally| tally.ordinals(*group));
        let ranges = groups.iter().map(ordinals);
        let rows = terms.iter().map(|term| u64::from(term.rows)).sum::<u64>();
        if terms.is_empty() || rows < u64::from(segment.rows()) / SPARSE {
            let mut listed: Vec<u32> = ranges.flatten().collect();
            list_slots(terms, segment, &mut listed)?;
            return Ok(Self::Listed(listed));
        }
        let mut marked = Scatter::new(segment.rows());
        ranges.for_each(|range| marked.add_range(range));
        for term in terms {
            match term.slots.location {
                Location::Nowhere => {}
                Location::One(ordinal) => marked.add(&[ordinal]),
                _ => segment.mark_slot_ordinals(term, marked.bits())?,
            }
        }
        Ok(Self::Marked(marked))
    }

    /// Whether it is known that there are none.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Listed(rows) if rows.is_empty())
    }

    /// How many there are, of a segment of so many rows.
    pub(crate) fn len(&self, rows: u32) -> u64 {
        match self {
            Self::All => u64::from(rows),
            Self::Listed(rows) => rows.len() as u64,
            Self::Marked(marked) => marked.len(),
        }
    }

    /// How many rows of some ranges are in it, which ascend and do not overlap.
    pub(crate) fn len_among(&self, ranges: &[Range<u32>]) -> u64 {
        let among = ranges.iter().map(|range| match self {
            Self::All => range.len() as u64,
            Self::Listed(rows) => segment::count_listed(rows, range),
            Self::Marked(marked) => marked.len_within(range),
        });
        among.sum()
    }

    /// The rows in both.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, other) | (other, Self::All) => other,
            (Self::Marked(mut one), Self::Marked(two)) => {
                one.keep(&two);
                Self::Marked(one)
            }
            (Self::Listed(mut rows), other) | (other, Self::Listed(mut rows)) => {
                rows.retain(|row| other.contains(*row));
                Self::Listed(rows)
            }
        }
    }

    /// The rows in it and not in the other, of a segment of so many rows.
    pub(crate) fn minus(self, other: Self, rows: u32) -> Self {
        match (self, other) {
            (Self::Listed(mut rows), other) => {
                rows.retain(|row| !other.contains(*row));
                Self::Listed(rows)
            }
            (_, Self::All) => Self::Listed(Vec::new()),
            (Self::All, other) => {
                let mut all = Scatter::new(rows);
                all.add_range(0..rows);
                Self::Marked(all).minus(other, rows)
            }
            (Self::Marked(mut one), Self::Marked(two)) => {
                one.remove_all(&two);
                Self::Marked(one)
            }
            (Self::Marked(mut marked), Self::Listed(listed)) => {
                listed.iter().for_each(|row| marked.remove(*row));
                Self::Marked(marked)
            }
        }
    }

    /// The rows as a set.
    pub(crate) fn finish(self) -> RowSet {
        match self {
            Self::All => RowSet::All,
            Self::Listed(rows) => RowSet::from_sorted(&rows),
            Self::Marked(marked) => marked.finish(),
        }
    }

    fn contains(&self, row: u32) -> bool {
        match self {
            Self::All => true,
            Self::Listed(rows) => rows.binary_search(&row).is_ok(),
            Self::Marked(marked) => marked.contains(row),
        }
    }
}

/// The groups of any of the terms, ascending.
fn groups_of(terms: &[TermEntry], segment: &SegmentHandle) -> Result<Vec<u32>, ReadError> {
    let mut groups = Vec::new();
    for term in terms.iter().filter(|term| term.groups.count > 0) {
        groups.extend(segment.groups_of(term)?);
    }
    if terms.len() > 1 {
        groups.sort_unstable();
        groups.dedup();
    }
    Ok(groups)
}

/// Adds the ordinals that are in no groups to a list, which ascends then.
fn list_slots(
    terms: &[TermEntry],
    segment: &SegmentHandle,
    listed: &mut Vec<u32>,
) -> Result<(), ReadError> {
    for term in terms {
        match term.slots.location {
            Location::Nowhere => {}
            Location::One(ordinal) => listed.push(ordinal),
            _ => listed.extend(segment.slot_ordinals(term)?),
        }
    }
    listed.sort_unstable();
    listed.dedup();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    const ROWS: u32 = 300;

    fn gathered(rows: Option<&[u32]>, is_listed: bool) -> Gathered {
        match rows {
            None => Gathered::All,
            Some(rows) if is_listed => Gathered::Listed(rows.to_vec()),
            Some(rows) => {
                let mut marked = Scatter::new(ROWS);
                marked.add(rows);
                Gathered::Marked(marked)
            }
        }
    }

    fn rows() -> impl Strategy<Value = Option<Vec<u32>>> {
        let some = prop::collection::btree_set(0..ROWS, 0..60);
        prop_oneof![
            1 => Just(None),
            5 => some.prop_map(|rows| Some(rows.into_iter().collect())),
        ]
    }

    /// The same rows, where all of them may be listed.
    fn listed(set: &RowSet) -> Vec<u32> {
        (0..ROWS).filter(|row| set.contains(*row)).collect()
    }

    proptest! {
        #[test]
        fn however_they_are_kept_they_are_joined_as_sets_are(
            (one, one_is_listed) in (rows(), any::<bool>()),
            (two, two_is_listed) in (rows(), any::<bool>()),
            ends in prop::collection::btree_set(0..ROWS, 0..9),
        ) {
            let one = || gathered(one.as_deref(), one_is_listed);
            let two = || gathered(two.as_deref(), two_is_listed);
            let (first, second) = (one().finish(), two().finish());
            let both = first.clone().and(second.clone());
            prop_assert_eq!(listed(&one().and(two()).finish()), listed(&both));
            let without = first.minus(&second, ROWS);
            prop_assert_eq!(listed(&one().minus(two(), ROWS).finish()), listed(&without));
            let ends: Vec<u32> = ends.into_iter().collect();
            let ranges: Vec<_> = ends.chunks_exact(2).map(|ends| ends[0]..ends[1]).collect();
            prop_assert_eq!(one().len_among(&ranges), first.len_among(&ranges));
        }
    }
}
