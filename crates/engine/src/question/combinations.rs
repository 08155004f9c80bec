//! Combinations of numbers, each with a number of its own.

use hashbrown::HashMap;

/// Memory of one combination: twice what it takes in a table that is half full, and where it came from.
pub(super) const COMBINATION_BYTES: usize = 64;

/// Combinations of one more number each.
#[derive(Debug, Default)]
pub(super) struct Combinations {
    ids: HashMap<(u32, u32), u32>,
    /// What each consists of.
    pairs: Vec<(u32, u32)>,
    /// The one that was asked for last: rows beside each other often have the same.
    last: Option<((u32, u32), u32)>,
}

impl Combinations {
    /// The number of a combination and one more number.
    pub(super) fn id(&mut self, combination: u32, more: u32) -> u32 {
        let pair = (combination, more);
        if let Some((last, id)) = self.last
            && last == pair
        {
            return id;
        }
        // There are no more than rows of a segment.
        let next = self.pairs.len() as u32;
        let id = *self.ids.entry(pair).or_insert(next);
        if id == next {
            self.pairs.push(pair);
        }
        self.last = Some((pair, id));
        id
    }

    /// What the combination of a number consists of.
    pub(super) fn pair(&self, id: u32) -> Option<(u32, u32)> {
        self.pairs.get(id as usize).copied()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.pairs.clear();
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pairs_have_equal_numbers_until_they_are_forgotten() {
        let mut combinations = Combinations::default();
        let pairs = [(7, 1), (1, 7), (1, 7), (7, 1), (7, 7)];
        for _ in 0..2 {
            let ids = pairs.map(|(one, two)| combinations.id(one, two));
            assert_eq!(ids, [0, 1, 1, 0, 2]);
            assert_eq!(combinations.len(), 3);
            assert_eq!(combinations.pair(1), Some((1, 7)));
            combinations.clear();
            assert_eq!(combinations.pair(0), None);
            // The last one that was asked for is no longer known either.
            assert_eq!(combinations.id(7, 7), 0);
            combinations.clear();
        }
    }
}
