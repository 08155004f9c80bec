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
#![expect(
    clippy::indexing_slicing,
    reason = "it only counts what is to be written; every index is a byte, or below the length of its table"
)]

/// Values that are looked at together.
const BLOCK_VALUES: usize = 256;
/// Blocks that are looked at in a long column.
const BLOCKS: usize = 8;
/// Most values of a sample.
const SAMPLE_VALUES: usize = BLOCKS * BLOCK_VALUES;
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

/// Numbers made of such runs.
pub(super) fn sampled(values: &[u64], append: impl Fn(&[u64], &mut Vec<u64>)) -> Vec<u64> {
    let mut all = Vec::with_capacity(values.len().min(SAMPLE_VALUES));
    for block in sample(values) {
        append(block, &mut all);
    }
    all
}

/// Bytes that planes of `count` numbers take, at least one, given a sample of what they exceed the
/// least by. The largest of that is `max`.
pub(super) fn planes(sample: &[u64], count: usize, max: u64) -> u64 {
    let mut repeated = 0;
    let mut coded: Option<(Frequencies, u64)> = None;
    for plane in 0..(u64::BITS - max.leading_zeros()).div_ceil(8) {
        let own = Frequencies::of(sample, 8 * plane);
        if own.repeated() < own.coded_min() {
            repeated += own.repeated();
            continue;
        }
        let own_coded = own.coded();
        if own.repeated() < own_coded {
            repeated += own.repeated();
            continue;
        }
        coded = Some(match coded {
            None => (own, own_coded),
            Some((mut all, _)) => {
                all.add(&own);
                let bytes = all.coded();
                (all, bytes)
            }
        });
    }
    let bytes = repeated + coded.map_or(0, |(_, bytes)| bytes);
    bytes * count as u64 / sample.len().max(1) as u64
}

/// How often each byte is there.
struct Frequencies {
    /// All planes of a sample together have fewer bytes than sixteen bits count.
    counts: [u16; 256],
    /// The bytes that are there. Looking at all 256 takes longer than counting in most columns.
    symbols: [u8; 256],
    symbols_len: usize,
    seen: u64,
    changes: u64,
}

const _: () = assert!(SAMPLE_VALUES * size_of::<u64>() <= u16::MAX as usize);

impl Frequencies {
    /// The bytes of a plane, given by the lowest of its bits.
    fn of(numbers: &[u64], shift: u32) -> Self {
        let mut all = Self {
            counts: [0; 256],
            symbols: [0; 256],
            symbols_len: 0,
            seen: numbers.len() as u64,
            changes: 1,
        };
        let mut last = numbers.first().map_or(0, |number| (number >> shift) as u8);
        for number in numbers {
            let byte = (number >> shift) as u8;
            all.count(byte, 1);
            all.changes += u64::from(last != byte);
            last = byte;
        }
        all
    }

    #[inline]
    fn count(&mut self, byte: u8, more: u16) {
        let count = &mut self.counts[usize::from(byte)];
        if *count == 0 {
            self.symbols[self.symbols_len % 256] = byte;
            self.symbols_len += 1;
        }
        *count = count.wrapping_add(more);
    }

    fn add(&mut self, other: &Self) {
        for symbol in &other.symbols[..other.symbols_len] {
            self.count(*symbol, other.counts[usize::from(*symbol)]);
        }
        self.seen += other.seen;
    }

    /// Bytes with Huffman codes, at least one bit each.
    fn coded(&self) -> u64 {
        let of_all = log2(self.seen);
        let mut bits = 0;
        for symbol in &self.symbols[..self.symbols_len] {
            let count = self.counts[usize::from(*symbol)];
            let log = LOGS.get(usize::from(count)).copied();
            let log = log.map_or_else(|| log2(u64::from(count)), u64::from);
            bits += u64::from(count) * (of_all - log);
        }
        let bytes = (bits / LOG_ONE).max(self.seen).div_ceil(8);
        (bytes + self.symbols_len as u64 * SYMBOL_COST / 16).min(self.seen)
    }

    /// No more than [`Self::coded`], without counting.
    fn coded_min(&self) -> u64 {
        self.seen.div_ceil(8)
    }

    /// Bytes with a repetition for each run of the same byte.
    fn repeated(&self) -> u64 {
        self.changes * CHANGE_COST / 16
    }
}

/// Logarithms of the counts of one plane.
static LOGS: [u16; SAMPLE_VALUES + 1] = logs();

const fn logs() -> [u16; SAMPLE_VALUES + 1] {
    let mut logs = [0; SAMPLE_VALUES + 1];
    let mut number = 0;
    while number < logs.len() {
        logs[number] = log2(number as u64) as u16;
        number += 1;
    }
    logs
}

/// The binary logarithm in parts of [`LOG_ONE`], linear between sixteen places of each octave.
const fn log2(number: u64) -> u64 {
    const FRACTIONS: [u64; 17] = [
        0, 22, 44, 63, 82, 100, 118, 134, 150, 165, 179, 193, 207, 220, 232, 244, 256,
    ];
    let Some(whole) = number.checked_ilog2() else {
        return 0;
    };
    let scaled = (((number as u128) << 12) >> whole) as u64 & 0xfff;
    let (place, part) = ((scaled >> 8) as usize, scaled & 0xff);
    let (low, high) = (FRACTIONS[place], FRACTIONS[place + 1]);
    whole as u64 * LOG_ONE + low + (high - low) * part / 256
}

#[cfg(test)]
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
        let estimate = |values: &[u64]| {
            planes(
                &sampled(values, |block, out| out.extend(block)),
                values.len(),
                255,
            )
        };
        assert!(estimate(&steps) < 60, "{}", estimate(&steps));
        assert!(estimate(&mixed) > 3_900, "{}", estimate(&mixed));
    }
}
