//! Values of which many are the same: each once, and for each row its number.
//!
//! They are numbered by frequency: the high plane of the numbers is then nearly all zero and the low
//! one is skewed, which is what Huffman codes are for (user names and addresses take some 4 % less
//! than by first use). Where values come and go, as sessions do, numbers by first use are smaller:
//! their differences are.

use super::distinct::Distinct;
use super::series::{self, Plan};

/// Blocks of the sample that tells whether values are the same.
const SAMPLE_BLOCKS: usize = 8;

/// Neighbours of each block.
const SAMPLE_BLOCK: usize = 16;

/// Values of a column that is looked at without a sample.
const SAMPLE_MAX: usize = SAMPLE_BLOCKS * SAMPLE_BLOCK;

/// So many values of a sample are there before where a dictionary may be worth its numbers: values
/// of a few thousand are.
const SAMPLE_REPEATS_MIN: usize = 2;

/// Values whose numbers take one byte.
const BYTE_VALUES: usize = 256;

/// Values, each once.
#[derive(Debug)]
pub(super) struct Dictionary<'a> {
    /// The values in the order of their numbers.
    pub(super) entries: Vec<&'a [u8]>,
    ids: Vec<u64>,
    plan: Plan,
}

impl<'a> Dictionary<'a> {
    /// Collects values; `None` where more than half of them are different.
    pub(super) fn read(values: &[&'a [u8]]) -> Option<Self> {
        let distinct_max = values.len() / 2;
        if values.len() > SAMPLE_MAX && !is_promising(values) {
            return None;
        }
        let mut known = Distinct::new(distinct_max);
        let mut counts = vec![0_u32; distinct_max];
        let mut ids = Vec::with_capacity(values.len());
        for value in values {
            let id = known.number(value)?;
            *counts.get_mut(id)? += 1;
            ids.push(id as u64);
        }
        Some(Self::by_smaller_ids(known.values(), &counts, ids))
    }

    /// Keeps numbers by first use, or numbers the values by their counts.
    fn by_smaller_ids(found: &[&'a [u8]], counts: &[u32], ids: Vec<u64>) -> Self {
        let plan = series::plan(&ids);
        let mut order: Vec<u32> = (0..found.len() as u32).collect();
        let count = |id: &u32| counts.get(*id as usize).copied();
        order.sort_by_key(|id| std::cmp::Reverse(count(id)));
        let mut numbers = vec![0; found.len()];
        for (number, id) in order.iter().enumerate() {
            if let Some(place) = numbers.get_mut(*id as usize) {
                *place = number as u64;
            }
        }
        let number = |id: &u64| numbers.get(*id as usize).copied().unwrap_or_default();
        let by_frequency: Vec<u64> = ids.iter().map(number).collect();
        // Numbers of one byte take the same whichever value each stands for.
        let plan_by_frequency = if found.len() <= BYTE_VALUES && !plan.is_of_differences() {
            plan
        } else {
            series::plan(&by_frequency)
        };
        if plan.bytes < plan_by_frequency.bytes {
            return Self {
                entries: found.to_vec(),
                ids,
                plan,
            };
        }
        let value = |id: &u32| found.get(*id as usize).copied();
        Self {
            entries: order.iter().filter_map(value).collect(),
            ids: by_frequency,
            plan: plan_by_frequency,
        }
    }

    /// What the numbers are going to take after compression, roughly.
    pub(super) fn bytes(&self) -> u64 {
        self.plan.bytes
    }

    /// Writes the numbers.
    pub(super) fn encode_ids(&self, out: &mut Vec<u8>) {
        series::encode(&self.ids, self.plan, out);
    }
}

/// Whether a sample has values that are the same. Looking at all of them costs as much as all else
/// that is done with them.
fn is_promising(values: &[&[u8]]) -> bool {
    let blocks = values.chunks(values.len().div_ceil(SAMPLE_BLOCKS));
    let blocks = blocks.map(|block| block.get(..SAMPLE_BLOCK).unwrap_or(block));
    let seen: usize = blocks.clone().map(<[_]>::len).sum();
    let mut distinct = Distinct::new(seen);
    for value in blocks.flatten() {
        distinct.number(value);
    }
    distinct.values().len() + SAMPLE_REPEATS_MIN <= seen
}
