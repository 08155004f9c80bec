//! How many rows have each host and each program, so that the most frequent ones of a whole segment are
//! known without its columns.
//!
//! ```text
//! counts of a part = 0, or number of values plus 1, then for each: rows, value
//! ```
//!
//! Empty values are not among them. A part with more values than fit into [`PART_COUNTS_BYTES_MAX`] is not
//! counted; where nothing is counted, nothing is written.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;

use model::RecordRef;

use crate::hash::{Seeds, Short};
use crate::limits::PART_COUNTS_BYTES_MAX;
use crate::wire::{Reader, put_bytes, put_varint};
use crate::{Corrupt, Namespace};

/// The parts whose values are counted, in the order in which they stand.
pub(super) const PARTS: [Namespace; 2] = [Namespace::Host, Namespace::Program];

/// Values and how many rows have each, in the order of the values.
pub type ValueRows<'a> = Vec<(&'a [u8], u32)>;

/// What an entry takes at most beside its value.
const ENTRY_BYTES: usize = 10;

/// The values of some parts and how many rows have each.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartCounts {
    /// In the order of [`PARTS`].
    parts: [Counted; PARTS.len()],
}

/// The values of a part.
#[derive(Clone, Debug)]
struct Counted {
    /// For values that are too long to be compared as numbers.
    seeds: [Seeds; 2],
    values: Vec<(Box<[u8]>, u32)>,
    /// By what stands for the value, which is compared without being looked for in memory.
    places: HashMap<Short, usize, Seeds>,
    /// The value that came last, and its place: mostly it comes again.
    last: (Short, usize),
    bytes: usize,
    /// There are too many.
    is_full: bool,
}

impl PartCounts {
    /// Adds so many rows whose values of a part are those of a record.
    pub(super) fn add(&mut self, part: Namespace, record: RecordRef<'_>, rows: u32) {
        match part {
            Namespace::Host => self.add_value(part, record.host(), rows),
            Namespace::Program => self.add_value(part, record.program(), rows),
            _ => {}
        }
    }

    /// Adds so many rows that have this value of a part.
    pub(super) fn add_value(&mut self, part: Namespace, value: &[u8], rows: u32) {
        let parts = PARTS.into_iter().zip(&mut self.parts);
        for (_, counted) in parts.filter(|(own, _)| *own == part) {
            counted.add(value, rows);
        }
    }

    /// Adds what [`Self::encode`] wrote for another segment.
    pub(crate) fn add_encoded(&mut self, bytes: &[u8]) -> Result<(), Corrupt> {
        for (part, counted) in PARTS.into_iter().zip(&mut self.parts) {
            match find(bytes, part)? {
                Some(values) => values
                    .into_iter()
                    .for_each(|(value, rows)| counted.add(value, rows)),
                None => counted.fill(),
            }
        }
        Ok(())
    }

    /// Appends the counts, each part's in the order of its values.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        for counted in &self.parts {
            if counted.is_full {
                out.push(0);
                continue;
            }
            let mut values: Vec<_> = counted.values.iter().collect();
            values.sort_unstable();
            put_varint(values.len() as u64 + 1, out);
            for (value, rows) in values {
                put_varint(u64::from(*rows), out);
                put_bytes(value, out);
            }
        }
    }

    /// Memory it takes, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let parts = self.parts.iter();
        parts
            .map(|counted| {
                counted.bytes
                    + counted.values.capacity() * size_of::<(Box<[u8]>, u32)>()
                    + counted.places.capacity() * size_of::<(Short, usize)>()
            })
            .sum()
    }
}

impl Default for Counted {
    fn default() -> Self {
        Self {
            seeds: [Seeds::of_process(), Seeds::new()],
            values: Vec::new(),
            places: HashMap::with_hasher(Seeds::of_process()),
            last: Default::default(),
            bytes: 0,
            is_full: false,
        }
    }
}

impl Counted {
    fn add(&mut self, value: &[u8], rows: u32) {
        if value.is_empty() || self.is_full {
            return;
        }
        let short = Short::of(value).unwrap_or_else(|| Short::of_many(value, self.seeds));
        let (last, place) = self.last;
        let known = match last == short {
            true => Some(place),
            false => self.places.get(&short).copied(),
        };
        let Some(place) = known else {
            return self.enter(value, short, rows);
        };
        if let Some((_, known)) = self.values.get_mut(place) {
            *known = known.saturating_add(rows);
        }
        self.last = (short, place);
    }

    /// Adds a value that is not there.
    fn enter(&mut self, value: &[u8], short: Short, rows: u32) {
        self.bytes += value.len() + ENTRY_BYTES;
        if self.bytes > PART_COUNTS_BYTES_MAX {
            return self.fill();
        }
        self.last = (short, self.values.len());
        self.places.insert(short, self.values.len());
        self.values.push((value.into(), rows));
    }

    fn fill(&mut self) {
        *self = Self {
            is_full: true,
            ..Self::default()
        };
    }
}

/// The values of a part; `None` where they are not counted.
pub(super) fn find(bytes: &[u8], part: Namespace) -> Result<Option<ValueRows<'_>>, Corrupt> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut reader = Reader::new("counts of values", bytes);
    for own in PARTS {
        let count = reader.count("number of values", PART_COUNTS_BYTES_MAX)?;
        let mut values = Vec::new();
        for _ in 1..count {
            let rows = reader.count("rows of a value", u32::MAX as usize)?;
            let len = reader.count("length of a value", PART_COUNTS_BYTES_MAX)?;
            values.push((reader.bytes(len)?, rows as u32));
        }
        if own == part {
            return Ok((count > 0).then_some(values));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(counts: &PartCounts) -> Vec<u8> {
        let mut bytes = Vec::new();
        counts.encode(&mut bytes);
        bytes
    }

    fn of_hosts(hosts: std::ops::Range<u32>) -> PartCounts {
        let mut counts = PartCounts::default();
        let [own, programs] = &mut counts.parts;
        hosts.for_each(|host| own.add(format!("host-{host:05}").as_bytes(), 1));
        programs.add(b"sshd", 7);
        programs.add(b"", 7);
        counts
    }

    #[test]
    fn too_many_values_are_not_counted() {
        let many = encoded(&of_hosts(0..5_000));
        assert_eq!(find(&many, Namespace::Host), Ok(None));
        let programs: ValueRows<'_> = vec![(b"sshd", 7)];
        assert_eq!(find(&many, Namespace::Program), Ok(Some(programs)));
        assert!(many.len() < 20);
        assert_eq!(find(&[], Namespace::Host), Ok(None));
    }

    #[test]
    fn counts_of_segments_add_up_to_those_of_all_rows() {
        // The last two are too many together.
        for (one, other) in [
            (0..10, 5..20),
            (0..1_000, 0..1_000),
            (0..1_000, 1_000..2_000),
        ] {
            let mut sum = PartCounts::default();
            let mut all = of_hosts(one.clone());
            for hosts in [one, other.clone()] {
                sum.add_encoded(&encoded(&of_hosts(hosts))).expect("valid");
            }
            let [own, programs] = &mut all.parts;
            other.for_each(|host| own.add(format!("host-{host:05}").as_bytes(), 1));
            programs.add(b"sshd", 7);
            assert_eq!(encoded(&sum), encoded(&all));
        }
    }
}
