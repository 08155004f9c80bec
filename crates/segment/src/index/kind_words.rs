//! What the index knows of a kind.

use model::RecordRef;

use super::{TEXT, bit, has_text, part_counts};
use crate::Namespace;
use crate::footer::Counts;
use crate::kinds::{Shape, Varying};
use crate::terms::Terms;

/// The words of a kind.
#[derive(Debug)]
pub(super) struct KindWords {
    /// Severity and facility; `None` for the whole kind.
    codes: Option<(u8, u8)>,
    /// The numbers of the terms that all its rows have, ascending.
    fixed: Vec<u32>,
    varying: Vec<Varying>,
    /// Parts that all rows have, have fixed bytes in, and have fixed words in.
    present: u8,
    fixed_parts: u8,
    worded: u8,
    /// Whether all rows have a byte that a wildcard runs over where terms are searched.
    has_text: bool,
}

impl KindWords {
    /// The parts of a record that are in its text.
    pub(super) const PARTS: [Namespace; 6] = [
        Namespace::Message,
        Namespace::StructuredData,
        Namespace::Host,
        Namespace::Program,
        Namespace::Pid,
        Namespace::Msgid,
    ];

    /// Enters the fixed words of a kind as terms.
    pub(super) fn new(shape: &Shape, terms: &mut Terms) -> Self {
        let mut words = Self {
            codes: None,
            fixed: Vec::new(),
            varying: Vec::new(),
            present: 0,
            fixed_parts: 0,
            worded: 0,
            has_text: false,
        };
        let found = shape.priority().zip(shape.stretches());
        let Some((priority, stretches)) = found else {
            return words;
        };
        let codes = (priority.severity().number(), priority.facility().number());
        terms.add_number(Namespace::Severity, codes.0, &mut words.fixed);
        terms.add_number(Namespace::Facility, codes.1, &mut words.fixed);
        words.codes = Some(codes);
        for (part, text) in &stretches.fixed {
            if terms.add_text(*part, text, 0..text.len(), &mut words.fixed) > 0 {
                words.worded |= bit(*part);
            }
        }
        terms.look_up(&mut words.fixed);
        words.fixed.sort_unstable();
        words.fixed.dedup();
        for fixed in &stretches.parts {
            // No piece of a record is empty.
            words.present |= bit(fixed.part);
            if fixed.is_there {
                words.fixed_parts |= bit(fixed.part);
            }
            words.has_text |= fixed.has_text && bit(fixed.part) & TEXT != 0;
        }
        words.varying = stretches.varying;
        words
    }

    /// Whether its records have nothing in common.
    pub(super) fn is_whole(&self) -> bool {
        self.codes.is_none()
    }

    /// Whether its records may have different texts in a part.
    pub(super) fn varies(&self, part: Namespace) -> bool {
        self.is_whole() || self.varying.iter().any(|varying| varying.part == part)
    }

    /// The part that a varying text is all of, in all rows.
    pub(super) fn whole_part(&self, varying: &Varying) -> Option<Namespace> {
        let part = varying.part;
        let own = self.varying.iter().filter(|other| other.part == part);
        (own.count() == 1 && self.fixed_parts & bit(part) == 0).then_some(part)
    }

    /// The numbers of the terms that all its rows have, ascending.
    pub(super) fn fixed(&self) -> &[u32] {
        &self.fixed
    }

    /// The texts whose words each row has its own of.
    pub(super) fn varying(&self) -> &[Varying] {
        &self.varying
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.fixed.capacity() * size_of::<u32>()
            + self.varying.capacity() * size_of::<Varying>()
    }

    /// Counts what all of so many rows have.
    pub(super) fn count(&self, rows: u32, counts: &mut Counts) {
        let Some((severity, facility)) = self.codes else {
            return;
        };
        counts.severity[usize::from(severity)] += rows;
        counts.facility[usize::from(facility)] += rows;
        for part in Self::PARTS {
            if self.present & bit(part) != 0 {
                counts.add_present(part, rows);
            }
            if self.worded & bit(part) != 0 {
                counts.add_worded(part, rows);
            }
        }
        if self.worded & TEXT != 0 {
            counts.with_words += rows;
        }
        if self.has_text {
            counts.with_text += rows;
        }
    }

    /// Counts what not all rows have, given for each row the parts in which it has words of its own and, by
    /// their number, the records, which are looked at only where the kind does not tell.
    pub(super) fn count_rows<'r>(
        &self,
        worded: &[u8],
        record: impl Fn(usize) -> Option<RecordRef<'r>>,
        counts: &mut Counts,
    ) {
        let mut rows_by_parts = [0_u32; 1 << u8::BITS];
        for parts in worded {
            rows_by_parts[usize::from(*parts)] += 1;
        }
        for (parts, rows) in (0..=u8::MAX).zip(rows_by_parts) {
            if rows > 0 {
                self.count_words(parts, rows, counts);
            }
        }
        if self.has_text {
            return;
        }
        for (row, parts) in worded.iter().enumerate() {
            let Some(record) = record(row) else {
                continue;
            };
            if self.is_whole() {
                for part in Self::PARTS {
                    let is_present = part.text(record).is_some_and(|text| !text.is_empty());
                    counts.add_present(part, u32::from(is_present));
                }
            }
            let is_new = self.worded & TEXT == 0 && parts & TEXT != 0;
            counts.with_text += u32::from(is_new || has_text(record));
        }
    }

    /// Counts so many rows that have words of their own in some parts.
    fn count_words(&self, parts: u8, rows: u32, counts: &mut Counts) {
        let own = parts & !self.worded;
        for namespace in Namespace::WORDS {
            if own & bit(namespace) != 0 {
                counts.add_worded(namespace, rows);
            }
        }
        if self.worded & TEXT == 0 && parts & TEXT != 0 {
            counts.with_words += rows;
        }
    }
}

/// Whether nothing is asked of the records of a kind but what is in their slots: values that are counted
/// are slots, and the message has text whatever is in its own.
pub(crate) fn asks_slots_only(shape: &Shape) -> bool {
    let Some(stretches) = shape.stretches() else {
        return false;
    };
    let mut parts = stretches.parts.iter();
    let is_slot = |part: &Namespace| {
        let own = stretches.varying.iter().filter(|own| own.part == *part);
        let fixed = stretches.parts.iter().find(|fixed| fixed.part == *part);
        match own.count() {
            0 => true,
            count => count == 1 && fixed.is_none_or(|fixed| !fixed.is_there),
        }
    };
    parts.any(|fixed| fixed.has_text && bit(fixed.part) & TEXT != 0)
        && part_counts::PARTS.iter().all(is_slot)
}
