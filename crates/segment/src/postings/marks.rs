//! Sets of ordinals as bits, one for each row from the lowest of the first byte on, and ordinals counted within ranges.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

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
