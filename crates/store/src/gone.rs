//! Which records were in segments once and are in none any more: who reads by number and comes too late is told.

use std::ops::Range;

use crate::hole::left_over;
use crate::limits::GONE_MAX;
use crate::manifest::Entry;

/// Records that are in no segment any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    /// Between which numbers they were; some of them no record may ever have had.
    pub(crate) numbers: Range<u64>,
    /// How many they were.
    pub(crate) records: u64,
    /// Whether they could not be read. Others were deleted because they need not be kept.
    pub(crate) is_damage: bool,
}

/// Notes what is gone as segments are replaced by others: by none where they are deleted, by others with fewer
/// records where not all could be read.
pub(crate) fn note(gone: &mut Vec<Gone>, replaced: &[Entry], added: &[Entry]) {
    for entry in replaced {
        let taken = added.iter().map(Entry::numbers).collect();
        for numbers in left_over(entry.numbers(), taken) {
            let records = numbers.end - numbers.start;
            insert(
                gone,
                Gone {
                    numbers,
                    records,
                    is_damage: !added.is_empty(),
                },
            );
        }
    }
    while gone.len() > GONE_MAX {
        let hole = |pair: &[Gone]| match pair {
            [one, next] => next.numbers.start - one.numbers.end,
            _ => u64::MAX,
        };
        let nearest = gone
            .windows(2)
            .enumerate()
            .min_by_key(|(_, pair)| hole(pair));
        let Some((at, _)) = nearest else { return };
        join(gone, at);
    }
}

/// Inserts in the order of numbers; what touches its neighbour becomes one with it.
fn insert(gone: &mut Vec<Gone>, new: Gone) {
    let at = gone.partition_point(|known| known.numbers.start < new.numbers.start);
    gone.insert(at, new);
    for before in [at, at.wrapping_sub(1)] {
        if let Some([one, next]) = gone.get(before..before.saturating_add(2))
            && one.numbers.end >= next.numbers.start
            && one.is_damage == next.is_damage
        {
            join(gone, before);
        }
    }
}

/// Makes one of a stretch and the one behind it. What was damaged is told of both: that is the worse.
fn join(gone: &mut Vec<Gone>, at: usize) {
    if at + 1 >= gone.len() {
        return;
    }
    let next = gone.remove(at + 1);
    if let Some(one) = gone.get_mut(at) {
        one.numbers.end = one.numbers.end.max(next.numbers.end);
        one.records += next.records;
        one.is_damage |= next.is_damage;
    }
}

#[cfg(test)]
mod tests {
    use model::{RecordNumber, Timestamp};

    use super::*;

    fn entry(first: u64, rows: u32) -> Entry {
        Entry {
            first: RecordNumber(first),
            rows,
            is_imported: false,
            is_archived: false,
            is_compacted: false,
            day: 0,
            file_bytes: 0,
            first_received: Timestamp::default(),
            last_received: Timestamp::default(),
            raw_bytes: 0,
            generation: 0,
            fingerprint: 0,
        }
    }

    fn told(gone: &[Gone]) -> Vec<(u64, u64, u64, bool)> {
        let told = gone
            .iter()
            .map(|g| (g.numbers.start, g.numbers.end, g.records, g.is_damage));
        told.collect()
    }

    #[test]
    fn deleted_segments_become_one_stretch_whatever_their_order() {
        let mut gone = Vec::new();
        for (first, rows) in [(21, 10), (1, 10), (41, 10), (11, 10), (31, 10)] {
            note(&mut gone, &[entry(first, rows)], &[]);
        }
        assert_eq!(told(&gone), [(1, 51, 50, false)]);
        // A failed import stood between.
        note(&mut gone, &[entry(61, 5)], &[]);
        assert_eq!(told(&gone), [(1, 51, 50, false), (61, 66, 5, false)]);
    }

    #[test]
    fn what_others_took_over_is_not_gone() {
        let mut gone = Vec::new();
        note(&mut gone, &[entry(1, 10), entry(11, 10)], &[entry(1, 20)]);
        assert_eq!(told(&gone), []);
        let saved = [entry(1, 3), entry(8, 13)];
        note(&mut gone, &[entry(1, 20)], &saved);
        assert_eq!(told(&gone), [(4, 8, 4, true)]);
        note(&mut gone, &saved, &[]);
        assert_eq!(
            told(&gone),
            [(1, 4, 3, false), (4, 8, 4, true), (8, 21, 13, false)]
        );
    }

    #[test]
    fn stretches_are_bounded_and_none_is_forgotten() {
        let mut gone = Vec::new();
        let count = GONE_MAX as u64 + 100;
        for n in 0..count {
            note(&mut gone, &[entry(1 + 3 * n, 2)], &[]);
        }
        assert_eq!(gone.len(), GONE_MAX);
        let records: u64 = gone.iter().map(|gone| gone.records).sum();
        assert_eq!(records, 2 * count);
    }
}
