//! Ordinals of a union counted before some rows, for bars: columns are read around those rows alone.
//!
//! Each part says how many of its ordinals no part before it has. Where all of its rows are on one side of each
//! edge, that is all there is to know of it. The others are read, and with each of them the parts before it
//! that have rows of it as well.
#![deny(clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Marks, Union, count_marked};
use crate::chunk::PartRows;

impl Union {
    /// How many of its ordinals are before each of some edges, each of which is the ordinals of the rows before it,
    /// in ranges which ascend and do not overlap. `ordinals_of` gives the ordinals of a part in the segment, and `part`
    /// its rows and the first row of its chunk.
    ///
    /// # Errors
    /// When a part cannot be had.
    pub fn count_before<E>(
        &self,
        edges: &[&[Range<u32>]],
        ordinals_of: impl Fn(u32) -> Result<Range<u32>, E>,
        part: impl FnMut(u32) -> Result<(u32, PartRows), E>,
    ) -> Result<Vec<u64>, E> {
        let mut counts = vec![0; edges.len()];
        let (mut places, mut cut) = (Vec::with_capacity(self.parts.len()), Vec::new());
        for (number, own) in self.parts.iter().enumerate() {
            let ordinals = ordinals_of(own.part)?;
            let before = edges.iter().map(|edge| len_within(edge, &ordinals));
            if before.clone().any(|len| 0 < len && len < ordinals.len()) {
                cut.push(number);
            } else {
                let before = counts.iter_mut().zip(before).filter(|(_, len)| *len > 0);
                before.for_each(|(all, _)| *all += u64::from(own.new));
            }
            places.push(ordinals);
        }
        let found = self.mark_cut(&cut, &places, part)?;
        for (all, edge) in counts.iter_mut().zip(edges) {
            let of_cut = found.iter().map(|stretch| stretch.count(edge));
            let of_others = edge.iter().map(|range| count_listed(&self.others, range));
            *all += of_cut.chain(of_others).sum::<u64>();
        }
        Ok(counts)
    }

    /// A bit for each ordinal of some stretches, set for those of some parts, but for those of another part before the
    /// first of them which has the ordinal. The numbers of the parts ascend; `places` has the ordinals of the rows of
    /// each.
    fn mark_cut<E>(
        &self,
        cut: &[usize],
        places: &[Range<u32>],
        mut part: impl FnMut(u32) -> Result<(u32, PartRows), E>,
    ) -> Result<Vec<Stretch>, E> {
        let read = with_those_beside(cut, places);
        let mut stretches = Vec::new();
        for ordinals in joined(read.iter().filter_map(|number| places.get(*number))) {
            let is_within = |number: &usize| {
                let place = places.get(*number);
                place.is_some_and(|place| ordinals.contains(&place.start))
            };
            let own: Vec<usize> = read.iter().copied().filter(is_within).collect();
            let mut stretch = Stretch::new(ordinals);
            self.mark_stretch(&mut stretch, &own, cut, &mut part)?;
            stretches.push(stretch);
        }
        Ok(stretches)
    }

    /// The bits of one stretch, given the numbers of the parts in it that are read.
    fn mark_stretch<E>(
        &self,
        stretch: &mut Stretch,
        numbers: &[usize],
        cut: &[usize],
        part: &mut impl FnMut(u32) -> Result<(u32, PartRows), E>,
    ) -> Result<(), E> {
        let mut marks = Marks::from(stretch.base());
        let found = &mut stretch.bits;
        let (mut theirs, mut of_others) = (found.clone(), found.clone());
        for number in numbers {
            let Some(own) = self.parts.get(*number) else {
                continue;
            };
            let rows = part(own.part)?;
            if cut.binary_search(number).is_ok() {
                marks.add(own, rows, found);
                continue;
            }
            theirs.fill(0);
            marks.add(own, rows, &mut theirs);
            for ((other, theirs), found) in of_others.iter_mut().zip(&theirs).zip(&*found) {
                *other |= theirs & !found;
            }
        }
        for (found, other) in found.iter_mut().zip(of_others) {
            *found &= !other;
        }
        Ok(())
    }
}

/// A bit for each ordinal of a range.
struct Stretch {
    ordinals: Range<u32>,
    bits: Vec<u8>,
}

impl Stretch {
    /// With no bit set.
    fn new(ordinals: Range<u32>) -> Self {
        let len = ordinals.end - ordinals.start / u8::BITS * u8::BITS;
        Self {
            ordinals,
            bits: vec![0; len.div_ceil(u8::BITS) as usize],
        }
    }

    /// The ordinal that the first bit is of: where ordinals share a byte, they do among all of a segment.
    fn base(&self) -> u32 {
        self.ordinals.start / u8::BITS * u8::BITS
    }

    /// How many are set of the ordinals that are in some ranges, which ascend and do not overlap.
    fn count(&self, ranges: &[Range<u32>]) -> u64 {
        let base = self.base();
        let own = within(ranges, &self.ordinals);
        let counts = own.map(|own| count_marked(&self.bits, &(own.start - base..own.end - base)));
        counts.sum()
    }
}

/// The numbers of some parts, and of those before them that have some of their rows, ascending.
fn with_those_beside(numbers: &[usize], places: &[Range<u32>]) -> BTreeSet<usize> {
    let mut all: BTreeSet<usize> = numbers.iter().copied().collect();
    for number in numbers {
        let Some(own) = places.get(*number) else {
            continue;
        };
        let before = places.iter().enumerate().take(*number);
        let beside = before.filter(|(_, place)| place.start < own.end && own.start < place.end);
        all.extend(beside.map(|(number, _)| number));
    }
    all
}

/// Some ranges, ascending, those that overlap as one.
fn joined<'r>(ranges: impl Iterator<Item = &'r Range<u32>>) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = ranges.cloned().collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let mut all: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// How many ordinals of a range are in some ranges, which ascend and do not overlap.
pub fn len_within(ranges: &[Range<u32>], ordinals: &Range<u32>) -> usize {
    within(ranges, ordinals).map(|range| range.len()).sum()
}

/// What of a range is in some ranges, which ascend and do not overlap.
fn within(ranges: &[Range<u32>], ordinals: &Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let (start, end) = (ordinals.start, ordinals.end);
    let first = ranges.partition_point(|range| range.end <= start);
    let own = ranges.iter().skip(first);
    let own = own.take_while(move |range| range.start < end);
    own.map(move |range| range.start.max(start)..range.end.min(end))
}

/// How many of some ordinals, which ascend, are in a range.
pub fn count_listed(ordinals: &[u32], range: &Range<u32>) -> u64 {
    let before = |end: u32| ordinals.partition_point(|ordinal| *ordinal < end);
    before(range.end).saturating_sub(before(range.start)) as u64
}
