//! How many bytes numbers take after column encoding and zstd, without compressing them.
//!
//! zstd codes the bytes of a plane by their frequencies (Huffman, at least one bit each) or as
//! repetitions of what stood before. The smaller of the two is the estimate of a plane: its entropy,
//! or a price for each change from one byte to another. Planes that are coded share one table of
//! codes, as they stand in one block of zstd: a plane of few bytes beside one of all bytes saves
//! nothing. Of long columns a sample is looked at: runs of neighbours from all over the column, so
//! that differences are judged as well as values.
//!
//! All is integer arithmetic, so that the same values are judged the same everywhere.

/// Values that are looked at together.
const BLOCK_VALUES: usize = 256;
/// Blocks that are looked at in a long column.
const BLOCKS: usize = 8;
/// What a change in a plane of long runs costs in sixteenths of a byte: a sequence of zstd and a
/// literal.
const CHANGE_COST: u64 = 40;
/// What each further symbol adds to the table of Huffman codes, in sixteenths of a byte.
const SYMBOL_COST: u64 = 8;
/// Parts of one in [`log2`].
const LOG_ONE: u64 = 256;

/// Runs of neighbours from all over the values.
pub(super) fn sample<T>(values: &[T]) -> impl Iterator<Item = &[T]> + Clone {
    let stride = values.len().div_ceil(BLOCKS).max(BLOCK_VALUES);
    values
        .chunks(stride)
        .map(|chunk| chunk.get(..BLOCK_VALUES).unwrap_or(chunk))
}

/// Bytes that planes of numbers take. `numbers` gives a sample of all `count` of them, the least of
/// which is `min` and the largest `max`.
pub(super) fn planes(
    numbers: impl Iterator<Item = u64> + Clone,
    count: usize,
    min: u64,
    max: u64,
) -> u64 {
    let mut repeated = 0;
    let mut coded = Frequencies::default();
    let mut rest = max.wrapping_sub(min);
    let mut shift = 0;
    while rest > 0 {
        let plane = numbers
            .clone()
            .map(|number| (number.wrapping_sub(min) >> shift) as u8);
        let own = Frequencies::of(plane);
        if own.repeated() < own.coded() {
            repeated += own.repeated() * count as u64 / own.seen.max(1);
        } else {
            coded.add(&own);
        }
        shift += 8;
        rest >>= 8;
    }
    let seen = numbers.count().max(1) as u64;
    repeated + coded.coded() * count as u64 / seen
}

/// How often each byte is there.
struct Frequencies {
    counts: [u32; 256],
    seen: u64,
    changes: u64,
}

impl Default for Frequencies {
    fn default() -> Self {
        Self {
            counts: [0; 256],
            seen: 0,
            changes: 0,
        }
    }
}

impl Frequencies {
    fn of(bytes: impl Iterator<Item = u8>) -> Self {
        let mut all = Self::default();
        let mut last = None;
        for byte in bytes {
            if let Some(count) = all.counts.get_mut(usize::from(byte)) {
                *count += 1;
            }
            all.seen += 1;
            all.changes += u64::from(last != Some(byte));
            last = Some(byte);
        }
        all
    }

    fn add(&mut self, other: &Self) {
        for (count, others) in self.counts.iter_mut().zip(&other.counts) {
            *count += others;
        }
        self.seen += other.seen;
    }

    /// Bytes with Huffman codes, at least one bit each.
    fn coded(&self) -> u64 {
        let of_all = log2(self.seen);
        let mut bits = 0;
        let mut symbols = 0;
        for count in self.counts.iter().filter(|count| **count > 0) {
            let count = u64::from(*count);
            bits += count * (of_all - log2(count));
            symbols += 1;
        }
        let bytes = (bits / LOG_ONE).max(self.seen).div_ceil(8);
        (bytes + symbols * SYMBOL_COST / 16).min(self.seen)
    }

    /// Bytes with a repetition for each run of the same byte.
    fn repeated(&self) -> u64 {
        self.changes * CHANGE_COST / 16
    }
}

/// The binary logarithm in parts of [`LOG_ONE`], linear between sixteen places of each octave.
fn log2(number: u64) -> u64 {
    const FRACTIONS: [u64; 17] = [
        0, 22, 44, 63, 82, 100, 118, 134, 150, 165, 179, 193, 207, 220, 232, 244, 256,
    ];
    let Some(whole) = number.checked_ilog2() else {
        return 0;
    };
    let scaled = (u128::from(number) << 12 >> whole) as usize & 0xfff;
    let at = |place: usize| FRACTIONS.get(place).copied().unwrap_or(LOG_ONE);
    let (place, part) = (scaled >> 8, scaled as u64 & 0xff);
    u64::from(whole) * LOG_ONE + at(place) + (at(place + 1) - at(place)) * part / 256
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_close() {
        for number in [1_u64, 2, 3, 5, 7, 100, 255, 256, 1000, 16_384, u64::MAX] {
            let exact = (number as f64).log2() * LOG_ONE as f64;
            assert!((log2(number) as f64 - exact).abs() < 2.0, "{number}");
        }
        assert_eq!(log2(0), 0);
    }

    #[test]
    fn samples_come_from_all_over() {
        let values: Vec<u32> = (0..10_000).collect();
        let blocks: Vec<&[u32]> = sample(&values).collect();
        assert_eq!(blocks.len(), BLOCKS);
        assert_eq!(blocks[7][0], 8_750);
        assert!(blocks.iter().all(|block| block.len() == BLOCK_VALUES));
        assert_eq!(sample(&values[..300]).map(<[u32]>::len).sum::<usize>(), 300);
    }

    #[test]
    fn what_repeats_costs_little() {
        let steps: Vec<u64> = (0..4_096).map(|row| row / 512).collect();
        let mixed: Vec<u64> = (0..4_096_u64)
            .map(|row| row * 2_654_435_761 % 251)
            .collect();
        let estimate = |values: &[u64]| planes(values.iter().copied(), values.len(), 0, 255);
        assert!(estimate(&steps) < 40, "{}", estimate(&steps));
        assert!(estimate(&mixed) > 3_900, "{}", estimate(&mixed));
    }
}
