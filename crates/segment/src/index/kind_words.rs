//! What the index knows of a kind.

use model::RecordRef;

use super::{TEXT, bit, has_text};
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
    /// Parts that all rows have, have words in, and may have.
    present: u8,
    worded: u8,
    possible: u8,
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
            worded: 0,
            possible: 0,
            has_text: false,
        };
        let found = shape.priority().zip(shape.stretches());
        let Some((priority, stretches)) = found else {
            words.possible = Self::PARTS.into_iter().fold(0, |all, part| all | bit(part));
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
            words.possible |= bit(fixed.part);
            if fixed.is_there {
                words.present |= bit(fixed.part);
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
        (own.count() == 1 && self.present & bit(part) == 0).then_some(part)
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

    /// Counts what not all rows have of a row, given the parts in which it has words of its own.
    pub(super) fn count_row(&self, record: RecordRef<'_>, worded: u8, counts: &mut Counts) {
        let unsure = self.possible & !self.present;
        for part in Self::PARTS {
            if unsure & bit(part) != 0 && part.text(record).is_some_and(|text| !text.is_empty()) {
                counts.add_present(part, 1);
            }
        }
        let own = worded & !self.worded;
        for namespace in Namespace::WORDS {
            if own & bit(namespace) != 0 {
                counts.add_worded(namespace, 1);
            }
        }
        let is_new = self.worded & TEXT == 0 && worded & TEXT != 0;
        counts.with_words += u32::from(is_new);
        if !self.has_text && (is_new || has_text(record)) {
            counts.with_text += 1;
        }
    }
}
