//! Which host or program each row of a segment has, by the words of the index instead of columns.
//!
//! A segment counts its hosts and so knows them all. Each word gets a number by chance, and each row the
//! sum, bit by bit, of those of its words, which is its mark. The mark of a value is the sum of those of
//! the value's words; where no two values have the same, a row's mark tells its value.
//! Goes through the rows of all words of the part once, however many rows are asked for, and opens no
//! chunk.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};
use model::words;
use segment::{Location, Namespace};
use store::{OwnValueRows, ReadError, SegmentHandle};

use crate::limits::MARKED_OF;
use crate::row_set::RowSet;

/// Finds values by marks. Holds memory that is used for one segment after another.
#[derive(Debug, Default)]
pub(crate) struct ValueMarks {
    hasher: DefaultHashBuilder,
    /// The mark of each row of the segment at hand.
    marks: Vec<u32>,
}

/// The values of a part, found by their marks.
struct Values {
    table: HashTable<(u32, usize)>,
}

impl ValueMarks {
    /// How many rows of a set have each value of a part; `None` where the set has too few rows for this
    /// to be worth it, or words do not tell the values, or not in less time than columns.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(crate) fn count(
        &mut self,
        segment: &SegmentHandle,
        part: Namespace,
        set: &RowSet,
    ) -> Result<Option<OwnValueRows>, ReadError> {
        let rows = segment.rows();
        if set.is_empty() || set.len(rows) < u64::from(rows) / MARKED_OF {
            return Ok(None);
        }
        let Some(mut counted) = segment.value_rows(part)? else {
            return Ok(None);
        };
        let Some(values) = self.values(&counted) else {
            return Ok(None);
        };
        if !self.mark_rows(segment, part)? {
            return Ok(None);
        }
        for (_, count) in &mut counted {
            *count = 0;
        }
        let mut are_known = true;
        set.for_each(rows, |row| {
            // Without a word there is no value.
            let mark = self.marks.get(row as usize).copied().unwrap_or(0);
            if mark == 0 {
                return;
            }
            match values.get(mark).and_then(|index| counted.get_mut(index)) {
                Some((_, count)) => *count += 1,
                None => are_known = false,
            }
        });
        Ok(are_known.then_some(counted))
    }

    /// The values by their marks; `None` where two have the same, or one has none.
    fn values(&self, counted: &OwnValueRows) -> Option<Values> {
        let mut values = Values {
            table: HashTable::with_capacity(counted.len()),
        };
        for (index, (value, _)) in counted.iter().enumerate() {
            let mark = self.mark_of(value);
            if mark == 0 || values.get(mark).is_some() {
                return None;
            }
            let entry = (mark, index);
            values
                .table
                .insert_unique(spread(mark), entry, |(mark, _)| spread(*mark));
        }
        Some(values)
    }

    /// The mark of a value: that of each word once, as the index has it.
    fn mark_of(&self, value: &[u8]) -> u32 {
        let folded = words::fold(value);
        let mut own: Vec<&[u8]> = words::words(&folded).collect();
        own.sort_unstable();
        own.dedup();
        own.into_iter()
            .fold(0, |mark, word| mark ^ self.number_of(word))
    }

    fn number_of(&self, word: &[u8]) -> u32 {
        self.hasher.hash_one(word) as u32
    }

    /// Gives every row of a segment its mark.
    fn mark_rows(&mut self, segment: &SegmentHandle, part: Namespace) -> Result<bool, ReadError> {
        let prefix = part.key(b"");
        let mut terms = Vec::new();
        segment.scan_terms(&prefix, &mut |key, term| {
            let word = key.bytes.get(prefix.len()..).unwrap_or(&[]);
            terms.push((self.number_of(word), term));
            true
        })?;
        let rows = segment.rows();
        // Words of all rows, such as the domain.
        let (everywhere, others): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|(_, term)| term.rows == rows);
        let of_all = everywhere.iter().fold(0, |mark, (number, _)| mark ^ number);
        self.marks.clear();
        self.marks.resize(rows as usize, of_all);
        let tally = segment.tally()?;
        for (number, term) in others {
            for group in segment.groups_of(&term)? {
                let ordinals = tally.ordinals(group);
                let own = self
                    .marks
                    .get_mut(ordinals.start as usize..ordinals.end as usize);
                own.into_iter().flatten().for_each(|mark| *mark ^= number);
            }
            match term.slots.location {
                Location::One(ordinal) => self.mark(&[ordinal], number),
                _ => self.mark(&segment.slot_ordinals(&term)?, number),
            }
        }
        Ok(true)
    }

    fn mark(&mut self, ordinals: &[u32], number: u32) {
        for ordinal in ordinals {
            if let Some(mark) = self.marks.get_mut(*ordinal as usize) {
                *mark ^= number;
            }
        }
    }
}

impl Values {
    fn get(&self, mark: u32) -> Option<usize> {
        let found = self.table.find(spread(mark), |(known, _)| *known == mark);
        found.map(|(_, index)| *index)
    }
}

/// A mark, which is as good as random, in all bits that a table looks at.
fn spread(mark: u32) -> u64 {
    u64::from(mark) << 32 | u64::from(mark)
}
